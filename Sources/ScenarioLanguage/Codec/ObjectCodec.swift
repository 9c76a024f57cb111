import Core

/// The words of one kind of object: the table's rows of a place, and the object in both directions.
struct ObjectCodec<Model: Sendable>: Sendable {
    let schema: ObjectSchema
    /// In the order of the table.
    let fieldIndex: FieldIndex
    let read: @Sendable (Record) throws(RecordDecodingError) -> Model
    let pairs: @Sendable (Model) -> PrintedPairs

    var fields: [Field] { fieldIndex.fields }

    @Sendable
    func print(_ model: Model) -> PrintedValue { pairs(model).object }

    /// - Parameters:
    ///   - fields: the rows, where they have another order than the words.
    ///   - empty: the model before its words are read. Its value for a required word does not matter: the
    ///     word is read in its place.
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

    /// An object that is one of several cases.
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

/// A list, an element a line. Each line is checked by itself: a mistake is reported where it is.
@resultBuilder
enum ListBuilder<Element> {
    static func buildExpression(_ element: Element) -> [Element] { [element] }
    static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
}
