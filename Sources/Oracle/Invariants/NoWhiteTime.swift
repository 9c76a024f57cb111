import Backend
import Core

/// T4: from a launch or a switch until the first content, the user sees a cover. The time with neither is 0,
/// and the cover is there before the old document is removed.
///
/// Silent about: time after the process has ended or is in the background, because the user does not see the
/// app then.
package struct NoWhiteTime: RuleChecker {
    package let rule = "T4"
    package var decided = 0

    /// When neither cover nor content was visible first.
    private var began: Instant?

    /// Adds nothing: white time ends with the process.
    package func hashMemory(into hasher: inout Hasher) {}

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        switch event.kind {
        case .whiteBegan: began = event.at
        case .whiteEnded(let span):
            began = nil
            decided += 1
            return violation(span)
        // The user saw something else until then, or its end is a violation.
        case .contentShown: decided += 1
        case .processEnded, .powerCut, .backgrounded: began = nil
        default: break
        }
        return nil
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard let began, observed.now > began else { return nil }
        decided += 1
        return violation(observed.now - began)
    }

    private func violation(_ span: TimeSpan) -> Violation {
        Violation(
            "The user saw neither cover nor content", expected: "0 ms of white time",
            actual: "\(span.microseconds / 1_000) ms")
    }
}
