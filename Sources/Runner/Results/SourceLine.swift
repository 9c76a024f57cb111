/// A line of a scenario file, shown above the one that a failure points at.
package struct SourceLine: Hashable, Sendable {
    /// From 1.
    package var line: Int
    /// Without its end.
    package var text: String

    package init(line: Int, text: String) {
        self.line = line
        self.text = text
    }
}
