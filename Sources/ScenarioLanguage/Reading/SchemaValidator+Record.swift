import Core

// Objects: unknown keys, the head, keys that need or exclude others, missing keys, defaults.
extension SchemaValidator {
    mutating func record(_ node: JSONNode, in schema: ObjectSchema) -> Record? {
        guard let members = node.members else { return nil }
        let before = diagnostics.count
        let index = schema.fieldIndex
        var record = Record(schema: schema, span: node.span, entries: [])
        record.entries.reserveCapacity(members.count)
        let heads = index.hasHeads ? members.filter { index.field($0.key)?.isHead ?? false } : []
        checkHeads(heads, in: node, schema)
        for member in members {
            if let indexed = index.field(member.key) {
                if !indexed.isFree {
                    if heads.count == 1 { checkRole(of: indexed, member, head: heads[0].key, schema) }
                    if heads.isEmpty, !schema.needsHead { checkHead(of: indexed, member, node, schema) }
                    checkCompany(of: indexed, member, members)
                    checkCompanions(of: indexed, member, members)
                }
                if let value = value(member.value, as: indexed.field.type, for: member.key) {
                    record.entries.append(
                        Record.Pair(
                            key: member.key, keySpan: member.keySpan, value: value, isFallback: false))
                }
            } else if let free = schema.freeKeys, member.key.hasPrefix(free.prefix) {
                let keyNode = JSONNode(.string(member.key), span: member.keySpan)
                let key = value(keyNode, as: free.key, for: member.key)
                if let value = value(member.value, as: free.value, for: member.key), key != nil {
                    record.entries.append(
                        Record.Pair(
                            key: member.key, keySpan: member.keySpan, value: value, isFallback: false))
                }
            } else {
                reportUnknownKey(member, in: schema, head: heads.first?.key)
            }
        }
        fillIn(&record, index, node, head: heads.first?.key)
        return diagnostics.count == before ? record : nil
    }

    private mutating func checkHeads(_ heads: [JSONMember], in node: JSONNode, _ schema: ObjectSchema) {
        if heads.count > 1 {
            report(
                .conflict, "\(schema.titleWithArticle) with both '\(heads[0].key)' and '\(heads[1].key)'",
                label: "one too many", at: heads[1].keySpan, help: "make two of it",
                related: [Diagnostic.Related(message: "the first one", span: heads[0].keySpan)])
        }
        guard heads.isEmpty, schema.needsHead else { return }
        let keywords = schema.fields.filter { $0.role == .head }.map(\.key)
        if hasUnknownKey(node, schema) { return }
        report(
            .missingKey, "\(schema.titleWithArticle) that does not say what it is",
            label: "expected a key here",
            at: node.headSpan, help: "one of " + keywords.joined(separator: ", "))
    }

    /// A mistyped head is reported as an unknown key.
    private func hasUnknownKey(_ node: JSONNode, _ schema: ObjectSchema) -> Bool {
        (node.members ?? []).contains { member in !schema.fields.contains { $0.key == member.key } }
    }

    /// Where the head may be missing, a key that goes with certain heads alone says nothing.
    private mutating func checkHead(
        of indexed: FieldIndex.IndexedField, _ member: JSONMember, _ node: JSONNode, _ schema: ObjectSchema
    ) {
        guard case .with(let heads) = indexed.field.role, !hasUnknownKey(node, schema) else { return }
        let keys = heads.map { "'\($0)'" }.joined(separator: " or ")
        report(
            .conflict, "'\(member.key)' needs \(keys)", label: "no \(keys) beside it", at: member.keySpan)
    }

    private mutating func checkRole(
        of indexed: FieldIndex.IndexedField, _ member: JSONMember, head: String, _ schema: ObjectSchema
    ) {
        let heads: [String]
        switch indexed.field.role {
        case .plain, .head: return
        case .with(let list):
            if list.contains(head) { return }
            heads = list
        case .without(let list):
            if !list.contains(head) { return }
            heads = []
        }
        report(
            .conflict, "'\(indexed.field.key)' does not go with '\(head)'", label: "not here",
            at: member.keySpan,
            help: heads.isEmpty ? nil : "it goes with " + heads.map { "'\($0)'" }.joined(separator: ", "))
    }

    private mutating func checkCompany(
        of indexed: FieldIndex.IndexedField, _ member: JSONMember, _ members: [JSONMember]
    ) {
        for key in indexed.field.excludes {
            guard let other = members.first(where: { $0.key == key }) else { continue }
            report(
                .conflict, "'\(indexed.field.key)' and '\(key)' exclude each other",
                label: "not with '\(key)'",
                at: member.keySpan, help: "keep one of the two",
                related: [Diagnostic.Related(message: "the other one", span: other.keySpan)])
        }
        if let needed = indexed.field.needs, !members.contains(where: { $0.key == needed }) {
            report(
                .conflict, "'\(indexed.field.key)' needs '\(needed)'", label: "no '\(needed)' beside it",
                at: member.keySpan)
        }
    }

    /// Some values of a field are complete, others need a second key.
    private mutating func checkCompanions(
        of indexed: FieldIndex.IndexedField, _ member: JSONMember, _ members: [JSONMember]
    ) {
        guard !indexed.field.companions.isEmpty, let keyword = member.value.string else { return }
        let present = members.filter { indexed.field.companions.contains($0.key) }
        if indexed.field.completeKeywords.contains(keyword) {
            for companion in present {
                report(
                    .conflict, "'\(companion.key)' does not go with \(indexed.field.key): \"\(keyword)\"",
                    label: "not here",
                    at: companion.keySpan)
            }
        } else if present.isEmpty {
            let keys = indexed.field.companions.map { "'\($0)'" }.joined(separator: " or ")
            report(
                .missingKey, "\(indexed.field.key): \"\(keyword)\" needs \(keys) beside it",
                label: "says too little",
                at: member.value.span)
        }
    }

    private mutating func reportUnknownKey(_ member: JSONMember, in schema: ObjectSchema, head: String?) {
        let allowed = schema.fields.filter { field in
            switch field.role {
            case .plain: true
            case .head: head == nil
            case .with(let heads): head.map { heads.contains($0) } ?? true
            case .without(let heads): head.map { !heads.contains($0) } ?? true
            }
        }
        report(
            .unknownKey, "unknown key '\(member.key)' in \(schema.title)",
            label: "not \(schema.titleWithArticle) key", at: member.keySpan,
            help: Suggestion.nearest(to: member.key, among: allowed.map(\.key))
                .map { "did you mean '\($0)'?" } ?? inner(member.key, allowed)
                ?? Suggestion.help(for: member.key, among: allowed.map(\.key), choice: "keys here:")
                ?? "every key is in the reference: otalab schema \(schema.schemaArgument)--format markdown")
    }

    /// Suggests a key of an object that one of these fields takes: `audience: { user: … }`.
    private func inner(_ key: String, _ fields: [Field]) -> String? {
        for field in fields {
            guard case .object(let schema) = field.type,
                let near = Suggestion.nearest(to: key, among: schema.fields.map(\.key))
            else { continue }
            return "did you mean '\(field.key): { \(near): … }'?"
        }
        return nil
    }

    /// Whether an unknown key was reported with this key as its suggestion.
    private func isMistyped(_ key: String, in node: JSONNode, _ fields: [Field]) -> Bool {
        (node.members ?? []).contains { member in
            !fields.contains { $0.key == member.key }
                && Suggestion.nearest(to: member.key, among: fields.map(\.key)) == key
        }
    }

    /// Reports missing keys that are required, and fills in defaults of the table.
    private mutating func fillIn(
        _ record: inout Record, _ index: FieldIndex, _ node: JSONNode, head: String?
    ) {
        for indexed in index.requiredOrDefault where !node.has(indexed.field.key) {
            if indexed.field.isRequired, !isMistyped(indexed.field.key, in: node, index.indexed.map(\.field))
            {
                report(
                    .missingKey, "missing key '\(indexed.field.key)' in \(record.schema.title)",
                    label: "no '\(indexed.field.key)' in here", at: node.headSpan,
                    help: "\(indexed.field.key): \(indexed.field.doc)")
            }
            guard let fallback = indexed.field.fallback else { continue }
            if case .with(let heads) = indexed.field.role, !heads.contains(head ?? "") { continue }
            let owner = JSONNode(fallback, span: node.headSpan)
            if let value = value(owner, as: indexed.field.type, for: indexed.field.key) {
                record.entries.append(
                    Record.Pair(
                        key: indexed.field.key, keySpan: node.headSpan, value: value, isFallback: true))
            }
        }
    }
}

extension ObjectSchema {
    /// Argument of `otalab schema` for the reference that has this object.
    fileprivate var schemaArgument: String {
        if self == .used { return "use " }
        if case .fact = self { return "profile " }
        return self == .profile ? "profile " : ""
    }
}
