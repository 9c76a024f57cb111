/// Identifies one page load: one navigation of one web view, from its index to its last byte (rule S1).
///
/// The app host creates it from the launch's entropy. It is part of the document's URL and, through
/// `Referer`, of the requests that the document causes. It identifies the load that a request belongs to; it
/// is not a secret and grants no access (the session key does, rule S6).
public struct PageLoadToken: Hashable, Comparable, Sendable {
    /// Random number that identifies the page load.
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    public static func < (left: PageLoadToken, right: PageLoadToken) -> Bool { left.value < right.value }

    /// Sixteen lower-case hex digits, as in a URL.
    public var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Parses exactly the form of ``text``; nil for anything else.
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
