import Core

/// Validates a tree against the field table and converts nodes to values.
///
/// Guarantees: every mistake of the tree is reported once, with its position; the result contains only what
/// the table allows. It depends on no particular key or verb.
struct SchemaValidator {
    let file: SourceFile
    let names: DeclaredNames
    private(set) var diagnostics: [Diagnostic] = []

    init(file: SourceFile, names: DeclaredNames) {
        self.file = file
        self.names = names
    }

    /// Validates the value of a key.
    /// - Returns: nil when a mistake was reported.
    mutating func value(_ node: JSONNode, as type: FieldType, for key: String) -> CheckedValue? {
        if case .string(let text) = node.kind, let content = plain(text, node.span, as: type) {
            return CheckedValue(content, node.span)
        }
        switch (type, node.kind) {
        case (.either(let types), _): return either(node, types, for: key)
        case (.bounds(let type), _): return bounds(node, of: type, for: key)
        case (.listing(let type), _): return listing(node, of: type, for: key)
        case (.object(let schema), .object):
            return record(node, in: schema).map { CheckedValue(.record($0), node.span) }
        case (.map(let keyType, let type), .object(let members)):
            return map(node, members, keyType, type).map { CheckedValue(.record($0), node.span) }
        case (.list(let type, let least), .array(let elements)):
            if elements.count < least {
                report(
                    .outOfRange, "'\(key)' is too short", label: "expected at least \(least)", at: node.span)
                return nil
            }
            var good: [CheckedValue] = []
            good.reserveCapacity(elements.count)
            for element in elements {
                if let value = value(element, as: type, for: key) { good.append(value) }
            }
            return good.count == elements.count ? CheckedValue(.list(good), node.span) : nil
        case (.null, .null): return CheckedValue(.null, node.span)
        case (.flag, .bool(let flag)): return CheckedValue(.flag(flag), node.span)
        case (.yes, .bool(true)): return CheckedValue(.flag(true), node.span)
        case (.whole(let range), .number(let number)): return whole(node, number, range, for: key)
        case (_, .string(let text)) where type.takesText:
            switch parse(text, node.span, as: type) {
            case .success(let content): return CheckedValue(content, node.span)
            case .failure(let fault):
                report(fault, in: node, for: key)
                return nil
            }
        default:
            reportWrongType(node, type, for: key)
            return nil
        }
    }

    private mutating func either(_ node: JSONNode, _ types: [FieldType], for key: String) -> CheckedValue? {
        if let text = node.string, let content = plain(text, node.span, asOneOf: types) {
            return CheckedValue(content, node.span)
        }
        let count = types.count { $0.takes(node.kind) }
        if count == 1, let only = types.first(where: { $0.takes(node.kind) }) {
            return value(node, as: only, for: key)
        }
        guard let text = node.string, count > 0 else {
            reportWrongType(node, .either(types), for: key)
            return nil
        }
        let fitting = types.filter { $0.takes(node.kind) }
        var faults: [TextFault] = []
        for type in fitting {
            switch parse(text, node.span, as: type) {
            case .success(let content): return CheckedValue(content, node.span)
            case .failure(let fault): faults.append(fault)
            }
        }
        if let specific = faults.first(where: \.isSpecific) {
            report(specific, in: node, for: key)
        } else {
            var fault = faults.first { !$0.options.isEmpty } ?? faults[0]
            fault.options = faults.flatMap(\.options)
            // A similar name is a better help than how a name is declared.
            let isNear = Suggestion.nearest(to: text, among: fault.options) != nil
            let way = faults.first { $0.code == .unknownName && $0.options.isEmpty }?.help
            fault.help = isNear ? nil : fault.help ?? way
            fault.message = "'\(text)' is not a value for '\(key)'"
            fault.label = "expected " + FieldType.either(types).shown
            report(fault, in: node, for: key)
        }
        return nil
    }

    private mutating func whole(
        _ node: JSONNode, _ number: JSONNumber, _ range: ClosedRange<Int64>, for key: String
    ) -> CheckedValue? {
        guard let integer = number.integer else {
            report(
                .wrongType, "'\(key)' must be a whole number", label: "not a whole number of 64 bits",
                at: node.span)
            return nil
        }
        guard range.contains(integer) else {
            let limit =
                integer < range.lowerBound
                ? "no less than \(range.lowerBound)" : "no more than \(range.upperBound)"
            report(.outOfRange, "\(integer) is out of range for '\(key)'", label: limit, at: node.span)
            return nil
        }
        return CheckedValue(.whole(integer), node.span)
    }

    private mutating func map(
        _ node: JSONNode, _ members: [JSONMember], _ keyType: FieldType, _ type: FieldType
    ) -> Record? {
        var record = Record(schema: .listing(type), span: node.span, entries: [])
        record.entries.reserveCapacity(members.count)
        var isWhole = true
        for member in members {
            let name = key(member, as: keyType)
            let value = value(member.value, as: type, for: member.key)
            guard let name, let value else {
                isWhole = false
                continue
            }
            record.entries.append(
                Record.Pair(key: name, keySpan: member.keySpan, value: value, isFallback: false))
        }
        return isWhole ? record : nil
    }

    /// A key of the author's choice, validated as its type.
    private mutating func key(_ member: JSONMember, as type: FieldType) -> String? {
        if case .text(let name) = plain(member.key, member.keySpan, as: type) { return name }
        let node = JSONNode(.string(member.key), span: member.keySpan)
        return value(node, as: type, for: member.key)?.text?.value
    }
}

extension CheckedValue {
    init(_ content: Content, _ span: SourceSpan) {
        self.content = content
        self.span = span
    }
}

// Diagnostics.
extension SchemaValidator {
    mutating func report(
        _ code: DiagnosticCode, _ message: String, label: String, at span: SourceSpan, help: String? = nil,
        related: [Diagnostic.Related] = []
    ) {
        diagnostics.append(
            Diagnostic(code, message, label: label, file: file, at: span, help: help, related: related))
    }

    /// Reports a fault at its offsets inside the quotes, when the text has no escapes.
    mutating func report(_ fault: TextFault, in node: JSONNode, for key: String) {
        var span = node.span
        if let text = node.string {
            let isQuoted = span.length == text.utf8.count + 2
            let isPlain = isQuoted || span.length == text.utf8.count
            let isPart = fault.start > 0 || fault.end < text.utf8.count
            if isPlain, isPart {
                let begin = span.start + (isQuoted ? 1 : 0)
                span = SourceSpan(start: begin + fault.start, end: begin + fault.end)
            }
        }
        // Options that the label contains are not repeated.
        let isInLabel = fault.options.allSatisfy { fault.label.contains("\"\($0)\"") }
        let keyword = node.string ?? ""
        let help =
            fault.help
            ?? (isInLabel
                ? Suggestion.nearest(to: keyword, among: fault.options).map { "did you mean '\($0)'?" }
                : Suggestion.help(for: keyword, among: fault.options, choice: "one of"))
        report(fault.code, fault.message, label: fault.label, at: span, help: help)
    }

    mutating func reportWrongType(_ node: JSONNode, _ type: FieldType, for key: String) {
        var help: String?
        if case .number(let number) = node.kind, type.takes(.string("")) {
            if type.wantsUnit {
                help = "write it with its unit, as in \(type.example ?? "\"20s\"")"
            } else if type.takesFreeText {
                help = "write \"\(number.text)\""
            }
        }
        if case .bool(false) = node.kind, type.takes(.bool(true)), !type.takes(.bool(false)) {
            help = "leave the key out"
        }
        report(
            .wrongType, "'\(key)' can't be \(node.kindName(for: type))", label: "expected " + type.shown,
            at: node.headSpan, help: help)
    }
}

extension JSONNode {
    /// A short location to report: the opening bracket of an array or object.
    var headSpan: SourceSpan {
        switch kind {
        case .array, .object: SourceSpan(start: span.start, end: span.start + 1)
        default: span
        }
    }

    func kindName(for type: FieldType) -> String {
        if case .bool(let value) = kind { return value ? "true" : "false" }
        return kindName
    }
}
