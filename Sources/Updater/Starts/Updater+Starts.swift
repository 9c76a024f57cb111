import Core

/// Course of a start (R3): its clock, its confirmation, the signs of its failure.
extension Updater {
    mutating func startChanged(_ change: (inout StartRun) -> Void) {
        guard var run = starts.run else { return }
        change(&run)
        starts.run = run
        updateClock()
    }

    /// Updates the start's countdowns from the current state, and the timers from the countdowns.
    mutating func updateClock() {
        guard var run = starts.run else { return }
        let isInFront = environment.inForeground && !environment.isSuspended
        let isCounting = run.isServed && run.isOpen && !run.isProven && isInFront
        let isPaused = run.isSending && !run.sendingAllowance.isExpired(at: now)
        run.timeInFront.run(run.isServed && run.isOpen && isInFront, at: now)
        run.sendingAllowance.run(isCounting && run.isSending, at: now)
        run.clock.run(isCounting && !isPaused, at: now)
        starts.run = run
        updateTimer(.startup, run.clock)
        updateTimer(.sendingAllowance, run.sendingAllowance)
    }

    private mutating func updateTimer(_ name: TimerName, _ timer: CountdownTimer) {
        let wanted = timer.isRunning && timer.remaining(at: now) > .zero ? timer.remaining(at: now) : nil
        if let wanted {
            effects.append(.setTimer(name, after: wanted))
        } else if !timer.isRunning {
            effects.append(.cancelTimer(name))
        }
    }

    mutating func sendingChanged(_ isSending: Bool) { startChanged { $0.isSending = isSending } }

    mutating func sendingAllowanceRanOut() { updateClock() }

    mutating func pageTouched() { startChanged { run in if run.hasContent { run.isTouched = true } } }

    // MARK: Confirmation (R6)

    /// The page confirmed its start; counts only for the start to which its page load belongs.
    mutating func confirm(_ token: PageLoadToken) {
        guard let page = pages.page(token) else {
            log(.confirmationFromPreviousPage, nil, "load=\(token.text)")
            return
        }
        guard let run = starts.run, run.key == page.key, run.loads.contains(token) else {
            log(.confirmationFromPreviousPage, page.key, "load=\(token.text)")
            return
        }
        guard !run.hasEnded else {
            log(.confirmationTooLate, page.key)
            return
        }
        guard !run.isConfirmed else { return }
        starts.run?.isConfirmed = true
        updateClock()
        startConfirmed(run)
    }

    private mutating func startConfirmed(_ run: StartRun) {
        let key = run.key
        let before = record
        _ = starts.endPostponement()
        if record.openStart?.key == key { record.openStart = nil }
        if key != record.embedded { countConfirmation(of: key) }
        noteSchema(of: key)
        if store.dropNewerFormat() { scheduleGarbageCollection() }
        // A confirmation ends the sequence of unclear ends and, after a second chance, the failure; parkings
        // are kept.
        var history = record.startHistory(of: key)
        history.unclear = 0
        history.uncounted = 0
        history.failures = 0
        record.setStartHistory(history)
        if record.wait != nil { record.wait?.rescuerConfirmed = true }
        if record.lastKnownGood != key {
            record.previousGood = record.lastKnownGood
            record.lastKnownGood = key
        }
        if record.isProven(key), let proven = newestProven(before: key) { record.previousGood = proven }
        if starts.file.unconfirmedStarts(key) > 0 {
            changeStartsFile { $0.resetCount(key) }
        }
        if record.current == key { pruneVersions() }
        guard record != before || key != record.embedded else { return }
        logWhenDurable(.startConfirmed, key)
        commit(then: .collectGarbage)
    }

    /// Good and proven count processes, so that repeated switches within one process prove nothing.
    private mutating func countConfirmation(of key: VersionKey) {
        let isFirst = starts.countConfirmation(of: key)
        record.update(key) { entry in
            if isFirst || entry.confirmations == 0 { entry.confirmations += 1 }
        }
    }

    /// Once the last known good version is proven, the one before it is the newest other proven version (R7).
    private func newestProven(before key: VersionKey) -> VersionKey? {
        record.versions.last {
            $0.key != key && $0.confirmations >= VersionEntry.proven && !record.isRecalled($0.key)
        }?.key
    }

    mutating func pageLoaded(_ token: PageLoadToken) {
        guard settings.confirmation == .loaded, belongsToStart(token) else { return }
        pages.watch(token, true)
        effects.append(.setTimer(.aliveAfterLoad(token), after: Updater.timeAlive))
    }

    mutating func confirmAliveAfterLoad(_ token: PageLoadToken) {
        guard settings.confirmation == .loaded, pages.page(token) != nil else { return }
        pages.watch(token, false)
        confirm(token)
    }

    // MARK: Signs of failure

    mutating func pageFailed(_ token: PageLoadToken, _ text: String) {
        guard let run = starts.run, belongsToStart(token), run.isOpen, !run.isProven else { return }
        if run.hasReadError {
            return endStart(
                .unclear(.startUnclear, "stored content could not be read; page: \(text.prefix(200))"))
        }
        endStart(.failed(.startFailedByPage, "page: \(text.prefix(200))"))
    }

    /// T2: logs an error that the page did not handle before it confirmed. A page can cause any number of
    /// them, and they must not displace the entries that explain a failure.
    mutating func pageReportedError(_ token: PageLoadToken, _ text: String) {
        guard let run = starts.run, belongsToStart(token), !run.isConfirmed,
            run.pageErrors < StartRun.maxPageErrors
        else { return }
        starts.run?.pageErrors += 1
        log(.pageError, run.key, String(text.prefix(300)))
    }

    /// The startup clock ran out: evidence against the version only if the origin was reachable and the page
    /// was not used.
    mutating func startupClockRanOut() {
        guard let run = starts.run, run.isOpen, !run.isProven else { return }
        guard run.clock.isExpired(at: now) else { return updateClock() }
        let wasReachable = checks.lastGoodResponse.map { $0 >= run.startedAt - .minutes(1) } ?? false
        if wasReachable && !run.isTouched && !run.hasReadError {
            endStart(.failed(.startFailedByClock, "reachable, never touched"))
        } else {
            let reason =
                run.isTouched
                ? "page in use"
                : run.hasReadError ? "stored content could not be read" : "origin not reachable"
            endStart(.unclear(.startUnclearByClock, reason))
        }
    }

    /// Ends the start without a confirmation, then rescues; a page in use postpones the rescue.
    mutating func endStart(_ outcome: StartOutcome) {
        guard let run = starts.run, let open = record.openStart, open.key == run.key else { return }
        starts.run?.hasEnded = true
        updateClock()
        recordStartEnd(open, outcome)
        selection.abandon(run.key)
        if run.isTouched, environment.inForeground {
            starts.postponeRescue()
            log(.rescuePostponed, run.key, "the page is in use")
            commit()
        } else {
            commit(then: .rescue)
        }
    }

    /// A page load of another version begins: the open start ends without an outcome.
    mutating func abandonStart(for key: VersionKey) {
        guard let run = starts.run, run.key != key else { return }
        if let open = record.openStart, open.key == run.key, open.key != key { record.openStart = nil }
        effects.append(.cancelTimer(.startup))
        effects.append(.cancelTimer(.sendingAllowance))
        starts.run = nil
    }
}
