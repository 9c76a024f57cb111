import Backend
import Core
import Updater

/// One request to the origin, and what is known of its response.
package struct TransferTrace: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case open
        case ended
        case failed(TransferFailure)
        case cancelled
    }

    package var request: RequestEvent
    package var process: Int
    package var sentAt: Instant
    /// Status code of the response.
    package var status: Int?
    /// Id of the version that the response offers.
    package var offered: String?
    /// Number of the publication that the response offers.
    package var serial: Int?
    /// Its date in seconds since 1970, in a dialect whose manifests are ordered by date.
    package var date: Int?
    /// Number of a publication that is not for this device, because of its share.
    package var withheldSerial: Int?
    /// Whether the signature of the manifest lets the device accept it (U16).
    package var isAuthentic = true
    /// Names of the keys that have signed it.
    package var signers: [String] = []
    /// Whether the origin answered that the range begins at the end of the file: all of it is here.
    package var isComplete = false
    /// Body bytes received.
    package var bytes = 0
    package var state = State.open
    /// When the response had arrived completely.
    package var endedAt: Instant?
    /// Versions that have the received bytes at the requested route.
    package var contentOf = VersionMask()

    package var isManifest: Bool { request.kind == .manifest }

    /// Route of the requested file; nil for other requests.
    package var route: String? { if case .file(let route) = request.kind { route } else { nil } }

    /// Size of the file that is complete with this response; nil if it did not arrive whole.
    var wholeSize: Int? {
        let from = request.from ?? 0
        switch status {
        case 200? where state == .ended: return bytes
        case 206? where state == .ended: return from + bytes
        case 416? where isComplete: return from
        default: return nil
        }
    }

    /// Whether the response has arrived completely, with a status of success (RFC 9110 §15.3).
    package var isSuccess: Bool {
        state == .ended && (status.map { (200..<300).contains($0) } ?? false)
    }

    /// Whether the origin answered what it has for this device.
    package var isGoodManifestAnswer: Bool {
        isManifest && state == .ended && isAuthentic && (status == 200 || status == 204 || status == 304)
    }
}
