import Core

extension LocalServer {
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
        /// Why the server refused the request, in a few words; nil: it did not.
        public var refusal: String?

        public init(
            method: String, target: String, status: Int, type: String?, load: PageLoadToken?, site: String?,
            isRemote: Bool = false, refusal: String? = nil
        ) {
            self.refusal = refusal
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
