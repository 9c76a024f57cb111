import Core

/// Writes a scenario file or a device profile in the one style of the library.
///
/// - A line for each step, case, version and key of the file; two spaces for each level; a comma after each.
///   A value that does not fit into 110 columns continues on further lines, but no two steps share a line.
/// - Cases are aligned in columns as far as all of them have the same keys, if 140 columns are enough.
/// - Texts keep their escapes; numbers are decimal. Blank lines are kept, at most one at a time.
/// - Every comment stays above or behind the value that it was above or behind.
/// - Keys are written as the file's first key is: without quotes, or all in quotes. The library has no
///   quotes, because it is easier to read; a file that begins with `"schema"` is in the subset that editors
///   know as "JSON with comments" (double quotes throughout), so that they complete and check it by the
///   schema without an extension. ``Keys`` changes all keys to one of the two forms.
///
/// Guarantees: the values are the same, the comments are the same and in the same order (both are
/// checked before anything is returned), and formatting twice gives the same text. A text that is not JSON5
/// throws a ``JSONFault``. Deliberately not here: the meaning of the values; a file with a misspelt
/// key can be formatted.
package enum SourceFormatter {
    /// How keys are written.
    package enum Keys: String, CaseIterable, Sendable {
        /// As the first key of the file.
        case asFirst = "as-first"
        case bare, quoted
    }

    /// Width of a line in Unicode scalars.
    package static let width = 110
    /// Width of a line in a table of cases: wider, because aligned rows are easier to compare.
    package static let tableWidth = 140

    /// - Parameter title: replaces the title of the file.
    /// - Throws: ``JSONFault`` for a text that is not JSON5.
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
            "formatting would have changed the meaning of the file: a mistake of the formatter",
            label: "left as it is", at: SourceSpan(start: root.span.start, end: root.span.start + 1))
    }

    /// Whether the first key of a file is in quotes; false for a text without keys.
    package static func hasQuotedKeys(_ bytes: [UInt8]) -> Bool {
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits)
            return quotes(.asFirst, root, bytes) == .always
        } catch {
            return false
        }
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

    /// Whether two values are the same, wherever they are in their files.
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
