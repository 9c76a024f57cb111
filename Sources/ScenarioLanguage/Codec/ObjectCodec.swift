import Core

/// Reads and prints objects of one kind, and has the fields of their schema.
struct ObjectCodec<Model: Sendable>: Sendable {
    let schema: ObjectSchema
    /// Fields in the order of the table.
    let fieldIndex: FieldIndex
    let read: @Sendable (Record) throws(RecordDecodingError) -> Model
    let pairs: @Sendable (Model) -> PrintedPairs

    var fields: [Field] { fieldIndex.fields }

    @Sendable
    func print(_ model: Model) -> PrintedValue { pairs(model).object }

    /// - Parameters:
    ///   - fields: the fields, where their order in the table differs from the order of the codecs.
    ///   - empty: the model before its fields are read. Its value for a required field does not matter,
    ///     because the field replaces it.
    init(
        _ schema: ObjectSchema, fields: [Field]? = nil,
        _ empty: @escaping @Sendable (Record) throws(RecordDecodingError) -> Model,
        @ListBuilder<FieldCodec<Model>> fields codecs: () -> [FieldCodec<Model>]
    ) {
        let codecs = codecs()
        let printed =
            codecs.filter { $0.printOrder == .first } + codecs.filter { $0.printOrder == .inOrder }
            + codecs.filter { $0.printOrder == .last }
        self.schema = schema
        fieldIndex = FieldIndex(fields ?? codecs.flatMap(\.fields))
        let reading = FieldReading(codecs)
        read = { (record) throws(RecordDecodingError) -> Model in
            var model = try empty(record)
            try reading.read(record, into: &model)
            return model
        }
        pairs = { model in
            var pairs = PrintedPairs()
            for codec in printed { codec.print(model, &pairs) }
            return pairs
        }
    }

    /// An object that is one case of an enum.
    init(_ schema: ObjectSchema, oneOf cases: EnumCodec<Model>) {
        self.schema = schema
        fieldIndex = FieldIndex(cases.fields)
        read = { (record) throws(RecordDecodingError) -> Model in
            guard let model = try cases.read(record) else {
                throw RecordDecodingError(what: schema.title, span: record.span)
            }
            return model
        }
        pairs = cases.pairs
    }
}

/// Reads a record with the codecs that it has keys for: an object has few of the keys that it could have.
private struct FieldReading<Model: Sendable>: Sendable {
    private let codecs: [FieldCodec<Model>]
    /// Positions in ``codecs``, by the keys that trigger them.
    private let positions: KeyIndex
    /// A bit for each codec that reads every record.
    private let always: UInt64

    init(_ codecs: [FieldCodec<Model>]) {
        precondition(codecs.count <= UInt64.bitWidth, "a bit for each codec")
        self.codecs = codecs
        var pairs: [(key: String, position: Int)] = []
        var always: UInt64 = 0
        for (position, codec) in codecs.enumerated() {
            guard let triggers = codec.triggers else {
                always |= 1 << UInt64(position)
                continue
            }
            pairs += triggers.map { ($0, position) }
        }
        positions = KeyIndex(pairs)
        self.always = always
    }

    /// Calls the codecs in their order.
    func read(_ record: Record, into model: inout Model) throws(RecordDecodingError) {
        var needed = always
        for entry in record.entries {
            if let position = positions.position(of: entry.key) { needed |= 1 << UInt64(position) }
        }
        while needed != 0 {
            try codecs[needed.trailingZeroBitCount].read(record, &model)
            needed &= needed - 1
        }
    }
}

/// Builds a list with an element on each line. The compiler checks each line separately and reports a mistake
/// where it is.
@resultBuilder
enum ListBuilder<Element> {
    static func buildExpression(_ element: Element) -> [Element] { [element] }
    static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
}
