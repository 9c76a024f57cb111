import Core

/// Parking (R3): the third unclear end of a start in a row parks a version. Offers of it change nothing for a
/// day.
extension Updater {
    /// Counts an unclear end of a start; parks the version after the third in a row, or after an unclear
    /// second chance. Otherwise the version stays pending.
    mutating func parkAfterThirdUnclearStart(_ open: OpenStart, _ history: inout StartHistory) {
        history.unclear += 1
        history.uncounted = 0
        history.wasReachable =
            history.wasReachable || open.isReachable || starts.file.wasReachable(open.token)
        record.setStartHistory(history)
        if open.isSecondChance || history.unclear >= 3 { park(open.key) } else { keepPending(open.key) }
    }

    /// Parks the version, or blacklists it at its third parking if the origin was reachable. The only version
    /// that can be shown is not parked.
    private mutating func park(_ key: VersionKey) {
        guard recoveryVersion(excluding: [key]) != nil else { return keepPending(key) }
        var history = record.startHistory(of: key)
        history.parkings += 1
        history.unclear = 0
        record.setStartHistory(history)
        if history.parkings >= 3, history.wasReachable {
            return blacklist(key, .parked, "parked three times")
        }
        log(.parked, key, "parking \(history.parkings)")
        leaveCurrent(key)
        dropPending(key)
        record.parked = ParkedVersion(key: key, since: date(of: .parked(key)))
    }

    /// The version is started again at the next process start; a newer pending version replaces it.
    mutating func keepPending(_ key: VersionKey) {
        leaveCurrent(key)
        guard record.pending == nil || record.pending == key, !record.isRecalled(key) else { return }
        record.pending = key
        // It failed once before: only a process start activates it.
        record.wait =
            record.startHistory(of: key).failures > 0 ? SecondChanceWait(rescuerConfirmed: true) : nil
    }

    /// The origin offers the parked version: it becomes pending again after a day, or if the user requested
    /// the check.
    mutating func endParkingIfDue(_ key: VersionKey, _ run: CheckRun) {
        let isDue: Bool =
            if let since = record.parked?.since, let time = originNow {
                time - since >= .days(1)
            } else {
                false
            }
        guard isDue || run.reason == .user else { return log(.parkedOffer, key) }
        record.parked = nil
        var history = record.startHistory(of: key)
        history.unclear = 0
        record.setStartHistory(history)
        log(.parkingEnded, key, isDue ? "a day has passed" : "the user asked")
        useStoredVersion(key, run)
    }
}
