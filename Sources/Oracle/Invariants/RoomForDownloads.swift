import Backend
import Core
import Updater

/// U11.free-space: no file of a download that begins is requested where the disk has less free space than the
/// reserve that the rule wants beside the missing bytes.
///
/// Silent about: a download that began before the space was gone; how much the missing bytes want, because a
/// fault's free space is small or large, and seldom between; disk calls that a second fault makes fail, the
/// question for the free space among them.
struct RoomForDownloads: RuleChecker {
    let rule = "U11"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U11.free-space", decided)] }

    /// A fault that leaves less free space than the reserve.
    private struct FullDisk: Hashable {
        var fault: String
        var began: Instant
    }

    private var full: [FullDisk] = []

    /// Less than the reserve of 50 MB: what is removed meanwhile may free some more.
    static let limit = 40_000_000

    func hashMemory(into hasher: inout Hasher) { hasher.combine(full.map(\.fault)) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .faultBegan(let id, _, _, _, let space):
            if let space, space < RoomForDownloads.limit {
                full.append(FullDisk(fault: id, began: event.at))
            }
        case .faultHealed(let id): full.removeAll { $0.fault == id }
        // What the disk refuses is seen, and no download follows from it.
        case .log(let entry) where entry.cause == .noSpace: if !full.isEmpty { decided += 1 }
        case .requestSent(let request): return evaluate(request, observed)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ request: RequestEvent, _ observed: ObservedState) -> Violation? {
        guard case .file(let route) = request.kind, let began = full.first?.began,
            observed.diskFaults.count <= full.count, let version = request.version
        else { return nil }
        let since = max(began, observed.processBegan)
        // It may have been planned in the moment in which the fault began.
        guard let started = observed.logged([.downloadStarted], version: version.id, since: since),
            started.at > began
        else { return nil }
        decided += 1
        return Violation(
            "A download has begun although the disk has no room for it",
            expected: "no request of a file of \(version: observed.name(version))",
            actual: "\(route) is requested", clause: "U11.free-space")
    }
}
