import Core

/// Schedule of attempts for one check or one file (U5): a failed attempt is retried after 1, 2, 4 … 60 s ± 25
/// %. After eight attempts without a new byte it pauses until the network changes, the app comes to the
/// front, a push arrives, or 15 minutes have passed; the 15 minutes allow one more attempt.
///
/// A new byte is one that was never received before. Content that was discarded and received again is not
/// new, because otherwise an origin with wrong bytes would be requested endlessly.
struct Backoff: Hashable, Sendable {
    private(set) var attempts = 0
    /// Earliest time of the next attempt; nil: at any time.
    private(set) var notBefore: Instant?

    static let maxAttempts = 8
    static let pause = TimeSpan.minutes(15)
    /// Longest delay that an origin can request.
    static let longestRequestedDelay = TimeSpan.hours(24)
    /// Interval at which the remaining delay is saved.
    static let noteInterval = TimeSpan.seconds(10)

    /// Whether no attempt has failed and the next one waits for no time.
    var isClear: Bool { attempts == 0 && notBefore == nil }

    var isPaused: Bool { attempts >= Backoff.maxAttempts }

    func isDue(at now: Instant) -> Bool { notBefore.map { $0 <= now } ?? true }

    /// Counts a failed attempt and sets the time of the next one.
    /// - Parameter jitter: any number; its remainder selects the deviation between − 25 % and + 25 %.
    mutating func failed(at now: Instant, jitter: UInt64) {
        attempts += 1
        notBefore = now + (isPaused ? Backoff.pause : Backoff.delay(after: attempts, jitter: jitter))
    }

    /// A new byte arrived, so the next failure counts as the first.
    mutating func receivedNewBytes() { attempts = 0 }

    /// The attempt succeeded or circumstances changed: forgets all failures.
    mutating func reset() {
        attempts = 0
        notBefore = nil
    }

    /// Forgets this number of failures, the earliest ones. If none is left, an attempt is allowed now; else
    /// the last one keeps its wait, which is no pause if too few are left for one.
    mutating func forget(_ failures: Int) {
        let wasPaused = isPaused
        attempts = max(attempts - failures, 0)
        if attempts == 0 {
            notBefore = nil
        } else if wasPaused, !isPaused, let until = notBefore {
            notBefore = until - Backoff.pause + Backoff.delay(after: attempts, jitter: Backoff.plainJitter)
        }
    }

    /// Allows one attempt now, outside the schedule.
    mutating func allowAttempt() { notBefore = nil }

    /// Takes back the failures from this one on, so that the next one is the last again.
    mutating func allowOneMore(of limit: Int) {
        attempts = min(attempts, max(limit - 1, 0))
        notBefore = nil
    }

    /// The jitter that deviates by nothing.
    private static let plainJitter: UInt64 = 250

    private static func delay(after attempts: Int, jitter: UInt64) -> TimeSpan {
        let base: Int64 = min(60_000, 1_000 << Int64(min(attempts - 1, 6)))
        let part = Int64(jitter % 501) - Int64(plainJitter)
        return .milliseconds(base + base * part / 1_000)
    }
}
