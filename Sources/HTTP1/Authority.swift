import Core

/// `host[:port]` of a Host field or of an absolute target (RFC 3986 §3.2), with the host in lower case.
public struct Authority: Hashable, Sendable {
    /// Host name or address; empty for an empty Host field. An IPv6 address keeps its brackets.
    public let host: String
    /// Port; nil when the authority has none, or an empty one.
    public let port: Int?

    /// - Parameter host: in lower case, because authorities are compared byte by byte.
    public init(host: String, port: Int? = nil) {
        self.host = host
        self.port = port
    }

    /// Parses an authority; nil for user information, a port above 65,535 or not a number, and any byte that
    /// a host can't contain.
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
        var isLowercase = true
        if text.first == UInt8(ascii: "[") {
            guard let bracket = text.firstIndex(of: UInt8(ascii: "]")), bracket > 1 else { return nil }
            guard text[1..<bracket].allSatisfy(Authority.isAddressByte) else { return nil }
            end = bracket + 1
            isLowercase = false
        } else {
            while end < text.count, text[end] != UInt8(ascii: ":") {
                guard Authority.isNameByte(text[end]) else { return nil }
                if Token.lowercased(text[end]) != text[end] { isLowercase = false }
                end += 1
            }
        }
        let name = UnsafeBufferPointer(rebasing: text[..<end])
        let host =
            isLowercase
            ? String(decoding: name, as: UTF8.self)
            : String(decoding: name.map(Token.lowercased), as: UTF8.self)
        if end == text.count { return (host, nil) }
        guard text[end] == UInt8(ascii: ":") else { return nil }
        let digits = text[(end + 1)...]
        if digits.isEmpty { return (host, nil) }
        guard let port = UntrustedInteger(digits: digits)?.bounded(by: 0...65_535) else { return nil }
        return (host, port)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "."): true
        default:
            Token.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(Token.lowercased(byte))
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
