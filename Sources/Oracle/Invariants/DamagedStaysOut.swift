import Backend
import Core
import Updater

/// R9.left-out: a version of whose damage the app has told is not shown before it is whole again.
///
/// Silent about: a document in front, and what it leads to (S1); versions that can be read again, because the
/// medium has their content as it should be; the embedded version.
struct DamagedStaysOut: RuleChecker {
    let rule = "R9"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("R9.left-out", decided)] }

    /// Ids of versions that the log has called damaged, and that have not become pending since.
    private var damaged: [String] = []

    func hashMemory(into hasher: inout Hasher) { hasher.combine(damaged) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .log(let entry) where entry.cause == .contentDamaged:
            if let id = entry.version, !damaged.contains(id) { damaged.append(id) }
        case .log(let entry) where entry.cause == .becamePending: damaged.removeAll { $0 == entry.version }
        case .installed: damaged = []
        case .pageLoad(_, let token, let key):
            guard damaged.contains(key.id), !observed.isEmbedded(key), key != observed.status?.embedded,
                !observed.loads.contains(where: { $0.token != token && $0.version == key && !$0.isClosed })
            else { return nil }
            decided += 1
            guard let flaw = store.live.flaw(of: key) else { return nil }
            return Violation(
                "\(version: observed.name(key)) was shown, and is known to be damaged",
                expected: "another version of the recovery chain until it is whole again",
                actual: ViolationText(flaw), clause: "R9.left-out")
        default: break
        }
        return nil
    }
}
