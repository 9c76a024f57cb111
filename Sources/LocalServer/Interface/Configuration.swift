import Core

extension LocalServer {
    /// What does not change while the process lives.
    public struct Configuration: Hashable, Sendable {
        /// The port in the server's own Host, which the shell has bound on the loopback interface.
        public var port: UInt16
        /// 128 random bits in hex. The start URL carries it as `otalab-key`, then the cookie
        /// `otalab-key-PORT` does (S6).
        public var sessionKey: String
        /// Files of the app package that belong to no version (bridge, plugins); nil: none.
        public var www: Site?
        /// Limits on connections, sizes and times.
        public var limits = Limits()
        /// What answers which path, until ``Event/routes(_:)`` changes it.
        public var routes = RouteTable()
        /// Where API requests go, until ``Event/remoteRoot(_:)`` changes it; nil: they get 502.
        public var remote: RemoteRoot?
        /// For `Date` (RFC 9110 §6.6.1); nil: the device has no clock, and responses carry no `Date`.
        public var wallClock: WallClock?

        public init(port: UInt16, sessionKey: String, www: Site? = nil) {
            self.port = port
            self.sessionKey = sessionKey
            self.www = www
        }
    }
}
