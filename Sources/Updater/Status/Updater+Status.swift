import Core

/// What the native app learns about the versions on this device.
extension Updater {
    /// Reports the status if it is another one than before.
    mutating func reportStatus() {
        guard status.isStale, store.isOpen else { return }
        let report = currentStatus
        if status.update(report) { effects.append(.status(report)) }
    }

    private var currentStatus: UpdaterStatus {
        let lasting = lastingRecord
        var status = UpdaterStatus()
        status.embedded = embedded
        // A switch that is not on disk yet is not reported: a process that ends now has not switched.
        let isSwitching = jobs.hasCommit || selection.choice?.activatesPending == true
        status.current = isSwitching ? lasting.current : record.current
        // A damaged version is not pending: it is downloaded again first (R10). Nor is one without a table,
        // which a record that can't be written still names.
        status.pending = lasting.pending.flatMap {
            versions.known($0) == nil || isDamaged($0, lasting) ? nil : $0
        }
        status.currentSince = status.current == lasting.current ? lasting.currentSince : nil
        status.pendingWaits = lasting.wait != nil
        status.lastKnownGood = usableLastKnownGood
        status.good = lasting.versions.filter { $0.confirmations > 0 }.map(\.key)
        status.blacklist = lasting.blacklist.filter { lasting.appliesHere($0) && !$0.hasEnded }.map(\.key)
        status.parked = lasting.parked.map { [$0.key] } ?? []
        status.downloading = download?.table.key
        return status
    }

    /// The last known good version, else the one before it, else the embedded one: recalled, blacklisted and
    /// damaged ones are skipped.
    private var usableLastKnownGood: VersionKey? {
        let lasting = lastingRecord
        let good = [lasting.lastKnownGood, lasting.previousGood, lasting.embedded].compactMap { $0 }
        return good.first { key in
            !lasting.isRecalled(key) && !lasting.isBlacklisted(key) && !isDamaged(key, lasting)
        }
    }
}
