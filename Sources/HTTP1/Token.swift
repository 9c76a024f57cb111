/// The small parts of the grammar that every field is made of (RFC 9110 §5.6).
enum Token {
    /// `tchar`.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
    }

    /// What a field value may hold: tab, visible ASCII, space, and bytes above ASCII.
    static func isValueByte(_ byte: UInt8) -> Bool { byte == 9 || (byte >= 0x20 && byte != 0x7f) }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    static func small(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte + 32 : byte
    }

    /// Without spaces and tabs at either end.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        var rest = bytes[...]
        while let first = rest.first, first == 0x20 || first == 9 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 9 { rest.removeLast() }
        return rest
    }

    /// One scalar for each byte.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// A number of at least one digit and nothing else; nil above 2⁶³ − 1.
    static func number(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var number = 0
        for byte in bytes {
            guard isDigit(byte) else { return nil }
            let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowedToo) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if overflowed || overflowedToo { return nil }
            number = sum
        }
        return number
    }
}
