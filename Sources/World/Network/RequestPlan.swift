import Core
import ScenarioLanguage
import Updater

/// The combined effect of all faults on one request.
struct RequestPlan: Hashable, Sendable {
    var failure: TransferFailure?
    var isSilent = false
    var hasBlackHole = false
    var delay = TimeSpan.zero
    var isStale = false
    var servesIndexForUnknown = false
    var alterations: [FaultKind] = []
    var end = BodyEnd.whole
    /// Part of the body after which it ends; nil: the answer ends before its head.
    var endsAfter: Amount?

    init(_ kinds: [FaultKind]) {
        for kind in kinds {
            switch RequestFault(kind) {
            case nil: break
            case .fail(let failure): if self.failure == nil && !isSilent { self.failure = failure }
            case .silence: if failure == nil { isSilent = true }
            case .blackHole: hasBlackHole = true
            case .delay(let span): delay += span
            case .stale: isStale = true
            case .indexForUnknown: servesIndexForUnknown = true
            case .alter(let kind): alterations.append(kind)
            case .cut(let end, let amount):
                self.end = end
                endsAfter = amount
            }
        }
    }

    /// Bytes of the body that are sent, and whether the head is.
    func bodyLimit(of size: Int) -> (bytes: Int, hasHead: Bool) {
        if end == .whole { return (size, true) }
        guard let endsAfter else { return (0, false) }
        return (min(endsAfter.bytes(of: size), size), true)
    }

    /// The first byte that a range request asks for.
    static func firstByte(of request: OriginRequest) -> Int? {
        guard let value = request.fields["Range"], value.hasPrefix("bytes=") else { return nil }
        return Int(value.dropFirst("bytes=".count).prefix { $0 != "-" })
    }
}
