import AppHost
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
    /// Whether the web view shows its document.
    package var isCommitted = false
    /// Whether it can send no more requests.
    package var isClosed = false
}
