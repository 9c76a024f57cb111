import Core

/// Everything of a request but its body.
public struct RequestHead: Hashable, Sendable {
    /// The forms of RFC 9112 §3.2.
    public enum Target: Hashable, Sendable {
        case origin(RequestTarget)
        case absolute(scheme: String, Authority, RequestTarget)
        /// `*`, of OPTIONS only.
        case asterisk
        /// Of CONNECT only.
        case authority(Authority)
    }

    public var method: RequestMethod
    public var target: Target
    /// 0 for HTTP/1.0, else 1.
    public var minorVersion: Int
    public var fields: HeaderFields
    /// As announced by the fields; a parser has checked it.
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

    /// Path and query of either form that has one.
    public var path: RequestTarget? {
        switch target {
        case .origin(let path), .absolute(_, _, let path): path
        case .asterisk, .authority: nil
        }
    }

    /// Whom the request is for: an absolute target overrides Host (RFC 9112 §3.2.2). nil for HTTP/1.0 without
    /// Host.
    public var authority: Authority? {
        switch target {
        case .absolute(_, let authority, _), .authority(let authority): authority
        case .origin, .asterisk: fields["Host"].flatMap { Authority($0.utf8) }
        }
    }

    /// Whether the sender means to go on with this connection (RFC 9112 §9.3).
    public var keepsAlive: Bool {
        if !fields.contains("Connection") { return minorVersion > 0 }
        let options = fields.tokens("Connection")
        if options.contains("close") { return false }
        return minorVersion > 0 || options.contains("keep-alive")
    }

    /// What the sender waits for before it sends its body (RFC 9110 §10.1.1).
    public var expectation: Expectation {
        // HTTP/1.0 has no interim answers: its expectation is ignored.
        guard minorVersion > 0, fields.contains("Expect") else { return .none }
        return fields.tokens("Expect").allSatisfy { $0 == "100-continue" } ? .continue : .unknown
    }

    public enum Expectation: Hashable, Sendable {
        case none
        case `continue`
        /// Answered with 417.
        case unknown
    }

    /// The request line and fields as they are sent. The framing fields are the sender's to set.
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
