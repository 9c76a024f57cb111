import AppHost
import Backend
import Core
import Updater

/// One page load, as the trace shows it.
package struct LoadTrace: Hashable, Sendable {
    package var token: PageLoadToken
    package var view: WebViewID
    package var version: VersionKey
    package var process: Int
    package var begunAt: Instant
    /// Whether the server has responded to a request of it.
    package var isAnswered = false
    /// Whether the web view has shown its document.
    package var isCommitted = false
    /// When its document came to the front last, and when another one replaced it since.
    package private(set) var shownAt: Instant?
    package private(set) var leftAt: Instant?
    /// Versions that have all the bytes that it received; nil before the first of them.
    package var contentOf: VersionMask?
    /// Whether it received a file whose bytes no version has.
    package var hasForeignBytes = false
    /// Whether its document has arrived completely.
    package var hasDocument = false
    /// Paths of requests for what the document refers to that have not ended. A redirect names its load in
    /// the query and leaves the path as it is.
    package var openRequests: Set<Substring> = []
    /// When the document and all that it refers to had arrived.
    package var loadedAt: Instant?
    /// Time for which processes had been suspended then.
    private(set) var sleptBefore = TimeSpan.zero
    /// Whether it can send no more requests.
    package var isClosed = false
    /// When it was closed, or when its web process died.
    package private(set) var endedAt: Instant?

    package mutating func end(at now: Instant) { endedAt = endedAt ?? now }

    /// Whether its document is the newest that the web view has shown.
    package var isInFront: Bool { shownAt != nil && leftAt == nil }

    /// The web view shows its document, or another one. It may keep one that it does not show; that one
    /// stands still.
    package mutating func setInFront(_ isInFront: Bool, at now: Instant) {
        if isInFront == self.isInFront { return }
        if isInFront { (shownAt, leftAt) = (now, nil) } else { leftAt = now }
    }

    /// The document and all that it refers to have arrived.
    package mutating func loaded(at now: Instant, slept: TimeSpan) {
        if loadedAt != nil { return }
        (loadedAt, sleptBefore) = (now, slept)
    }

    /// Whether it was loaded, and alive in front for some time after that. While its process is suspended, a
    /// page that is in front now counts for nothing (N3).
    /// - Parameter slept: time for which processes have been suspended.
    package func lived(for span: TimeSpan, at now: Instant, slept: TimeSpan) -> Bool {
        guard let loadedAt else { return false }
        let since = max(loadedAt, shownAt ?? loadedAt)
        if let end = endedAt ?? leftAt { return end - since >= span }
        return now - since - (since == loadedAt ? slept - sleptBefore : .zero) >= span
    }
}
