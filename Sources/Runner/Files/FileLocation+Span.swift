import Core
import ScenarioLanguage

extension FileLocation {
    /// Location of a span's first character; the length ends with the span or with the line.
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
            location: FileLocation(diagnostic.span, in: diagnostic.file), help: diagnostic.help,
            related: diagnostic.related.map {
                Related(message: $0.message, location: FileLocation($0.span, in: diagnostic.file))
            })
    }
}
