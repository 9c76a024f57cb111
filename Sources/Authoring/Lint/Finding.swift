import Core
import ScenarioLanguage

/// Something that `otalab lint` has to say, with its place: in a scenario, a profile, or a file of a release.
/// A value for every output (terminal, GitHub, SARIF, JSON).
package struct Finding: Hashable, Sendable {
    package enum Severity: String, CaseIterable, Hashable, Sendable {
        case error, warning, note
    }

    /// Its ``LintRule``: `E0103`.
    package var rule: String
    package var severity: Severity
    /// One sentence without a full stop.
    package var message: String
    /// What is said beside the caret; may be empty.
    package var label: String
    package var place: Place
    /// What to do about it.
    package var help: String?
    /// Other places that belong to it, each with its own sentence.
    package var related: [Related]

    package struct Place: Hashable, Sendable {
        /// As given to the program, relative to where it was started.
        package var file: String
        /// From 1; nil: the file as a whole.
        package var line: Int?
        /// From 1, in Unicode scalars.
        package var column: Int?
        package var endLine: Int?
        /// Behind the last scalar.
        package var endColumn: Int?
        /// The source line, where there is one, or the part of a long one around the place.
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
        package var place: Place

        package init(message: String, place: Place) {
            self.message = message
            self.place = place
        }
    }

    package init(
        rule: String, severity: Severity, message: String, label: String = "", place: Place,
        help: String? = nil, related: [Related] = []
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.label = label
        self.place = place
        self.help = help
        self.related = related
    }
}

extension Finding {
    package init(_ diagnostic: Diagnostic) {
        self.init(
            rule: diagnostic.code.rawValue, severity: diagnostic.severity == .error ? .error : .warning,
            message: diagnostic.message, label: diagnostic.label,
            place: Place(diagnostic.file, diagnostic.span), help: diagnostic.help,
            related: diagnostic.related.map {
                Related(message: $0.message, place: Place(diagnostic.file, $0.span))
            })
    }

    /// The file could not even be looked into.
    package var isUnreadableFile: Bool { rule == LibraryRule.unreadable.rawValue }

    /// As a compiler shows it: message, place, source line and caret where there is a line, help.
    package var shown: String {
        var text = "\(severity.rawValue)[\(rule)]: \(message)\n"
        let numbers = ([place] + related.map(\.place)).compactMap(\.line)
        let gutter = String(repeating: " ", count: String(numbers.max() ?? 1).count + 1)
        text += "  --> " + place.shown + "\n" + place.shownExcerpt(label: label, gutter: gutter)
        for other in related {
            text += "  ::: " + other.place.shown + "\n"
            text += other.place.shownExcerpt(label: other.message, gutter: gutter)
        }
        if let help { text += "\(gutter)= help: \(help)\n" }
        return text
    }
}

extension Finding.Place {
    package init(_ file: SourceFile, _ span: SourceSpan) {
        let (file, span) = file.home(of: span)
        let start = file.position(of: span.start)
        let end = file.position(of: max(span.start, span.end))
        self.init(
            file: file.path, line: start.line, column: start.column, endLine: end.line, endColumn: end.column,
            excerpt: SourceExcerpt(file.text(ofLine: start.line), from: start, to: end))
    }

    /// `file:line:column`.
    package var shown: String {
        guard let line else { return file }
        return "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
    }

    fileprivate func shownExcerpt(label: String, gutter: String) -> String {
        guard let excerpt else { return label.isEmpty ? "" : "\(gutter)= \(label)\n" }
        return "\(gutter)|\n" + DiagnosticRenderer.excerpt(excerpt, label: label, gutter: gutter)
    }
}
