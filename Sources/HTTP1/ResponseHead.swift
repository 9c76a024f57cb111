/// The status line and field lines of a response.
public struct ResponseHead: Hashable, Sendable {
    public var status: StatusCode
    /// Reason phrase as received; by default the one that RFC 9110 gives for the status.
    public var reason: String
    /// Minor version of HTTP: 0 for HTTP/1.0, else 1.
    public var minorVersion: Int
    public var fields: HeaderFields

    public init(
        _ status: StatusCode, reason: String? = nil, fields: HeaderFields = HeaderFields(),
        minorVersion: Int = 1
    ) {
        self.status = status
        self.reason = reason ?? status.reason
        self.fields = fields
        self.minorVersion = minorVersion
    }

    /// Whether the sender keeps the connection open for more requests (RFC 9112 §9.3).
    public var keepsAlive: Bool {
        if !fields.contains("Connection") { return minorVersion > 0 }
        let options = fields.tokens("Connection")
        if options.contains("close") { return false }
        return minorVersion > 0 || options.contains("keep-alive")
    }

    /// The status line and field lines as they are sent. The caller sets the framing fields.
    public func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: "HTTP/1.".utf8)
        bytes.append(contentsOf: String(minorVersion).utf8)
        bytes.append(0x20)
        bytes.append(contentsOf: String(status.code).utf8)
        bytes.append(0x20)
        for scalar in reason.unicodeScalars {
            let byte = scalar.value <= 0xff ? UInt8(truncatingIfNeeded: scalar.value) : UInt8(ascii: "?")
            bytes.append(Token.isValueByte(byte) ? byte : 0x20)
        }
        bytes.append(13)
        bytes.append(10)
        fields.serialize(into: &bytes)
        bytes.append(13)
        bytes.append(10)
        return bytes
    }
}
