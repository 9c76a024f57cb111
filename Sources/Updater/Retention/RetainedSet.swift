import Core

/// What is retained (R7): the versions that the record names, and those of open page loads.
extension Updater {
    /// All retained versions except the embedded one, which the package contains.
    func retainedVersions() -> [VersionKey] {
        var keys: [VersionKey] = []
        let candidates = [
            record.current, record.pending, record.parked?.key, record.lastKnownGood, record.previousGood,
            record.openStart?.key,
        ]
        for key in candidates.compactMap({ $0 }) + pages.open.map(\.key) where !keys.contains(key) {
            keys.append(key)
        }
        return keys
    }

    /// At a confirmed start: removes versions from the record that are no longer retained; the caller
    /// commits, then collects garbage.
    mutating func pruneVersions() {
        leaveRecalled()
        let retained = retainedVersions()
        for entry in record.versions where !retained.contains(entry.key) { forget(entry.key) }
    }

    /// A recalled version is neither started nor rescued to (U13): it loses its place among the good ones,
    /// and a parked one its.
    private mutating func leaveRecalled() {
        if let key = record.previousGood, record.isRecalled(key) { record.previousGood = nil }
        if let key = record.lastKnownGood, record.isRecalled(key), record.current != key {
            record.lastKnownGood = record.previousGood ?? record.embedded
            if record.previousGood == record.lastKnownGood { record.previousGood = nil }
        }
        if let key = record.parked?.key, record.isRecalled(key) { record.parked = nil }
    }

    /// Removes the version from the record. Its content is removed when the record is written and no page
    /// load needs it.
    mutating func forget(_ key: VersionKey) {
        settleIfComplete(key)
        record.versions.removeAll { $0.key == key }
        record.checked.removeAll { $0 == key }
        if record.current == key { record.current = nil }
        dropPending(key)
        if record.parked?.key == key { record.parked = nil }
        // Also one that this process has left: the next process may show it again.
        if record.lastKnownGood == key { record.lastKnownGood = record.previousGood ?? record.embedded }
        if record.previousGood == key || record.previousGood == record.lastKnownGood {
            record.previousGood = nil
        }
        if !pages.isShown(key), key != record.embedded {
            removeVersions { $0.key == key }
        }
        // Content that is no longer in use may be wanted again before it is removed (U2).
        let used = (versions.all + versions.leaving + versions.unused).flatMap(\.blobs)
        record.damaged.removeAll { !used.contains($0) }
        scheduleGarbageCollection()
    }

    /// Takes versions out of use. The content of those that the durable record still names is kept until it
    /// no longer does, because a process that ends now would start from that record (R7).
    mutating func removeVersions(where leaves: (StoredVersion) -> Bool) {
        versions.remove(named: durable.versions, where: leaves)
    }

    /// A version that is superseded before it ever started is not retained (R7).
    mutating func dropIfNeverStarted(_ key: VersionKey) {
        guard let entry = record.entry(key), !entry.hasStarted, entry.confirmations == 0,
            record.current != key, record.lastKnownGood != key
        else { return }
        forget(key)
    }

    /// Digests of content that is retained: for the durable record, for the one in memory, open pages and the
    /// download.
    func referencedBlobs() -> [Digest256] {
        var digests: [Digest256] = []
        for version in versions.all + versions.leaving where version.verification != .package {
            digests += version.blobs
        }
        digests += blobsOfUnfinished()
        digests.sort()
        return digests
    }

    /// A page of the package's version needs no table: one that an earlier build downloaded may have its
    /// name.
    func referencedTables() -> [String] {
        let open = pages.open.map(\.key).filter { $0 != versions.inPackage?.key }
        return ((durable.versions + record.versions).map(\.key) + open).map(\.digest.hex)
    }
}
