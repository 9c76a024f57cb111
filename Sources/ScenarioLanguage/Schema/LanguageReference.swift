import Core

/// The reference of the language as Markdown, generated from the field table: a section for each kind of
/// object, a row for each key. For the documentation and for `otalab schema --format markdown`.
package struct LanguageReference {
    private let root: LanguageSchema.Root

    package static func markdown(of root: LanguageSchema.Root) -> String {
        LanguageReference(root: root).text
    }

    private var text: String {
        var parts: [String] = []
        // The objects in a file for `use` are described with those of scenarios.
        let schemas = root == .use ? [root.schema] : ObjectSchema.all(from: root.schema)
        for schema in schemas where LanguageReference.hasSection(schema) {
            parts.append(section(schema))
        }
        return SchemaText.joined(parts, by: "\n")
    }

    /// Whether an object has a section; those that only wrap a value are described with the value.
    private static func hasSection(_ schema: ObjectSchema) -> Bool {
        switch schema {
        case .bounds, .listing, .fact: false
        default: true
        }
    }

    private func section(_ schema: ObjectSchema) -> String {
        var text = "## \(schema.name)\n\n"
        let heads = schema.fields.filter { $0.role == .head }.map { "`\($0.key)`" }
        if schema.needsHead {
            text += "Exactly one of \(SchemaText.joined(heads, by: ", ")).\n\n"
        } else if !heads.isEmpty {
            text += "At most one of \(SchemaText.joined(heads, by: ", ")).\n\n"
        }
        text += "| key | takes | else | example | meaning |\n| --- | --- | --- | --- | --- |\n"
        for field in schema.fields { text += row(field) }
        if let free = schema.freeKeys {
            let begin = free.prefix.isEmpty ? "any other key" : "`\(free.prefix)…`"
            text += "| \(begin) | \(takes(free.value)) | | | Of the author's choice. |\n"
        }
        return text
    }

    private func row(_ field: Field) -> String {
        var notes = ""
        switch field.role {
        case .plain, .head, .without: break
        case .with(let heads): notes += " With \(list(heads))."
        }
        if let key = field.needs { notes += " Needs `\(key)`." }
        if !field.companions.isEmpty {
            notes += " Needs \(list(field.companions)), unless it is \(keywords(field.completeKeywords))."
        }
        if !field.excludes.isEmpty { notes += " Not beside \(list(field.excludes))." }
        let other = field.isRequired ? "required" : field.shownDefault.map(shown) ?? ""
        let example = "`\(escaped(field.shownExample))`"
        return "| `\(field.key)` | \(takes(field.type)) | \(other) | \(example) "
            + "| \(escaped(field.doc))\(notes) |\n"
    }

    private func list(_ keys: [String]) -> String {
        SchemaText.joined(keys.map { "`\($0)`" }, by: " or ")
    }

    private func keywords(_ keywords: [String]) -> String {
        SchemaText.joined(keywords.map { "`\"\($0)\"`" }, by: ", ")
    }

    private func shown(_ kind: JSONNode.Kind) -> String {
        var writer = JSONWriter()
        writer.node(JSONNode(kind, span: SourceSpan(start: 0, end: 0)))
        return "`" + String(decoding: writer.bytes, as: UTF8.self) + "`"
    }

    private func takes(_ type: FieldType) -> String {
        switch type {
        case .keyword(let all): keywords(all)
        case .object(.fact(let type)): "`is`: " + takes(type) + "; and `because`"
        case .object(let schema): "[\(schema.name)](#\(schema.name))"
        case .list(let type, _): "list of " + takes(type)
        case .listing(let type): "list of \(takes(type)), or `{ has, hasNot }`"
        case .bounds(let type): "\(takes(type)), or `{ atLeast, atMost, between, exact }`"
        case .map(let key, let type): "by \(takes(key)): " + takes(type)
        case .either(let types): SchemaText.joined(types.map(takes), by: ", or ")
        case .whole(let range) where range.upperBound < 1_000_000_000:
            "whole number from \(range.lowerBound) to \(range.upperBound)"
        case .whole: "whole number"
        case .yes: "`true`"
        case .null: "`null`"
        case .flag: "`true`, `false`"
        case .text: "text"
        case .anything: "anything"
        case .name(let kind): kind.noun
        case .userAction: keywords(TextScanner.userActions.map(\.keyword)) + ", `\"types from 5s to 3m\"`"
        case .duration, .signedDuration, .size, .percent, .amount, .route, .target, .bitRate, .byteRate,
            .prefixed, .fileReference, .damageTarget, .crashOutcome:
            escaped(type.shown)
        }
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text { result += character == "|" ? "\\|" : String(character) }
        return result
    }
}

extension Field {
    /// The key with a value that it takes: `within: "20s"`. What an object contains is in its own section.
    package var shownExample: String {
        let isPlain = key.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        }
        var value = type.shownExample
        if case .text = type, case .string(let text)? = shownDefault { value = "\"\(text)\"" }
        return (isPlain ? key : "\"\(key)\"") + ": " + value
    }
}

extension FieldType {
    /// A value of the type as a scenario has it; `…` in it stands for what its own section says.
    fileprivate var shownExample: String {
        switch self {
        case .text: "\"…\""
        case .flag, .yes: "true"
        case .null: "null"
        case .anything: "3"
        case .whole(let range): "\(range.contains(3) ? 3 : range.lowerBound)"
        case .keyword(let keywords): "\"\(keywords[0])\""
        case .name(let kind): "\"\(kind.shownExample)\""
        case .prefixed(let keyword, let type):
            "\"\(keyword) "
                + SchemaText.joined(type.shownExample.split(separator: "\"").map(String.init), by: "")
                + "\""
        case .list(let type, let least):
            "[" + SchemaText.joined(Array(repeating: type.shownExample, count: max(1, least)), by: ", ") + "]"
        case .listing(let type): "{ has: [\(type.shownExample)] }"
        case .bounds(let type): "{ atMost: \(type.shownExample) }"
        case .map(let key, let type): "{ \(key.shownExample): \(type.shownExample) }"
        case .either(let types): types.first { $0 != .null }?.shownExample ?? "null"
        case .object(.fact(let type)): "{ is: \(type.shownExample), because: \"…\" }"
        case .object: "{ … }"
        case .userAction, .fileReference, .damageTarget, .crashOutcome, .amount, .route, .target:
            "\"\(plainExample ?? "")\""
        case .duration, .signedDuration, .size, .percent, .bitRate, .byteRate: example ?? "\"\""
        }
    }
}

extension NameKind {
    fileprivate var shownExample: String {
        switch self {
        case .version: "v2"
        case .file: "/app.js"
        case .build: "1.0"
        case .device: "ios-17"
        case .native: "A"
        case .key: "k1"
        case .edge: "eu"
        case .mark, .page, .step, .fault: "first"
        case .handset: "one"
        }
    }
}
