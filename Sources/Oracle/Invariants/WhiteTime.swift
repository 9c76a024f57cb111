import Backend
import Core

/// T4: from launch or switch to first content the user sees a cover; the time with neither is 0.
package struct WhiteTime: Checker {
    package let rule = "T4"

    private var began: Instant?

    /// Nothing: white time ends with the process.
    package func remember(in sum: inout Hasher) {}

    package mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        switch fact.kind {
        case .whiteBegan: began = fact.at
        case .whiteEnded(let span):
            began = nil
            if span > .zero { return violation(span) }
        case .processEnded, .powerCut, .backgrounded: began = nil
        default: break
        }
        return nil
    }

    package mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard let began, observed.now > began else { return nil }
        return violation(observed.now - began)
    }

    private func violation(_ span: TimeSpan) -> Violation {
        Violation(
            "The user saw neither cover nor content", expected: "0 ms of white time",
            actual: "\(span.microseconds / 1_000) ms")
    }
}
