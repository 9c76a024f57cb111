import Core

/// The checks of this process: the one in progress, the one that follows it, and what earlier ones left.
///
/// **Invariants**
/// - At most one check is in progress. A request joins it, and at most one check follows; a request of the
///   user is not replaced by another one, because it ends a parking (U4).
/// - A valid response ends all that failures left: the outstanding check, the count of attempts, and the
///   bypassing of caches.
/// - A second check is outstanding for one version at a time, that of the last response (U8).
struct Checks: Sendable {
    /// The check in progress.
    var run: CheckRun?
    /// Reason of the check that follows the one in progress, or the opening of the store.
    private(set) var queued: Updater.CheckReason?
    /// Whether the last check failed, or was put off, and none has succeeded since.
    private(set) var isOutstanding = false
    /// Whether the last response could not be used: the next request bypasses caches.
    private(set) var bypassesCache = false
    /// Requests since the last valid response.
    private var attempts = 0
    /// Time of the last request.
    private(set) var lastSent: Instant?
    /// Time of the last valid response.
    private(set) var lastGoodResponse: Instant?
    /// Whether the check at launch was requested.
    private(set) var hasRequestedAtLaunch = false

    /// Whether this process has accepted a publication (U8).
    var hasAccepted = false
    var second: SecondCheck?
    /// The version whose download the disk refused last in this process, until another one is offered: it
    /// was not left for another one, so that its next offer needs no second check (U8).
    var refusedByDisk: VersionKey?

    // MARK: Requests

    /// The store is not open, or a check is in progress: one check follows.
    mutating func queue(_ reason: Updater.CheckReason) {
        if queued != .user { queued = reason }
    }

    mutating func takeQueued() -> Updater.CheckReason? { queued.take() }

    mutating func requestAtLaunch() { hasRequestedAtLaunch = true }

    /// A check is needed as soon as the back-offs and the origin's delay allow one.
    mutating func require() { isOutstanding = true }

    // MARK: Course

    /// A request is sent.
    /// - Returns: its ordinal, from 1.
    mutating func countAttempt(at now: Instant) -> Int {
        attempts += 1
        lastSent = now
        return attempts
    }

    /// A valid response ended the check in progress.
    mutating func succeeded(at now: Instant) {
        run = nil
        lastGoodResponse = now
        isOutstanding = false
        bypassesCache = false
        attempts = 0
    }

    /// The check in progress failed, or its response could not be used.
    mutating func failed() {
        bypassesCache = run?.status == 200
        run = nil
        isOutstanding = true
    }
}
