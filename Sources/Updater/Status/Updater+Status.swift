import Core

/// What the native app learns about the versions on this device.
extension Updater {
    /// Reports the status if it is another one than before.
    mutating func reportStatus() {
        guard status.isStale, store.phase == .running || store.phase == .readOnlyStore else { return }
        let report = currentStatus
        if status.update(report) { effects.append(.status(report)) }
    }

    private var currentStatus: UpdaterStatus {
        var status = UpdaterStatus()
        status.embedded = embedded
        // A switch that is not on disk yet is not reported: a process that ends now has not switched.
        let isSwitching = jobs.hasCommit || selection.choice?.activatesPending == true
        status.current = isSwitching ? durable.current : record.current
        // A damaged version is not pending: it is downloaded again first (R10).
        status.pending = durable.pending.flatMap { isDamaged($0, durable) ? nil : $0 }
        status.currentSince = status.current == durable.current ? durable.currentSince : nil
        status.pendingWaits = durable.wait != nil
        status.lastKnownGood = usableLastKnownGood
        status.good = durable.versions.filter { $0.confirmations > 0 }.map(\.key)
        status.blacklist = durable.blacklist.filter { durable.appliesHere($0) && !$0.hasEnded }.map(\.key)
        status.parked = durable.parked.map { [$0.key] } ?? []
        status.downloading = download?.table.key
        return status
    }

    /// The last known good version, else the one before it, else the embedded one: recalled, blacklisted and
    /// damaged ones are skipped.
    private var usableLastKnownGood: VersionKey? {
        [durable.lastKnownGood, durable.previousGood, durable.embedded].compactMap { $0 }.first { key in
            !durable.isRecalled(key) && !durable.isBlacklisted(key) && !isDamaged(key, durable)
        }
    }
}
