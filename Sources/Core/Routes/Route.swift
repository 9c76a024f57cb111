/// An absolute URL path as a key, under which a manifest lists a file and a page requests it.
///
/// Guarantees: valid UTF-8, at most 1,024 bytes, starts with `/`, no empty segment except a last one (`/`,
/// `/docs/`), no dot segment, no query, fragment, backslash or control character. Two routes are equal when
/// their bytes are: no case folding, no Unicode normalisation, and a `%` is a literal `%`. A request is
/// decoded once and then looked up (``RequestTarget``); a route that no manifest lists does not exist, and
/// the text of a request is never used as a file system path.
///
/// Deliberately not here: the query of a URL in a Meteor manifest, which its reader removes.
public struct Route: Hashable, Sendable {
    /// Decoded text: `/a b.js`, never `/a%20b.js` for it.
    public let text: String

    /// Longest route in bytes of UTF-8.
    public static let longest = 1_024

    /// The route `/`.
    public static let root = Route(unchecked: "/")

    /// Parses the text of a manifest literally; nothing in it is decoded.
    /// - Throws: ``RouteError`` for a text that is not a route.
    public init(_ manifestText: String) throws(RouteError) {
        if let error = Route.flaw(of: manifestText.utf8) { throw error }
        text = manifestText
    }

    /// - Parameter text: a text that ``flaw(of:)`` accepts.
    init(unchecked text: String) { self.text = text }

    /// What is wrong with the text as a route; nil when nothing is.
    static func flaw(of bytes: some Collection<UInt8>) -> RouteError? {
        bytes.withContiguousStorageIfAvailable { flaw($0) }
            ?? Array(bytes).withUnsafeBufferPointer { flaw($0) }
    }

    private static func flaw(_ bytes: UnsafeBufferPointer<UInt8>) -> RouteError? {
        if bytes.isEmpty { return .empty }
        if bytes.count > longest { return .tooLong(bytes: bytes.count) }
        if bytes[0] != UInt8(ascii: "/") { return .notAbsolute }
        for byte in bytes {
            switch byte {
            case 0..<0x20, 0x7f: return .controlCharacter(byte)
            case UInt8(ascii: "\\"): return .backslash
            case UInt8(ascii: "?"): return .query
            case UInt8(ascii: "#"): return .fragment
            default: break
            }
        }
        var begin = 1
        for offset in 1...bytes.count where offset == bytes.count || bytes[offset] == UInt8(ascii: "/") {
            let isLast = offset == bytes.count
            if begin == offset, !isLast { return .emptySegment }
            let length = offset - begin
            if length == 1 || length == 2, bytes[begin] == UInt8(ascii: "."),
                bytes[offset - 1] == UInt8(ascii: ".")
            {
                return .dotSegment
            }
            begin = offset + 1
        }
        return nil
    }

    /// The last segment; empty when the route ends in a slash.
    public var name: String {
        guard let name = TextBytes.afterLast(UInt8(ascii: "/"), in: text) else { return text }
        return String(text[name...])
    }

    /// The route in a request line: every byte that RFC 3986 does not allow in a path is
    /// percent-encoded, `%` itself too, so that decoding once gives this route again.
    public var percentEncoded: String {
        if TextBytes.all(text, Route.isUnescaped) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if Route.isUnescaped(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Route.capitalDigit(byte >> 4))
                bytes.append(Route.capitalDigit(byte & 15))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func capitalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// RFC 3986 §3.3: `pchar` and the slash between segments.
    private static func isUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        // `&'()*+,-./`, the digits and `:;`
        case UInt8(ascii: "&")...UInt8(ascii: ";"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension Route: Comparable {
    /// Orders by bytes, so that the order is the same on every machine.
    public static func < (left: Route, right: Route) -> Bool {
        TextBytes.precedes(left.text, right.text)
    }

    /// Compares bytes, because Swift's `==` for strings treats composed and decomposed letters as equal,
    /// while file systems and origins don't.
    public static func == (left: Route, right: Route) -> Bool {
        TextBytes.areEqual(left.text, right.text)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension Route: CustomStringConvertible {
    public var description: String { text }
}

/// Why the text in a manifest is not a route (rule U10).
public enum RouteError: Error, Hashable, Sendable {
    case empty
    case tooLong(bytes: Int)
    case notAbsolute
    case emptySegment
    case dotSegment
    case query
    case fragment
    case backslash
    case controlCharacter(UInt8)
}

extension RouteError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the route is empty"
        case .tooLong(let bytes): "the route is \(bytes) bytes long, more than \(Route.longest)"
        case .notAbsolute: "the route does not start with \"/\""
        case .emptySegment: "the route has an empty segment (\"//\")"
        case .dotSegment: "the route has a segment \".\" or \"..\""
        case .query: "the route has a query (\"?\")"
        case .fragment: "the route has a fragment (\"#\")"
        case .backslash: "the route has a backslash"
        case .controlCharacter(let byte): "the route has the control character \(byte)"
        }
    }
}
