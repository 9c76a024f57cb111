/// A line of a file with the range to underline. Of a line longer than 1,000 Unicode scalars it has the part
/// around the range.
package struct SourceExcerpt: Hashable, Sendable {
    /// Number of the line, from 1.
    package var line: Int
    /// The line without its end.
    package var text: String
    /// First column of the range in ``text``, from 1, in Unicode scalars.
    package var column: Int
    /// Length of the range in Unicode scalars; at least 1.
    package var length: Int

    static let longest = 1_000
    private static let around = 80

    package init(line: Int, text: String, column: Int, length: Int) {
        self.line = line
        self.text = text
        self.column = column
        self.length = length
    }

    /// - Parameter end: end of the range; on a later line, the range is cut at the end of this line.
    package init(_ text: String, from start: SourceFile.Position, to end: SourceFile.Position) {
        line = start.line
        let scalars = text.unicodeScalars
        let rest = max(0, scalars.count - (start.column - 1))
        let width = end.line == start.line ? end.column - start.column : rest
        guard scalars.count > SourceExcerpt.longest else {
            (self.text, column, length) = (text, start.column, max(1, width))
            return
        }
        let first = max(0, start.column - 1 - SourceExcerpt.around)
        let part = scalars.dropFirst(first).prefix(2 * SourceExcerpt.around)
        let hasMore = first + part.count < scalars.count
        self.text = (first > 0 ? "…" : "") + String(part) + (hasMore ? "…" : "")
        column = start.column - first + (first > 0 ? 1 : 0)
        length = max(1, min(width, SourceExcerpt.around))
    }
}

extension SourceExcerpt {
    /// The line and its carets as a terminal shows them: tabs are copied, wide characters take two cells.
    package struct Drawing: Hashable, Sendable {
        /// The line without control characters.
        package var text: String
        /// Spaces and tabs before the carets.
        package var indent: String
        /// A caret for each cell of the visible part of the range; at least one.
        package var carets: String
    }

    /// - Parameter columns: width in cells; a longer line is cut on both sides, but the beginning of the
    ///   range stays visible. nil for the whole line.
    package func drawing(columns: Int? = nil) -> Drawing {
        let scalars = Array(TerminalText.printable(text).unicodeScalars)
        let from = min(max(0, column - 1), scalars.count)
        let to = min(scalars.count, from + max(1, length))
        let visible = columns.map { SourceExcerpt.visible(scalars, from, to, $0) } ?? scalars.indices
        let head = visible.lowerBound > 0 ? "… " : ""
        let tail = visible.upperBound < scalars.count ? " …" : ""
        var indent = head.isEmpty ? "" : "  "
        for scalar in scalars[visible.lowerBound..<from] {
            indent += scalar == "\t" ? "\t" : String(repeating: " ", count: TerminalText.cells(scalar))
        }
        let end = visible.upperBound
        let underlined = scalars[min(from, end)..<max(min(to, end), min(from, end))]
        // One caret for a tab, because the terminal decides how far a tab goes.
        let cells = underlined.reduce(0) { $0 + ($1 == "\t" ? 1 : TerminalText.cells($1)) }
        return Drawing(
            text: head + String(String.UnicodeScalarView(scalars[visible])) + tail, indent: indent,
            carets: String(repeating: "^", count: max(1, cells)))
    }

    /// The part of a line that fits into `columns` cells together with `… ` before it and ` …` after it.
    private static func visible(
        _ scalars: [Unicode.Scalar], _ from: Int, _ to: Int, _ columns: Int
    ) -> Range<Int> {
        // The range and some text before it must be visible. The search goes backwards from the range,
        // because a line can be a megabyte long.
        let part = min(TerminalText.cells(scalars[from..<min(to, from + columns)]), columns / 2)
        var start = from
        var before = 0
        while start > 0,
            before + TerminalText.cells(scalars[start - 1]) + part + (start > 1 ? 2 : 0) <= columns
        {
            start -= 1
            before += TerminalText.cells(scalars[start])
        }
        // At most a third before the range, so that the text after it is visible too.
        if start > 0 { start = max(start, from - columns / 3) }
        let left = columns - (start > 0 ? 2 : 0)
        if TerminalText.cells(scalars[start...].prefix(left + 1)) <= left { return start..<scalars.count }
        return start..<end(of: scalars, from: start, columns: left)
    }

    /// Where a line is cut so that it fits into `columns` cells together with ` …`.
    private static func end(of scalars: [Unicode.Scalar], from start: Int, columns: Int) -> Int {
        var end = start
        var used = 2
        while end < scalars.count, used + TerminalText.cells(scalars[end]) <= columns {
            used += TerminalText.cells(scalars[end])
            end += 1
        }
        return end
    }

    /// A line without control characters, cut at its end to a width in cells.
    package static func cut(_ text: String, columns: Int) -> String {
        let scalars = Array(TerminalText.printable(text).unicodeScalars)
        if TerminalText.cells(scalars) <= columns { return String(String.UnicodeScalarView(scalars)) }
        let end = end(of: scalars, from: 0, columns: columns)
        return String(String.UnicodeScalarView(scalars[..<end])) + " …"
    }
}
