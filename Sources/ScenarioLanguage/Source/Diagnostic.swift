import Core

/// Something wrong in a scenario file, told to a person.
public struct Diagnostic: Hashable, Sendable {
    public enum Severity: String, Hashable, Sendable {
        case error, warning
    }

    public var severity: Severity
    public var code: DiagnosticCode
    /// One sentence without a full stop.
    public var message: String
    /// What is said beside the caret; may be empty.
    public var label: String
    public var file: SourceFile
    public var span: SourceSpan
    /// What to write instead.
    public var help: String?
    public var related: [Related]

    /// Another place that belongs to it: the first of two equal keys.
    public struct Related: Hashable, Sendable {
        public var message: String
        public var span: SourceSpan

        public init(message: String, span: SourceSpan) {
            self.message = message
            self.span = span
        }
    }

    public init(
        _ code: DiagnosticCode, _ message: String, label: String = "", severity: Severity = .error,
        file: SourceFile, at span: SourceSpan, help: String? = nil, related: [Related] = []
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.label = label
        self.file = file
        self.span = span
        self.help = help
        self.related = related
    }
}

extension Diagnostic {
    /// A text that is no JSON5.
    public init(syntax fault: JSONFault, in file: SourceFile) {
        self.init(
            .syntax, fault.message, label: fault.label, file: file, at: fault.span, help: fault.help,
            related: fault.other.map { [Related(message: "the other place", span: $0)] } ?? [])
    }
}

/// What kind of mistake: stable, for machines and for `otalab help`.
public enum DiagnosticCode: String, CaseIterable, Hashable, Sendable {
    case syntax = "E0101"
    case unsupportedSchema = "E0102"
    case unknownKey = "E0103"
    case missingKey = "E0104"
    case wrongType = "E0105"
    case wrongWord = "E0106"
    case badQuantity = "E0107"
    case outOfRange = "E0108"
    case unknownName = "E0109"
    case duplicateName = "E0110"
    case conflict = "E0111"
    case badCase = "E0112"
    case cycle = "E0113"
    case impossible = "E0114"
    case nothingExpected = "W0201"
}
