/// `host[:port]` of a Host field or of an absolute target (RFC 3986 §3.2), with the host in small letters.
public struct Authority: Hashable, Sendable {
    /// Empty for an empty Host; an IPv6 address keeps its brackets.
    public let host: String
    /// nil when there is no port, or an empty one.
    public let port: Int?

    public init(host: String, port: Int? = nil) {
        self.host = host
        self.port = port
    }

    /// nil for user information, a port that is no number up to 65535, and any byte a host can't have.
    public init?(_ text: some Collection<UInt8>) {
        let read = text.withContiguousStorageIfAvailable { Authority.read($0) }
        guard let parts = read ?? Array(text).withUnsafeBufferPointer({ Authority.read($0) }) else {
            return nil
        }
        host = parts.host
        port = parts.port
    }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> (host: String, port: Int?)? {
        var end = 0
        var isSmall = true
        if text.first == UInt8(ascii: "[") {
            guard let bracket = text.firstIndex(of: UInt8(ascii: "]")), bracket > 1 else { return nil }
            guard text[1..<bracket].allSatisfy(Authority.isAddressByte) else { return nil }
            end = bracket + 1
            isSmall = false
        } else {
            while end < text.count, text[end] != UInt8(ascii: ":") {
                guard Authority.isNameByte(text[end]) else { return nil }
                if Token.small(text[end]) != text[end] { isSmall = false }
                end += 1
            }
        }
        let name = UnsafeBufferPointer(rebasing: text[..<end])
        let host =
            isSmall
            ? String(decoding: name, as: UTF8.self) : String(decoding: name.map(Token.small), as: UTF8.self)
        if end == text.count { return (host, nil) }
        guard text[end] == UInt8(ascii: ":") else { return nil }
        let digits = text[(end + 1)...]
        if digits.isEmpty { return (host, nil) }
        guard let number = Token.number(digits), number <= 65_535 else { return nil }
        return (host, number)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: Token.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(Token.small(byte))
        }
    }

    /// `reg-name` of RFC 3986.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: Token.isDigit(byte) || "-._~%!$&'()*+,;=".utf8.contains(byte)
        }
    }
}

extension Authority: CustomStringConvertible {
    public var description: String { port.map { "\(host):\($0)" } ?? host }
}
