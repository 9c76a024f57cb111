import Core

extension LocalServer {
    /// What is to be sent on a connection.
    public struct Output: Hashable, Sendable {
        /// Body of a response. The shell reads `file` straight from the handle, which stays open until
        /// ``Event/sent(_:)`` or ``Event/closed(_:_:)``; the server closes it.
        public enum Body: Hashable, Sendable {
            case none
            case bytes([UInt8])
            /// `offset` and `count` in bytes.
            case file(FileHandle, offset: Int, count: Int)
        }

        /// Serialized head, or bytes of a forwarded response.
        public var head: [UInt8]
        public var body: Body

        public init(head: [UInt8], body: Body) {
            self.head = head
            self.body = body
        }
    }

    /// When the shell reads a connection's socket.
    public enum ReadInterest: Hashable, Sendable {
        /// While no response is being sent; the interest of a new connection.
        case betweenAnswers
        case always
        /// Not at all: bytes stay in the socket, and the peer is slowed down.
        case never
    }

    /// A response and the request it answers, as an access log has them.
    public struct AccessLogEntry: Hashable, Sendable {
        /// Request method; empty where no request could be parsed.
        public var method: String
        /// Path and query without the session key; empty where no request could be parsed.
        public var target: String
        /// Status code.
        public var status: Int
        /// `Content-Type` of the response; nil: it has none.
        public var type: String?
        /// Page load that the request belongs to; nil: none.
        public var load: PageLoadToken?
        /// Name of the site that answered; nil: none did.
        public var site: String?
        /// Whether it is the remote root's response, forwarded.
        public var isRemote = false

        public init(
            method: String, target: String, status: Int, type: String?, load: PageLoadToken?, site: String?,
            isRemote: Bool = false
        ) {
            self.isRemote = isRemote
            self.method = method
            self.target = target
            self.status = status
            self.type = type
            self.load = load
            self.site = site
        }
    }
}
