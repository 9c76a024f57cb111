import Core

// Codecs that combine others.
extension Codec {
    /// The value with its location in the file.
    static func spanned<Inner>(_ codec: Codec<Inner>) -> Codec where Model == Spanned<Inner> {
        Codec(
            codec.type,
            read: { (value) throws(RecordDecodingError) -> Model in Spanned(try codec.read(value), value.span)
            },
            print: { codec.print($0.value) })
    }

    /// A list of values with their locations.
    static func list<Inner>(_ codec: Codec<Inner>, least: Int = 0) -> Codec where Model == [Spanned<Inner>] {
        .list(of: .spanned(codec), least: least)
    }

    /// A list of elements that contain their locations.
    static func list<Element>(of codec: Codec<Element>, least: Int) -> Codec where Model == [Element] {
        Codec(
            .list(codec.type, least: least),
            read: { (value) throws(RecordDecodingError) -> Model in
                var elements: [Element] = []
                elements.reserveCapacity(value.elements.count)
                for element in value.elements { elements.append(try codec.read(element)) }
                return elements
            }, print: { .list($0.map(codec.print)) })
    }

    /// One value or a list of values; printed as a list.
    static func oneOrMore<Inner>(_ codec: Codec<Inner>) -> Codec where Model == [Spanned<Inner>] {
        .list(codec, least: 1).taking(.oneOrMore(codec.type))
    }

    /// A value or `null`, which is read as nil.
    static func nullable<Inner>(_ codec: Codec<Inner>) -> Codec where Model == Inner? {
        Codec(
            .nullable(codec.type),
            read: { (value) throws(RecordDecodingError) -> Model in value.isNull ? nil : try codec.read(value)
            },
            print: { $0.map(codec.print) ?? .null })
    }

    /// A value or `true`, which is read as nil: the verb without an argument.
    static func yes<Inner>(or codec: Codec<Inner>) -> Codec where Model == Inner? {
        Codec(
            .either([.yes, codec.type]),
            read: { (value) throws(RecordDecodingError) -> Model in
                if case .flag = value.content { return nil }
                return try codec.read(value)
            }, print: { $0.map(codec.print) ?? .yes })
    }

    /// A value or a keyword, which is read as nil.
    static func keyword<Inner>(_ keyword: String, or codec: Codec<Inner>) -> Codec where Model == Inner? {
        Codec(
            .either([.keyword([keyword]), codec.type]),
            read: { (value) throws(RecordDecodingError) -> Model in
                if let text = value.text, text.value == keyword { return nil }
                return try codec.read(value)
            }, print: { $0.map(codec.print) ?? .text(keyword) })
    }

    /// Keywords for some values, and another codec for the rest.
    /// - Parameter printing: whether a value is printed as its keyword; otherwise keywords are only read.
    static func keywords(
        _ keywords: [(keyword: String, model: Model)], or codec: Codec,
        printing: @escaping @Sendable (Model) -> Bool = { _ in true }
    ) -> Codec where Model: Equatable {
        Codec(
            .either([.keyword(keywords.map(\.keyword)), codec.type]),
            read: { (value) throws(RecordDecodingError) -> Model in
                guard let text = value.text else { return try codec.read(value) }
                guard let known = keywords.first(where: { $0.keyword == text.value }) else {
                    throw RecordDecodingError(what: text.value, span: value.span)
                }
                return known.model
            },
            print: { model in
                guard printing(model), let known = keywords.first(where: { $0.model == model }) else {
                    return codec.print(model)
                }
                return .text(known.keyword)
            })
    }

    // MARK: - Objects

    static func object(_ codec: ObjectCodec<Model>) -> Codec { .object(codec.schema) { codec } }

    /// An object that can contain objects of its own kind: `codec` is called when it is needed, because the
    /// codecs refer to each other.
    static func object(_ schema: ObjectSchema, _ codec: @escaping @Sendable () -> ObjectCodec<Model>) -> Codec
    {
        Codec(
            .object(schema),
            read: { (value) throws(RecordDecodingError) -> Model in
                guard let record = value.record else {
                    throw RecordDecodingError(what: schema.title, span: value.span)
                }
                return try codec().read(record)
            }, print: { codec().print($0) })
    }

    /// An object with keys of the author's choice, as a list with an element for each key.
    static func map<Element>(
        key: FieldType, _ type: FieldType,
        read: @escaping @Sendable (Record.Pair) throws(RecordDecodingError) -> Element,
        print: @escaping @Sendable (Element) -> PrintedValue.Pair
    ) -> Codec where Model == [Element] {
        Codec(
            .map(key: key, type),
            read: { (value) throws(RecordDecodingError) -> Model in
                guard let record = value.record else {
                    throw RecordDecodingError(what: "object", span: value.span)
                }
                var elements: [Element] = []
                elements.reserveCapacity(record.entries.count)
                for entry in record.entries { elements.append(try read(entry)) }
                return elements
            }, print: { .object($0.map(print)) })
    }

    /// The same, where the key is a property of the element.
    static func map<Element>(
        key: FieldType, _ name: WritableKeyPath<Element, Spanned<String>> & Sendable, _ codec: Codec<Element>
    ) -> Codec where Model == [Element] {
        .map(
            key: key, codec.type,
            read: { (pair) throws(RecordDecodingError) -> Element in
                var entry = try codec.read(pair.value)
                entry[keyPath: name] = Spanned(pair.key, pair.keySpan)
                return entry
            }, print: { .init($0[keyPath: name].value, codec.print($0)) })
    }
}
