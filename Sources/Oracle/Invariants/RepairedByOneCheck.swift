import Backend
import Core
import Updater

/// U8.repair: a version that the device has because the origin offers it, and whose content was damaged, is
/// fetched again with the next check that offers it.
///
/// Silent about: a version that had ended or failed, was refused or was replaced by an offer before;
/// everything after the record was damaged or could not be written.
struct RepairedByOneCheck: RuleChecker {
    let rule = "U8"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U8.repair", decided)] }

    /// Id of the version that the origin offered last and that is current or pending, or was when its damage
    /// was found.
    private var own: String?
    private var isDamaged = false

    /// Causes after which the device may have left the version: it was refused, or did not come up.
    private static let ends: [LogCause] = [
        .blacklistEntry, .parked, .recalled, .rescued, .setAside, .superseded, .pendingDropped,
        .embeddedByOrder, .rolledBackByOrder, .lineChanged, .storeUpdate, .previousBuildDropped,
        .recordLost, .recordFellBack, .recordNotWritten, .recordNewerFormat, .storeUnavailable,
    ]

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(own)
        hasher.combine(isDamaged)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .status(let status) where !isDamaged:
            let key = status.pending ?? status.current
            own = key.flatMap { $0 == status.embedded ? nil : $0.id }
        case .log(let entry) where entry.cause == .contentDamaged:
            if entry.version == own { isDamaged = true }
        case .log(let entry) where entry.cause == .leftBefore:
            guard isDamaged, let id = entry.version, id == own else { return nil }
            decided += 1
            return Violation(
                "\(version: observed.names.name(ofID: id)) was damaged, and its repair waits for a second check",
                expected: "it is fetched again, because it was not left", actual: "it counts as left",
                clause: "U8.repair")
        case .log(let entry):
            if entry.cause == .downloadStarted || entry.cause == .becamePending, isDamaged,
                entry.version == own
            {
                decided += 1
                forget()
            }
            let isOfOwn = entry.version == own
            if RepairedByOneCheck.ends.contains(entry.cause) { forget() }
            if isOfOwn, let end = StartTrace.End(entry.cause), end != .confirmed { forget() }
        case .answerHead(_, _, let offered, _):
            if isDamaged, let offered, offered != own { forget() }
        case .damaged(let path) where path.contains("record"): forget()
        case .installed, .powerCut, .settingsChanged: forget()
        default: break
        }
        return nil
    }

    private mutating func forget() { (own, isDamaged) = (nil, false) }
}
