import Core

/// Keys, texts and numbers as the formatter writes them.
struct FormatText {
    enum Quotes: Sendable {
        /// Keys without quotes where possible; a text that contains double quotes is in single quotes.
        case whereNeeded
        /// Keys and texts in double quotes, without escapes that only JSON5 has.
        case always
    }

    let quotes: Quotes

    func key(_ key: String, _ source: ArraySlice<UInt8>) -> String {
        if quotes == .whereNeeded, FormatText.canBeBare(key) { return key }
        let first = source.first
        let isQuoted = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
        return isQuoted ? string(key, source) : FormatText.quoted(key)
    }

    /// A key that comes from no file.
    func key(_ key: String) -> String { self.key(key, Array(FormatText.quoted(key).utf8)[...]) }

    /// A text that comes from no file.
    func string(_ value: String) -> String { string(value, Array(FormatText.quoted(value).utf8)[...]) }

    /// A text of a file, with the escapes that its author chose.
    /// - Parameter source: the text in the file, with its quotes.
    func string(_ value: String, _ source: ArraySlice<UInt8>) -> String {
        let prefersSingle =
            quotes == .whereNeeded && value.utf8.contains(UInt8(ascii: "\""))
            && !value.utf8.contains(UInt8(ascii: "'"))
        let quote = prefersSingle ? UInt8(ascii: "'") : UInt8(ascii: "\"")
        var written = [quote]
        var rest = source.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                if byte == quote { written.append(UInt8(ascii: "\\")) }
                written.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if escaped == quote { written.append(byte) }
                written.append(escaped)
            case UInt8(ascii: "x") where quotes == .always: written += Array("\\u00".utf8)
            default: written += [byte, escaped]
            }
        }
        return String(decoding: written + [quote], as: UTF8.self)
    }

    /// Whole numbers in decimal; any other number, which the language does not have, unchanged.
    func number(_ number: JSONNumber) -> String { number.integer.map(String.init) ?? number.text }

    /// A text in double quotes, with the escapes of strict JSON.
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

    private static func canBeBare(_ key: String) -> Bool {
        if ["true", "false", "null", "NaN", "Infinity"].contains(key) { return false }
        guard let first = key.utf8.first, startsBareKey(first) else { return false }
        return key.utf8.allSatisfy { startsBareKey($0) || ($0 >= 0x30 && $0 <= 0x39) }
    }

    private static func startsBareKey(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }
}
