import Core

/// Shows a location in a file as compilers do: source line, carets, label, help.
///
///     error: unknown key 'instaled' in app
///       --> Scenarios/demo.json5:2:10
///       |
///     2 |   app: { instaled: "1" },
///       |          ^^^^^^^^ not an app key
///       = help: did you mean 'installed'?
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
            let position = file.position(of: related.span.start)
            text += "  ::: \(file.resolve(related.span).file.path):\(position.line):\(position.column)\n"
            text += "\(gutter)|\n"
            text += excerpt(file, related.span, label: related.message, gutter: gutter)
        }
        if let help = diagnostic.help { text += "\(gutter)= help: \(help)\n" }
        return text
    }

    package static func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(render).joined(separator: "\n")
    }

    private static func excerpt(
        _ file: SourceFile, _ span: SourceSpan, label: String, gutter: String
    ) -> String {
        let (file, span) = file.resolve(span)
        let start = file.position(of: span.start)
        let end = file.position(of: max(span.start, span.end))
        return excerpt(
            SourceExcerpt(file.text(ofLine: start.line), from: start, to: end), label: label, gutter: gutter)
    }

    /// The source line and the line with its carets, each with its line end.
    ///
    /// - Parameter gutter: spaces, one more than the longest line number has digits.
    package static func excerpt(_ excerpt: SourceExcerpt, label: String, gutter: String) -> String {
        let number = String(excerpt.line)
        let pad = String(repeating: " ", count: max(0, gutter.utf8.count - number.utf8.count))
        let drawing = excerpt.drawing()
        let carets = drawing.indent + drawing.carets + (label.isEmpty ? "" : " " + label)
        return "\(number)\(pad)| \(drawing.text)\n\(gutter)| \(carets)\n"
    }
}
