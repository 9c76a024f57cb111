import Core
import HTTP1

/// One request to the origin, unique within a process.
public struct TransferID: Hashable, Comparable, Sendable {
    public let number: UInt32

    public init(_ number: UInt32) { self.number = number }

    public static func < (left: TransferID, right: TransferID) -> Bool { left.number < right.number }
}

/// What the updater asks of the origin. The surroundings send it as it is and hand over what comes: they
/// follow no redirect, keep and send no cookie, and decode nothing; where their HTTP client decodes by itself
/// they leave `Content-Encoding` and `Content-Length` out of the fields.
public struct OriginRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case manifest
        /// The route of the row.
        case file(String)
        case outcomes
    }

    public var kind: Kind
    /// Absolute.
    public var url: String
    public var fields: HeaderFields
    /// Sent with POST when not empty, else GET.
    public var body: [UInt8]
    /// The version the request is made for; nil for a manifest.
    public var version: VersionKey?
    /// The first, second, … request for this thing in this process; part of what names a choice.
    public var attempt: Int

    public init(
        kind: Kind, url: String, fields: HeaderFields = HeaderFields(), body: [UInt8] = [],
        version: VersionKey? = nil,
        attempt: Int = 1
    ) {
        self.kind = kind
        self.url = url
        self.fields = fields
        self.body = body
        self.version = version
        self.attempt = attempt
    }
}

/// What becomes of a request: one head, bytes in order, and one end or failure. Nothing comes after
/// those, and nothing after a cancellation has been carried out; what is on its way then is ignored.
public enum TransferEvent: Hashable, Sendable {
    case head(status: Int, fields: HeaderFields)
    /// At most 64 KiB.
    case bytes([UInt8])
    /// The body ended as its framing said.
    case end
    case failed(TransferFailure)
}

public enum TransferFailure: String, Hashable, Sendable, CaseIterable {
    case offline
    case nameNotResolved
    case refused
    case connectTimeout
    case insecure
    case reset
    /// The connection closed before the announced length.
    case truncated
}
