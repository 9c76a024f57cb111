import Core

/// Writes a scenario file or a device profile in the one style of the library.
///
/// - A line for each step, case, version and key of the file; two spaces a level; a comma after each of them.
///   What does not fit into 110 columns goes on in further lines, but no two steps share one.
/// - Cases stand in columns as far as all of them say the same keys, where 140 columns are enough.
/// - Texts keep their escapes; numbers are decimal. Blank lines stay, one at a time.
/// - Every comment stays: above what it stood above, or behind what it stood behind.
/// - Keys as the file's first one is: bare, or all in quotes. Bare is how stories read aloud and how the
///   library is written; a file that begins with `"schema"` is in the subset that editors know as "JSON
///   with comments" (double quotes throughout), so that they complete and check by the schema without an
///   extension. Whoever wants the other one changes all keys at once with ``Keys``.
///
/// Guarantees: the values are the same, the comments are the same and in the same order (both are
/// checked before anything is returned), and what it wrote it leaves as it is. What can go wrong is a text
/// that is no JSON5: a ``JSONFault``. Deliberately not here: what the values mean; a file with a misspelt
/// key can be formatted.
package enum SourceFormatter {
    package enum Keys: String, CaseIterable, Sendable {
        case asFirst = "as-first"
        case bare, quoted
    }

    /// Columns, counted in Unicode scalars.
    package static let width = 110
    /// Of a table of cases: rows that can be compared are worth a wider line.
    package static let tableWidth = 140

    /// - Parameter title: in place of the file's own.
    package static func format(
        _ bytes: [UInt8], keys: Keys = .asFirst, title: String? = nil
    ) throws(JSONFault) -> [UInt8] {
        let limits = ScenarioReader.limits
        var (root, comments) = try JSONReader.readKeepingComments(bytes, dialect: .json5, limits: limits)
        let quotes = quotes(keys, root, bytes)
        var builder = TriviaBuilder(bytes, comments, quotes: quotes)
        var document = builder.document(root)
        if let title {
            document.set("title", .scalar(FormatText(quotes: quotes).string(title)))
            root.set("title", .string(title))
        }
        let text = Array(FormatLayout().text(document).utf8)
        let (again, kept) = try JSONReader.readKeepingComments(text, dialect: .json5, limits: limits)
        let isSame =
            root.isSame(as: again)
            && comments.map { TriviaBuilder.text(of: $0, in: bytes) }
                == kept.map { TriviaBuilder.text(of: $0, in: text) }
        if isSame { return text }
        throw JSONFault(
            "formatting would have changed what the file says: a mistake of the formatter",
            label: "left as it is", at: SourceSpan(start: root.span.start, end: root.span.start + 1))
    }

    private static func quotes(_ keys: Keys, _ root: JSONNode, _ bytes: [UInt8]) -> FormatText.Quotes {
        switch keys {
        case .bare: return .whereNeeded
        case .quoted: return .always
        case .asFirst:
            guard let key = root.members?.first?.keySpan else { return .whereNeeded }
            let isQuoted = bytes[key.start] == UInt8(ascii: "\"") || bytes[key.start] == UInt8(ascii: "'")
            return isQuoted ? .always : .whereNeeded
        }
    }
}

extension TriviaDocument {
    fileprivate mutating func set(_ key: String, _ value: TriviaNode) {
        guard case .container(let isObject, var items, let dangling) = root else { return }
        for index in items.indices where items[index].key?.name == key { items[index].value = value }
        root = .container(isObject: isObject, items: items, dangling: dangling)
    }
}

extension JSONNode {
    fileprivate mutating func set(_ key: String, _ value: Kind) {
        guard var members else { return }
        for index in members.indices where members[index].key == key { members[index].value.kind = value }
        kind = .object(members)
    }

    /// The same value, wherever it stands.
    func isSame(as other: JSONNode) -> Bool {
        switch (kind, other.kind) {
        case (.null, .null): true
        case (.bool(let one), .bool(let two)): one == two
        case (.string(let one), .string(let two)): TextBytes.areEqual(one, two)
        case (.number(let one), .number(let two)):
            one.integer == two.integer && (one.integer != nil || one.text == two.text)
        case (.array(let one), .array(let two)):
            one.count == two.count && zip(one, two).allSatisfy { $0.isSame(as: $1) }
        case (.object(let one), .object(let two)):
            one.count == two.count
                && zip(one, two).allSatisfy {
                    TextBytes.areEqual($0.key, $1.key) && $0.value.isSame(as: $1.value)
                }
        case (.null, _), (.bool, _), (.string, _), (.number, _), (.array, _), (.object, _): false
        }
    }
}
