import Core

/// A checked value: what the table's type makes of a node.
struct Value: Hashable {
    /// What files are full of lies in the value itself; what is large or seldom behind a reference, so that
    /// a value stays small.
    enum Content: Hashable {
        case null, flag(Bool), whole(Int64), text(String)
        case duration(TimeSpan), bytes(Int64), amount(Amount), list([Value])
        indirect case user(UserAction), file(FileReference), stored(StoredThing)
        indirect case listing(ListExpectation), bounds(Bounds), record(Record)
    }

    var content: Content
    var span: SourceSpan

    func spanned<Result>(_ value: Result) -> Spanned<Result> { Spanned(value, span) }

    var text: Spanned<String>? {
        switch content {
        case .text(let value): spanned(value)
        case .file(let reference): spanned("\(reference.version):\(reference.route)")
        default: nil
        }
    }

    var isNull: Bool {
        if case .null = content { return true }
        return false
    }

    var record: Record? {
        guard case .record(let value) = content else { return nil }
        return value
    }

    /// A list's elements; one value stands for a list of one.
    var elements: [Value] {
        guard case .list(let values) = content else { return [self] }
        return values
    }
}

/// A checked object: every key known, every value of its type. Defaults are filled in, with the
/// object's own span.
struct Record: Hashable {
    struct Pair: Hashable {
        var key: String
        var keySpan: SourceSpan
        var value: Value
        /// From the table, not from the file.
        var isFallback: Bool
    }

    var place: Place
    var span: SourceSpan
    var entries: [Pair]

    subscript(key: String) -> Value? {
        for place in entries.indices where TextBytes.areEqual(entries[place].key, key) {
            return entries[place].value
        }
        return nil
    }

    /// The entry that says what the object is.
    var head: Pair? {
        let index = RowIndex.of(place)
        let found = entries.indices.first { index.row(entries[$0].key)?.isHead ?? false }
        return found.map { entries[$0] }
    }

    // Each is nil when the key is not there.

    func text(_ key: String) -> Spanned<String>? { self[key]?.text }

    func texts(_ key: String) -> [Spanned<String>] { self[key]?.elements.compactMap(\.text) ?? [] }

    /// For names that may be null on purpose: outer nil when the key is not there.
    func nullableText(_ key: String) -> Spanned<String?>? {
        self[key].map { $0.spanned($0.text?.value) }
    }

    func flag(_ key: String) -> Spanned<Bool>? {
        guard let value = self[key], case .flag(let flag) = value.content else { return nil }
        return value.spanned(flag)
    }

    func whole(_ key: String) -> Spanned<Int>? {
        guard let value = self[key], case .whole(let number) = value.content else { return nil }
        return value.spanned(Int(number))
    }

    /// As ``nullableText(_:)``.
    func nullableWhole(_ key: String) -> Spanned<Int?>? {
        guard let value = self[key] else { return nil }
        if case .whole(let number) = value.content { return value.spanned(Int(number)) }
        return value.spanned(nil)
    }

    func duration(_ key: String) -> Spanned<TimeSpan>? {
        guard let value = self[key], case .duration(let span) = value.content else { return nil }
        return value.spanned(span)
    }

    func bytes(_ key: String) -> Spanned<Int>? {
        guard let value = self[key], case .bytes(let count) = value.content else { return nil }
        return value.spanned(Int(count))
    }

    func amount(_ key: String) -> Spanned<Amount>? {
        guard let value = self[key], case .amount(let amount) = value.content else { return nil }
        return value.spanned(amount)
    }

    func word<Word: RawRepresentable>(_ key: String, _ type: Word.Type = Word.self) -> Spanned<Word>?
    where Word.RawValue == String {
        guard let text = text(key), let word = Word(rawValue: text.value) else { return nil }
        return Spanned(word, text.span)
    }

    func bounds(_ key: String) -> Bounds? {
        guard case .bounds(let bounds) = self[key]?.content else { return nil }
        return bounds
    }

    func listing(_ key: String) -> ListExpectation? {
        guard case .listing(let list) = self[key]?.content else { return nil }
        return list
    }

    func record(_ key: String) -> Record? { self[key]?.record }
}
