/// A line of a scenario file, shown above the one that a failure points at.
public struct SourceLine: Hashable, Sendable {
    /// From 1.
    public var line: Int
    /// Without its end.
    public var text: String

    public init(line: Int, text: String) {
        self.line = line
        self.text = text
    }
}
