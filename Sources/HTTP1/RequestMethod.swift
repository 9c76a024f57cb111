/// A request method (RFC 9110 §9): any token; comparison is case-sensitive.
public struct RequestMethod: Hashable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }

    public static let get = RequestMethod("GET")
    public static let head = RequestMethod("HEAD")
    public static let post = RequestMethod("POST")
    public static let put = RequestMethod("PUT")
    public static let patch = RequestMethod("PATCH")
    public static let delete = RequestMethod("DELETE")
    public static let options = RequestMethod("OPTIONS")
    public static let trace = RequestMethod("TRACE")
    public static let connect = RequestMethod("CONNECT")

    /// Whether RFC 9110 or RFC 5789 defines the method; any other is answered with 501.
    public var isKnown: Bool { RequestMethod.known.contains(self) }

    /// Whether the method is safe, that is read-only (RFC 9110 §9.2.1).
    public var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace }

    /// Whether the request may be sent again when no response arrived (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    private static let known: [RequestMethod] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]
}

extension RequestMethod: CustomStringConvertible {
    public var description: String { name }
}
