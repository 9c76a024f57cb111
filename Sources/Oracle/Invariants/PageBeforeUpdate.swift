import Backend
import Core

/// S9: the page never waits for the update. Between the arrival of what a page, the user or the platform
/// wants and the answer, the update takes at most one step, with at most 16 disk calls and 64 KiB read and
/// written, and submits no sync while the answer waits for one of its own.
///
/// The rule's one step had begun before. A step that begins later is allowed once too, and another one after
/// each 32 other things that were before the answer, because under a page that never stops asking the update
/// must go on (``LaneQueue``).
///
/// Silent about: work of the update without disk calls, such as the parsing of a manifest; requests that wait
/// for the remote root; a process that could not read a version's file, because its page then waits until the
/// file is read again.
struct PageBeforeUpdate: RuleChecker {
    let rule = "S9"
    var decided = 0

    /// Adds nothing: this checker has no memory.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        // An answer that waited for nothing of the update, although one was under way.
        if case .answered = event.kind, observed.hasOpenTransfers { decided += 1 }
        guard case .answerDelayed(let delay) = event.kind else { return nil }
        decided += 1
        let allowed = 1 + delay.urgent / LaneQueue<TraceEvent>.mostUrgentInARow
        guard delay.steps > allowed || delay.syncs > 0 || !delay.largest.isWithinBackgroundBounds else {
            return nil
        }
        if observed.hasLoggedInProcess(.readFailed) { return nil }
        return Violation(
            "An answer waited for the update",
            expected: "at most one bounded step of the update, and no sync",
            actual: ViolationText(delay.description))
    }
}
