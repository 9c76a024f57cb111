import Core

/// A validated value: the result of validating a node as a type of the table.
struct CheckedValue: Hashable {
    /// Frequent contents are stored inline; large or rare ones are boxed, so that a value stays small.
    enum Content: Hashable {
        case null, flag(Bool), whole(Int64), text(String)
        /// The name of a mark; kept apart from text because `since` also has names of steps.
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

    /// A count, bytes or microseconds.
    var number: Int64? {
        switch content {
        case .whole(let number): number
        case .bytes(let count): count
        case .duration(let span): span.microseconds
        default: nil
        }
    }

    /// The same as an `Int`.
    var count: Int? { number.map { Int($0) } }

    var isNull: Bool {
        if case .null = content { return true }
        return false
    }

    var record: Record? {
        guard case .record(let value) = content else { return nil }
        return value
    }

    /// Elements of a list; a single value is a list of one element.
    var elements: [CheckedValue] {
        guard case .list(let values) = content else { return [self] }
        return values
    }
}

/// A validated object: every key is known and every value has its type. Defaults are filled in, with the
/// object's location.
struct Record: Hashable {
    struct Pair: Hashable {
        var key: String
        var keySpan: SourceSpan
        var value: CheckedValue
        /// Whether the value is the table's default and not from the file.
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

    /// The member whose key says what the object is.
    var head: Pair? {
        let index = schema.fieldIndex
        let found = entries.indices.first { index.field(entries[$0].key)?.isHead ?? false }
        return found.map { entries[$0] }
    }

    /// Texts of a list; empty without the key.
    func texts(_ key: String) -> [Spanned<String>] { self[key]?.elements.compactMap(\.text) ?? [] }
}
