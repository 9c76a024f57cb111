import Core

/// A part of a JSON Schema.
package struct SchemaNode {
    private var members: [JSONMember] = []

    package init() {}

    private static let nowhere = SourceSpan(start: 0, end: 0)

    var kind: JSONNode.Kind { .object(members) }
    var isEmpty: Bool { members.isEmpty }
    /// The JSON text, indented by two spaces.
    package var text: String {
        var writer = JSONWriter(indent: 2)
        writer.node(JSONNode(kind, span: SchemaNode.nowhere))
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    package mutating func set(_ key: String, _ kind: JSONNode.Kind?) {
        guard let kind else { return }
        let node = JSONNode(kind, span: SchemaNode.nowhere)
        members.append(JSONMember(key: key, keySpan: SchemaNode.nowhere, value: node))
    }

    package mutating func set(_ key: String, _ text: String?) { set(key, text.map { .string($0) }) }
    package mutating func set(_ key: String, _ number: Int64) { set(key, SchemaNode.number(number)) }
    package mutating func set(_ key: String, _ flag: Bool) { set(key, .bool(flag)) }
    package mutating func set(_ key: String, _ texts: [String]) { set(key, SchemaNode.texts(texts)) }
    package mutating func set(_ key: String, _ node: SchemaNode) { set(key, node.kind) }
    package mutating func set(_ key: String, all nodes: [SchemaNode]) {
        set(key, .array(nodes.map { JSONNode($0.kind, span: SchemaNode.nowhere) }))
    }

    package static func with(_ fill: (inout SchemaNode) -> Void) -> SchemaNode {
        var node = SchemaNode()
        fill(&node)
        return node
    }

    static func required(_ key: String) -> SchemaNode { .with { $0.set("required", [key]) } }

    static func number(_ number: Int64) -> JSONNode.Kind {
        .number(JSONNumber(integer: number, text: String(number)))
    }

    static func texts(_ texts: [String]) -> JSONNode.Kind {
        .array(texts.map { JSONNode(.string($0), span: nowhere) })
    }
}
