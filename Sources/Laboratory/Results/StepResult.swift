import Core

/// A step of the story as the report lists it.
public struct StepResult: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case done
        case failed
        /// The story ended before its turn, or its trigger never came.
        case notReached
    }

    /// From 0, in the order in which the scenario file says them, repeats opened.
    public var index: Int
    /// From 1.
    public var line: Int
    /// The step in short, as `otalab show` writes it.
    public var text: String
    public var startedAt: Instant?
    public var endedAt: Instant?
    public var outcome: Outcome

    public init(index: Int, line: Int, text: String) {
        self.index = index
        self.line = line
        self.text = text
        outcome = .notReached
    }
}
