/// A line of a scenario file, shown above the one that a failure points at.
package struct SourceLine: Hashable, Sendable {
    /// Line number, from 1.
    package var line: Int
    /// Text without the line end.
    package var text: String

    package init(line: Int, text: String) {
        self.line = line
        self.text = text
    }
}
