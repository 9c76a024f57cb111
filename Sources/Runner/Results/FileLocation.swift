/// A location in a scenario file with the text of its line, so that a report can show a caret without reading
/// the file again. (Not `SourceLocation`: swift-testing has that name, and tests import both.)
package struct FileLocation: Hashable, Sendable {
    /// Path as given to the program.
    package var file: String
    /// Line number, from 1.
    package var line: Int
    /// Column, from 1, in Unicode scalars.
    package var column: Int
    /// Number of Unicode scalars to underline in ``text``, at least 1; 0: the file as a whole, without a
    /// line.
    package var length: Int
    /// Text of the whole line without the line end.
    package var text: String

    package init(file: String, line: Int, column: Int, length: Int, text: String) {
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.text = text
    }
}
