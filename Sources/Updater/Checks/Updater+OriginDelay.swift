import Core

/// `Retry-After`: an origin can ask the device to wait (U5, RFC 9110 §10.2.3).
extension Updater {
    /// Takes a delay that the origin requests (RFC 9110 §10.2.3); of several, the longest counts.
    mutating func originRequestedDelay(_ wait: TimeSpan?) {
        guard let wait, wait > .zero else { return }
        retries.delay(until: now + min(wait, Backoff.longestRequestedDelay))
        saveOriginDelay()
    }

    /// Saves the remaining delay, because U5 also holds after a process death and no clock survives one (N3).
    /// It is written without a sync: when the delay is requested, every ten seconds while something waits for
    /// it, and when the app leaves the front. Time without a process does not count.
    mutating func saveOriginDelay() {
        guard retries.originDelayEnd != nil else { return }
        let remaining = retries.remainingDelay(at: now)
        changeStartsFile { $0.originDelay = remaining }
    }

    /// Continues the delay that an origin requested from an earlier process.
    mutating func restoreOriginDelay() {
        guard let remaining = starts.file.originDelay else { return }
        retries.delay(until: now + remaining)
    }

    /// Ends the delay, because another origin has requested none.
    mutating func clearOriginDelay() {
        retries.endDelay()
        guard starts.file.originDelay != nil else { return }
        changeStartsFile { $0.originDelay = nil }
    }

    /// Whether the delay that the origin requested is not over.
    var isOriginDelayActive: Bool { retries.isDelayed(at: now) }
}
