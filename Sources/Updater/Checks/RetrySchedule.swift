import Core

/// When the updater automatically tries again what failed, and the end of the delay that the origin
/// requested (U5).
///
/// **Invariants**
/// - Of several delays that the origin requests, the longest counts.
/// - One timer is set, for what is due first; it is set again only for another time.
struct RetrySchedule: Sendable {
    /// When a failed check may be tried again.
    var check = Backoff()
    /// When a disk error that only a response with a manifest can resolve may be followed by another check.
    var disk = Backoff()
    /// End of the delay that the origin requested (Retry-After).
    private(set) var originDelayEnd: Instant?
    /// Time for which the timer is set.
    private var timer: Instant?

    func isDelayed(at now: Instant) -> Bool { originDelayEnd.map { now < $0 } ?? false }

    mutating func delay(until end: Instant) { originDelayEnd = max(originDelayEnd ?? end, end) }

    mutating func endDelay() { originDelayEnd = nil }

    /// What is left of the delay; nil if it is over, and then it has ended.
    mutating func remainingDelay(at now: Instant) -> TimeSpan? {
        guard let end = originDelayEnd else { return nil }
        guard now < end else {
            originDelayEnd = nil
            return nil
        }
        return end - now
    }

    /// - Returns: whether the timer is to be set for another time, or cancelled.
    mutating func setTimer(_ due: Instant?) -> Bool {
        defer { timer = due }
        return timer != due
    }

    mutating func timerFired() { timer = nil }

    mutating func reset() {
        check.reset()
        disk.reset()
    }

    mutating func allowAttempt() {
        check.allowAttempt()
        disk.allowAttempt()
    }
}
