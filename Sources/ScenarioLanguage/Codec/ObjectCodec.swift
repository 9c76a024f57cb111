import Core

/// The words of one kind of object: the table's rows of a place, and the object in both directions.
struct ObjectCodec<Model: Sendable>: Sendable {
    let place: ObjectSchema
    /// In the order of the table.
    let rows: RowIndex
    let read: @Sendable (Record) throws(DecodingGap) -> Model
    let pairs: @Sendable (Model) -> PrintedPairs

    var fields: [Field] { rows.fields }

    @Sendable
    func print(_ model: Model) -> PrintedValue { pairs(model).object }

    /// - Parameters:
    ///   - fields: the rows, where they have another order than the words.
    ///   - empty: the model before its words are read. Its value for a required word does not matter: the
    ///     word is read in its place.
    init(
        _ place: ObjectSchema, fields: [Field]? = nil,
        _ empty: @escaping @Sendable (Record) throws(DecodingGap) -> Model,
        @ListBuilder<FieldCodec<Model>> words: () -> [FieldCodec<Model>]
    ) {
        let words = words()
        let printed =
            words.filter { $0.turn == .first } + words.filter { $0.turn == .inOrder }
            + words.filter { $0.turn == .last }
        self.place = place
        rows = RowIndex(fields ?? words.flatMap(\.fields))
        read = { (record) throws(DecodingGap) -> Model in
            var model = try empty(record)
            for word in words { try word.read(record, &model) }
            return model
        }
        pairs = { model in
            var pairs = PrintedPairs()
            for word in printed { word.print(model, &pairs) }
            return pairs
        }
    }

    /// An object that is one of several cases.
    init(_ place: ObjectSchema, oneOf cases: EnumCodec<Model>) {
        self.place = place
        rows = RowIndex(cases.fields)
        read = { (record) throws(DecodingGap) -> Model in
            guard let model = try cases.read(record) else {
                throw DecodingGap(what: place.title, span: record.span)
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
