import Core

/// Rescue, what the user sees next, and blame, what is recorded about a version (R3, R4, R5, R9).
extension Updater {
    /// Records the end of a start; the caller commits it before the rescuing index is served.
    mutating func recordStartEnd(_ open: OpenStart, _ outcome: StartOutcome) {
        let key = open.key
        record.openStart = nil
        var history = record.startHistory(of: key)
        switch outcome {
        case .failed(let cause, let evidence):
            log(cause, key, evidence)
            history.failures += 1
            history.uncounted = 0
            record.setStartHistory(history)
            if history.failures >= 2 { blacklist(key, cause, evidence) } else { waitForSecondChance(key) }
        case .unclear(let cause, let reason, let waits):
            log(cause, key, reason)
            countUnclearEnd(open, &history, waits: waits)
        case .uncounted(let reason):
            log(.startUncounted, key, reason)
            history.uncounted += 1
            if history.uncounted >= 8 {
                log(.startUnclear, key, "the eighth in a row that ended in background")
                countUnclearEnd(open, &history, waits: false)
            } else {
                record.setStartHistory(history)
                keepPending(key)
            }
        }
    }

    /// Whether the origin sent a valid manifest response in the last minute.
    var isReachable: Bool { checks.lastGoodResponse.map { now - $0 <= .minutes(1) } ?? false }

    /// Leaves a version to which the user returns with its second chance.
    mutating func waitForSecondChance(_ key: VersionKey) {
        var history = record.startHistory(of: key)
        history.hasWaited = true
        record.setStartHistory(history)
        starts.leave(key)
        if makePendingAgain(key) { record.wait = SecondChanceWait() }
    }

    /// Makes a version that recovery leaves pending, unless a newer one is.
    /// - Returns: false if it is not pending; the only version that can be shown stays current.
    mutating func makePendingAgain(_ key: VersionKey) -> Bool {
        leaveCurrent(key)
        guard record.current != key else {
            dropPending(key)
            return false
        }
        let isFree = record.pending == nil || record.pending == key
        guard isFree, record.isOffered(key), !record.isRecalled(key) else {
            // Another one is pending, or it may not become pending, so the device has left it (U8).
            record.recordLeft(key)
            return false
        }
        record.pending = key
        return true
    }

    mutating func leaveCurrent(_ key: VersionKey) {
        guard record.current == key else { return }
        if let next = recoveryVersion(excluding: [key] + waiting) ?? recoveryVersion(excluding: [key]) {
            record.current = next
            // One that was to be skipped runs again, and is not pending beside itself (R3, R13).
            dropPending(next)
        }
    }

    /// The version that waits for its second chance, which does not start as a rescue before it (R3).
    var waiting: [VersionKey] { record.wait?.isOver ?? true ? [] : [record.pending].compactMap(\.self) }

    mutating func dropPending(_ key: VersionKey) {
        guard record.pending == key else { return }
        record.pending = nil
        record.wait = nil
    }

    // MARK: The recovery chain (R9)

    /// The next version of the recovery chain that can be shown automatically.
    func recoveryVersion(excluding excluded: [VersionKey]) -> VersionKey? {
        for candidate in [record.lastKnownGood, record.previousGood, record.embedded] {
            guard let candidate, !excluded.contains(candidate), !selection.hasAbandoned(candidate),
                canStart(candidate), canReadData(candidate)
            else { continue }
            return candidate
        }
        return nil
    }

    /// Whether the version is complete and undamaged, and nothing forbids starting it.
    func canStart(_ key: VersionKey) -> Bool {
        version(key) != nil && !isDamaged(key) && !isUnreadable(key) && !record.isBlacklisted(key)
            && !record.isRecalled(key) && record.parked?.key != key
    }

    /// The version behind R9's screen: one that has become pending meanwhile (U13, R13), else the one that
    /// ran last, or any that is complete.
    func versionForUserRetry() -> VersionKey? {
        if let pending = record.pending, record.wait == nil, canStart(pending),
            !selection.hasAbandoned(pending)
        {
            return pending
        }
        // Of a version whose start could not be recorded only the durable record says that it ran.
        let last = record.current ?? lastingRecord.current ?? record.pending ?? record.lastKnownGood
        if let last, version(last) != nil, !isDamaged(last) { return last }
        return versions.all.last { !isDamaged($0.key) }?.key
    }

    /// The end of the failed start is on disk, or can't be written: shows the next version of the recovery
    /// chain.
    mutating func loadRescue() {
        logLowSchemas()
        guard let key = record.current, canStart(key), !selection.hasAbandoned(key) else {
            log(.nothingToRescueTo)
            show(.recovery)
            return
        }
        log(.rescued, key)
        announceCurrent()
        reload(.rescue)
    }
}
