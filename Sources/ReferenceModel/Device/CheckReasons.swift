import Core

/// Why a check may or must be sent (U5, U14).
///
/// Silent about the reasons of a second request while a check fails, of the second check of a dialect without
/// an order, and of the confirmation after a download: other clauses bound these.
struct CheckReasons: Hashable, Sendable {
    /// Number of things that have happened, each of which lets the app check once: one that comes while a
    /// check runs causes another one (U4).
    private var reasons = 0
    /// When the newest of them happened.
    private var newest: Instant?
    /// Time that the app has left to check; nil: it need not.
    private var remaining: TimeSpan?
    private var clause = ModelClause.checkAtLaunch
    private var lastSent: Instant?
    /// Whether the last request was answered with a manifest.
    private var isAnswered = false
    /// When an answer sent this device to another manifest: to the one for the others (U9), or elsewhere at
    /// the origin (a redirect of HTTP).
    private var redirected: Instant?

    static let interval = TimeSpan.minutes(15)
    private static let limit = TimeSpan.minutes(1)
    /// Time in which a request of the app or the page reaches the updater, after earlier ones.
    static let delivery = TimeSpan.milliseconds(100)

    private static let mostReasons = 3

    mutating func allow(at now: Instant) {
        reasons = min(reasons + 1, CheckReasons.mostReasons)
        newest = now
    }

    mutating func require(_ clause: ModelClause, at now: Instant) {
        allow(at: now)
        guard remaining == nil else { return }
        remaining = CheckReasons.limit
        self.clause = clause
    }

    mutating func excuse() { remaining = nil }

    /// The process runs again after a sleep: what came in it counts as coming now.
    mutating func resume(at now: Instant, from sleep: Instant) {
        if let newest, newest >= sleep { self.newest = now }
    }

    /// The clause that asks for a check; nil: none does.
    var due: ModelClause? { remaining == nil ? nil : clause }

    /// The app comes to the front: it checks if the last check is old.
    mutating func comeToFront(at now: Instant, isRequired: Bool) {
        guard let lastSent else { return allow(at: now) }
        // A check that ended later counts from there.
        guard now - lastSent >= CheckReasons.interval else { return }
        let isDue = isRequired && now - lastSent >= CheckReasons.interval + .minutes(1)
        if isDue { require(.checkInFront, at: now) } else { allow(at: now) }
    }

    /// - Returns: whether it was allowed.
    mutating func sent(at now: Instant) -> Bool {
        // The second request of a check.
        if redirected == now {
            redirected = nil
            return true
        }
        let isAllowed = reasons > 0 || !isAnswered
        // A retry that is due as a reason comes may be sent before it: the reason is for another check (U4).
        let isRetry = lastSent != nil && !isAnswered
        let isNew = newest.map { now - $0 < CheckReasons.delivery } ?? false
        if !isRetry || !isNew { reasons = max(reasons - 1, 0) }
        isAnswered = false
        remaining = nil
        lastSent = now
        return isAllowed
    }

    mutating func answered() { isAnswered = true }

    /// The manifest is for a share of the devices, or elsewhere: what the answer names is asked for at once.
    mutating func redirect(at now: Instant) { redirected = now }

    /// The manifest is refused: the check has failed and is tried again.
    mutating func refused() { isAnswered = false }

    /// Log causes of a refused manifest (U10), besides those that begin with `manifest-`.
    static let refusals = [
        "file-too-large", "version-too-large", "other-app", "other-channel", "native-outside-range",
        "origin-change-not-allowed", "rollout-impossible", "rollout-loop", "rollout-too-many-hops",
        "signature-missing", "signature-by-unknown-key", "signature-algorithm-unknown", "signature-wrong",
        "envelope-malformed", "signature-unverifiable", "row-without-sha256",
    ]

    /// - Returns: the clause that asks for a check that was not sent.
    mutating func age(by span: TimeSpan) -> ModelClause? {
        guard let left = remaining else { return nil }
        remaining = left - span
        guard left - span <= .zero else { return nil }
        remaining = nil
        return clause
    }
}
