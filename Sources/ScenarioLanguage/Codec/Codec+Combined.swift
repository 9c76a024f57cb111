import Core

// Codecs made of others.
extension Codec {
    /// With the place in the file.
    static func spanned<Inner>(_ codec: Codec<Inner>) -> Codec where Model == Spanned<Inner> {
        Codec(
            codec.type,
            read: { (value) throws(RecordDecodingError) -> Model in Spanned(try codec.read(value), value.span)
            },
            print: { codec.print($0.value) })
    }

    static func list<Inner>(_ codec: Codec<Inner>, least: Int = 0) -> Codec where Model == [Spanned<Inner>] {
        .list(of: .spanned(codec), least: least)
    }

    /// Elements that know their places themselves.
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

    /// One, or a list of them; printed as a list.
    static func oneOrMore<Inner>(_ codec: Codec<Inner>) -> Codec where Model == [Spanned<Inner>] {
        .list(codec, least: 1).taking(.oneOrMore(codec.type))
    }

    /// `null`: none, on purpose.
    static func nullable<Inner>(_ codec: Codec<Inner>) -> Codec where Model == Inner? {
        Codec(
            .nullable(codec.type),
            read: { (value) throws(RecordDecodingError) -> Model in value.isNull ? nil : try codec.read(value)
            },
            print: { $0.map(codec.print) ?? .null })
    }

    /// `true`, where nothing more is to be said.
    static func yes<Inner>(or codec: Codec<Inner>) -> Codec where Model == Inner? {
        Codec(
            .either([.yes, codec.type]),
            read: { (value) throws(RecordDecodingError) -> Model in
                if case .flag = value.content { return nil }
                return try codec.read(value)
            }, print: { $0.map(codec.print) ?? .yes })
    }

    /// A word that stands for nil.
    static func keyword<Inner>(_ keyword: String, or codec: Codec<Inner>) -> Codec where Model == Inner? {
        Codec(
            .either([.keyword([keyword]), codec.type]),
            read: { (value) throws(RecordDecodingError) -> Model in
                if let text = value.text, text.value == keyword { return nil }
                return try codec.read(value)
            }, print: { $0.map(codec.print) ?? .text(keyword) })
    }

    /// Words that stand for values, and an object for the others.
    /// - Parameter printing: which words are printed too; else only read.
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

    /// For objects that hold others of their own kind: the words are looked up when they are needed.
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

    /// An object with keys of the author's choice, an entry each.
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

    /// The same where the key is a part of the entry.
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
