import Backend
import Core

/// T4: from a launch or a switch until the first content, the user sees a cover. The time with neither is 0,
/// and the cover is there before the old document is removed.
///
/// The end of a web process is neither launch nor switch: the app learns of it behind what it is doing, such
/// as opening its server again on its return or a disk call that blocks, and has one frame to cover the view.
///
/// Silent about: time after the process has ended or is in the background, because the user does not see the
/// app then; time in which the app is stopped in front; a link of the page into the API, which is neither
/// launch nor switch, and whose document is the remote root's.
package struct NoWhiteTime: RuleChecker {
    package let rule = "T4"
    package var decided = 0

    /// When neither cover nor content was visible first.
    private var began: Instant?
    /// Whether the process is stopped, or was until it ended: the end of its white time follows its own.
    private var isStopped = false
    /// When a web process died last.
    private var died: Instant?
    /// Whether one died while the process was stopped: it learns of that when it resumes.
    private var hasDiedUnheard = false
    /// What is allowed of it; nil: not even a moment.
    private var allowed: TimeSpan?

    private static let frame = TimeSpan.milliseconds(16)
    /// Time that a step of the app takes which calls no disk.
    private static let ownStep = TimeSpan.milliseconds(1)

    /// Adds nothing: white time ends with the process.
    package func hashMemory(into hasher: inout Hasher) {}

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        switch event.kind {
        case .launched:
            died = nil
            hasDiedUnheard = false
            isStopped = false
        case .suspended:
            isStopped = true
            // It may have been stopped before it learnt of it.
            if let died, event.at - died <= NoWhiteTime.frame + observed.diskDelay { hasDiedUnheard = true }
        case .resumed:
            isStopped = false
            if began != nil { began = event.at }
            if hasDiedUnheard { died = event.at }
        case .webProcessDied:
            died = event.at
            hasDiedUnheard = isStopped
        case .whiteBegan where observed.isRemoteDocument, .whiteEnded where observed.isRemoteDocument:
            began = nil
        case .whiteBegan:
            began = event.at
            // A process that is stopped learns of it when it resumes. Another one may be in the step that
            // removes the cover.
            let isByDeath =
                died.map { event.at - $0 < NoWhiteTime.ownStep + observed.diskDelay || observed.isSuspended }
                ?? false
            // The app's step that is under way is not interrupted.
            let step = observed.profile.diskCost.perCall * Int64(StepCounts.maxOthers)
            allowed = isByDeath ? NoWhiteTime.frame + observed.diskDelay + step : nil
        case .whiteEnded(let whole):
            let span = began.map { min(whole, event.at - $0) } ?? whole
            began = nil
            hasDiedUnheard = hasDiedUnheard && isStopped
            decided += 1
            if isStopped { return nil }
            return allowed.map { span <= $0 } ?? false ? nil : violation(span)
        // The user saw something else until then, or its end is a violation.
        case .contentShown: decided += 1
        case .processEnded, .powerCut, .backgrounded: began = nil
        default: break
        }
        return nil
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard let began, !observed.isSuspended, observed.now > began + (allowed ?? .zero) else { return nil }
        decided += 1
        return violation(observed.now - began)
    }

    private func violation(_ span: TimeSpan) -> Violation {
        Violation(
            "The user saw neither cover nor content", expected: "0 ms of white time",
            actual: "\(span.microseconds / 1_000) ms")
    }
}
