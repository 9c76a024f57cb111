import Backend
import Core
import Updater

/// One request to the origin, from when it was sent.
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
    package var status: Int?
    package var offered: String?
    /// The number of the publication that it offered.
    package var serial: Int?
    package var bytes = 0
    package var state = State.open

    package var isManifest: Bool { request.kind == .manifest }

    package var route: String? { if case .file(let route) = request.kind { route } else { nil } }

    /// The origin said what it has for this device.
    package var isGoodManifestAnswer: Bool {
        isManifest && state == .ended && (status == 200 || status == 204 || status == 304)
    }
}
