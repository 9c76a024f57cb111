// Strings: RFC 8259 section 7, and JSON5's single quotes and `\x`.
extension JSONTokenizer {
    mutating func string() throws(JSONFault) -> JSONToken {
        let start = position
        let quote = bytes[start]
        if dialect == .strict, quote == UInt8(ascii: "'") {
            throw JSONFault(
                "single quotes in strict JSON", label: "not allowed here",
                at: SourceSpan(start: start, end: start + 1), help: "write double quotes")
        }
        // The fast path: most strings have no escapes.
        let (end, text) = bytes.withUnsafeBufferPointer { all -> (Int, String?) in
            var end = start + 1
            while end < all.count {
                let byte = all[end]
                if byte == quote {
                    let text = UnsafeBufferPointer(rebasing: all[(start + 1)..<end])
                    return (end, String(decoding: text, as: UTF8.self))
                }
                if byte == UInt8(ascii: "\\") || byte < 0x20 { break }
                end &+= 1
            }
            return (end, nil)
        }
        if let text {
            position = end + 1
            return JSONToken(kind: .string(text), span: SourceSpan(start: start, end: position))
        }
        if end == bytes.count { throw unterminated(start) }
        if bytes[end] == UInt8(ascii: "\\") { return try escapedString(quote: quote, firstEscape: end) }
        throw controlCharacter(at: end, in: start)
    }

    /// The slow path, from the first escape on.
    private mutating func escapedString(quote: UInt8, firstEscape: Int) throws(JSONFault) -> JSONToken {
        let start = position
        var text = Array(bytes[(start + 1)..<firstEscape])
        var here = firstEscape
        while here < bytes.count {
            let byte = bytes[here]
            if byte == quote {
                position = here + 1
                return JSONToken(
                    kind: .string(String(decoding: text, as: UTF8.self)),
                    span: SourceSpan(start: start, end: position))
            }
            if byte < 0x20 { throw controlCharacter(at: here, in: start) }
            if byte == UInt8(ascii: "\\") {
                here = try escape(at: here, in: start, into: &text)
            } else {
                text.append(byte)
                here += 1
            }
        }
        throw unterminated(start)
    }

    /// Reads one escape and returns the offset after it.
    private func escape(at offset: Int, in start: Int, into text: inout [UInt8]) throws(JSONFault) -> Int {
        guard offset + 1 < bytes.count else { throw unterminated(start) }
        switch bytes[offset + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[offset + 1])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "'") where dialect == .json5: text.append(UInt8(ascii: "'"))
        case UInt8(ascii: "u"): return try unicodeEscape(at: offset, into: &text)
        case UInt8(ascii: "x") where dialect == .json5:
            let value = try hexDigits(2, at: offset + 2, of: offset)
            if value == 0 { throw nullCharacter(offset, offset + 4) }
            append(value, to: &text)
            return offset + 4
        case 0x0A, 0x0D:
            throw JSONFault(
                "a text that continues over lines", label: "ends with the line",
                at: SourceSpan(start: offset, end: offset + 1), help: "write \\n inside one line")
        default:
            let scalar = scalar(at: offset + 1)
            throw JSONFault(
                "unknown escape '\\\(scalar)'", label: "not an escape",
                at: SourceSpan(start: offset, end: offset + 1 + scalar.utf8.count),
                help: "write \\\\ for a backslash")
        }
        return offset + 2
    }

    private func unicodeEscape(at offset: Int, into text: inout [UInt8]) throws(JSONFault) -> Int {
        let first = try hexDigits(4, at: offset + 2, of: offset)
        if first == 0, dialect == .json5 { throw nullCharacter(offset, offset + 6) }
        if first & 0xF800 != 0xD800 {
            append(first, to: &text)
            return offset + 6
        }
        let next = offset + 6
        if first < 0xDC00, next + 1 < bytes.count, bytes[next] == UInt8(ascii: "\\"),
            bytes[next + 1] == UInt8(ascii: "u")
        {
            let second = try hexDigits(4, at: next + 2, of: next)
            if second & 0xFC00 == 0xDC00 {
                append(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), to: &text)
                return offset + 12
            }
        }
        throw JSONFault(
            "half of a surrogate pair", label: "the other half is missing",
            at: SourceSpan(start: offset, end: offset + 6),
            help: "write the character itself, or both halves")
    }

    /// No author writes this character on purpose, and Foundation's JSON5 parser refuses it.
    private func nullCharacter(_ start: Int, _ end: Int) -> JSONFault {
        JSONFault(
            "the character U+0000 in a text", label: "no text holds it",
            at: SourceSpan(start: start, end: end), help: "take it out")
    }

    private func hexDigits(_ count: Int, at offset: Int, of escape: Int) throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for index in offset..<(offset + count) {
            guard index < bytes.count, let digit = Self.hexDigit(bytes[index]) else {
                throw JSONFault(
                    "an escape with too few hexadecimal digits", label: "needs \(count) digits",
                    at: SourceSpan(start: escape, end: min(index, bytes.count)))
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// - Parameter value: a Unicode scalar; not a surrogate.
    private func append(_ value: UInt32, to text: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(value) else { return }
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(unit) }
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private func unterminated(_ start: Int) -> JSONFault {
        var end = start
        while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        return JSONFault(
            "a text without its closing quote", label: "opened here",
            at: SourceSpan(start: start, end: min(end, start + 1)), help: "close the quote in the same line")
    }

    private func controlCharacter(at offset: Int, in start: Int) -> JSONFault {
        if bytes[offset] == 0x0A || bytes[offset] == 0x0D { return unterminated(start) }
        let name = Self.codePoint(scalar(at: offset))
        let digits = String(name.utf8.dropFirst(2)) ?? ""
        return JSONFault(
            "a control character (\(name)) in a text", label: "must be escaped",
            at: SourceSpan(start: offset, end: offset + 1),
            help: bytes[offset] == 0x09 ? "write \\t" : "write \\u\(digits)")
    }
}
