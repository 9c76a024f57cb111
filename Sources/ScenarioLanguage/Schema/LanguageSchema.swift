import Core

/// The language as JSON Schema (draft-07), generated from the field table: for editors, which use it for
/// completion, documentation and validation, and for programs that generate files.
///
/// Guarantees: every file that the reader accepts is valid by the schema; files with unknown keys, unknown
/// keywords, missing keys, quantities without a unit or two verbs in a step are not. A schema can't express
/// whether a name is declared, in which order, and which values contradict each other; `otalab lint` checks
/// that. `"$key"`, a value of the cases, is allowed for any value.
package struct LanguageSchema {
    /// A kind of file.
    package enum Root: String, CaseIterable, Sendable {
        case scenario, use, profile

        package var schema: ObjectSchema {
            switch self {
            case .scenario: .scenario
            case .use: .used
            case .profile: .profile
            }
        }

        fileprivate var title: String {
            switch self {
            case .scenario: "OTALab scenario"
            case .use: "OTALab file for use"
            case .profile: "OTALab device profile"
            }
        }
    }

    private let root: Root
    private var hasCases: Bool { root != .profile }

    /// The schema, indented, with a line end.
    package static func text(of root: Root) -> String { LanguageSchema(root: root).node.text }

    private var node: SchemaNode {
        var node = SchemaNode()
        node.set("$schema", "http://json-schema.org/draft-07/schema#")
        node.set("title", root.title)
        // Keywords of VS Code: JSON files with comments are valid.
        node.set("allowComments", true)
        node.set("allowTrailingCommas", true)
        add(root.schema, to: &node, isRoot: true)
        var definitions = SchemaNode()
        if hasCases {
            definitions.set(
                "fromCases",
                .with {
                    $0.set("type", "string")
                    $0.set("pattern", "^" + SchemaText.fromCases + "$")
                    $0.set("description", "A value of the cases.")
                })
        }
        for object in ObjectSchema.all(from: root.schema) where object != root.schema {
            definitions.set(object.name, .with { add(object, to: &$0, isRoot: false) })
        }
        node.set("definitions", definitions)
        return node
    }

    // MARK: - Objects

    private func add(_ object: ObjectSchema, to node: inout SchemaNode, isRoot: Bool) {
        if isRoot || !hasCases {
            node.set("type", "object")
        } else {
            node.set("type", ["object", "string"])
            node.set("pattern", "^" + SchemaText.fromCases + "$")
        }
        node.set(
            "properties",
            .with { properties in
                for field in object.fields { properties.set(field.key, property(field)) }
            })
        if let free = object.freeKeys {
            node.set("patternProperties", .with { $0.set("^" + free.prefix, valueSchema(free.value)) })
        }
        node.set("additionalProperties", false)
        // Keys that a used file may have are not required.
        let shared = object == .scenario ? UsedFiles.keys : []
        let required = object.fields.filter { $0.isRequired && !shared.contains($0.key) }.map(\.key)
        if !required.isEmpty { node.set("required", required) }
        let company = dependencies(object)
        if !company.isEmpty { node.set("dependencies", company) }
        let rules = rules(object)
        if !rules.isEmpty { node.set("allOf", all: rules) }
    }

    private func property(_ field: Field) -> SchemaNode {
        var node = SchemaNode()
        node.set("description", field.doc)
        node.set("default", field.shownDefault)
        add(field.type, to: &node)
        return node
    }

    /// Which keys need or exclude which.
    private func dependencies(_ object: ObjectSchema) -> SchemaNode {
        let heads = object.fields.filter { $0.role == .head }.map(\.key)
        return .with { node in
            for field in object.fields {
                var needed: [SchemaNode] = []
                if let key = field.needs { needed.append(.required(key)) }
                if case .with(let keys) = field.role { needed.append(any(keys)) }
                var refused = field.excludes
                if case .without(let keys) = field.role { refused += keys }
                if field.role == .head, !object.needsHead { refused += heads.filter { $0 != field.key } }
                if !refused.isEmpty { needed.append(.with { $0.set("not", any(refused)) }) }
                if needed.count == 1 { node.set(field.key, needed[0]) }
                if needed.count > 1 { node.set(field.key, .with { $0.set("allOf", all: needed) }) }
            }
        }
    }

    private func any(_ keys: [String]) -> SchemaNode {
        keys.count == 1 ? .required(keys[0]) : .with { $0.set("anyOf", all: keys.map { .required($0) }) }
    }

    /// Rules for objects with heads, and for keywords that need a second key.
    private func rules(_ object: ObjectSchema) -> [SchemaNode] {
        var rules: [SchemaNode] = []
        if object.needsHead {
            let heads = object.fields.filter { $0.role == .head }.map(\.key)
            rules.append(
                .with {
                    $0.set("if", .with { $0.set("type", "object") })
                    $0.set("then", .with { $0.set("oneOf", all: heads.map { .required($0) }) })
                })
        }
        if object == .scenario {
            let own = object.fields.filter { $0.isRequired && UsedFiles.keys.contains($0.key) }.map(\.key)
            let isWhole = SchemaNode.with { $0.set("required", own) }
            rules.append(.with { $0.set("anyOf", all: [isWhole, .required("use")]) })
        }
        for field in object.fields where !field.companions.isEmpty {
            let isComplete = SchemaNode.with { $0.set("enum", field.completeKeywords) }
            let isOpen = SchemaNode.with {
                $0.set("type", "string")
                $0.set(
                    "not",
                    .with {
                        let cases = SchemaNode.with { $0.set("pattern", "^" + SchemaText.fromCases + "$") }
                        $0.set("anyOf", all: [isComplete, cases])
                    })
            }
            rules.append(rule(field.key, isOpen, any(field.companions)))
            rules.append(rule(field.key, isComplete, .with { $0.set("not", any(field.companions)) }))
        }
        return rules
    }

    private func rule(_ key: String, _ value: SchemaNode, _ then: SchemaNode) -> SchemaNode {
        .with {
            $0.set(
                "if",
                .with {
                    // A step can be a name of the cases, to which what is said of members applies in vain.
                    $0.set("type", "object")
                    $0.set("required", [key])
                    $0.set("properties", .with { $0.set(key, value) })
                })
            $0.set("then", then)
        }
    }

    // MARK: - Values

    private func valueSchema(_ type: FieldType) -> SchemaNode { .with { add(type, to: &$0) } }

    private func add(_ type: FieldType, to node: inout SchemaNode) {
        switch type {
        case .text:
            node.set("type", "string")
            node.set("minLength", 1)
        case .keyword(let keywords): choice([.with { $0.set("enum", keywords) }], &node)
        case .yes: choice([.with { $0.set("const", true) }], &node)
        case .flag: scalar("boolean", &node)
        case .null: node.set("type", "null")
        case .anything: break
        case .whole(let range):
            scalar("integer", &node)
            node.set("minimum", range.lowerBound)
            if range.upperBound < Int64.max { node.set("maximum", range.upperBound) }
        case .list(let type, let least):
            scalar("array", &node)
            node.set("items", valueSchema(type))
            if least > 0 { node.set("minItems", Int64(least)) }
        case .map(let keyType, let type):
            scalar("object", &node)
            if let names = names(keyType) { node.set("propertyNames", names) }
            node.set("additionalProperties", valueSchema(type))
        case .object(let object): node.set("allOf", all: [reference(object)])
        case .listing(let type):
            node.set("anyOf", all: [valueSchema(.list(type, least: 0)), reference(.listing(type))])
        case .bounds(let type): node.set("anyOf", all: [valueSchema(type), reference(.bounds(type))])
        case .either(let types): choice(types.map(valueSchema), &node)
        case .duration, .signedDuration, .size, .percent, .amount, .route, .target, .bitRate, .byteRate,
            .name, .prefixed, .userAction, .fileReference, .damageTarget, .crashOutcome:
            node.set("type", "string")
            node.set("minLength", 1)
            if let pattern = SchemaText.pattern(of: type) { node.set("pattern", anchored(pattern)) }
            if let example = type.plainExample { node.set("examples", [example]) }
        }
    }

    /// A JSON type, or a value of the cases.
    private func scalar(_ type: String, _ node: inout SchemaNode) {
        guard hasCases else { return node.set("type", type) }
        node.set("type", [type, "string"])
        node.set("pattern", "^" + SchemaText.fromCases + "$")
    }

    private func choice(_ nodes: [SchemaNode], _ node: inout SchemaNode) {
        let cases = SchemaNode.with { $0.set("$ref", "#/definitions/fromCases") }
        node.set("anyOf", all: hasCases ? nodes + [cases] : nodes)
    }

    private func names(_ type: FieldType) -> SchemaNode? {
        switch type {
        case .keyword(let keywords): .with { $0.set("enum", keywords) }
        case .route, .name(.file):
            .with { $0.set("pattern", "^" + (SchemaText.pattern(of: type) ?? "") + "$") }
        default: nil
        }
    }

    private func anchored(_ pattern: String) -> String {
        hasCases ? "^(" + SchemaText.fromCases + "|" + pattern + ")$" : "^" + pattern + "$"
    }

    private func reference(_ object: ObjectSchema) -> SchemaNode {
        .with { $0.set("$ref", "#/definitions/" + object.name) }
    }
}
