import Core
import Runner

/// How one type of value is written to `results.json`, read from it and described in its schema. One
/// definition has all three, so that writer, reader and schema always agree.
struct JSONForm<Value>: Sendable {
    let write: @Sendable (Value, inout ResultsWriter) -> Void
    let read: @Sendable (JSONNode) throws -> Value
    let describe: @Sendable (inout SchemaWriter) -> Void
}

/// An error in the JSON, with the path to its member.
struct JSONFormError: Error {
    /// Path to the member, for example `scenarios[3].verdict`.
    var path: String
    var message: String

    func inside(_ step: String) -> JSONFormError {
        let joint = path.isEmpty || path.hasPrefix("[") ? "" : "."
        return JSONFormError(path: step + joint + path, message: message)
    }

    static func expected(_ what: String, _ node: JSONNode) -> JSONFormError {
        JSONFormError(path: "", message: "is \(node.kindName), not \(what)")
    }
}

/// Where results are written.
struct ResultsWriter {
    var json: JSONWriter
    /// Whether wall-clock times are written.
    let wall: Bool
}

/// One member of an object.
struct JSONField<Root>: Sendable {
    let name: String
    let doc: String
    let isRequired: Bool
    let write: @Sendable (Root, inout ResultsWriter) -> Void
    let read: @Sendable (JSONNode?, inout Root) throws -> Void
    let describe: @Sendable (inout SchemaWriter) -> Void

    /// A member that is always present.
    static func required<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: JSONForm<Value>,
        _ doc: String
    ) -> JSONField {
        JSONField(
            name: name, doc: doc, isRequired: true,
            write: { root, out in
                out.json.key(name)
                form.write(root[keyPath: path], &out)
            },
            read: { node, root in
                guard let node else { throw JSONFormError(path: "", message: "'\(name)' is missing") }
                root[keyPath: path] = try JSONField.inside(name, node, form)
            }, describe: form.describe)
    }

    /// A member that is left out when the value is nil.
    static func optional<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ form: JSONForm<Value>,
        _ doc: String
    ) -> JSONField {
        JSONField(
            name: name, doc: doc, isRequired: false,
            write: { root, out in
                guard let value = root[keyPath: path] else { return }
                out.json.key(name)
                form.write(value, &out)
            },
            read: { node, root in
                root[keyPath: path] = try node.map { try JSONField.inside(name, $0, form) }
            }, describe: form.describe)
    }

    /// A list that is left out when it is empty.
    static func optionalList<Element>(
        _ name: String, _ path: any WritableKeyPath<Root, [Element]> & Sendable, _ form: JSONForm<Element>,
        _ doc: String
    ) -> JSONField {
        let inner = required(name, path, .list(form), doc)
        return JSONField(
            name: name, doc: doc, isRequired: false,
            write: { root, out in if !root[keyPath: path].isEmpty { inner.write(root, &out) } },
            read: { node, root in if node != nil { try inner.read(node, &root) } }, describe: inner.describe)
    }

    /// A member measured by the wall clock, which may differ between equal runs and can be left out.
    static func wall<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: JSONForm<Value>,
        _ doc: String
    ) -> JSONField {
        let inner = required(name, path, form, doc)
        return JSONField(
            name: name, doc: doc, isRequired: false,
            write: { root, out in if out.wall { inner.write(root, &out) } },
            read: { node, root in if node != nil { try inner.read(node, &root) } }, describe: form.describe)
    }

    private static func inside<Value>(
        _ name: String, _ node: JSONNode, _ form: JSONForm<Value>
    ) throws -> Value {
        do { return try form.read(node) } catch let fault as JSONFormError { throw fault.inside(name) }
    }
}

/// An object: its members in the order in which they are written.
struct JSONShape<Root>: Sendable {
    let name: String
    let doc: String
    let blank: @Sendable () -> Root
    let fields: [JSONField<Root>]

    var form: JSONForm<Root> {
        JSONForm(
            write: { root, out in
                out.json.beginObject()
                for field in fields { field.write(root, &out) }
                out.json.endObject()
            },
            read: { node in try read(node) }, describe: { $0.refer(to: self) })
    }

    /// A file, whose first member is the name of its schema.
    func document(_ root: Root, schema: String, wall: Bool, indent: Int = 1) -> [UInt8] {
        var out = ResultsWriter(json: JSONWriter(indent: indent), wall: wall)
        out.json.beginObject()
        out.json.member("schema", schema)
        for field in fields { field.write(root, &out) }
        out.json.endObject()
        return out.json.bytes + [0x0a]
    }

    /// The JSON Schema of that file, draft 2020-12.
    func schemaDocument(_ title: String, schema: String) -> [UInt8] {
        var out = SchemaWriter()
        out.json.beginObject()
        out.json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
        out.json.member("title", title)
        out.members(of: self, first: ("schema", schema))
        out.definitions()
        out.json.endObject()
        return out.json.bytes + [0x0a]
    }

    private func read(_ node: JSONNode) throws -> Root {
        guard let members = node.members else { throw JSONFormError.expected("an object", node) }
        if let unknown = members.first(where: { member in !fields.contains { $0.name == member.key } }) {
            throw JSONFormError(path: "", message: "'\(unknown.key)' is unknown in \(name)")
        }
        var root = blank()
        for field in fields { try field.read(node[field.name], &root) }
        return root
    }
}

extension JSONForm {
    /// The same members for another type.
    func converted<Other>(
        _ read: @escaping @Sendable (Value) -> Other, _ write: @escaping @Sendable (Other) -> Value
    ) -> JSONForm<Other> {
        JSONForm<Other>(
            write: { self.write(write($0), &$1) }, read: { read(try self.read($0)) }, describe: describe)
    }
}

// MARK: - Forms of plain values

extension JSONForm {
    /// A value that is one node.
    /// - Parameter what: description of the value for errors.
    fileprivate init(
        _ what: String, write: @escaping @Sendable (Value, inout ResultsWriter) -> Void,
        parse: @escaping @Sendable (JSONNode) -> Value?,
        describe: @escaping @Sendable (inout SchemaWriter) -> Void
    ) {
        self.init(
            write: write,
            read: { node in
                guard let value = parse(node) else { throw JSONFormError.expected(what, node) }
                return value
            }, describe: describe)
    }
}

extension JSONForm where Value == String {
    static let text = JSONForm(
        "text", write: { $1.json.string($0) }, parse: { $0.string }, describe: { $0.type("string") })
}

extension JSONForm where Value == CoverageCell {
    static let cell = JSONForm(
        "a coverage cell", write: { $1.json.string($0.text) },
        parse: { $0.string.flatMap { CoverageCell($0) } }, describe: { $0.type("string") })
}

extension JSONForm where Value == Bool {
    static let flag = JSONForm(
        "true or false", write: { $1.json.bool($0) }, parse: { $0.bool }, describe: { $0.type("boolean") })
}

extension JSONForm where Value == Int {
    static func count(from least: Int = 0) -> JSONForm {
        JSONForm(
            "a whole number from \(least)", write: { $1.json.integer($0) },
            parse: { node in
                node.integer.flatMap { Int(exactly: $0) }.flatMap { $0 >= least ? $0 : nil }
            }, describe: { $0.integer(from: Int64(least)) })
    }
}

extension JSONForm where Value == Int64 {
    static let integer = JSONForm(
        "a whole number", write: { $1.json.integer($0) }, parse: { $0.integer },
        describe: { $0.type("integer") })
}

extension JSONForm where Value == UInt64 {
    /// 16 hexadecimal digits, because many JSON parsers lose precision above 2^53.
    static let hex = JSONForm(
        "16 hexadecimal digits", write: { $1.json.string(Hex.text($0)) },
        parse: { node in
            node.string.flatMap { $0.utf8.count == 16 ? UInt64($0, radix: 16) : nil }
        }, describe: { $0.pattern("^[0-9a-f]{16}$") })

    static let seed = JSONForm(
        "a whole number from 0", write: { $1.json.integer($0) },
        parse: { node in
            guard case .number(let number) = node.kind else { return nil }
            return UInt64(number.text)
        }, describe: { $0.integer(from: 0) })
}

extension JSONForm where Value == Instant {
    static let instant = JSONForm(
        write: { $1.json.integer($0.microseconds) },
        read: { Instant(microseconds: try JSONForm<Int64>.integer.read($0)) },
        describe: JSONForm<Int64>.integer.describe)
}

extension JSONForm where Value == TimeSpan {
    static let span = JSONForm(
        write: { $1.json.integer($0.microseconds) },
        read: { TimeSpan(microseconds: try JSONForm<Int64>.integer.read($0)) },
        describe: JSONForm<Int64>.integer.describe)
}

extension JSONForm where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    static var keyword: JSONForm {
        let all = Value.allCases.map(\.rawValue)
        return JSONForm(
            write: { $1.json.string($0.rawValue) },
            read: { node in
                guard let keyword = node.string else { throw JSONFormError.expected("text", node) }
                guard let value = Value(rawValue: keyword) else {
                    throw JSONFormError(
                        path: "", message: "can't be '\(keyword)', only \(all.joined(separator: ", "))")
                }
                return value
            }, describe: { $0.enumeration(all) })
    }
}

extension JSONForm {
    static func list<Element>(_ form: JSONForm<Element>) -> JSONForm where Value == [Element] {
        JSONForm(
            write: { items, out in
                out.json.beginArray()
                for item in items { form.write(item, &out) }
                out.json.endArray()
            },
            read: { node in
                guard let items = node.array else { throw JSONFormError.expected("a list", node) }
                return try items.enumerated().map { index, item in
                    do { return try form.read(item) } catch let fault as JSONFormError {
                        throw fault.inside("[\(index)]")
                    }
                }
            },
            describe: { schema in schema.list { form.describe(&$0) } })
    }
}
