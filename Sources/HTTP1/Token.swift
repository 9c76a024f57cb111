/// The basic rules of the grammar that all fields share (RFC 9110 §5.6).
package enum Token {
    /// Whether the byte is a `tchar`.
    @inline(__always)
    static func isTokenByte(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? lowTokenBytes : highTokenBytes
        return byte < 128 && bits &>> UInt64(byte & 63) & 1 == 1
    }

    /// One bit for each byte from NUL: set for `!#$%&'*+-.` and the digits.
    private static let lowTokenBytes: UInt64 = 0x03ff_6cfa_0000_0000
    /// One bit for each byte from `@`: set for the letters and ``^_`|~``.
    private static let highTokenBytes: UInt64 = 0x57ff_ffff_c7ff_fffe

    static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.isEmpty { return false }
        for byte in bytes where !isTokenByte(byte) { return false }
        return true
    }

    /// Whether a field value may contain the byte: tab, space, visible ASCII, and bytes above ASCII.
    static func isValueByte(_ byte: UInt8) -> Bool { byte == 9 || (byte >= 0x20 && byte != 0x7f) }

    /// Whether the byte is a space or a tab.
    @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// An ASCII letter in lower case; any other byte unchanged.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte + 32 : byte
    }

    /// The bytes without spaces and tabs at either end.
    package static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        var rest = bytes[...]
        while let first = rest.first, isBlank(first) { rest.removeFirst() }
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }

    /// Text with one Unicode scalar for each byte.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// Parses one to nine decimal digits and nothing else. A number of any length is an `UntrustedInteger`.
    static func number(_ bytes: some Collection<UInt8>) -> Int? {
        guard (1...9).contains(bytes.count) else { return nil }
        var number = 0
        for byte in bytes {
            guard isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
