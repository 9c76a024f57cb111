import Core

/// A mistake in a scenario file, reported to a person.
package struct Diagnostic: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable {
        case error, warning
    }

    package var severity: Severity
    package var code: DiagnosticCode
    /// Message: one sentence without a full stop.
    package var message: String
    /// Text next to the caret; may be empty.
    package var label: String
    package var file: SourceFile
    package var span: SourceSpan
    /// How to fix it.
    package var help: String?
    package var related: [Related]

    /// A related location, for example the first of two equal keys.
    package struct Related: Hashable, Sendable {
        package var message: String
        package var span: SourceSpan

        package init(message: String, span: SourceSpan) {
            self.message = message
            self.span = span
        }
    }

    package init(
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
    /// The diagnostic of a text that is not JSON5.
    package init(syntax fault: JSONFault, in file: SourceFile) {
        self.init(
            .syntax, fault.message, label: fault.label, file: file, at: fault.span, help: fault.help,
            related: fault.other.map { [Related(message: "the other location", span: $0)] } ?? [])
    }
}

/// The kind of a mistake: a stable code for programs and for `otalab help`. `E…`: the file can't be run;
/// `W…`: it can, but probably does not check what its author expects.
package enum DiagnosticCode: String, CaseIterable, Hashable, Sendable {
    case syntax = "E0101"
    case unsupportedSchema = "E0102"
    case unknownKey = "E0103"
    case missingKey = "E0104"
    case wrongType = "E0105"
    case unknownKeyword = "E0106"
    case badQuantity = "E0107"
    case outOfRange = "E0108"
    case unknownName = "E0109"
    case duplicateName = "E0110"
    case conflict = "E0111"
    case badCase = "E0112"
    case cycle = "E0113"
    case impossible = "E0114"
    case nothingExpected = "W0201"
    case unusedVersion = "W0202"
    case unusedName = "W0203"
    case uncheckedDeploy = "W0204"
    case idleFault = "W0205"
    case earlyLaunch = "W0206"
    case idleStep = "W0207"
    case heldBefore = "W0208"
    case storedOnly = "W0209"

    /// Description of the kind: one sentence without a full stop.
    package var summary: String {
        switch self {
        case .syntax: "the text is not JSON5 as it is read here"
        case .unsupportedSchema: "the file is written in another version of the language"
        case .unknownKey: "a key that the language does not have here"
        case .missingKey: "a key that must be there is not"
        case .wrongType: "a value of another kind than the key takes"
        case .unknownKeyword: "a keyword that is not allowed here"
        case .badQuantity: "a quantity, route or reference that can't be read"
        case .outOfRange: "a value too small, too large, too long or empty"
        case .unknownName: "a name that nothing in the file declares"
        case .duplicateName: "two things of one name"
        case .conflict: "keys that don't go together"
        case .badCase: "a mistake in the cases or their values"
        case .cycle: "versions or contents that come from themselves"
        case .impossible: "something that can't be or can't hold"
        case .nothingExpected: "a scenario without an expectation"
        case .unusedVersion: "a version that the scenario never uses"
        case .unusedName: "a name that nothing refers to"
        case .uncheckedDeploy: "a deploy after which nothing is expected"
        case .idleFault: "a fault that can never apply"
        case .earlyLaunch: "a launch that does not wait for the armed step before it"
        case .idleStep: "a step that changes nothing"
        case .heldBefore: "an expectation that the state before the last step satisfies already"
        case .storedOnly: "a stored version that is not expected to be pending before the next start"
        }
    }
}
