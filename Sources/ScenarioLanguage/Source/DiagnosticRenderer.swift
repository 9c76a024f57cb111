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
/// Tabs of the source line are copied into the caret line; one scalar counts as one cell.
public enum DiagnosticRenderer {
    public static func render(_ diagnostic: Diagnostic) -> String {
        let file = diagnostic.file
        let position = file.position(of: diagnostic.span.start)
        let lines = [position.line] + diagnostic.related.map { file.position(of: $0.span.start).line }
        let gutter = String(repeating: " ", count: String(lines.max() ?? 1).utf8.count + 1)
        var text = "\(diagnostic.severity.rawValue): \(diagnostic.message)\n"
        text += "  --> \(file.home(of: diagnostic.span).file.path):\(position.line):\(position.column)\n"
        text += "\(gutter)|\n"
        text += excerpt(file, diagnostic.span, label: diagnostic.label, gutter: gutter)
        for related in diagnostic.related {
            let place = file.position(of: related.span.start)
            text += "  ::: \(file.home(of: related.span).file.path):\(place.line):\(place.column)\n"
            text += "\(gutter)|\n"
            text += excerpt(file, related.span, label: related.message, gutter: gutter)
        }
        if let help = diagnostic.help { text += "\(gutter)= help: \(help)\n" }
        return text
    }

    public static func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(render).joined(separator: "\n")
    }

    /// The source line and the caret line beneath it, each with its line end; for reports of failed
    /// expectations too. `gutter` is as wide as the longest line number and a space.
    public static func excerpt(
        _ file: SourceFile, _ span: SourceSpan, label: String, gutter: String
    ) -> String {
        let (file, span) = file.home(of: span)
        let start = file.position(of: span.start)
        let end = file.position(of: max(span.start, span.end))
        let line = file.text(ofLine: start.line)
        let number = String(start.line)
        let pad = String(repeating: " ", count: max(0, gutter.utf8.count - number.utf8.count))
        let before = line.unicodeScalars.prefix(start.column - 1)
        var caretLine = ""
        for scalar in before { caretLine.unicodeScalars.append(scalar == "\t" ? "\t" : " ") }
        let rest = max(0, line.unicodeScalars.count - (start.column - 1))
        let width = end.line == start.line ? end.column - start.column : rest
        caretLine += String(repeating: "^", count: max(1, width))
        if !label.isEmpty { caretLine += " " + label }
        return "\(number)\(pad)| \(line)\n\(gutter)| \(caretLine)\n"
    }
}
