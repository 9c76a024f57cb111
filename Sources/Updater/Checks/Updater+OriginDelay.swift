import Core

/// `Retry-After`: an origin can ask the device to wait (U5, RFC 9110 §10.2.3).
extension Updater {
    /// Takes a delay that the origin requests (RFC 9110 §10.2.3); of several, the longest counts.
    /// - Parameter date: date of the response that requests it.
    mutating func originRequestedDelay(_ wait: TimeSpan?, _ date: OriginTime?) {
        guard let wait, wait > .zero else { return }
        let wanted = min(wait, Backoff.longestRequestedDelay)
        retries.delay(until: now + wanted, date: date.map { $0 + wanted })
        saveOriginDelay()
    }

    /// Saves the remaining delay, because U5 also holds after a process death (N3). It is written without a
    /// sync: when the delay is requested, every ten seconds while something waits for it, and when the app
    /// leaves the front.
    mutating func saveOriginDelay() {
        guard retries.originDelayEnd != nil else { return }
        let date = retries.originDelayDate
        let boot = StartNote.hash(ofBoot: launch?.bootID)
        let delay = retries.remainingDelay(at: now).map {
            OriginDelay(remaining: $0, boot: boot, at: now, end: date)
        }
        changeStartsFile { $0.originDelay = delay }
    }

    /// Continues the delay that an origin requested from an earlier process.
    mutating func restoreOriginDelay() {
        guard let delay = starts.file.originDelay else { return }
        let remaining = delay.remaining(boot: StartNote.hash(ofBoot: launch?.bootID), at: now)
        guard remaining > .zero else { return clearOriginDelay() }
        retries.delay(until: now + remaining, date: delay.end)
    }

    /// A valid response, which the user requested meanwhile, states the origin's time.
    mutating func updateOriginDelay() {
        guard let time = originNow, retries.shortenDelay(at: time, now) else { return }
        clearOriginDelay()
    }

    /// Ends the delay: it is over, or another origin has requested none.
    mutating func clearOriginDelay() {
        retries.endDelay()
        guard starts.file.originDelay != nil else { return }
        changeStartsFile { $0.originDelay = nil }
    }

    /// Whether the delay that the origin requested is not over.
    var isOriginDelayActive: Bool { retries.isDelayed(at: now) }
}
