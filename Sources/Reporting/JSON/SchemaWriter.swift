import Core

/// Writes a JSON Schema (draft 2020-12) from shapes. Nested shapes become references, whose definitions are
/// written at the end.
struct SchemaWriter {
    var json = JSONWriter(indent: 1)
    private var pending: [@Sendable (inout SchemaWriter) -> Void] = []
    private var defined: [String] = []

    mutating func type(_ name: String) { json.member("type", name) }

    mutating func integer(from least: Int64) {
        type("integer")
        json.member("minimum", least)
    }

    mutating func pattern(_ text: String) {
        type("string")
        json.member("pattern", text)
    }

    mutating func enumeration(_ values: [String]) { json.member("enum", values) }

    mutating func list(_ items: (inout SchemaWriter) -> Void) {
        type("array")
        json.key("items")
        json.beginObject()
        items(&self)
        json.endObject()
    }

    mutating func refer<Root>(to shape: JSONShape<Root>) {
        json.member("$ref", "#/$defs/\(shape.name)")
        guard !defined.contains(shape.name) else { return }
        defined.append(shape.name)
        pending.append { schema in
            schema.json.key(shape.name)
            schema.json.beginObject()
            schema.members(of: shape)
            schema.json.endObject()
        }
    }

    /// - Parameter first: a constant member before those of the shape, which the caller writes.
    mutating func members<Root>(of shape: JSONShape<Root>, first: (name: String, value: String)? = nil) {
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
        while !pending.isEmpty { pending.removeFirst()(&self) }
        json.endObject()
    }
}
