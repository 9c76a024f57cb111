import Core
import ScenarioLanguage

/// A finding of `otalab lint` with its location in a scenario, a profile or a file of a release. All outputs
/// are made from it (terminal, GitHub, SARIF, JSON).
package struct Finding: Hashable, Sendable {
    package enum Severity: String, CaseIterable, Hashable, Sendable {
        case error, warning, note
    }

    /// The id of its ``LintRule``: `E0103`.
    package var rule: String
    package var severity: Severity
    /// One sentence without a full stop.
    package var message: String
    /// The text next to the caret; may be empty.
    package var label: String
    package var location: Location
    /// How to fix it.
    package var help: String?
    /// Related locations, each with a message.
    package var related: [Related]

    package struct Location: Hashable, Sendable {
        /// The path as given to the program, relative to the working folder.
        package var file: String
        /// The line, from 1; nil for the file as a whole.
        package var line: Int?
        /// The column, from 1, in Unicode scalars.
        package var column: Int?
        package var endLine: Int?
        /// The column after the last scalar.
        package var endColumn: Int?
        /// The source line, or the part of a long line around the location; nil without a line.
        package var excerpt: SourceExcerpt?

        package init(
            file: String, line: Int? = nil, column: Int? = nil, endLine: Int? = nil, endColumn: Int? = nil,
            excerpt: SourceExcerpt? = nil
        ) {
            self.file = file
            self.line = line
            self.column = column
            self.endLine = endLine
            self.endColumn = endColumn
            self.excerpt = excerpt
        }
    }

    package struct Related: Hashable, Sendable {
        package var message: String
        package var location: Location

        package init(message: String, location: Location) {
            self.message = message
            self.location = location
        }
    }

    package init(
        rule: String, severity: Severity, message: String, label: String = "", location: Location,
        help: String? = nil, related: [Related] = []
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.label = label
        self.location = location
        self.help = help
        self.related = related
    }
}

extension Finding {
    package init(_ diagnostic: Diagnostic) {
        self.init(
            rule: diagnostic.code.rawValue, severity: diagnostic.severity == .error ? .error : .warning,
            message: diagnostic.message, label: diagnostic.label,
            location: Location(diagnostic.file, diagnostic.span), help: diagnostic.help,
            related: diagnostic.related.map {
                Related(message: $0.message, location: Location(diagnostic.file, $0.span))
            })
    }

    /// Whether the file could not be read at all.
    package var isUnreadableFile: Bool { rule == LibraryRule.unreadable.rawValue }

    /// The finding as a compiler shows it: message, location, source line with caret if there is a line,
    /// help.
    package var shown: String {
        var text = "\(severity.rawValue)[\(rule)]: \(message)\n"
        let lines = ([location] + related.map(\.location)).compactMap(\.line)
        let gutter = String(repeating: " ", count: String(lines.max() ?? 1).count + 1)
        text += "  --> " + location.shown + "\n" + location.shownExcerpt(label: label, gutter: gutter)
        for other in related {
            text += "  ::: " + other.location.shown + "\n"
            text += other.location.shownExcerpt(label: other.message, gutter: gutter)
        }
        if let help { text += "\(gutter)= help: \(help)\n" }
        return text
    }
}

extension Finding.Location {
    package init(_ file: SourceFile, _ span: SourceSpan) {
        let (file, span) = file.resolve(span)
        let start = file.position(of: span.start)
        let end = file.position(of: max(span.start, span.end))
        self.init(
            file: file.path, line: start.line, column: start.column, endLine: end.line, endColumn: end.column,
            excerpt: SourceExcerpt(file.text(ofLine: start.line), from: start, to: end))
    }

    /// The location as `file:line:column`.
    package var shown: String {
        guard let line else { return file }
        return "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
    }

    fileprivate func shownExcerpt(label: String, gutter: String) -> String {
        guard let excerpt else { return label.isEmpty ? "" : "\(gutter)= \(label)\n" }
        return "\(gutter)|\n" + DiagnosticRenderer.excerpt(excerpt, label: label, gutter: gutter)
    }
}
