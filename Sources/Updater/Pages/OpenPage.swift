import Core

/// A page load that may still request files; its version's content is retained (S1, R7).
struct OpenPage: Hashable, Sendable {
    var token: PageLoadToken
    var key: VersionKey
    /// Whether index and all that it refers to have been answered.
    var hasLoaded = false
    /// Whether it has to stay alive for a time after its load, to confirm its start (R6).
    var isWatchedAfterLoad = false
    /// Whether its document has gone to the background, as into a page cache, and has not come back.
    var isLeft = false
    /// Whether it belongs to a web view other than the first.
    var isOtherWebView = false
}

/// A requested index that has not been answered yet.
struct PageLoadRequest: Hashable, Sendable {
    var token: PageLoadToken
    var moment: Updater.Moment
    /// The version that is chosen for it; the answer waits for the disk. Nil: none is chosen yet.
    var chosen: VersionKey?

    var isOtherWebView: Bool { moment == .otherWebView }
}
