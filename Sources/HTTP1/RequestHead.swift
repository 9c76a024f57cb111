import Core

/// The request line and field lines of a request.
public struct RequestHead: Hashable, Sendable {
    /// The request target in one of the four forms of RFC 9112 §3.2.
    public enum Target: Hashable, Sendable {
        /// A path with an optional query.
        case origin(RequestTarget)
        /// A whole URL of http or https, as sent to a proxy.
        case absolute(scheme: String, Authority, RequestTarget)
        /// `*`; OPTIONS only.
        case asterisk
        /// Host and port; CONNECT only.
        case authority(Authority)
    }

    public var method: RequestMethod
    public var target: Target
    /// Minor version of HTTP: 0 for HTTP/1.0, else 1.
    public var minorVersion: Int
    public var fields: HeaderFields
    /// Framing of the body as the fields announce it; the parser has validated it.
    public var framing: BodyFraming

    public init(
        _ method: RequestMethod, _ target: Target, fields: HeaderFields = HeaderFields(),
        minorVersion: Int = 1, framing: BodyFraming = .none
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.minorVersion = minorVersion
        self.framing = framing
    }

    /// Path and query; nil for the forms that have none.
    public var path: RequestTarget? {
        switch target {
        case .origin(let path), .absolute(_, _, let path): path
        case .asterisk, .authority: nil
        }
    }

    /// Authority that the request is addressed to; an absolute target overrides Host (RFC 9112 §3.2.2). nil
    /// for HTTP/1.0 without Host.
    public var authority: Authority? {
        switch target {
        case .absolute(_, let authority, _), .authority(let authority): authority
        case .origin, .asterisk: fields["Host"].flatMap { Authority($0.utf8) }
        }
    }

    /// Whether the sender keeps the connection open for more requests (RFC 9112 §9.3).
    public var keepsAlive: Bool {
        if !fields.contains("Connection") { return minorVersion > 0 }
        let options = fields.tokens("Connection")
        if options.contains("close") { return false }
        return minorVersion > 0 || options.contains("keep-alive")
    }

    /// What the sender waits for before it sends the body (RFC 9110 §10.1.1).
    public var expectation: Expectation {
        // HTTP/1.0 has no interim responses, so its expectation is ignored.
        guard minorVersion > 0, fields.contains("Expect") else { return .none }
        return fields.tokens("Expect").allSatisfy { $0 == "100-continue" } ? .continue : .unknown
    }

    /// Meaning of the `Expect` field.
    public enum Expectation: Hashable, Sendable {
        case none
        /// `100-continue`: the sender waits for an interim response.
        case `continue`
        /// Any other expectation, which is answered with 417.
        case unknown
    }

    /// The request line and field lines as they are sent. The caller sets the framing fields.
    public func serialized() -> [UInt8] {
        var bytes = Array(method.name.utf8)
        bytes.append(0x20)
        switch target {
        case .origin(let path): bytes.append(contentsOf: path.text.utf8)
        case .absolute(let scheme, let authority, let path):
            bytes.append(contentsOf: "\(scheme)://\(authority)\(path.text)".utf8)
        case .asterisk: bytes.append(UInt8(ascii: "*"))
        case .authority(let authority): bytes.append(contentsOf: authority.description.utf8)
        }
        bytes.append(contentsOf: " HTTP/1.\(minorVersion)\r\n".utf8)
        fields.serialize(into: &bytes)
        bytes.append(13)
        bytes.append(10)
        return bytes
    }
}
