import Core
import HTTP1

/// Identifier of one request to the origin, unique within a process.
public struct TransferID: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}

/// A request of the updater to the origin. Transports send it unchanged and pass on what they receive: they
/// follow no redirects, store and send no cookies, and decode nothing. A transport whose HTTP client decodes
/// automatically removes `Content-Encoding` and `Content-Length` from the fields.
public struct OriginRequest: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case manifest
        /// A file, by the route of its asset.
        case file(String)
        case outcomes
    }

    public var kind: Kind
    /// Absolute http(s) URL.
    public var url: String
    public var fields: HeaderFields
    /// Body; sent with POST if not empty, otherwise the method is GET.
    public var body: [UInt8]
    /// The version for which the request is made; nil for a manifest.
    public var version: VersionKey?
    /// Ordinal of this request for the same thing in this process, from 1; keys random choices.
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

/// Event of a request: one head, bytes in order, and one end or failure. Nothing follows an end, a failure or
/// a performed cancellation; what is then in transit is ignored.
public enum TransferEvent: Hashable, Sendable {
    /// Status and fields of the final response.
    case head(status: Int, fields: HeaderFields)
    /// Bytes of the body, at most 64 KiB at once.
    case bytes([UInt8])
    /// The body ended as its framing announced.
    case end
    case failed(TransferFailure)
}

/// Why a request failed without a complete response.
public enum TransferFailure: String, Hashable, Sendable, CaseIterable {
    /// There is no network.
    case offline
    /// The host name could not be resolved.
    case nameNotResolved
    /// The connection was refused.
    case refused
    /// The connection was not established in time.
    case connectTimeout
    /// TLS failed, or no transport for https is available.
    case insecure
    /// The connection was reset.
    case reset
    /// The connection closed before the announced length.
    case truncated
}
