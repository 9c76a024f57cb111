import Core

/// A part of an object: its fields in the table, how it is read into the model and how it is printed.
///
/// Most are one key for one property of the model. Some are several keys that have a meaning only together;
/// their fields are adjacent in the table.
struct FieldCodec<Model: Sendable>: Sendable {
    /// Fields in the order of the table; the modifiers below change the first one.
    private(set) var fields: [Field]
    /// Keys without which there is nothing to read; nil when ``read`` is called for every record.
    let triggers: [String]?
    let read: @Sendable (Record, inout Model) throws(RecordDecodingError) -> Void
    let print: @Sendable (Model, inout PrintedPairs) -> Void
    /// Position in the printed object; fields with the same position are printed in the order of the table.
    private(set) var printOrder = PrintOrder.inOrder

    enum PrintOrder: Sendable { case first, inOrder, last }

    /// Several keys, or keys that are not a property of the model.
    /// - Parameter triggers: keys without which `read` changes nothing; nil when it is to be called always.
    init(
        _ fields: [Field], triggers: [String]? = nil,
        read: @escaping @Sendable (Record, inout Model) throws(RecordDecodingError) -> Void,
        print: @escaping @Sendable (Model, inout PrintedPairs) -> Void
    ) {
        self.fields = fields
        self.triggers = triggers
        self.read = read
        self.print = print
    }

    /// A key that the model does not contain.
    init(unread field: Field) { self.init([field], triggers: [], read: { _, _ in }, print: { _, _ in }) }
}

// A key for a property.
extension FieldCodec {
    /// An optional property with its location.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Spanned<Value>?> & Sendable, _ codec: Codec<Value>,
        _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)], triggers: [key],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = Spanned(try codec.read(value), value.span)
            },
            print: { model, pairs in
                pairs.add(key, model[keyPath: path].map { codec.print($0.value) })
            })
    }

    /// A property with its location that is required or has a default.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Spanned<Value>> & Sendable, _ codec: Codec<Value>,
        _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)], triggers: [key],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = Spanned(try codec.read(value), value.span)
            }, print: { model, pairs in pairs.add(key, codec.print(model[keyPath: path].value)) })
    }

    /// An optional property that contains its location.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Value?> & Sendable, _ codec: Codec<Value>, _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)], triggers: [key],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = try codec.read(value)
            }, print: { model, pairs in pairs.add(key, model[keyPath: path].map(codec.print)) })
    }

    /// A property without a location.
    /// - Parameter isLeftOut: whether a value is not printed.
    init<Value>(
        _ key: String, _ path: WritableKeyPath<Model, Value> & Sendable, _ codec: Codec<Value>,
        unless isLeftOut: @escaping @Sendable (Value) -> Bool = { _ in false }, _ doc: String
    ) {
        self.init(
            [Field(key, codec.type, doc)], triggers: [key],
            read: { (record, model) throws(RecordDecodingError) in
                guard let value = record[key] else { return }
                model[keyPath: path] = try codec.read(value)
            },
            print: { model, pairs in
                let value = model[keyPath: path]
                if !isLeftOut(value) { pairs.add(key, codec.print(value)) }
            })
    }

    /// A list; an empty list is not printed.
    init<Element>(
        _ key: String, _ path: WritableKeyPath<Model, [Element]> & Sendable, _ codec: Codec<[Element]>,
        _ doc: String
    ) {
        self.init(key, path, codec, unless: { $0.isEmpty }, doc)
    }

    /// A property with a default, which is not printed.
    init<Value: Equatable>(
        _ key: String, _ path: WritableKeyPath<Model, Value> & Sendable, _ codec: Codec<Value>,
        else value: Value, _ doc: String
    ) {
        self.init(key, path, codec, unless: { $0 == value }, doc)
        fields[0].fallback = codec.print(value).kind
    }
}

// Several keys for one property.
extension FieldCodec {
    /// A property whose keys are in the same object as the others.
    init<Component>(_ path: WritableKeyPath<Model, Component> & Sendable, _ object: ObjectCodec<Component>) {
        self.init(
            object.fields,
            read: { (record, model) throws(RecordDecodingError) in
                model[keyPath: path] = try object.read(record)
            },
            print: { model, pairs in pairs.add(object.pairs(model[keyPath: path])) })
    }

    /// An enum. Without a key of any case, the property is not changed.
    init<Component>(_ path: WritableKeyPath<Model, Component> & Sendable, oneOf cases: EnumCodec<Component>) {
        self.init(
            cases.fields, triggers: cases.keys,
            read: { (record, model) throws(RecordDecodingError) in
                if let component = try cases.read(record) { model[keyPath: path] = component }
            }, print: { model, pairs in pairs.add(cases.pairs(model[keyPath: path])) })
    }

    /// An optional enum.
    init<Component>(_ path: WritableKeyPath<Model, Component?> & Sendable, oneOf cases: EnumCodec<Component>)
    {
        self.init(
            cases.fields, triggers: cases.keys,
            read: { (record, model) throws(RecordDecodingError) in
                if let component = try cases.read(record) { model[keyPath: path] = component }
            },
            print: { model, pairs in
                if let component = model[keyPath: path] { pairs.add(cases.pairs(component)) }
            })
    }
}

// Modifiers of the first field.
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

    /// Printed before all other fields.
    var printedFirst: FieldCodec { printed(.first) }
    /// Printed after all other fields.
    var printedLast: FieldCodec { printed(.last) }

    private func printed(_ printOrder: PrintOrder) -> FieldCodec {
        var copy = self
        copy.printOrder = printOrder
        return copy
    }
}
