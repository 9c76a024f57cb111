/// Reads a text of the language from left to right.
struct TextScanner {
    let bytes: [UInt8]
    /// Offset of the next byte.
    var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position >= bytes.count }
    var peek: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func skipSpaces() {
        while peek == UInt8(ascii: " ") { position += 1 }
    }

    /// A run of digits; nil when there is none. The value is nil when it exceeds 64 bits.
    mutating func digits() -> (value: Int64?, start: Int)? {
        let start = position
        var value: Int64? = 0
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
            guard let old = value else { continue }
            let (product, over) = old.multipliedReportingOverflow(by: 10)
            let (sum, over2) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            value = over || over2 ? nil : sum
        }
        return position == start ? nil : (value, start)
    }

    /// A run of letters and `%`; empty when there is none.
    mutating func letters() -> String {
        let start = position
        while let byte = peek,
            byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == 0x25
        {
            position += 1
        }
        return text(from: start)
    }

    /// Skips a keyword and the spaces after it, if it is next.
    /// - Returns: whether it was.
    mutating func take(_ keyword: String) -> Bool {
        let wanted = Array(keyword.utf8)
        let end = position + wanted.count
        guard end <= bytes.count, Array(bytes[position..<end]) == wanted else { return false }
        guard end == bytes.count || bytes[end] == UInt8(ascii: " ") else { return false }
        position = end
        skipSpaces()
        return true
    }

    func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    /// End of the run without spaces that begins at `start`; at least one byte after it, except at the end of
    /// the text.
    func runEnd(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: " ") { end += 1 }
        return max(end, min(start + 1, bytes.count))
    }
}
