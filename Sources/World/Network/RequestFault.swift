import Core
import ScenarioLanguage
import Updater

/// The effect of a network fault on one request.
enum RequestFault: Hashable, Sendable {
    /// The connection fails.
    case fail(TransferFailure)
    /// No answer arrives until the device's timeout.
    case silence
    /// One of the origin's addresses swallows packets.
    case blackHole
    /// The answer begins later.
    case delay(TimeSpan)
    /// The edge answers with its previous content.
    case stale
    /// Unknown paths are answered with the index.
    case indexForUnknown
    /// The answer is changed or replaced (`RequestPlan+AlteredAnswer.swift`).
    case alter(FaultKind)
    /// The body is cut.
    case cut(BodyEnd, after: Amount?)

    /// Nil for faults of a device.
    init?(_ kind: FaultKind) {
        switch kind {
        case .refuse: self = .fail(.refused)
        case .dnsFailure: self = .fail(.nameNotResolved)
        case .insecure: self = .fail(.insecure)
        case .connectTimeout: self = .silence
        case .blackHoledAddress: self = .blackHole
        case .staleEdge: self = .stale
        case .indexForUnknown: self = .indexForUnknown
        case .slow(.answers, let span): self = .delay(span)
        case .reset(let amount): self = .cut(.reset, after: amount)
        case .stall(let amount): self = .cut(.stall, after: amount)
        case .truncate(let amount): self = .cut(.truncate, after: amount)
        case .captivePortal, .corrupt, .status, .answer: self = .alter(kind)
        case .slow, .offline, .noSpace, .lockedDevice, .readOnlyDisk, .diskError, .lyingSync, .shortWrites,
            .portTaken, .portRefused, .lateTimers:
            return nil
        }
    }
}

/// How a body ends.
enum BodyEnd: Hashable, Sendable {
    case whole
    case reset
    case stall
    case truncate
}
