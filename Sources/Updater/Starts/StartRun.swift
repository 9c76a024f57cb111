import Core

/// A start that goes on in this process: from the first page load of a version until it is confirmed, failed
/// or left.
struct StartRun: Hashable, Sendable {
    var key: VersionKey
    /// Page loads of this start, oldest first: a link, a reload and a dead web process go on with it.
    var loads: [PageLoadToken]
    var began: Instant
    /// A proven version has no clock; its starts are only counted.
    var isProven: Bool
    var isSecondChance: Bool
    var isServed = false
    var isSending = false
    var hasContent = false
    var isTouched = false
    var isConfirmed = false
    var hasEnded = false
    var webDeathsInFront = 0
    /// The server met a read error in a file of it: what its page says then is no evidence (R4, R10).
    var hasReadError = false
    /// What is left of the startup time-out; counts only in front and not while files are sent.
    var clock: CountdownTimer
    /// What is left of the 60 s for which the clock may stand still while files are sent.
    var allowance: CountdownTimer
    /// Time in front so far, counted down from 5 s.
    var front: CountdownTimer

    init(
        key: VersionKey, token: PageLoadToken, at now: Instant, isProven: Bool, isSecondChance: Bool,
        clock: TimeSpan
    ) {
        self.key = key
        loads = [token]
        began = now
        self.isProven = isProven
        self.isSecondChance = isSecondChance
        self.clock = CountdownTimer(remaining: clock)
        allowance = CountdownTimer(remaining: .seconds(60))
        front = CountdownTimer(remaining: .seconds(5))
    }

    var isOpen: Bool { !isConfirmed && !hasEnded }
}

/// A span that runs down only while it is let run: start-up clocks that stand still in background (N3).
struct CountdownTimer: Hashable, Sendable {
    private(set) var remaining: TimeSpan
    private(set) var runningSince: Instant?

    init(remaining: TimeSpan) { self.remaining = remaining }

    func left(at now: Instant) -> TimeSpan {
        guard let runningSince else { return remaining }
        return max(.zero, remaining - (now - runningSince))
    }

    func isSpent(at now: Instant) -> Bool { left(at: now) == .zero }

    var isRunning: Bool { runningSince != nil }

    mutating func run(_ shouldRun: Bool, at now: Instant) {
        if shouldRun, runningSince == nil {
            runningSince = now
        } else if !shouldRun, runningSince != nil {
            remaining = left(at: now)
            runningSince = nil
        }
    }
}
