import AppHost
import Backend
import Core
import Updater

/// R13.cover: the screen that takes the place of a cover without content goes with the page's first content.
///
/// Silent about: R9's screen that is shown for another reason, or gets one meanwhile: an end of a start, a
/// version that can't be shown, a web process that died again. It stays until something else is shown or the
/// user presses a button.
struct RecoveryScreenEnds: RuleChecker {
    let rule = "R13"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("R13.cover", decided)] }

    /// Whether the screen is shown for a page without content, and for nothing else.
    private var isForContent = false
    /// When it must have gone.
    private var dueAt: Instant?

    /// Time for the app to handle what the page reports.
    private static let timeToHandle = TimeSpan.seconds(1)

    /// Entries that give R9's screen no other reason: what becomes of checks and downloads.
    private static let ofUpdates: [LogCause] = [
        .noContentShown, .upToDate, .nothingOffered, .checkFailed, .checkJoined, .downloadStarted,
        .becamePending, .alreadyPending, .alreadyDownloading, .startConfirmed, .requestRefused,
    ]

    /// Adds nothing: a screen ends with its process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        // What came while the app stood still is handled when it resumes.
        if case .resumed = event.kind, dueAt != nil {
            dueAt = event.at + RecoveryScreenEnds.timeToHandle
        }
        if let violation = overdue(observed) { return violation }
        switch event.kind {
        case .screen(.recovery): break
        case .launched, .processEnded, .powerCut, .screen, .webProcessDied, .userDid:
            (isForContent, dueAt) = (false, nil)
        case .suspended, .backgrounded: dueAt = nil
        case .log(let entry):
            if entry.cause == .noContentShown, observed.screen != .recovery {
                isForContent = true
            } else if !RecoveryScreenEnds.ofUpdates.contains(entry.cause) {
                (isForContent, dueAt) = (false, nil)
            }
        case .contentShown(.first) where isForContent && observed.screen == .recovery:
            decided += 1
            dueAt = event.at + RecoveryScreenEnds.timeToHandle
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard let due = dueAt, observed.now > due + observed.diskDelay, !observed.isSuspended else {
            return nil
        }
        (isForContent, dueAt) = (false, nil)
        return Violation(
            "The recovery screen stayed over a page with content", expected: "the page",
            actual: "the recovery screen", clause: "R13.cover")
    }
}
