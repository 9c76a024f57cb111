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
        var host = text.prefix { $0 != UInt8(ascii: ":") }
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = text[...end]
            guard text[text.index(after: text.startIndex)..<end].allSatisfy(Authority.isAddressByte),
                host.count > 2
            else { return nil }
        } else if !host.allSatisfy(Authority.isNameByte) {
            return nil
        }
        self.host = String(decoding: host.map(Token.small), as: UTF8.self)
        var rest = text[host.endIndex...]
        guard let colon = rest.popFirst() else {
            port = nil
            return
        }
        guard colon == UInt8(ascii: ":") else { return nil }
        if rest.isEmpty {
            port = nil
        } else {
            guard let number = Token.number(rest), number <= 65_535 else { return nil }
            port = number
        }
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
