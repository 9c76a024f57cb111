import Core

@testable import ScenarioLanguage

/// Traverses the tree of a file along the field table.
struct TableWalk {
    /// Fields that were found, such as `step.launch`, and how often.
    private(set) var fields: [String: Int] = [:]
    /// Fields whose default was added, and how often.
    private(set) var filled: [String: Int] = [:]

    /// The same tree with every default of the table made explicit, where that is allowed.
    mutating func filling(_ node: JSONNode, in schema: ObjectSchema) -> JSONNode {
        guard let members = node.members else { return node }
        let head = members.first { member in
            schema.fields.contains { $0.key == member.key && $0.role == .head }
        }?.key
        var all = members.map { member -> JSONMember in
            guard let field = schema.fields.first(where: { $0.key == member.key }) else {
                guard let free = schema.freeKeys else { return member }
                return JSONMember(
                    key: member.key, keySpan: member.keySpan, value: filling(member.value, as: free.value))
            }
            fields[schema.name + "." + field.key, default: 0] += 1
            return JSONMember(
                key: member.key, keySpan: member.keySpan, value: filling(member.value, as: field.type))
        }
        for field in schema.fields where node[field.key] == nil {
            guard let fallback = field.fallback else { continue }
            // Without the key that it needs, a field may not be written, whatever its value.
            if let key = field.needs, !members.contains(where: { $0.key == key }) { continue }
            switch field.role {
            case .plain, .head: break
            case .with(let heads): if !heads.contains(head ?? "") { continue }
            case .without(let heads): if heads.contains(head ?? "") { continue }
            }
            let isRefused = all.contains { member in
                field.excludes.contains(member.key)
                    || schema.fields.contains { $0.key == member.key && $0.excludes.contains(field.key) }
            }
            if isRefused { continue }
            filled[schema.name + "." + field.key, default: 0] += 1
            all.append(
                JSONMember(key: field.key, keySpan: node.span, value: JSONNode(fallback, span: node.span)))
        }
        return JSONNode(.object(all), span: node.span)
    }

    private mutating func filling(_ node: JSONNode, as type: FieldType) -> JSONNode {
        switch (type, node.kind) {
        case (.object(let schema), .object): return filling(node, in: schema)
        case (.bounds(let type), .object): return filling(node, in: .bounds(type))
        case (.listing(let type), .object): return filling(node, in: .listing(type))
        case (.map(_, let type), .object(let members)):
            let all = members.map {
                JSONMember(key: $0.key, keySpan: $0.keySpan, value: filling($0.value, as: type))
            }
            return JSONNode(.object(all), span: node.span)
        case (.list(let type, _), .array(let elements)):
            return JSONNode(.array(elements.map { filling($0, as: type) }), span: node.span)
        case (.either(let types), .object), (.either(let types), .array):
            let fitting = types.filter { $0.takes(node.kind) }
            return fitting.count == 1 ? filling(node, as: fitting[0]) : node
        default: return node
        }
    }
}
