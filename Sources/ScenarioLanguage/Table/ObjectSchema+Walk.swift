import Core

// All object schemas of the language.
extension ObjectSchema {
    /// Every schema that is reachable from the root of a file, each once, in the order of their first use.
    package static func all(from root: ObjectSchema) -> [ObjectSchema] {
        var found: [ObjectSchema] = []
        func add(_ schema: ObjectSchema) {
            if found.contains(schema) { return }
            found.append(schema)
            for field in schema.fields { add(field.type) }
            if let free = schema.freeKeys { add(free.value) }
        }
        func add(_ type: FieldType) {
            switch type {
            case .object(let schema): add(schema)
            case .list(let type, _), .prefixed(_, let type): add(type)
            case .map(let key, let type):
                add(key)
                add(type)
            case .listing(let type): add(ObjectSchema.listing(type))
            case .bounds(let type): add(ObjectSchema.bounds(type))
            case .either(let types): for type in types { add(type) }
            case .text, .flag, .yes, .null, .whole, .duration, .signedDuration, .size, .percent, .amount,
                .route, .target, .bitRate, .byteRate, .keyword, .name, .userAction, .fileReference,
                .damageTarget, .crashOutcome, .anything:
                break
            }
        }
        add(root)
        return found
    }

    /// Unique identifier: name of the definition in the JSON Schema, and anchor in the reference.
    package var name: String {
        switch self {
        case .bounds(let type): "boundsOf" + type.name
        case .listing(let type): "listOf" + type.name
        case .fact(let type): "factOf" + type.name
        default: "\(self)"
        }
    }
}

extension FieldType {
    fileprivate var name: String {
        switch self {
        case .text: "Text"
        case .flag: "Flag"
        case .yes: "True"
        case .null: "Null"
        case .whole: "Counts"
        case .duration: "Durations"
        case .signedDuration: "SignedDurations"
        case .size: "Sizes"
        case .percent: "Percentages"
        case .amount: "Amounts"
        case .route: "Routes"
        case .target: "Targets"
        case .bitRate: "BitRates"
        case .byteRate: "ByteRates"
        case .keyword(let keywords): FieldType.camel(keywords[0])
        case .name(let kind): kind == .file ? "Files" : FieldType.camel(kind.rawValue) + "s"
        case .prefixed(let keyword, _): FieldType.camel(keyword)
        case .userAction: "UserActions"
        case .fileReference: "FileReferences"
        case .damageTarget: "StoredThings"
        case .crashOutcome: "CrashOutcomes"
        case .anything: "Anything"
        case .list(let type, _), .listing(let type), .bounds(let type): "Lists" + type.name
        case .object(let schema): FieldType.camel(schema.name)
        case .map(_, let type): "Maps" + type.name
        case .either(let types): SchemaText.joined(types.map(\.name), by: "Or")
        }
    }

    private static func camel(_ keywords: String) -> String {
        var text = ""
        for part in keywords.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            text += part.prefix(1).uppercased() + part.dropFirst()
        }
        return text
    }

    /// Example without quotes: `20s`.
    var plainExample: String? {
        switch self {
        case .amount: "60%"
        case .route, .name(.file): "/app.js"
        case .target: "/cart?id=7#top"
        case .fileReference, .damageTarget: "v1:/app.js"
        case .userAction: "waits"
        case .crashOutcome: "kill"
        default: example.map { String($0.split(separator: "\"").first ?? "") }
        }
    }
}

extension Field {
    /// The default that applies when the key is missing.
    package var shownDefault: JSONNode.Kind? { fallback ?? assumed }
}
