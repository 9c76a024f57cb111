import Core

/// A start in this process: from the first page load of a version until it is confirmed, failed or left.
struct StartRun: Hashable, Sendable {
    var key: VersionKey
    /// Page loads of this start, oldest first: a link, a reload and the death of a web process continue it.
    var loads: [PageLoadToken]
    var startedAt: Instant
    /// Whether the version is proven: it has no clock, and its starts are only counted.
    var isProven: Bool
    var isSecondChance: Bool
    var isServed = false
    var isSending = false
    var hasContent = false
    var isTouched = false
    var isConfirmed = false
    var hasEnded = false
    var webProcessDeathsInFront = 0
    /// The version is proven, and its page reported a failure, which only R13 counts.
    var hasReportedFailure = false
    /// The server met a read error in one of its files: what its page reports then is no evidence (R4, R10).
    var hasReadError = false
    /// Errors of its pages that were logged.
    var pageErrors = 0
    static let maxPageErrors = 5
    /// Remaining startup timeout; runs only in front and not while files are being sent.
    var clock: CountdownTimer
    /// Remaining part of the 60 s for which the clock may be paused while files are being sent.
    var sendingAllowance: CountdownTimer
    /// Time in front since the index was served, counted down from ``StartRun/longestMeasured``.
    var frontTimer: CountdownTimer

    /// More time in front than this makes no difference (R3).
    static let longestMeasured = TimeSpan.minutes(2)

    init(
        key: VersionKey, token: PageLoadToken, at now: Instant, isProven: Bool, isSecondChance: Bool,
        clock: TimeSpan
    ) {
        self.key = key
        loads = [token]
        startedAt = now
        self.isProven = isProven
        self.isSecondChance = isSecondChance
        self.clock = CountdownTimer(remaining: clock)
        sendingAllowance = CountdownTimer(remaining: .seconds(60))
        frontTimer = CountdownTimer(remaining: StartRun.longestMeasured)
    }

    var isOpen: Bool { !isConfirmed && !hasEnded }

    /// Time in front so far, at most ``longestMeasured``.
    func timeInFront(at now: Instant) -> TimeSpan { StartRun.longestMeasured - frontTimer.remaining(at: now) }

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) {
        clock.discount(span)
        sendingAllowance.discount(span)
        frontTimer.discount(span)
    }
}

/// A countdown that can be paused: startup clocks don't run in background (N3).
struct CountdownTimer: Hashable, Sendable {
    private(set) var remainingWhenPaused: TimeSpan
    private(set) var runningSince: Instant?

    init(remaining: TimeSpan) { remainingWhenPaused = remaining }

    func remaining(at now: Instant) -> TimeSpan {
        guard let runningSince else { return remainingWhenPaused }
        return max(.zero, remainingWhenPaused - (now - runningSince))
    }

    func isExpired(at now: Instant) -> Bool { remaining(at: now) == .zero }

    var isRunning: Bool { runningSince != nil }

    /// Time in which the process did not run does not count.
    mutating func discount(_ span: TimeSpan) {
        if let since = runningSince { runningSince = since + span }
    }

    mutating func run(_ shouldRun: Bool, at now: Instant) {
        if shouldRun, runningSince == nil {
            runningSince = now
        } else if !shouldRun, runningSince != nil {
            remainingWhenPaused = remaining(at: now)
            runningSince = nil
        }
    }
}
