/// A request's path and query, parsed once for all users. The query is split off first, then the path is
/// percent-decoded once, so `%252e` becomes `%2e`, never a dot.
///
/// A target that no server could interpret throws and is answered with 400. A valid URL that can't name a
/// file (an encoded slash, a dot segment, a backslash, bytes that are not UTF-8) has no ``route``: 404 for
/// files, while a proxy still passes ``path`` on unchanged.
public struct RequestTarget: Hashable, Sendable {
    /// Path as received, without the query, still encoded.
    public let path: String
    /// Query as received, without the `?`; nil when there was none.
    public let query: String?
    /// Route that the path names, or why it can't name one.
    public let file: File

    public enum File: Hashable, Sendable {
        case route(Route)
        case none(Unservable)
    }

    /// Why a valid path can't name a file. All of them are answered with 404.
    public enum Unservable: Hashable, Sendable {
        case encodedSlash
        case backslash
        case dotSegment
        case emptySegment
        case controlCharacter
        case notUTF8
        case encodedSeparator
        case tooLong
    }

    /// Why the bytes are not a request path. All of them are answered with 400.
    public enum Malformed: Error, Hashable, Sendable {
        case notAbsolute
        case badPercentEncoding
        case encodedNUL
        case fragment
        case badByte(UInt8)
    }

    public var route: Route? {
        switch file {
        case .route(let route): route
        case .none: nil
        }
    }

    /// Reads an origin-form target, `/path?query` (RFC 9112 §3.2.1). A query may have every visible ASCII
    /// byte but `#`, because browsers send backslash, caret, backtick, bar and braces there as they are (URL
    /// Standard, query percent-encode set). A backslash in the path is malformed: browsers send a slash for
    /// it.
    public init(_ bytes: some Collection<UInt8>) throws(Malformed) { try self.init(Array(bytes)[...]) }

    /// The same without a generic collection, because every request is parsed here.
    public init(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        guard bytes.first == UInt8(ascii: "/") else { throw .notAbsolute }
        var question = bytes.endIndex
        var isEncoded = false
        for index in bytes.indices {
            let byte = bytes[index]
            if byte <= 0x20 || byte >= 0x7f { throw .badByte(byte) }
            if byte == UInt8(ascii: "#") { throw .fragment }
            guard question == bytes.endIndex else { continue }
            switch byte {
            case UInt8(ascii: "\\"): throw .badByte(byte)
            case UInt8(ascii: "?"): question = index
            case UInt8(ascii: "%"): isEncoded = true
            default: break
            }
        }
        path = String(decoding: bytes[..<question], as: UTF8.self)
        query =
            question < bytes.endIndex ? String(decoding: bytes[(question + 1)...], as: UTF8.self) : nil
        file =
            isEncoded
            ? try RequestTarget.file(of: bytes[..<question])
            : try RequestTarget.file(bytes[..<question], path)
    }

    /// The target of a request for a route, without a query.
    public init(_ route: Route) {
        path = route.percentEncoded
        query = nil
        file = .route(route)
    }

    /// Path and query as in the request line.
    public var text: String { query.map { path + "?" + $0 } ?? path }

    /// The first value of a query pair, not decoded; nil when no pair has that name.
    public func queryValue(_ name: String) -> String? {
        guard let query else { return nil }
        return TextBytes.value(of: name, in: query, separator: UInt8(ascii: "&"))
    }

    private static func file(of path: ArraySlice<UInt8>) throws(Malformed) -> File {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count)
        var slashWasEncoded = false
        var separatorWasEncoded = false
        var rest = path
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let first = rest.popFirst(), let second = rest.popFirst(),
                let high = Hex.value(ofDigit: first), let low = Hex.value(ofDigit: second)
            else { throw .badPercentEncoding }
            let value = high << 4 | low
            if value == 0 { throw .encodedNUL }
            if value == UInt8(ascii: "/") { slashWasEncoded = true }
            if value == UInt8(ascii: "?") || value == UInt8(ascii: "#") { separatorWasEncoded = true }
            decoded.append(value)
        }
        if slashWasEncoded { return .none(.encodedSlash) }
        if separatorWasEncoded { return .none(.encodedSeparator) }
        guard let text = TextBytes.text(of: decoded) else { return .none(.notUTF8) }
        return try file(decoded[...], text)
    }

    /// - Parameter text: text of the same bytes.
    private static func file(_ decoded: ArraySlice<UInt8>, _ text: String) throws(Malformed) -> File {
        guard let flaw = Route.flaw(of: decoded) else { return .route(Route(unchecked: text)) }
        switch flaw {
        case .tooLong: return .none(.tooLong)
        case .emptySegment: return .none(.emptySegment)
        case .dotSegment: return .none(.dotSegment)
        case .backslash: return .none(.backslash)
        case .controlCharacter: return .none(.controlCharacter)
        case .query, .fragment: return .none(.encodedSeparator)
        case .empty, .notAbsolute: throw .notAbsolute
        }
    }
}

extension RequestTarget.Malformed: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAbsolute: "the path does not start with \"/\""
        case .badPercentEncoding: "a \"%\" is not followed by two hexadecimal digits"
        case .encodedNUL: "the path has a NUL"
        case .fragment: "the target has a fragment"
        case .badByte(let byte): "the target has the byte \(byte), which must be percent-encoded"
        }
    }
}
