import AppHost
import Core
import Updater

/// One page load as it can be seen from outside.
package struct LoadTrace: Hashable, Sendable {
    package var token: PageLoadToken
    package var view: WebViewID
    package var version: VersionKey
    package var process: Int
    package var begunAt: Instant
    /// The server has answered something of it.
    package var isAnswered = false
    package var isCommitted = false
    /// No request of it can come any more.
    package var isClosed = false
}
