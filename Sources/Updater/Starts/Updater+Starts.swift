import Core

/// Course of a start (R3): its clock, its confirmation, the signs of its failure.
extension Updater {
    mutating func startChanged(_ change: (inout StartRun) -> Void) {
        guard var run = starts.run else { return }
        change(&run)
        starts.run = run
        updateClock()
    }

    /// Whether the user looks at another version or at none: after going back to a page, after closing the
    /// web view that the start had beside it, or at a document of the remote root. What the start does not do
    /// then is no evidence (R4).
    var isStartHidden: Bool { starts.run.map { $0.isOpen && pages.isHidden($0) } ?? false }

    /// Updates the start's countdowns from the current state, and the timers from the countdowns.
    mutating func updateClock() {
        let isInFront = environment.inForeground && !environment.isSuspended
        defer {
            if cover.update(isCounting: isInFront, at: now), let run = cover.run {
                updateTimer(.cover, run.timer)
                if run.timer.isRunning, run.timer.isExpired(at: now) {
                    effects.append(.setTimer(.cover, after: .zero))
                }
            }
        }
        guard var run = starts.run else { return }
        let isRunning = run.isServed && run.isOpen && isInFront && !pages.isHidden(run)
        let isCounting = isRunning && !run.isProven
        let isPaused = run.isSending && !run.sendingAllowance.isExpired(at: now)
        run.frontTimer.run(isRunning, at: now)
        run.sendingAllowance.run(isCounting && run.isSending, at: now)
        run.clock.run(isCounting && !isPaused, at: now)
        starts.run = run
        updateTimer(.startup, run.clock)
        // Its timer came late, and was cancelled meanwhile in background.
        if run.clock.isRunning, run.clock.isExpired(at: now) {
            effects.append(.setTimer(.startup, after: .zero))
        }
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

    // MARK: The note (R2)

    /// Notes the start whose index is served, and where the app is. Behind another version the start is as in
    /// background: an end of the process says nothing about it (R4).
    mutating func noteStart() {
        guard let run = starts.run, run.isServed, run.isOpen, !run.hasReportedFailure,
            let token = run.loads.first
        else { return }
        let presence: StartNote.Presence
        if !environment.inForeground || isStartHidden {
            presence = run.timeInFront(at: now) >= .seconds(5) ? .away : .unseen
        } else {
            presence = environment.isActive && launch?.isDebugged == false ? .front : .away
        }
        let note = StartNote(
            token: token, digest: run.key.digest, boot: StartNote.hash(ofBoot: launch?.bootID),
            presence: presence)
        changeStartsFile { $0.setNote(note) }
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
        // The clean-up that follows writes it (collectGarbageWhenIdle).
        record.keepsNewerFormat = false
        if store.dropNewerFormat() { scheduleGarbageCollection() }
        let before = record
        _ = starts.endPostponement()
        starts.rescuerConfirmed()
        if record.openStart?.key == key { record.openStart = nil }
        if key != record.embedded { countConfirmation(of: key, after: run.timeInFront(at: now)) }
        noteSchema(of: key)
        // A confirmation ends the sequence of unclear ends and, after a second chance, the failure; parkings
        // are kept.
        var history = record.startHistory(of: key)
        history.unclear = 0
        history.uncounted = 0
        history.failures = 0
        history.hasWaited = false
        record.setStartHistory(history)
        if record.wait != nil { record.wait?.rescuerConfirmed = true }
        // One that was recalled while it ran is not gone back to (U13), but the one before it is.
        let others = [record.lastKnownGood, record.previousGood].compactMap(\.self).filter {
            $0 != key && !record.isRecalled($0)
        }
        if record.lastKnownGood != key {
            record.previousGood = others.first
            record.lastKnownGood = key
        }
        // Of two that are proven the one that was good last, in whatever order they were downloaded.
        let proven = others.first { $0 != record.embedded && record.isProven($0) }
        if record.isProven(key), let proven { record.previousGood = proven }
        changeStartsFile { file in
            file.resetCount(key)
            file.closeNote()
            file.forgetBroken()
        }
        pruneVersions()
        // An embedded version that confirms again changes nothing but, perhaps, the keys (U16).
        if record != before || key != record.embedded { logWhenDurable(.startConfirmed, key) }
        takeKeys(confirmedBy: key)
        guard record != before || key != record.embedded else { return }
        commit(then: .collectGarbage)
    }

    /// Good and proven count processes, so that repeated switches within one process prove nothing.
    /// - Parameter span: time in front that the start took.
    private mutating func countConfirmation(of key: VersionKey, after span: TimeSpan) {
        let isFirst = starts.countConfirmation(of: key)
        let isProven = record.isProven(key)
        record.update(key) { entry in
            // A proven version has no clock.
            if !isProven { entry.noteStart(took: span) }
            if isFirst || entry.confirmations == 0 { entry.confirmations += 1 }
        }
    }

    /// R3: time in front that a start of this version has.
    func startupClock(of key: VersionKey, isSecondChance: Bool) -> TimeSpan {
        let timeout = settings.effectiveStartupTimeout
        let usual = isSecondChance ? max(timeout * 3, .seconds(60)) : timeout
        // It has confirmed on this device, slowly: it is not left for being as slow again.
        let slowest = TimeSpan.seconds(record.entry(key)?.slowestStart ?? 0)
        return max(usual, min(slowest * 2, .minutes(2)))
    }

    mutating func pageLoaded(_ token: PageLoadToken) {
        pages.loaded(token)
        watchAfterLoad(token)
    }

    /// R6: the page is in front and has loaded. One that is shown again, from a page cache, has its time
    /// anew: behind another page it stood still, which says nothing about it.
    mutating func watchAfterLoad(_ token: PageLoadToken) {
        guard settings.confirmation == .loaded, belongsToStart(token), let page = pages.page(token),
            page.hasLoaded, !page.isWatchedAfterLoad
        else { return }
        pages.watch(token, true)
        effects.append(.setTimer(.aliveAfterLoad(token), after: Updater.timeAlive))
    }

    /// The page is not in front any more, or its web process has died.
    mutating func endWatch(of token: PageLoadToken) {
        guard pages.page(token)?.isWatchedAfterLoad == true else { return }
        pages.watch(token, false)
        effects.append(.cancelTimer(.aliveAfterLoad(token)))
    }

    mutating func confirmAliveAfterLoad(_ token: PageLoadToken) {
        guard settings.confirmation == .loaded, pages.page(token)?.isWatchedAfterLoad == true else { return }
        pages.watch(token, false)
        confirm(token)
    }

    // MARK: Signs of failure

    mutating func pageFailed(_ token: PageLoadToken, _ text: String) {
        guard let run = starts.run, belongsToStart(token), run.isOpen else { return }
        guard !run.isProven else { return provenVersionFailed(run) }
        if run.hasReadError {
            return endStart(
                .unclear(
                    .startUnclear, "stored content could not be read; page: \(text.prefix(200))", waits: false
                ))
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

    /// A proven version is not blamed; its failure counts for R13 alone, once for each start.
    private mutating func provenVersionFailed(_ run: StartRun) {
        guard !run.hasReportedFailure, !run.hasReadError else { return }
        starts.run?.hasReportedFailure = true
        changeStartsFile { file in
            file.closeNote()
            file.countBroken(run.key.digest)
        }
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
            endStart(.unclear(.startUnclearByClock, reason, waits: false))
        }
    }

    /// Ends the start without a confirmation, then rescues; a page in use postpones the rescue, unless its
    /// web process has died.
    mutating func endStart(_ outcome: StartOutcome) {
        guard let run = starts.run, let open = record.openStart, open.key == run.key else { return }
        starts.run?.hasEnded = true
        updateClock()
        changeStartsFile { file in
            file.closeNote()
            if case .failed = outcome { file.countBroken(run.key.digest) }
        }
        recordStartEnd(open, outcome)
        selection.abandon(run.key)
        if run.isTouched, environment.inForeground, !outcome.leavesNoPage {
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
        if run.isOpen { changeStartsFile { $0.closeNote() } }
        starts.run = nil
    }
}
