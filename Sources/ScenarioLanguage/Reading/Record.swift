import Core

/// A checked value: what the table's type makes of a node.
struct CheckedValue: Hashable {
    /// What files are full of lies in the value itself; what is large or seldom behind a reference, so that
    /// a value stays small.
    enum Content: Hashable {
        case null, flag(Bool), whole(Int64), text(String)
        /// The name of one; `since` takes names of steps too.
        case mark(String)
        case duration(TimeSpan), bytes(Int64), amount(Amount), list([CheckedValue])
        indirect case user(UserAction), file(FileReference), stored(DamageTarget)
        indirect case listing(ListExpectation), bounds(Bounds), record(Record)
    }

    var content: Content
    var span: SourceSpan

    func spanned<Result>(_ value: Result) -> Spanned<Result> { Spanned(value, span) }

    var text: Spanned<String>? {
        switch content {
        case .text(let value), .mark(let value): spanned(value)
        case .file(let reference): spanned(reference.text)
        default: nil
        }
    }

    /// Counts, bytes and microseconds alike.
    var number: Int64? {
        switch content {
        case .whole(let number): number
        case .bytes(let count): count
        case .duration(let span): span.microseconds
        default: nil
        }
    }

    /// The same as a count.
    var count: Int? { number.map { Int($0) } }

    var isNull: Bool {
        if case .null = content { return true }
        return false
    }

    var record: Record? {
        guard case .record(let value) = content else { return nil }
        return value
    }

    /// A list's elements; one value stands for a list of one.
    var elements: [CheckedValue] {
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
        var value: CheckedValue
        /// From the table, not from the file.
        var isFallback: Bool
    }

    var schema: ObjectSchema
    var span: SourceSpan
    var entries: [Pair]

    subscript(key: String) -> CheckedValue? {
        for index in entries.indices where TextBytes.areEqual(entries[index].key, key) {
            return entries[index].value
        }
        return nil
    }

    /// The entry that says what the object is.
    var head: Pair? {
        let index = schema.fieldIndex
        let found = entries.indices.first { index.field(entries[$0].key)?.isHead ?? false }
        return found.map { entries[$0] }
    }

    /// Texts of a list; none when the key is not there.
    func texts(_ key: String) -> [Spanned<String>] { self[key]?.elements.compactMap(\.text) ?? [] }
}
