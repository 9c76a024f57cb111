import Core
import ScenarioLanguage

extension SourcePlace {
    /// Where a span begins; the caret goes to its end, or to the end of the line.
    package init(_ span: SourceSpan, in file: SourceFile) {
        let (file, span) = file.resolve(span)
        let start = file.position(of: span.start)
        let end = file.position(of: max(span.end, span.start))
        let text = file.text(ofLine: start.line)
        let rest = max(1, text.unicodeScalars.count - start.column + 1)
        let length = end.line == start.line ? end.column - start.column : rest
        self.init(
            file: file.path, line: start.line, column: start.column, length: min(max(1, length), rest),
            text: text)
    }
}

extension DiagnosticResult {
    package init(_ diagnostic: Diagnostic) {
        self.init(
            code: diagnostic.code.rawValue, isError: diagnostic.severity == .error,
            message: diagnostic.message, label: diagnostic.label,
            place: SourcePlace(diagnostic.span, in: diagnostic.file), help: diagnostic.help,
            related: diagnostic.related.map {
                Related(message: $0.message, place: SourcePlace($0.span, in: diagnostic.file))
            })
    }
}
