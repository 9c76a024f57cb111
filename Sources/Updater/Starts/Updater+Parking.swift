import Core

/// Unclear ends of starts (R3). One that *ended in front*, and as many in a row as the setting says, make the
/// version wait for its second chance, because the user gets another one. The third in a row, or an unclear
/// second chance, parks it: offers of it change nothing for a day.
extension Updater {
    /// Unclear ends in a row, without a confirmation between, that park a version.
    static let unclearEndsUntilParking = 3

    /// Counts an unclear end of a start; parks the version after the third in a row, or after an unclear
    /// second chance. Otherwise the version stays pending.
    /// - Parameter waits: whether it waits for its second chance.
    mutating func countUnclearEnd(_ open: OpenStart, _ history: inout StartHistory, waits: Bool) {
        history.unclear += 1
        history.uncounted = 0
        history.wasReachable =
            history.wasReachable || open.isReachable || starts.file.wasReachable(open.token)
        record.setStartHistory(history)
        if open.isSecondChance || history.unclear >= Updater.unclearEndsUntilParking {
            park(open.key)
        } else if waits {
            waitForSecondChance(open.key)
        } else {
            keepPending(open.key)
        }
    }

    /// Parks the version, or blacklists it at its third parking if the origin was reachable. The only version
    /// that can be shown is not parked.
    private mutating func park(_ key: VersionKey) {
        guard recoveryVersion(excluding: [key]) != nil else { return keepPending(key) }
        var history = record.startHistory(of: key)
        history.parkings += 1
        history.unclear = 0
        history.hasWaited = false
        record.setStartHistory(history)
        if history.parkings >= 3, history.wasReachable {
            return blacklist(key, .parked, "parked three times")
        }
        log(.parked, key, "parking \(history.parkings)")
        // The origin has offered another one while this one ran, so that the device has left it (U8).
        if record.accepted.map({ $0 != key }) ?? false { record.recordLeft(key) }
        leaveCurrent(key)
        dropPending(key)
        record.parked = ParkedVersion(key: key, since: date(of: .parked(key)))
    }

    /// The version is started again at the next process start; a newer pending version replaces it.
    mutating func keepPending(_ key: VersionKey) {
        guard makePendingAgain(key) else { return }
        // Only a process start activates its second chance.
        let isSecondChance = record.startHistory(of: key).needsSecondChance
        record.wait = isSecondChance ? SecondChanceWait(rescuerConfirmed: true) : nil
    }

    /// Whether an offer of the parked version ends its parking: after a day, or if the user requested the
    /// check.
    func endsParking(_ run: CheckRun) -> Bool { run.reason == .user || isParkingOver }

    private var isParkingOver: Bool {
        guard let since = record.parked?.since, let time = originNow else { return false }
        return time - since >= .days(1)
    }

    /// The origin offers the parked version, which becomes pending again.
    mutating func endParking(_ key: VersionKey, _ run: CheckRun) {
        let reason = isParkingOver ? "a day has passed" : "the user asked"
        record.parked = nil
        var history = record.startHistory(of: key)
        history.unclear = 0
        record.setStartHistory(history)
        log(.parkingEnded, key, reason)
        useStoredVersion(key, run)
    }
}
