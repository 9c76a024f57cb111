import Core

/// Another client of the local server than the app's pages (rules S6, S10): its connections, and what it
/// sends on each of them.
package struct ClientSpec: Hashable, Sendable {
    package var kind: ClientKind
    /// Path and query that it requests; nil: it connects and sends nothing.
    package var target: Spanned<String>?
    /// What its request has beside the target; nil: a plain GET.
    package var request: RequestSpec?
    /// Bytes that it sends as they are, each piece a tenth of a second after the one before, in place of a
    /// request that is put together; `{host}` stands for this server's name and port, `{cookies}` for the
    /// cookies of the app's pages.
    package var pieces: [Spanned<String>] = []
    /// Whether it ends its side of the connection after the last piece.
    package var finishes = false
    /// Whether it sends the cookies of the app's pages, the server's key among them.
    package var hasCookies = false
    /// Text of `Host`; nil: this server's name and port.
    package var host: Spanned<String>?
    /// Number of connections.
    package var connections = 1
    /// Number of requests on each connection, sent one after the other without a wait for answers.
    package var requests = 1
    /// Whether it reads what the server sends.
    package var reads = true
    package var span: SourceSpan

    package init(kind: ClientKind = .app, span: SourceSpan = SourceSpan(start: 0, end: 0)) {
        self.kind = kind
        self.span = span
    }
}

/// Who connects to the local server beside the app's pages.
package enum ClientKind: String, CaseIterable, Hashable, Sendable {
    /// A program on the phone, which sends what it likes.
    case app = "another app"
    /// A page of another site in a browser: `Sec-Fetch-Site: cross-site`.
    case page = "page of another site"
    /// A page that another server of this host sent, on another port: `Sec-Fetch-Site: same-site`.
    case neighbour = "page of another port"
}
