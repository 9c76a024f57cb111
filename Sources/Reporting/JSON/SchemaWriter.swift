import Core

/// Writes a JSON Schema (draft 2020-12) from shapes: the members of one object at a time, other shapes as
/// references to definitions that are written in their turn.
struct SchemaWriter {
    var json = JSONWriter(indent: 1)
    private var waiting: [@Sendable (inout SchemaWriter) -> Void] = []
    private var known: [String] = []

    mutating func type(_ name: String) { json.member("type", name) }

    mutating func integer(from least: Int64) {
        type("integer")
        json.member("minimum", least)
    }

    mutating func pattern(_ text: String) {
        type("string")
        json.member("pattern", text)
    }

    mutating func words(_ words: [String]) { json.member("enum", words) }

    mutating func list(_ items: (inout SchemaWriter) -> Void) {
        type("array")
        json.key("items")
        json.beginObject()
        items(&self)
        json.endObject()
    }

    mutating func refer<Root>(to shape: Shape<Root>) {
        json.member("$ref", "#/$defs/\(shape.name)")
        guard !known.contains(shape.name) else { return }
        known.append(shape.name)
        waiting.append { schema in
            schema.json.key(shape.name)
            schema.json.beginObject()
            schema.members(of: shape)
            schema.json.endObject()
        }
    }

    /// - Parameter first: a member that stands before those of the shape, written by the caller.
    mutating func members<Root>(of shape: Shape<Root>, first: (name: String, value: String)? = nil) {
        json.member("description", shape.doc)
        type("object")
        json.key("properties")
        json.beginObject()
        if let first {
            json.key(first.name)
            json.beginObject()
            json.member("const", first.value)
            json.endObject()
        }
        for field in shape.fields {
            json.key(field.name)
            json.beginObject()
            json.member("description", field.doc)
            field.describe(&self)
            json.endObject()
        }
        json.endObject()
        json.key("required")
        json.beginArray()
        if let first { json.string(first.name) }
        for field in shape.fields where field.isRequired { json.string(field.name) }
        json.endArray()
        json.member("additionalProperties", false)
    }

    mutating func definitions() {
        json.key("$defs")
        json.beginObject()
        while !waiting.isEmpty { waiting.removeFirst()(&self) }
        json.endObject()
    }
}
