import Core

extension LocalServer {
    /// A request for a document. The index or a file answers it, from the version that the host chooses.
    public struct Navigation: Hashable, Sendable {
        public var id: NavigationID
        /// Path and query as requested, without this server's query items.
        public var target: String
        /// The token in the requested URL: of a load that the host has requested, or of the page being
        /// reloaded; nil: none.
        public var token: PageLoadToken?
        /// Whether the request revalidates (`Cache-Control: max-age=0` or `no-cache`), as `location.reload()`
        /// does.
        public var isReload: Bool
        /// Whether the browser says that the document is one of a web view (`Sec-Fetch-Dest`). An old one
        /// does not (Safari before 16.4, Chromium before 80), and requests the document of a frame alike.
        public var isCertain: Bool

        public init(
            id: NavigationID, target: String, token: PageLoadToken?, isReload: Bool, isCertain: Bool = true
        ) {
            self.id = id
            self.target = target
            self.token = token
            self.isReload = isReload
            self.isCertain = isCertain
        }
    }

    /// What the host answers to a ``Navigation``.
    public enum NavigationAnswer: Hashable, Sendable {
        /// This load is pinned to this site. If the requested URL carries another token or none, the server
        /// redirects (307) to the one with this token, and answers that from the same site without another
        /// call.
        case page(PageLoadToken, Site)
        /// No version can be shown: 503 with a plain sentence.
        case unavailable
        /// Native code has taken it over: 204, with which a browser stays at the document it shows (RFC 9110
        /// §15.3.5).
        case handled
        /// A frame of a page requests it: it gets a file of that page's version, and never the index, as
        /// where the browser says `Sec-Fetch-Dest: iframe` (S1, S3).
        case frame
    }
}
