import AppHost
import Backend
import Core
import Updater

/// R13.cover-ends: in front, a cover ends: with the page's content, or with a screen that offers a way on.
///
/// Silent about: time in which the app stands still or is not active; the first seconds after each page load,
/// up to twice the startup timeout and two and a half minutes at least, because a start may be slow and be
/// tried again; time in which each call of the disk takes a second or longer; documents of the remote root.
struct CoverEnds: RuleChecker {
    let rule = "R13"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("R13.cover-ends", decided)] }

    /// Since when the user sees the cover, and nothing has begun that could end it.
    private var since: Instant?

    private static let longCall = TimeSpan.seconds(1)

    /// Adds nothing: a cover ends with its process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if let violation = overdue(observed) { return violation }
        switch event.kind {
        case .screen(.cover): begin(observed)
        case .screen:
            if since != nil { decided += 1 }
            since = nil
        case .processEnded, .powerCut, .deactivated, .backgrounded, .suspended: since = nil
        case .launched, .activated, .foregrounded, .resumed, .pageLoad, .settingsChanged: begin(observed)
        default: break
        }
        return nil
    }

    private mutating func begin(_ observed: ObservedState) {
        let isSeen =
            observed.screen == .cover && observed.isActive && !observed.isSuspended
            && !observed.isRemoteDocument
        since = isSeen ? observed.now : nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard let began = since else { return nil }
        if observed.diskDelay >= CoverEnds.longCall {
            since = observed.now
            return nil
        }
        let patience = max(observed.settings.startupTimeout * 2 + .seconds(60), ComesUp.patience)
        guard observed.now > began + patience + observed.diskDelay + observed.timerDelay else { return nil }
        since = nil
        decided += 1
        return Violation(
            "The user looks at a cover, and nothing ends it",
            expected: "content, or a screen that offers a way on", actual: "the cover",
            clause: "R13.cover-ends")
    }
}
