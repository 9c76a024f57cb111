import AppHost
import Core
import Updater

/// One page load as it can be seen from outside.
public struct LoadTrace: Hashable, Sendable {
    public var token: PageLoadToken
    public var view: WebViewID
    public var version: VersionKey
    public var process: Int
    public var begunAt: Instant
    /// The server has answered something of it.
    public var isAnswered = false
    public var isCommitted = false
    /// No request of it can come any more.
    public var isClosed = false
}
