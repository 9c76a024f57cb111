// Numbers: RFC 8259 section 6, and JSON5's `+`, bare points and hexadecimal. The text is kept;
// only whole numbers have a value.
extension JSONTokenizer {
    mutating func number() throws(JSONFault) -> JSONToken {
        let start = position
        var end = start + 1
        while end < bytes.count, Self.continuesNumber(bytes[end], after: bytes[end - 1]) { end += 1 }
        let span = SourceSpan(start: start, end: end)
        guard let number = read(span) else { throw notANumber(span) }
        position = end
        return JSONToken(kind: .number(number), span: span)
    }

    private static func continuesNumber(_ byte: UInt8, after previous: UInt8) -> Bool {
        if continuesIdentifier(byte) || byte == UInt8(ascii: ".") { return true }
        // A sign continues a number only in an exponent, so that `1-2` is not read as one number.
        return (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
            && previous | 0x20 == UInt8(ascii: "e")
    }

    /// Checks the text against the grammar; nil when it is no number of this dialect.
    private func read(_ span: SourceSpan) -> JSONNumber? {
        var here = span.start
        let sign = bytes[here]
        if sign == UInt8(ascii: "-") || (sign == UInt8(ascii: "+") && dialect == .json5) { here += 1 }
        let isNegative = sign == UInt8(ascii: "-")
        if dialect == .json5, here + 2 < span.end, bytes[here] == UInt8(ascii: "0"),
            bytes[here + 1] | 0x20 == UInt8(ascii: "x")
        {
            return hexadecimal(span, from: here + 2, isNegative: isNegative)
        }
        let whole = here
        var integer: Int64? = 0
        while here < span.end, bytes[here] &- UInt8(ascii: "0") < 10 {
            integer = Self.grown(
                integer, by: bytes[here] - UInt8(ascii: "0"), base: 10, isNegative: isNegative)
            here += 1
        }
        let wholeDigits = here - whole
        if wholeDigits > 1, bytes[whole] == UInt8(ascii: "0") { return nil }
        if here == span.end, wholeDigits > 0 { return JSONNumber(integer: integer, text: text(span)) }
        var fractionDigits = 0
        if here < span.end, bytes[here] == UInt8(ascii: ".") {
            here += 1
            while here < span.end, bytes[here] &- UInt8(ascii: "0") < 10 {
                here += 1
                fractionDigits += 1
            }
            if dialect == .strict, fractionDigits == 0 || wholeDigits == 0 { return nil }
        }
        guard wholeDigits + fractionDigits > 0 else { return nil }
        if here < span.end, bytes[here] | 0x20 == UInt8(ascii: "e") {
            here += 1
            if here < span.end, bytes[here] == UInt8(ascii: "-") || bytes[here] == UInt8(ascii: "+") {
                here += 1
            }
            let exponent = here
            while here < span.end, bytes[here] &- UInt8(ascii: "0") < 10 { here += 1 }
            if here == exponent { return nil }
        }
        return here == span.end ? JSONNumber(integer: nil, text: text(span)) : nil
    }

    private func hexadecimal(_ span: SourceSpan, from start: Int, isNegative: Bool) -> JSONNumber? {
        var integer: Int64? = 0
        for index in start..<span.end {
            guard let digit = Self.hexDigit(bytes[index]) else { return nil }
            integer = Self.grown(integer, by: digit, base: 16, isNegative: isNegative)
        }
        return JSONNumber(integer: integer, text: text(span))
    }

    /// `value × base ± digit`, or nil beyond 64 bits.
    private static func grown(_ value: Int64?, by digit: UInt8, base: Int64, isNegative: Bool) -> Int64? {
        guard let value else { return nil }
        let (product, tooBig) = value.multipliedReportingOverflow(by: base)
        if tooBig { return nil }
        let (sum, over) =
            isNegative
            ? product.subtractingReportingOverflow(Int64(digit))
            : product.addingReportingOverflow(Int64(digit))
        return over ? nil : sum
    }

    private func text(_ span: SourceSpan) -> String {
        String(decoding: bytes[span.start..<span.end], as: UTF8.self)
    }

    private func notANumber(_ span: SourceSpan) -> JSONFault {
        let text = text(span)
        let hasLetter = bytes[span.start..<span.end].contains { Self.startsIdentifier($0) }
        let digits = bytes[span.start..<span.end].drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        if !hasLetter, digits.count > 1, digits.first == UInt8(ascii: "0"),
            !digits.contains(UInt8(ascii: "."))
        {
            return JSONFault("'\(text)' is not a number", label: "begins with a zero", at: span)
        }
        return JSONFault(
            "'\(text)' is not a number", label: "not a number", at: span,
            help: hasLetter ? "write \"\(text)\"" : nil)
    }
}
