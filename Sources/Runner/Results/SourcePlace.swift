/// A place in a scenario file with the line it stands in, so that a report can show a caret without
/// reading the file again.
package struct SourcePlace: Hashable, Sendable {
    /// As given to the program, relative to where it was started.
    package var file: String
    /// From 1.
    package var line: Int
    /// From 1, in Unicode scalars.
    package var column: Int
    /// Unicode scalars that the caret underlines in ``text``; at least 1. 0: the file as a whole, of which no
    /// line is known.
    package var length: Int
    /// The whole source line without its end.
    package var text: String

    package init(file: String, line: Int, column: Int, length: Int, text: String) {
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.text = text
    }
}
