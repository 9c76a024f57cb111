/// Splits a text into tokens. Comments are tokens too, so that a formatter can keep them.
///
/// Guarantees: locations are byte offsets; every fault has one; time is linear; only strings with escapes are
/// read twice. Deliberately not here: nesting, keys, commas (``JSONReader``). The bytes must be UTF-8 already
/// (``UTF8Check``).
package struct JSONTokenizer: Sendable {
    let bytes: [UInt8]
    let dialect: JSONDialect
    var position: Int

    package init(_ bytes: [UInt8], dialect: JSONDialect) {
        self.bytes = bytes
        self.dialect = dialect
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        position = hasMark ? 3 : 0
    }

    /// For the token that begins at an offset.
    init(_ bytes: [UInt8], dialect: JSONDialect, from position: Int) {
        self.bytes = bytes
        self.dialect = dialect
        self.position = position
    }

    /// The next token; `end` after the last one.
    /// - Throws: ``JSONFault`` for the first fault of the text.
    package mutating func next() throws(JSONFault) -> JSONToken {
        while position < bytes.count, Self.isWhiteSpace(bytes[position]) { position += 1 }
        guard position < bytes.count else { return token(.end, length: 0) }
        switch bytes[position] {
        case UInt8(ascii: "{"): return token(.leftBrace, length: 1)
        case UInt8(ascii: "}"): return token(.rightBrace, length: 1)
        case UInt8(ascii: "["): return token(.leftBracket, length: 1)
        case UInt8(ascii: "]"): return token(.rightBracket, length: 1)
        case UInt8(ascii: ":"): return token(.colon, length: 1)
        case UInt8(ascii: ","): return token(.comma, length: 1)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string()
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            return try number()
        case UInt8(ascii: "/"): return try comment()
        case let byte where Self.startsIdentifier(byte): return identifier()
        default: throw unknownCharacter()
        }
    }

    private mutating func token(_ kind: JSONToken.Kind, length: Int) -> JSONToken {
        let span = SourceSpan(start: position, end: position + length)
        position += length
        return JSONToken(kind: kind, span: span)
    }

    private mutating func identifier() -> JSONToken {
        var end = position + 1
        while end < bytes.count, Self.continuesIdentifier(bytes[end]) { end += 1 }
        return token(.identifier, length: end - position)
    }

    private mutating func comment() throws(JSONFault) -> JSONToken {
        let start = position
        let second = start + 1 < bytes.count ? bytes[start + 1] : 0
        guard second == UInt8(ascii: "/") || second == UInt8(ascii: "*") else { throw unknownCharacter() }
        if dialect == .strict {
            throw JSONFault(
                "a comment in strict JSON", label: "no comments here",
                at: SourceSpan(start: start, end: start + 2), help: "take it out")
        }
        var end = start + 2
        if second == UInt8(ascii: "/") {
            while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
            return token(.comment, length: end - start)
        }
        while end + 1 < bytes.count {
            if bytes[end] == UInt8(ascii: "*"), bytes[end + 1] == UInt8(ascii: "/") {
                return token(.comment, length: end + 2 - start)
            }
            end += 1
        }
        throw JSONFault(
            "a comment that is never closed", label: "opened here",
            at: SourceSpan(start: start, end: start + 2), help: "close it with */")
    }

    private func unknownCharacter() -> JSONFault {
        let scalar = scalar(at: position)
        let span = SourceSpan(start: position, end: position + scalar.utf8.count)
        switch scalar.unicodeScalars.first?.value ?? 0 {
        case 0x23:
            return JSONFault(
                "'#' starts no comment", label: "unexpected", at: span,
                help: dialect == .json5 ? "write // for a comment" : nil)
        case 0x0B, 0x0C, 0xA0, 0xFEFF, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000:
            return JSONFault(
                "unusual white space (\(Self.codePoint(scalar)))", label: "looks empty, but is not", at: span,
                help: "put a plain space here")
        case 0..<0x20, 0x7F:
            return JSONFault("a control character (\(Self.codePoint(scalar)))", label: "unexpected", at: span)
        case 0x201C, 0x201D, 0x2018, 0x2019:
            return JSONFault(
                "a typographic quote '\(scalar)'", label: "unexpected", at: span,
                help: "write a plain \"")
        default:
            return JSONFault("unexpected character '\(scalar)'", label: "unexpected", at: span)
        }
    }

    /// The character that begins at an offset, as text.
    func scalar(at offset: Int) -> String {
        var end = offset + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    /// Code point of the first scalar, for example `U+00A0`.
    static func codePoint(_ text: String) -> String {
        let digits = String(text.unicodeScalars.first?.value ?? 0, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    static func startsIdentifier(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    static func continuesIdentifier(_ byte: UInt8) -> Bool {
        startsIdentifier(byte) || byte &- UInt8(ascii: "0") < 10
    }
}
