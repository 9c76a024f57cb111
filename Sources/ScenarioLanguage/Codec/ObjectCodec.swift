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
        read = { (record) throws(RecordDecodingError) -> Model in
            var model = try empty(record)
            for codec in codecs { try codec.read(record, &model) }
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

/// Builds a list with an element on each line. The compiler checks each line separately and reports a mistake
/// where it is.
@resultBuilder
enum ListBuilder<Element> {
    static func buildExpression(_ element: Element) -> [Element] { [element] }
    static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
}
