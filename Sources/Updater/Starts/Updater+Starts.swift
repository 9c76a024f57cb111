import Core

/// The course of a start (R3): its clock, its confirmation, the signs of its failure.
extension Updater {
    mutating func startChanged(_ change: (inout StartRun) -> Void) {
        guard var run = start else { return }
        change(&run)
        start = run
        updateClock()
    }

    /// Brings the start's stopwatches in line with what holds now, and the timers in line with the
    /// stopwatches.
    mutating func updateClock() {
        guard var run = start else { return }
        let isInFront = inForeground && !isSuspended
        let counts = run.isServed && run.isOpen && !run.isProven && isInFront
        let stands = run.isSending && !run.allowance.isSpent(at: now)
        run.front.run(run.isServed && run.isOpen && isInFront, at: now)
        run.allowance.run(counts && run.isSending, at: now)
        run.clock.run(counts && !stands, at: now)
        start = run
        setTimer(.startup, run.clock)
        setTimer(.sendingAllowance, run.allowance)
    }

    private mutating func setTimer(_ name: TimerName, _ watch: CountdownTimer) {
        let wanted = watch.isRunning && watch.left(at: now) > .zero ? watch.left(at: now) : nil
        if let wanted {
            effects.append(.setTimer(name, after: wanted))
        } else if !watch.isRunning {
            effects.append(.cancelTimer(name))
        }
    }

    mutating func sending(_ isSending: Bool) { startChanged { $0.isSending = isSending } }

    mutating func sendingAllowanceRanOut() { updateClock() }

    mutating func touched() { startChanged { run in if run.hasContent { run.isTouched = true } } }

    // MARK: Confirmation (R6)

    mutating func confirm(_ token: PageLoadToken) {
        guard let page = pages.first(where: { $0.token == token }) else {
            log(.confirmationFromFormerPage, nil, "load=\(token.text)")
            return
        }
        guard let run = start, run.key == page.key, run.loads.contains(token) else {
            log(.confirmationFromFormerPage, page.key, "load=\(token.text)")
            return
        }
        guard !run.hasEnded else {
            log(.confirmationTooLate, page.key)
            return
        }
        guard !run.isConfirmed else { return }
        start?.isConfirmed = true
        updateClock()
        confirmed(run)
    }

    private mutating func confirmed(_ run: StartRun) {
        let key = run.key
        let before = record
        isRescuePutOff = false
        if record.openStart?.key == key { record.openStart = nil }
        if key != record.embedded { countConfirmation(of: key) }
        noteSchema(of: key)
        if isNewerFormatKept {
            isNewerFormatKept = false
            mayDelete = true
            scheduleSweep()
        }
        // A confirmation ends the row of unclear ends and, after a second chance, the failure; parkings are
        // kept.
        var marks = record.marks(key)
        marks.unclear = 0
        marks.uncounted = 0
        marks.failures = 0
        record.setMarks(marks)
        if record.wait != nil { record.wait?.rescuerConfirmed = true }
        if record.lastKnownGood != key {
            record.goodBefore = record.lastKnownGood
            record.lastKnownGood = key
        }
        if record.isProven(key), let proven = newestProven(before: key) { record.goodBefore = proven }
        if startsNote.unconfirmed(key) > 0 {
            startsNote.reset(key)
            urgent.append(.note)
        }
        if record.current == key { pruneVersions() }
        guard record != before || key != record.embedded else { return }
        log(.startConfirmed, key)
        commit(then: .sweep)
    }

    /// Good and proven count processes: a page that is sent to and fro proves nothing by it.
    private mutating func countConfirmation(of key: VersionKey) {
        let isFirst = !confirmedHere.contains(key)
        if isFirst { confirmedHere.append(key) }
        record.update(key) { entry in
            if isFirst || entry.confirmations == 0 { entry.confirmations += 1 }
        }
    }

    /// Once last known good is proven, the one before it is the newest proven version before it (R7).
    private func newestProven(before key: VersionKey) -> VersionKey? {
        record.versions.last { $0.key != key && $0.confirmations >= VersionEntry.proven }?.key
    }

    mutating func loaded(_ token: PageLoadToken) {
        guard settings.confirmation == .loaded, ofStart(token) else { return }
        effects.append(.setTimer(.aliveAfterLoad(token), after: .seconds(5)))
    }

    mutating func confirmLoaded(_ token: PageLoadToken) {
        guard settings.confirmation == .loaded, pages.contains(where: { $0.token == token }) else { return }
        confirm(token)
    }

    // MARK: Signs of failure

    mutating func pageFailed(_ token: PageLoadToken, _ text: String) {
        guard let run = start, ofStart(token), run.isOpen, !run.isProven else { return }
        if run.hasReadError {
            return endRun(
                .unclear(.startUnclear, "stored content could not be read; page: \(text.prefix(200))"))
        }
        endRun(.failed(.startFailedByPage, "page: \(text.prefix(200))"))
    }

    mutating func startupClockRanOut() {
        guard let run = start, run.isOpen, !run.isProven else { return }
        guard run.clock.isSpent(at: now) else { return updateClock() }
        let seen = lastGoodAnswer.map { $0 >= run.began - .minutes(1) } ?? false
        if seen && !run.isTouched && !run.hasReadError {
            endRun(.failed(.startFailedByClock, "reachable, never touched"))
        } else {
            let why =
                run.isTouched
                ? "page in use"
                : run.hasReadError ? "stored content could not be read" : "origin not reachable"
            endRun(.unclear(.startUnclearByClock, why))
        }
    }

    mutating func endRun(_ outcome: StartOutcome) {
        guard let run = start, let open = record.openStart, open.key == run.key else { return }
        start?.hasEnded = true
        updateClock()
        end(open, outcome)
        leftHere.append(run.key)
        if run.isTouched, inForeground {
            isRescuePutOff = true
            log(.rescuePutOff, run.key, "the page is in use")
            commit()
        } else {
            commit(then: .rescue)
        }
    }

    /// A page load of another version begins: the open start is left without an end of its own.
    mutating func leaveStart(for key: VersionKey) {
        guard let run = start, run.key != key else { return }
        if let open = record.openStart, open.key == run.key, open.key != key { record.openStart = nil }
        effects.append(.cancelTimer(.startup))
        effects.append(.cancelTimer(.sendingAllowance))
        start = nil
    }
}
