import Core

/// Retries without a request from outside: one timer, set to whatever is due first.
extension Updater {
    /// A request for the manifest left something to do that only another one can do: it failed, or what its
    /// response announced could not be downloaded or stored, or must be offered once more (U5).
    mutating func checkAttemptFailed(_ key: VersionKey? = nil, _ what: String = "check") {
        retries.check.failed(at: now, jitter: choose("backoff", UInt64(retries.check.attempts)))
        if retries.check.attempts == Backoff.maxAttempts { log(.retriesExhausted, key, what) }
    }

    /// An attempt of a file failed.
    mutating func assetAttemptFailed(_ index: Int) {
        guard var backoff = download?.assets.backoffs[index] else { return }
        backoff.failed(at: now, jitter: choose("backoff \(index)", UInt64(backoff.attempts)))
        download?.assets.changeBackoff(of: index) { $0 = backoff }
        if backoff.attempts == Backoff.maxAttempts {
            log(.retriesExhausted, download?.table.key, "route=\(download?.table.assets[index].route ?? "")")
        }
    }

    /// The network changed, the app came to the front, or a push arrived: everything may be tried at once,
    /// except for the delay that the origin requested.
    mutating func resetBackoffs() {
        retries.reset()
        download?.assets.resetBackoffs()
    }

    /// The page, the app or the user requests a check: allows one attempt of everything that is paused.
    mutating func wakeBackoffs() {
        retries.allowAttempt()
        download?.assets.allowAttempts()
    }

    /// Whether the updater itself needs a check: the last one failed, or files contradict their manifest.
    var needsCheck: Bool { checks.isOutstanding || download?.needsManifest == true }

    /// Sets the timer to what is due next; cancels it if nothing waits.
    mutating func scheduleRetry() {
        let due = nextRetry
        guard retries.setTimer(due) else { return }
        if let due {
            effects.append(.setTimer(.retry, after: max(due - now, .zero)))
        } else {
            effects.append(.cancelTimer(.retry))
        }
    }

    private var nextRetry: Instant? {
        var due: Instant?
        if checks.run == nil, needsCheck {
            due = retries.check.notBefore ?? now
            if !checks.isOutstanding, let first = download?.firstRetry {
                due = max(first, retries.check.notBefore ?? first)
            }
        } else if let plan = download, plan.isPlanPutOff {
            due = retries.disk.notBefore ?? now
        } else if let plan = download, plan.isPlanned, !plan.needsManifest, !plan.isPausedByPolicy {
            if plan.isComplete {
                due = nextCompletionAttempt(plan)
            } else if plan.lacksOnlyFailedOptional {
                due = checks.run == nil ? retries.check.notBefore ?? now : nil
            } else {
                due = nextAssetRetry(plan)
            }
        }
        guard let due else { return nil }
        guard let until = retries.originDelayEnd, until > now else { return due }
        return max(due, min(until, now + Backoff.noteInterval))
    }

    /// All files are available, but the completion could not be written or the manifest could not be
    /// requested again.
    private func nextCompletionAttempt(_ plan: Download) -> Instant? {
        guard !plan.isCompleting else { return nil }
        guard plan.hasUnhashedAssets, !plan.isConfirmed else { return plan.completionBackoff.notBefore }
        guard checks.run == nil else { return nil }
        return max(plan.completionBackoff.notBefore ?? now, retries.check.notBefore ?? now)
    }

    /// When a failed file is due again. A file that is already due and has not started waits for one of the
    /// parallel transfers: the end of a transfer starts it, while a timer would only fire again and again. A
    /// delay that the origin requested ends with no transfer: a file that is due waits for its end.
    private func nextAssetRetry(_ plan: Download) -> Instant? {
        guard isOriginDelayActive else { return plan.nextRetry(after: now) }
        return plan.firstRetry ?? now
    }

    /// A retry is due, or circumstances changed.
    mutating func retryTimerFired() {
        retries.timerFired()
        guard store.phase == .running, settings.updates != .never else { return }
        // A failed check is repeated only by the page; the update that it requested continues (U14).
        if settings.updates == .page, download == nil { return }
        saveOriginDelay()
        guard !isOriginDelayActive else { return scheduleRetry() }
        if checks.run == nil, needsCheck, isRetryDue {
            sendCheck(.own, .offer)
        } else if download?.isPlanPutOff == true {
            guard retries.disk.isDue(at: now) else { return scheduleRetry() }
            download?.isPlanPutOff = false
            jobs.add(.planDownload)
        } else if download == nil {
            // A host may fire a timer early: what it is for is still due.
            scheduleRetry()
        } else {
            fetchMore()
        }
    }

    private var isRetryDue: Bool {
        guard retries.check.isDue(at: now) else { return false }
        if checks.isOutstanding { return true }
        return download?.firstRetry.map { $0 <= now } ?? true
    }
}
