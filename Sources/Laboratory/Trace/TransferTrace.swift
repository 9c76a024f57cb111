import Core
import Updater
import World

/// One request to the origin, from when it was sent.
public struct TransferTrace: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case open
        case ended
        case failed(TransferFailure)
        case cancelled
    }

    public var request: RequestFact
    public var process: Int
    public var sentAt: Instant
    public var status: Int?
    public var offered: String?
    /// The number of the publication that it offered.
    public var serial: Int?
    public var bytes = 0
    public var state = State.open

    public var isManifest: Bool { request.kind == .manifest }

    public var route: String? { if case .file(let route) = request.kind { route } else { nil } }

    /// The origin said what it has for this device.
    public var isGoodManifestAnswer: Bool {
        isManifest && state == .ended && (status == 200 || status == 204 || status == 304)
    }
}
