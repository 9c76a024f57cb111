/// Names one page load: one navigation of one web view, from its index to its last byte (rule S1).
///
/// Made by the app host from the launch's entropy, carried in the document's URL and, by way of
/// `Referer`, by what the document refers to. It says which load a request belongs to; it is no
/// secret and opens no door (the session key does, rule S6).
public struct PageLoadToken: Hashable, Comparable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    public static func < (left: PageLoadToken, right: PageLoadToken) -> Bool { left.value < right.value }

    /// Sixteen lower-case hex digits, as they stand in a URL.
    public var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Reads exactly what ``text`` writes; anything else is no token.
    public init?(text: some StringProtocol) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ isLowerHex($0) }),
            let value = UInt64(text, radix: 16)
        else { return nil }
        self.value = value
    }
}

private func isLowerHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}
