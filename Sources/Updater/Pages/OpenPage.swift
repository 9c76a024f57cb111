import Core

/// A page load that may still ask for files; its version's content stays (S1, R7).
struct OpenPage: Hashable, Sendable {
    var token: PageLoadToken
    var key: VersionKey
    var isCommitted = false
    var hasContent = false
    /// Of a web view beside the first.
    var isBeside = false
}

/// An index that was asked for and has no answer yet.
struct PageReloadRequest: Hashable, Sendable {
    var token: PageLoadToken
    var moment: Updater.Moment
    /// Its version is chosen; the answer waits for the disk.
    var isTaken = false

    var isBeside: Bool { moment == .otherWebView }
}
