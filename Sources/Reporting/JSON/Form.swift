import Core

/// How one kind of value stands in `results.json`: written, read and described from one place, so that
/// writer, reader and schema can't part.
struct Form<Value>: Sendable {
    let write: @Sendable (Value, inout ResultsWriter) -> Void
    let read: @Sendable (JSONNode) throws -> Value
    let describe: @Sendable (inout SchemaWriter) -> Void
}

/// A fault with the way to it, from the inside out.
struct FormFault: Error {
    /// `scenarios[3].verdict`.
    var path: String
    var message: String

    func inside(_ step: String) -> FormFault {
        let joint = path.isEmpty || path.hasPrefix("[") ? "" : "."
        return FormFault(path: step + joint + path, message: message)
    }

    static func wanted(_ what: String, _ node: JSONNode) -> FormFault {
        FormFault(path: "", message: "is \(node.kindName), not \(what)")
    }
}

struct ResultsWriter {
    var json: JSONWriter
    /// Wall-clock figures are written.
    let wall: Bool
}

/// One member of an object.
struct Field<Root>: Sendable {
    let name: String
    let doc: String
    let isRequired: Bool
    let write: @Sendable (Root, inout ResultsWriter) -> Void
    let read: @Sendable (JSONNode?, inout Root) throws -> Void
    let describe: @Sendable (inout SchemaWriter) -> Void

    static func need<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>,
        _ doc: String
    ) -> Field {
        Field(
            name: name, doc: doc, isRequired: true,
            write: { root, out in
                out.json.key(name)
                form.write(root[keyPath: path], &out)
            },
            read: { node, root in
                guard let node else { throw FormFault(path: "", message: "'\(name)' is missing") }
                root[keyPath: path] = try Field.inside(name, node, form)
            }, describe: form.describe)
    }

    /// Left out where there is none.
    static func may<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ form: Form<Value>,
        _ doc: String
    ) -> Field {
        Field(
            name: name, doc: doc, isRequired: false,
            write: { root, out in
                guard let value = root[keyPath: path] else { return }
                out.json.key(name)
                form.write(value, &out)
            },
            read: { node, root in
                root[keyPath: path] = try node.map { try Field.inside(name, $0, form) }
            }, describe: form.describe)
    }

    /// A list that is left out where it is empty.
    static func some<Element>(
        _ name: String, _ path: any WritableKeyPath<Root, [Element]> & Sendable, _ form: Form<Element>,
        _ doc: String
    ) -> Field {
        let inner = need(name, path, .list(form), doc)
        return Field(
            name: name, doc: doc, isRequired: false,
            write: { root, out in if !root[keyPath: path].isEmpty { inner.write(root, &out) } },
            read: { node, root in if node != nil { try inner.read(node, &root) } }, describe: inner.describe)
    }

    /// By the wall clock: may differ between equal runs, and can be left out.
    static func wall<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: Form<Value>,
        _ doc: String
    ) -> Field {
        let inner = need(name, path, form, doc)
        return Field(
            name: name, doc: doc, isRequired: false,
            write: { root, out in if out.wall { inner.write(root, &out) } },
            read: { node, root in if node != nil { try inner.read(node, &root) } }, describe: form.describe)
    }

    private static func inside<Value>(
        _ name: String, _ node: JSONNode, _ form: Form<Value>
    ) throws -> Value {
        do { return try form.read(node) } catch let fault as FormFault { throw fault.inside(name) }
    }
}

/// An object: its members in the order in which they are written.
struct Shape<Root>: Sendable {
    let name: String
    let doc: String
    let blank: @Sendable () -> Root
    let fields: [Field<Root>]

    var form: Form<Root> {
        Form(
            write: { root, out in
                out.json.beginObject()
                for field in fields { field.write(root, &out) }
                out.json.endObject()
            },
            read: { node in try read(node) }, describe: { $0.refer(to: self) })
    }

    /// A file of its own, whose first member names its form.
    func document(_ root: Root, schema: String, wall: Bool, indent: Int = 1) -> [UInt8] {
        var out = ResultsWriter(json: JSONWriter(indent: indent), wall: wall)
        out.json.beginObject()
        out.json.member("schema", schema)
        for field in fields { field.write(root, &out) }
        out.json.endObject()
        return out.json.bytes + [0x0a]
    }

    /// The JSON Schema of such a file, draft 2020-12.
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
        guard let members = node.members else { throw FormFault.wanted("an object", node) }
        if let strange = members.first(where: { member in !fields.contains { $0.name == member.key } }) {
            throw FormFault(path: "", message: "'\(strange.key)' is unknown in \(name)")
        }
        var root = blank()
        for field in fields { try field.read(node[field.name], &root) }
        return root
    }
}

// MARK: - Forms of plain values

extension Form {
    /// A value that stands in one node.
    /// - Parameter what: what a person calls it, for a fault.
    fileprivate init(
        _ what: String, write: @escaping @Sendable (Value, inout ResultsWriter) -> Void,
        take: @escaping @Sendable (JSONNode) -> Value?,
        describe: @escaping @Sendable (inout SchemaWriter) -> Void
    ) {
        self.init(
            write: write,
            read: { node in
                guard let value = take(node) else { throw FormFault.wanted(what, node) }
                return value
            }, describe: describe)
    }
}

extension Form where Value == String {
    static let text = Form(
        "text", write: { $1.json.string($0) }, take: { $0.string }, describe: { $0.type("string") })
}

extension Form where Value == Bool {
    static let flag = Form(
        "true or false", write: { $1.json.bool($0) }, take: { $0.bool }, describe: { $0.type("boolean") })
}

extension Form where Value == Int {
    static func count(from least: Int = 0) -> Form {
        Form(
            "a whole number from \(least)", write: { $1.json.integer($0) },
            take: { node in
                node.integer.flatMap { Int(exactly: $0) }.flatMap { $0 >= least ? $0 : nil }
            }, describe: { $0.integer(from: Int64(least)) })
    }
}

extension Form where Value == Int64 {
    static let integer = Form(
        "a whole number", write: { $1.json.integer($0) }, take: { $0.integer },
        describe: { $0.type("integer") })
}

extension Form where Value == UInt64 {
    /// 16 hexadecimal digits, since JSON's numbers lose what is above 2^53 in many readers.
    static let hex = Form(
        "16 hexadecimal digits", write: { $1.json.string(Hex.text($0)) },
        take: { node in
            node.string.flatMap { $0.utf8.count == 16 ? UInt64($0, radix: 16) : nil }
        }, describe: { $0.pattern("^[0-9a-f]{16}$") })

    static let seed = Form(
        "a whole number from 0", write: { $1.json.integer($0) },
        take: { node in
            guard case .number(let number) = node.kind else { return nil }
            return UInt64(number.text)
        }, describe: { $0.integer(from: 0) })
}

extension Form where Value == Instant {
    static let instant = Form(
        write: { $1.json.integer($0.microseconds) },
        read: { Instant(microseconds: try Form<Int64>.integer.read($0)) },
        describe: Form<Int64>.integer.describe)
}

extension Form where Value == TimeSpan {
    static let span = Form(
        write: { $1.json.integer($0.microseconds) },
        read: { TimeSpan(microseconds: try Form<Int64>.integer.read($0)) },
        describe: Form<Int64>.integer.describe)
}

extension Form where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    static var word: Form {
        let all = Value.allCases.map(\.rawValue)
        return Form(
            write: { $1.json.string($0.rawValue) },
            read: { node in
                guard let word = node.string else { throw FormFault.wanted("text", node) }
                guard let value = Value(rawValue: word) else {
                    throw FormFault(
                        path: "", message: "can't be '\(word)', only \(all.joined(separator: ", "))")
                }
                return value
            }, describe: { $0.words(all) })
    }
}

extension Form {
    static func list<Element>(_ form: Form<Element>) -> Form where Value == [Element] {
        Form(
            write: { items, out in
                out.json.beginArray()
                for item in items { form.write(item, &out) }
                out.json.endArray()
            },
            read: { node in
                guard let items = node.array else { throw FormFault.wanted("a list", node) }
                return try items.enumerated().map { place, item in
                    do { return try form.read(item) } catch let fault as FormFault {
                        throw fault.inside("[\(place)]")
                    }
                }
            },
            describe: { schema in schema.list { form.describe(&$0) } })
    }
}
