import Core

/// A word of the language, whole: its row of the table, how it is read into the model and how it is printed
/// from it.
///
/// Most words are a key for one property of the model. Some stand for several keys that only mean something
/// together; their rows follow one another in the table.
struct FieldCodec<Model: Sendable>: Sendable {
    /// In the order of the table; modifiers below change the first.
    private(set) var fields: [Field]
    let read: @Sendable (Record, inout Model) throws(RecordDecodingError) -> Void
    let print: @Sendable (Model, inout PrintedPairs) -> Void
    /// Of the printed object; where words are equal in it the table's order holds.
    private(set) var printOrder = PrintOrder.inOrder

    enum PrintOrder: Sendable { case first, inOrder, last }

    /// Several keys, or what no property says by itself.
    init(
        _ fields: [Field],
        read: @escaping @Sendable (Record, inout Model) throws(RecordDecodingError) -> Void,
        print: @escaping @Sendable (Model, inout PrintedPairs) -> Void
    ) {
        self.fields = fields
        self.read = read
        self.print = print
    }

    /// What the model does not hold.
    init(unread field: Field) { self.init([field], read: { _, _ in }, print: { _, _ in }) }
}

// A key and the property that it is for.
extension FieldCodec {
    /// A property that need not be said.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Spanned<Value>?> & Sendable, _ codec: Codec<Value>,
        _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = Spanned(try codec.read(value), value.span)
            },
            print: { model, pairs in
                pairs.add(key, model[keyPath: path].map { codec.print($0.value) })
            })
    }

    /// A property that is said or has a default.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Spanned<Value>> & Sendable, _ codec: Codec<Value>,
        _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = Spanned(try codec.read(value), value.span)
            }, print: { model, pairs in pairs.add(key, codec.print(model[keyPath: path].value)) })
    }

    /// A property that knows its place itself.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Value?> & Sendable, _ codec: Codec<Value>, _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = try codec.read(value)
            }, print: { model, pairs in pairs.add(key, model[keyPath: path].map(codec.print)) })
    }

    /// A property without a place.
    /// - Parameter isLeftOut: which values are not printed.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Value> & Sendable, _ codec: Codec<Value>,
        unless isLeftOut: @escaping @Sendable (Value) -> Bool = { _ in false }, _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = try codec.read(value)
            },
            print: { model, pairs in
                let value = model[keyPath: path]
                if !isLeftOut(value) { pairs.add(key, codec.print(value)) }
            })
    }

    /// A list; an empty one is not printed.
    init<Element>(
        _ key: String, _ path: WritableKeyPath<Model, [Element]> & Sendable, _ codec: Codec<[Element]>,
        _ doc: String
    ) {
        self.init(key, path, codec, unless: { $0.isEmpty }, doc)
    }

    /// A default, which is not printed.
    init<Value: Equatable>(
        _ key: String, _ path: WritableKeyPath<Model, Value> & Sendable, _ codec: Codec<Value>,
        else value: Value, _ doc: String
    ) {
        self.init(key, path, codec, unless: { $0 == value }, doc)
        fields[0].fallback = codec.print(value).kind
    }
}

// Several words for one property.
extension FieldCodec {
    /// The words of a property, beside the others.
    init<Component>(_ path: WritableKeyPath<Model, Component> & Sendable, _ object: ObjectCodec<Component>) {
        self.init(
            object.fields,
            read: { (record, model) throws(RecordDecodingError) in
                model[keyPath: path] = try object.read(record)
            },
            print: { model, pairs in pairs.add(object.pairs(model[keyPath: path])) })
    }

    /// One of several cases; where no key of one is there, the property stays as it is.
    init<Component>(_ path: WritableKeyPath<Model, Component> & Sendable, oneOf cases: EnumCodec<Component>) {
        self.init(
            cases.fields,
            read: { (record, model) throws(RecordDecodingError) in
                if let component = try cases.read(record) { model[keyPath: path] = component }
            }, print: { model, pairs in pairs.add(cases.pairs(model[keyPath: path])) })
    }

    /// The same, where there need be none.
    init<Component>(_ path: WritableKeyPath<Model, Component?> & Sendable, oneOf cases: EnumCodec<Component>)
    {
        self.init(
            cases.fields,
            read: { (record, model) throws(RecordDecodingError) in
                model[keyPath: path] = try cases.read(record)
            },
            print: { model, pairs in
                if let component = model[keyPath: path] { pairs.add(cases.pairs(component)) }
            })
    }
}

// Of its row.
extension FieldCodec {
    var required: FieldCodec { changed { $0.required } }
    var head: FieldCodec { changed { $0.head } }
    func with(_ heads: String...) -> FieldCodec { changed { $0.with(heads) } }
    func without(_ heads: [String]) -> FieldCodec { changed { $0.without(heads) } }
    func excluding(_ keys: String...) -> FieldCodec { changed { $0.excluding(keys) } }
    func needing(_ key: String) -> FieldCodec { changed { $0.needing(key) } }
    func needing(oneOf keys: String..., unless keywords: [String]) -> FieldCodec {
        changed { $0.needing(oneOf: keys, unless: keywords) }
    }
    func assumed(_ text: String) -> FieldCodec { changed { $0.assumed(text) } }
    func assumed(_ flag: Bool) -> FieldCodec { changed { $0.assumed(flag) } }
    func assumed(_ number: Int64) -> FieldCodec { changed { $0.assumed(number) } }
    func fallback(_ text: String) -> FieldCodec { changed { $0.fallback(text) } }

    private func changed(_ change: (Field) -> Field) -> FieldCodec {
        var copy = self
        copy.fields[0] = change(fields[0])
        return copy
    }

    /// Printed before all others.
    var printedFirst: FieldCodec { printed(.first) }
    /// Printed behind all others.
    var printedLast: FieldCodec { printed(.last) }

    private func printed(_ printOrder: PrintOrder) -> FieldCodec {
        var copy = self
        copy.printOrder = printOrder
        return copy
    }
}
