import Core

/// Makes one tree for each case: `"$key"` anywhere outside `cases` is replaced by the case's value, which
/// keeps its location. When a case does not have the value, the key that uses it is removed, so that its
/// default applies.
struct CaseExpander {
    struct Expanded {
        var name: Spanned<String>?
        var root: JSONNode
    }

    let file: SourceFile
    private(set) var diagnostics: [Diagnostic] = []
    /// Keys of all cases.
    private var keys: [Spanned<String>] = []
    /// Keys that the file uses.
    private var used: [String] = []
    /// Members of the case that is expanded.
    private var current: [JSONMember] = []

    init(file: SourceFile) { self.file = file }

    mutating func expand(_ root: JSONNode) -> [Expanded] {
        guard let members = root.members else { return [Expanded(name: nil, root: root)] }
        let rest = JSONNode(.object(members.filter { $0.key != "cases" }), span: root.span)
        guard let cases = root["cases"] else {
            if !CaseExpander.holdsKey(rest) { return [Expanded(name: nil, root: root)] }
            return [Expanded(name: nil, root: substituted(rest) ?? rest)]
        }
        let variants = variants(cases)
        var expanded: [Expanded] = []
        for variant in variants {
            current = variant.members
            expanded.append(Expanded(name: variant.name, root: substituted(rest) ?? rest))
        }
        if !variants.isEmpty { reportUnused() }
        return expanded.isEmpty ? [Expanded(name: nil, root: rest)] : expanded
    }

    /// Whether the tree contains a `"$key"`.
    private static func holdsKey(_ node: JSONNode) -> Bool {
        switch node.kind {
        case .string(let text): key(in: text) != nil
        case .array(let elements): elements.contains(where: holdsKey)
        case .object(let members): members.contains { holdsKey($0.value) }
        case .null, .bool, .number: false
        }
    }

    private mutating func variants(_ cases: JSONNode) -> [(name: Spanned<String>, members: [JSONMember])] {
        guard let list = cases.array, !list.isEmpty else {
            report(
                "'cases' must be a list of objects", label: "expected [ { name: …, … } ]", at: cases.headSpan)
            return []
        }
        var variants: [(name: Spanned<String>, members: [JSONMember])] = []
        for variant in list {
            guard let members = variant.members else {
                report("a case that is no object", label: "expected { name: …, … }", at: variant.headSpan)
                continue
            }
            guard let node = variant["name"], let name = node.string, !name.isEmpty else {
                report("a case without a name", label: "expected name: \"…\" in here", at: variant.headSpan)
                continue
            }
            if let first = variants.first(where: { $0.name.value == name }) {
                report(
                    "two cases named '\(name)'", label: "again here", at: node.span,
                    related: [Diagnostic.Related(message: "the first one", span: first.name.span)])
            }
            variants.append((Spanned(name, node.span), members))
            for member in members where member.key != "name" {
                if !keys.contains(where: { $0.value == member.key }) {
                    keys.append(Spanned(member.key, member.keySpan))
                }
                refuseNames(in: member.value)
            }
        }
        return variants
    }

    /// The tree with the values of the current case; nil when the case does not have the value.
    private mutating func substituted(_ node: JSONNode) -> JSONNode? {
        switch node.kind {
        case .string(let text):
            guard let key = Self.key(in: text) else { return node }
            if !used.contains(key) { used.append(key) }
            if let value = current.first(where: { $0.key == key && key != "name" })?.value { return value }
            if !keys.contains(where: { $0.value == key }) {
                let help = Suggestion.help(
                    for: key, among: keys.map(\.value), choice: "the cases have")
                report("no case has a value '\(key)'", label: "not in cases", at: node.span, help: help)
            }
            return nil
        case .array(let elements):
            return JSONNode(.array(elements.compactMap { substituted($0) }), span: node.span)
        case .object(let members):
            let kept = members.compactMap { member -> JSONMember? in
                guard let value = substituted(member.value) else { return nil }
                return JSONMember(key: member.key, keySpan: member.keySpan, value: value)
            }
            return JSONNode(.object(kept), span: node.span)
        case .null, .bool, .number: return node
        }
    }

    /// The key in `$key`; nil for any other text, also with a dollar.
    private static func key(in text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "$"), text.utf8.count > 1 else { return nil }
        let isName = text.utf8.dropFirst().allSatisfy { byte in
            (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
                || byte == UInt8(ascii: "_")
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
        }
        return isName ? String(text.dropFirst()) : nil
    }

    /// Reports values of a case that refer to other values.
    private mutating func refuseNames(in node: JSONNode) {
        switch node.kind {
        case .string(let text) where Self.key(in: text) != nil:
            report("a case's value can't name another", label: "not taken here", at: node.span)
        case .array(let elements): for element in elements { refuseNames(in: element) }
        case .object(let members): for member in members { refuseNames(in: member.value) }
        case .string, .null, .bool, .number: break
        }
    }

    private mutating func reportUnused() {
        for key in keys where !used.contains(key.value) {
            report(
                "the cases' value '\(key.value)' is used nowhere", label: "no \"$\(key.value)\" in the file",
                at: key.span,
                help: Suggestion.nearest(to: key.value, among: used).map { "did you mean '\($0)'?" })
        }
    }

    private mutating func report(
        _ message: String, label: String, at span: SourceSpan, help: String? = nil,
        related: [Diagnostic.Related] = []
    ) {
        let diagnostic = Diagnostic(
            .badCase, message, label: label, file: file, at: span, help: help, related: related)
        if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
    }
}
