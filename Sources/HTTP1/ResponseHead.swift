/// Everything of a response but its body.
public struct ResponseHead: Hashable, Sendable {
    public var status: StatusCode
    /// As it came; what is sent by default is the code's own.
    public var reason: String
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

    /// Whether the sender means to go on with this connection (RFC 9112 §9.3).
    public var keepsAlive: Bool {
        if !fields.contains("Connection") { return minorVersion > 0 }
        let options = fields.tokens("Connection")
        if options.contains("close") { return false }
        return minorVersion > 0 || options.contains("keep-alive")
    }

    /// The status line and fields as they are sent. The framing fields are the sender's to set.
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
