/// A value of the language on its way to text: JSON5 with bare keys, in the style of the library.
indirect enum PrintedValue: Hashable, Sendable {
    /// As it stands: numbers, `true`, `null`.
    case raw(String)
    case text(String)
    case list([PrintedValue])
    case object([Pair])

    struct Pair: Hashable, Sendable {
        var key: String
        var value: PrintedValue

        init(_ key: String, _ value: PrintedValue) {
            self.key = key
            self.value = value
        }
    }

    static let yes = PrintedValue.raw("true")
    static func number(_ number: some BinaryInteger) -> PrintedValue { .raw("\(number)") }
    static func flag(_ flag: Bool) -> PrintedValue { .raw(flag ? "true" : "false") }
    static func texts(_ texts: [Spanned<String>]) -> PrintedValue { .list(texts.map { .text($0.value) }) }
    static func nullable(_ text: String?) -> PrintedValue { text.map { .text($0) } ?? .raw("null") }

    /// On one line.
    var line: String {
        switch self {
        case .raw(let text): text
        case .text(let text): PrintedValue.quoted(text)
        case .list(let values): values.isEmpty ? "[]" : "[" + PrintedValue.joined(values.map(\.line)) + "]"
        case .object(let pairs):
            pairs.isEmpty ? "{}" : "{ " + PrintedValue.joined(pairs.map(\.line)) + " }"
        }
    }

    /// An object over several lines, a pair each; anything else on one.
    func lines(indent: String) -> String {
        guard case .object(let pairs) = self else { return line }
        let inner = indent + "  "
        return "{\n" + pairs.map { "\(inner)\($0.line),\n" }.joined() + indent + "}"
    }

    private static func joined(_ parts: [String]) -> String {
        var text = ""
        for part in parts { text += text.isEmpty ? part : ", " + part }
        return text
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x2029).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A key without quotes where it may go without.
    static func key(_ text: String) -> String {
        let isBare =
            !text.isEmpty
            && text.utf8.enumerated().allSatisfy { place, byte in
                (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A)
                    || (place > 0 && byte >= 0x30 && byte <= 0x39)
            }
        return isBare ? text : quoted(text)
    }
}

extension PrintedValue.Pair {
    var line: String { "\(PrintedValue.key(key)): \(value.line)" }
}

/// Collects pairs; what is nil is left out.
struct PrintedPairs {
    var pairs: [PrintedValue.Pair] = []

    var object: PrintedValue { .object(pairs) }

    mutating func add(_ key: String, _ value: PrintedValue?) {
        if let value { pairs.append(PrintedValue.Pair(key, value)) }
    }

    mutating func add(_ key: String, _ text: String?) { add(key, text.map { PrintedValue.text($0) }) }

    mutating func add<Word: RawRepresentable>(_ key: String, word: Word?) where Word.RawValue == String {
        add(key, word?.rawValue)
    }
}
