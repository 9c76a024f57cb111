import Core

/// A step of the story as the report lists it.
package struct StepResult: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case done
        /// Its trigger did not come in a whole story, too.
        case failed
        /// The story ended early: before its turn, or before its trigger came.
        case notReached
    }

    /// From 0, in the order in which the scenario file says them, repeats opened.
    package var index: Int
    /// From 1.
    package var line: Int
    /// The step in short, as `otalab show` writes it.
    package var text: String
    /// Of a step with a trigger: when it happened, first and last time.
    package var startedAt: Instant?
    package var endedAt: Instant?
    package var outcome: Outcome

    package init(index: Int, line: Int, text: String) {
        self.index = index
        self.line = line
        self.text = text
        outcome = .notReached
    }
}
