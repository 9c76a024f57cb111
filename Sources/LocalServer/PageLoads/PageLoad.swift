import Core

/// A page load that the server answers: the version it is pinned to, and how far its document has come.
struct PageLoad: Hashable, Sendable {
    let token: PageLoadToken
    let site: Site
    /// Whether the host has opened the address, or it reloads one that the host has opened: it is a
    /// document's, whatever its form (S3).
    var isByHost = false
    /// The path that its document was handed over for.
    var document: Route?
    /// The load whose document requested this one, or the one served before it: the owner of an unclear
    /// request until this load is committed.
    var previous: PageLoadToken?
    /// Its document has been handed over.
    var isServed = false
    /// A request with this load's own token came, or the host reported the commit.
    var isCommitted = false
    /// No request can come any more; kept until its last response has been sent.
    var hasEnded = false
    /// Number of responses in progress.
    var responses = 0
    /// The connection that has its redirect, or its document until that has been sent.
    var carrier: ConnectionID?
}
