import Core

/// Reads and prints values of one kind: which values a file may contain, how a validated value becomes a
/// value of the model, and how the model's value is printed.
struct Codec<Model: Sendable>: Sendable {
    /// Type of the field that is validated before ``read`` is called.
    let type: FieldType
    let read: @Sendable (CheckedValue) throws(RecordDecodingError) -> Model
    let print: @Sendable (Model) -> PrintedValue

    init(
        _ type: FieldType, read: @escaping @Sendable (CheckedValue) throws(RecordDecodingError) -> Model,
        print: @escaping @Sendable (Model) -> PrintedValue
    ) {
        self.type = type
        self.read = read
        self.print = print
    }

    /// For values that the validator passes on unchanged.
    /// - Parameter content: value of the model; nil when the validated value is of another kind.
    init(
        _ type: FieldType, taking content: @escaping @Sendable (CheckedValue) -> Model?,
        print: @escaping @Sendable (Model) -> PrintedValue
    ) {
        self.init(
            type,
            read: { (value) throws(RecordDecodingError) -> Model in
                guard let model = content(value) else {
                    throw RecordDecodingError(what: type.shown, span: value.span)
                }
                return model
            }, print: print)
    }

    /// The same codec with a type that allows more: `"manifest"` for a route.
    func taking(_ type: FieldType) -> Codec { Codec(type, read: read, print: print) }
}

/// A validated value does not have the form that its codec needs: a mistake of the program, not of the file.
struct RecordDecodingError: Error, Hashable {
    /// Description of what is missing.
    var what: String
    var span: SourceSpan
}

// MARK: - Texts

extension Codec<String> {
    /// Any text that the type allows: names, routes, keywords.
    static func text(as type: FieldType) -> Codec { Codec(type, taking: { $0.text?.value }) { .text($0) } }

    static var text: Codec { .text(as: .text) }
    static var route: Codec { .text(as: .route) }
    static var target: Codec { .text(as: .target) }
    /// `"v1:/app.js"`, as a text.
    static var fileReferenceText: Codec { .text(as: .fileReference) }
    static func name(_ kind: NameKind) -> Codec { .text(as: .name(kind)) }
    static func keyword(_ keywords: [String]) -> Codec { .text(as: .keyword(keywords)) }
}

extension Codec where Model: CaseIterable & RawRepresentable, Model.RawValue == String {
    /// The raw values of an enum.
    static var keywords: Codec {
        Codec(.keywords(of: Model.self), taking: { $0.text.flatMap { Model(rawValue: $0.value) } }) {
            .text($0.rawValue)
        }
    }
}

extension Codec {
    /// Keywords for values.
    static func keywords(_ keywords: [(keyword: String, model: Model)]) -> Codec where Model: Equatable {
        Codec(
            .keyword(keywords.map(\.keyword)),
            taking: { value in keywords.first { $0.keyword == value.text?.value }?.model },
            print: { model in .text(keywords.first { $0.model == model }?.keyword ?? "") })
    }

    /// A text with its own grammar.
    static func text(
        _ type: FieldType, read: @escaping @Sendable (String) -> Model?,
        print: @escaping @Sendable (Model) -> String
    ) -> Codec {
        Codec(type, taking: { $0.text.flatMap { read($0.value) } }) { .text(print($0)) }
    }

    /// A value after a keyword: `"after 9s"`.
    static func prefixed(_ keyword: String, _ codec: Codec) -> Codec {
        Codec(.prefixed(keyword, codec.type), read: codec.read) { model in
            if case .text(let text) = codec.print(model) { return .text(keyword + " " + text) }
            return codec.print(model)
        }
    }
}

extension Codec<UserAction> {
    static var userAction: Codec {
        Codec(
            .userAction,
            taking: { value in
                if case .user(let action) = value.content { return action }
                return nil
            }
        ) { action in
            if case .types(let from?, let to?) = action {
                return .text("types from \(QuantityText.duration(from)) to \(QuantityText.duration(to))")
            }
            return .text(TextScanner.userActions.first { $0.action == action }?.keyword ?? "waits")
        }
    }
}

extension Codec<FileReference> {
    static var fileReference: Codec {
        Codec(
            .fileReference,
            taking: { value in
                if case .file(let reference) = value.content { return reference }
                return nil
            }
        ) { .text($0.text) }
    }
}

extension Codec<DamageTarget> {
    static var damageTarget: Codec {
        Codec(
            .damageTarget,
            taking: { value in
                if case .stored(let thing) = value.content { return thing }
                return nil
            }
        ) { .text($0.text) }
    }
}

// MARK: - Flags and numbers

extension Codec<Bool> {
    static var flag: Codec {
        Codec(
            .flag,
            taking: { value in
                if case .flag(let flag) = value.content { return flag }
                return nil
            }
        ) { .flag($0) }
    }
}

extension Codec<Int> {
    static func whole(_ range: ClosedRange<Int64>) -> Codec {
        Codec(.whole(range), taking: \.count) { .number($0) }
    }
    static var count: Codec { Codec(.count, taking: \.count) { .number($0) } }
    /// A size in bytes.
    static var size: Codec { Codec(.size, taking: \.count) { .text(QuantityText.size($0)) } }
    static var percent: Codec { Codec(.percent, taking: \.count) { .text("\($0)%") } }
    /// A duration in microseconds.
    static var microseconds: Codec {
        Codec(.duration, taking: \.count) {
            .text(QuantityText.duration(TimeSpan(microseconds: Int64($0))))
        }
    }
    /// A rate in bits per second.
    static var bitRate: Codec {
        Codec(.bitRate, taking: \.count) { .text(QuantityText.rate($0, ["kbit", "Mbit", "Gbit"])) }
    }
    /// A rate in bytes per second.
    static var byteRate: Codec {
        Codec(.byteRate, taking: \.count) { .text(QuantityText.rate($0, ["KB", "MB", "GB"])) }
    }
}

extension Codec<TimeSpan> {
    static var duration: Codec {
        Codec(
            .duration,
            taking: { value in
                if case .duration(let span) = value.content { return span }
                return nil
            }
        ) { .text(QuantityText.duration($0)) }
    }
    /// A duration that may be negative; the sign is always written.
    static var signedDuration: Codec {
        Codec(
            .signedDuration,
            taking: { value in
                if case .duration(let span) = value.content { return span }
                return nil
            }
        ) { span in
            .text(
                span < .zero ? "-" + QuantityText.duration(.zero - span) : "+" + QuantityText.duration(span))
        }
    }
}

extension Codec<Amount> {
    static var amount: Codec {
        Codec(
            .amount,
            taking: { value in
                if case .amount(let amount) = value.content { return amount }
                return nil
            }
        ) { .text(QuantityText.amount($0)) }
    }
}

extension Codec<Bounds> {
    /// A number, or its lower and upper bounds.
    static func bounds(_ codec: Codec<Int>) -> Codec {
        @Sendable
        func print(_ number: Int64) -> PrintedValue { codec.print(Int(number)) }
        return Codec(
            .bounds(codec.type),
            taking: { value in
                if case .bounds(let bounds) = value.content { return bounds }
                return nil
            }
        ) { bounds in
            if let exact = bounds.exact { return print(exact) }
            var pairs = PrintedPairs()
            pairs.add("atLeast", bounds.atLeast.map(print))
            pairs.add("atMost", bounds.atMost.map(print))
            return pairs.object
        }
    }
}

extension Codec<ListExpectation> {
    /// A list, or elements that must and must not be in it.
    static func listing(_ codec: Codec<String>) -> Codec {
        Codec(
            .listing(codec.type),
            taking: { value in
                if case .listing(let list) = value.content { return list }
                return nil
            }
        ) { list in
            switch list {
            case .exact(let texts, _): return .texts(texts)
            case .partial(let has, let hasNot, _):
                var pairs = PrintedPairs()
                if !has.isEmpty { pairs.add("has", .texts(has)) }
                if !hasNot.isEmpty { pairs.add("hasNot", .texts(hasNot)) }
                return pairs.object
            }
        }
    }
}
