import Core

/// Shows a place in a file the way compilers do: source line, caret, label, help.
///
///     error: unknown key 'instaled' in app
///       --> Scenarios/demo.json5:2:10
///       |
///     2 |   app: { instaled: "1" },
///       |          ^^^^^^^^ not an app key
///       = help: did you mean 'installed'?
///
/// Tabs of the source line are copied into the caret line; wide characters take two cells of it, combining
/// marks none.
package enum DiagnosticRenderer {
    package static func render(_ diagnostic: Diagnostic) -> String {
        let file = diagnostic.file
        let position = file.position(of: diagnostic.span.start)
        let lines = [position.line] + diagnostic.related.map { file.position(of: $0.span.start).line }
        let gutter = String(repeating: " ", count: String(lines.max() ?? 1).utf8.count + 1)
        var text = "\(diagnostic.severity.rawValue): \(diagnostic.message)\n"
        text += "  --> \(file.resolve(diagnostic.span).file.path):\(position.line):\(position.column)\n"
        text += "\(gutter)|\n"
        text += excerpt(file, diagnostic.span, label: diagnostic.label, gutter: gutter)
        for related in diagnostic.related {
            let location = file.position(of: related.span.start)
            text += "  ::: \(file.resolve(related.span).file.path):\(location.line):\(location.column)\n"
            text += "\(gutter)|\n"
            text += excerpt(file, related.span, label: related.message, gutter: gutter)
        }
        if let help = diagnostic.help { text += "\(gutter)= help: \(help)\n" }
        return text
    }

    package static func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(render).joined(separator: "\n")
    }

    /// The source line and the caret line beneath it, each with its line end; for reports of failed
    /// expectations too. `gutter` is as wide as the longest line number and a space.
    package static func excerpt(
        _ file: SourceFile, _ span: SourceSpan, label: String, gutter: String
    ) -> String {
        let (file, span) = file.resolve(span)
        let start = file.position(of: span.start)
        let end = file.position(of: max(span.start, span.end))
        return excerpt(
            SourceExcerpt(file.text(ofLine: start.line), from: start, to: end), label: label, gutter: gutter)
    }

    package static func excerpt(_ excerpt: SourceExcerpt, label: String, gutter: String) -> String {
        let number = String(excerpt.line)
        let pad = String(repeating: " ", count: max(0, gutter.utf8.count - number.utf8.count))
        var caretLine = ""
        for scalar in excerpt.text.unicodeScalars.prefix(excerpt.column - 1) {
            caretLine += scalar == "\t" ? "\t" : String(repeating: " ", count: TerminalCells.count(scalar))
        }
        let meant = excerpt.text.unicodeScalars.dropFirst(excerpt.column - 1).prefix(excerpt.length)
        // Past the end of the line there is nothing to measure.
        let cells = TerminalCells.count(meant) + excerpt.length - meant.count
        caretLine += String(repeating: "^", count: max(1, cells))
        if !label.isEmpty { caretLine += " " + label }
        return "\(number)\(pad)| \(excerpt.text)\n\(gutter)| \(caretLine)\n"
    }
}

/// A line of a file and what is meant in it. Of a line that nobody would read to its end, the part around
/// the place.
package struct SourceExcerpt: Hashable, Sendable {
    package var line: Int
    package var text: String
    /// From 1, in ``text``.
    package var column: Int
    /// Unicode scalars to underline; at least 1.
    package var length: Int

    static let longest = 1_000
    private static let around = 80

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
