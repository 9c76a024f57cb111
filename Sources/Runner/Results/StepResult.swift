import Core

/// A step of the scenario as a report lists it.
package struct StepResult: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case done
        /// Also: its trigger did not fire although all steps were performed.
        case failed
        /// An expectation about nothing that the app lets an observer see (``Visibility``).
        case notJudged
        /// The run ended before the step was reached or its trigger fired.
        case notReached
    }

    /// Index in the order of the scenario file, from 0, with steps inside a `repeat` counted too.
    package var index: Int
    /// Line in the scenario file, from 1.
    package var line: Int
    /// Text of the step on one line.
    package var text: String
    /// Start of the step; of a step with a trigger: the first time that it happened.
    package var startedAt: Instant?
    /// End of the step; of a step with a trigger: the last time that it happened.
    package var endedAt: Instant?
    package var outcome: Outcome

    package init(index: Int, line: Int, text: String) {
        self.index = index
        self.line = line
        self.text = text
        outcome = .notReached
    }
}
