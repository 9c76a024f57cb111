import Core

/// Reads and prints one case of an enum: the key that selects the case, and the keys that belong to it.
struct CaseCodec<Model: Sendable>: Sendable {
    /// The field of the key that selects the case, then those of the keys that belong to it; the modifiers
    /// below change the first one.
    private(set) var fields: [Field]
    /// Reads the case from a record that has the key; the second argument is the key's value.
    let read: @Sendable (Record, CheckedValue) throws(RecordDecodingError) -> Model
    /// Prints the case; nil for a value of another case.
    let print: @Sendable (Model) -> PrintedPairs?

    var key: String { fields[0].key }

    init(
        _ fields: [Field],
        read: @escaping @Sendable (Record, CheckedValue) throws(RecordDecodingError) -> Model,
        print: @escaping @Sendable (Model) -> PrintedPairs?
    ) {
        self.fields = fields
        self.read = read
        self.print = print
    }

    /// A case with an associated value.
    /// - Parameters:
    ///   - make: makes the case.
    ///   - value: the associated value; nil for another case.
    init<Value>(
        _ key: String, _ codec: Codec<Value>, _ doc: String, make: @escaping @Sendable (Value) -> Model,
        value: @escaping @Sendable (Model) -> Value?
    ) {
        self.init(
            [Field(key, codec.type, doc)],
            read: { (_, given) throws(RecordDecodingError) -> Model in make(try codec.read(given)) },
            print: { model in
                guard let value = value(model) else { return nil }
                return PrintedPairs(key, codec.print(value))
            })
    }

    /// A case without an associated value: the key has the value `true`.
    init(_ key: String, _ model: Model, _ doc: String) where Model: Equatable {
        self.init(
            [Field(key, .yes, doc)], read: { _, _ in model },
            print: { $0 == model ? PrintedPairs(key, .yes) : nil })
    }

    /// A case with two associated values; the second has its own key.
    init<First, Second>(
        _ key: String, _ codec: Codec<First>, _ doc: String, and modifier: CaseModifier<Second>,
        make: @escaping @Sendable (First, Second) -> Model,
        values: @escaping @Sendable (Model) -> (First, Second)?
    ) {
        var head = Field(key, codec.type, doc)
        if modifier.isNeeded { head = head.needing(modifier.field.key) }
        self.init(
            [head, modifier.field.role == .plain ? modifier.field.with([key]) : modifier.field],
            read: { (record, given) throws(RecordDecodingError) -> Model in
                make(try codec.read(given), try modifier.read(record))
            },
            print: { model in
                guard let (first, second) = values(model) else { return nil }
                var pairs = PrintedPairs(key, codec.print(first))
                pairs.add(modifier.field.key, modifier.print(second))
                return pairs
            })
    }

    /// A case whose associated value has several keys, of which the first selects the case. The table lists
    /// the others elsewhere (``ObjectCodec/modifiers``).
    init<Value>(
        _ object: ObjectCodec<Value>, make: @escaping @Sendable (Value) -> Model,
        value: @escaping @Sendable (Model) -> Value?
    ) {
        self.init(
            [object.fields[0]],
            read: { (record, _) throws(RecordDecodingError) -> Model in make(try object.read(record)) },
            print: { value($0).map(object.pairs) })
    }

    /// The same with the fields of all its keys.
    init<Value>(
        allOf object: ObjectCodec<Value>, make: @escaping @Sendable (Value) -> Model,
        value: @escaping @Sendable (Model) -> Value?
    ) {
        self.init(object, make: make, value: value)
        fields = object.fields
    }

    var head: CaseCodec { changed { $0.head } }
    func with(_ heads: String...) -> CaseCodec { changed { $0.with(heads) } }
    func without(_ heads: [String]) -> CaseCodec { changed { $0.without(heads) } }
    func excluding(_ keys: String...) -> CaseCodec { changed { $0.excluding(keys) } }
    func needing(oneOf keys: String..., unless keywords: [String]) -> CaseCodec {
        changed { $0.needing(oneOf: keys, unless: keywords) }
    }

    private func changed(_ change: (Field) -> Field) -> CaseCodec {
        var copy = self
        copy.fields[0] = change(fields[0])
        return copy
    }
}

/// The second key of a case.
struct CaseModifier<Value: Sendable>: Sendable {
    let field: Field
    let isNeeded: Bool
    let read: @Sendable (Record) throws(RecordDecodingError) -> Value
    let print: @Sendable (Value) -> PrintedValue?

    /// A key that is required, or has a default that is printed.
    /// - Parameter fallback: the default; nil makes the key required.
    static func needed(
        _ key: String, _ codec: Codec<Value>, _ doc: String, else fallback: String? = nil
    ) -> CaseModifier {
        var field = Field(key, codec.type, doc)
        if let fallback { field = field.fallback(fallback) }
        return CaseModifier(
            field: field, isNeeded: fallback == nil,
            read: { (record) throws(RecordDecodingError) -> Value in
                guard let value = record[key] else { throw RecordDecodingError(what: key, span: record.span) }
                return try codec.read(value)
            }, print: codec.print)
    }

    /// A key with a default, which is not printed.
    static func optional(_ key: String, _ codec: Codec<Value>, else value: Value, _ doc: String)
        -> CaseModifier
    where Value: Equatable {
        var field = Field(key, codec.type, doc)
        field.fallback = codec.print(value).kind
        return CaseModifier(
            field: field, isNeeded: false,
            read: { (record) throws(RecordDecodingError) -> Value in
                guard let given = record[key] else { return value }
                return try codec.read(given)
            }, print: { $0 == value ? nil : codec.print($0) })
    }

    /// An optional key.
    /// - Parameter change: changes the field; without it, the key is allowed with the case's key only.
    static func optional<Inner>(
        _ key: String, _ codec: Codec<Inner>, _ doc: String, change: ((Field) -> Field)? = nil
    ) -> CaseModifier where Value == Inner? {
        let field = Field(key, codec.type, doc)
        return CaseModifier(
            field: change?(field) ?? field, isNeeded: false,
            read: { (record) throws(RecordDecodingError) -> Value in
                guard let value = record[key] else { return nil }
                return try codec.read(value)
            }, print: { $0.map(codec.print) })
    }

    /// An optional key of a list; without it, the list is empty.
    static func list<Element>(_ key: String, _ codec: Codec<[Element]>, _ doc: String) -> CaseModifier
    where Value == [Element] {
        CaseModifier(
            field: Field(key, codec.type, doc), isNeeded: false,
            read: { (record) throws(RecordDecodingError) -> Value in
                guard let value = record[key] else { return [] }
                return try codec.read(value)
            }, print: { $0.isEmpty ? nil : codec.print($0) })
    }
}

/// The cases of an enum. An object has the key of one of them.
struct EnumCodec<Model: Sendable>: Sendable {
    /// Fields in the order of the table.
    let fields: [Field]
    private let cases: [CaseCodec<Model>]
    /// Positions in ``cases``.
    private let positions: KeyIndex

    init(@ListBuilder<CaseCodec<Model>> _ cases: () -> [CaseCodec<Model>]) {
        let cases = cases()
        self.cases = cases
        positions = KeyIndex(cases.indices.map { (cases[$0].key, $0) })
        fields = cases.flatMap(\.fields)
    }

    /// The keys that select a case.
    var keys: [String] { cases.map(\.key) }

    /// - Returns: nil when the record has the key of no case.
    @Sendable
    func read(_ record: Record) throws(RecordDecodingError) -> Model? {
        for entry in record.entries {
            guard let position = positions.position(of: entry.key) else { continue }
            return try cases[position].read(record, entry.value)
        }
        return nil
    }

    /// The pairs of the first case that matches; none for a value that has no key.
    @Sendable
    func pairs(_ model: Model) -> PrintedPairs {
        for known in cases {
            if let pairs = known.print(model) { return pairs }
        }
        return PrintedPairs()
    }
}

extension ObjectCodec {
    /// The fields of all keys but the first.
    var modifiers: [Field] { Array(fields.dropFirst()) }
}
