import Core

extension LocalServer {
    /// Limits of the server. A request beyond a size is refused with 413, 414 or 431 (RFC 9110 §15.5.14,
    /// RFC 6585 §5); a connection beyond a time is closed.
    public struct Limits: Hashable, Sendable {
        /// Number of connections at a time.
        public var connections = 128
        /// Of these, connections that have not shown the key, at most: the other half is the page's.
        var unauthenticated: Int { max(connections / 2, 1) }
        /// Of these, connections that have shown the key, at most, if one of them is idle: what is left is
        /// for the page's next connection.
        var authenticated: Int { max(connections, 1) - max(connections / 8, 1) }
        /// Bytes of a request line, and of one field line.
        public var requestLine = 8 << 10
        /// Bytes of all field lines together.
        public var headerBlock = 32 << 10
        /// Number of field lines.
        public var headerLines = 100
        /// Bytes of a body for the bridge or a handler.
        public var bodyBytes = 1 << 20
        /// From the beginning of a request to its end.
        public var headTimeout = TimeSpan.seconds(10)
        /// Between two requests.
        public var idleTimeout = TimeSpan.seconds(60)
        /// Without the peer taking a byte of a response.
        public var writeTimeout = TimeSpan.seconds(30)
        /// For a connection to the remote root, with the resolution of its name.
        public var connectTimeout = TimeSpan.seconds(15)
        /// Without a byte from or to the remote root.
        public var answerTimeout = TimeSpan.seconds(60)
        /// Bytes per second of a request's body on its way to the remote root, over each minute in which it
        /// is read; a slower body would keep a connection busy.
        public var bodyBytesPerSecond = 1_024
        /// Without a byte through a WebSocket, in either direction.
        public var tunnelTimeout = TimeSpan.minutes(10)

        public init() {}
    }
}
