import Core
import ScenarioLanguage

/// One thing that can happen to a run, in the words of the scenario language: a step, or a few steps one
/// after the other. Whatever a sweep finds is therefore a scenario file.
package struct SweepDisturbance: Hashable, Sendable {
    /// Where it can matter.
    package enum Occasion: String, CaseIterable, Hashable, Sendable {
        /// Between two events at which something has changed.
        case change
        /// Before a request to the origin.
        case request
        /// Before a request that is forwarded to the remote root.
        case forwarded
        /// Before calls that change the disk.
        case diskCalls = "disk calls"
    }

    /// A step of it, this long after the first one.
    package struct TimedStep: Hashable, Sendable {
        package var after: TimeSpan
        package var action: Action
    }

    /// As reports show it: its steps in the words of the language.
    package let name: String
    package let occasion: Occasion
    package let steps: [TimedStep]

    /// - Parameter then: the steps after the first one, each with the time since the first one.
    init(_ occasion: Occasion, _ action: Action, then: [(after: TimeSpan, action: Action)] = []) {
        self.occasion = occasion
        steps = [TimedStep(after: .zero, action: action)] + then.map { TimedStep(after: $0, action: $1) }
        name = steps.map { step in
            let line = ScenarioPrinter.value(of: step.action).line
            return step.after == .zero ? line : "after \(step.after.shown) \(line)"
        }.joined(separator: ", ")
    }
}
