import Core

/// The manifest as JSON Schema (draft-07), made from the table of its fields: for editors, and for programs
/// that write manifests.
///
/// Guarantees: every manifest that the updater reads within its default limits is valid by it. It can't
/// express what joins fields or rows (an index without its row, a route twice, a share greater than the
/// whole), nor the causes; `otalab publish --check` and `otalab lint` report those.
package enum ManifestSchema {
    /// The schema, indented, with a line end.
    package static var text: String {
        var json = JSONWriter(indent: 2)
        json.beginObject()
        json.member("$schema", "http://json-schema.org/draft-07/schema#")
        json.member("title", "OTALab manifest")
        json.member("type", "object")
        write(ManifestField.release, to: &json)
        json.endObject()
        return String(decoding: json.takeBytes(), as: UTF8.self) + "\n"
    }

    /// The members of an object's schema. Unknown fields are allowed: an older app ignores them.
    private static func write(_ fields: [ManifestField], to json: inout JSONWriter) {
        let required = fields.filter(\.isRequired).map(\.name)
        if !required.isEmpty { json.member("required", required) }
        json.key("properties")
        json.beginObject()
        for field in fields {
            json.key(field.name)
            json.beginObject()
            json.member("description", field.meaning)
            write(field.shape, orNull: !field.isRequired, to: &json)
            json.endObject()
        }
        json.endObject()
    }

    /// - Parameter orNull: whether `null` stands for a field that is not there.
    private static func write(_ shape: ManifestField.Shape, orNull: Bool, to json: inout JSONWriter) {
        func type(_ name: String) {
            if orNull { json.member("type", [name, "null"]) } else { json.member("type", name) }
        }
        switch shape {
        case .text(let pattern, let longest):
            type("string")
            if let pattern { json.member("pattern", pattern) }
            if let longest {
                json.member("minLength", 1)
                json.member("maxLength", longest)
            }
        case .whole(let range):
            type("integer")
            json.member("minimum", range.lowerBound)
            if range.upperBound < .max { json.member("maximum", range.upperBound) }
        case .flag: type("boolean")
        case .oneOf(let words):
            json.key("enum")
            json.beginArray()
            for word in words { json.string(word) }
            if orNull { json.null() }
            json.endArray()
        case .object(let fields):
            type("object")
            write(fields, to: &json)
        case .list(let element, let least, let most):
            type("array")
            if least > 0 { json.member("minItems", least) }
            if let most { json.member("maxItems", most) }
            json.key("items")
            json.beginObject()
            write(element, orNull: false, to: &json)
            json.endObject()
        }
    }
}
