import Core

/// When the updater automatically tries again what failed, and the end of the delay that the origin
/// requested (U5).
///
/// **Invariants**
/// - Of several delays that the origin requests, the longest counts.
/// - One timer is set, for what is due first; it is set again only for another time.
struct RetrySchedule: Sendable {
    /// When the manifest may be requested again. Counts the requests since the last one that left nothing to
    /// do, or since a file arrived, whatever they left: a check that failed, files that are missing or
    /// differ, a disk that refused, a second check (U8). A count of its own for each would add up to more
    /// than U5 allows.
    var check = Backoff()
    /// Failures of ``check`` that are forgotten when what has arrived is stored.
    private var failuresBeforeArrival = 0
    /// When the assets of a download may be inspected again, after the disk refused to tell what is stored.
    var disk = Backoff()
    /// End of the delay that the origin requested (Retry-After).
    private(set) var originDelayEnd: Instant?
    /// The same by the origin's clock; nil if no date was stated.
    private(set) var originDelayDate: OriginTime?
    /// Time for which the timer is set.
    private var timer: Instant?

    func isDelayed(at now: Instant) -> Bool { originDelayEnd.map { now < $0 } ?? false }

    mutating func delay(until end: Instant, date: OriginTime?) {
        if let known = originDelayEnd, known >= end { return }
        originDelayEnd = end
        originDelayDate = date
    }

    /// The origin's time is known: the delay lasts until its date, and no longer.
    /// - Returns: whether it is over.
    mutating func shortenDelay(at time: OriginTime, _ now: Instant) -> Bool {
        guard let end = originDelayEnd, let date = originDelayDate else { return false }
        originDelayEnd = min(end, now + max(date - time, .zero))
        return date <= time
    }

    mutating func endDelay() {
        originDelayEnd = nil
        originDelayDate = nil
    }

    /// What is left of the delay; nil if it is over, and then it has ended.
    mutating func remainingDelay(at now: Instant) -> TimeSpan? {
        guard let end = originDelayEnd else { return nil }
        guard now < end else {
            endDelay()
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
        resetCheck()
        disk.reset()
    }

    mutating func resetCheck() {
        check.reset()
        failuresBeforeArrival = 0
    }

    /// A file has come, or the answer that confirms a version. Requests that have failed are forgotten once
    /// it is stored, which a slow disk delays; those that fail meanwhile still count (U5).
    mutating func arrived() { failuresBeforeArrival = check.attempts }

    /// What has arrived is stored.
    mutating func stored() {
        check.forget(failuresBeforeArrival)
        failuresBeforeArrival = 0
    }

    mutating func allowAttempt() {
        check.allowAttempt()
        disk.allowAttempt()
    }
}
