import Core

/// What must stay (R7): the versions that the record goes on naming, and what open page loads need.
extension Updater {
    /// Everything with a place, the embedded version apart (it is the package's).
    func keepSet() -> [VersionKey] {
        var keys: [VersionKey] = []
        let named = [
            record.current, record.pending, record.parked?.key, record.lastKnownGood, record.goodBefore,
            record.openStart?.key,
        ]
        for key in named.compactMap({ $0 }) + pages.map(\.key) where !keys.contains(key) { keys.append(key) }
        return keys
    }

    /// At a confirmed start: what has no place any more leaves the record; the caller commits, then sweeps.
    mutating func pruneVersions() {
        let keep = keepSet()
        for entry in record.versions where !keep.contains(entry.key) { forget(entry.key) }
    }

    /// The version leaves the record. Its content goes when the record is written and no page load needs it.
    mutating func forget(_ key: VersionKey) {
        record.versions.removeAll { $0.key == key }
        record.checked.removeAll { $0 == key }
        if record.current == key { record.current = nil }
        dropPending(key)
        if record.parked?.key == key { record.parked = nil }
        if record.lastKnownGood == key { record.lastKnownGood = record.goodBefore ?? record.embedded }
        if record.goodBefore == key { record.goodBefore = nil }
        if !pages.contains(where: { $0.key == key }), key != record.embedded {
            versions.removeAll { $0.key == key }
        }
        let used = versions.flatMap(\.blobs)
        record.damaged.removeAll { !used.contains($0) }
        scheduleSweep()
    }

    /// What is superseded before it ever started loses its place at once (R7).
    mutating func dropIfNeverStarted(_ key: VersionKey) {
        guard let entry = record.entry(key), !entry.hasStarted, entry.confirmations == 0,
            record.current != key, record.lastKnownGood != key
        else { return }
        forget(key)
    }

    /// Digests of content that must stay: by the durable record, the one in memory, open pages and the
    /// download.
    func namedBlobs() -> [Digest256] {
        var digests: [Digest256] = []
        for version in versions where version.verification != .package { digests += version.blobs }
        digests += blobsOfUnfinished()
        digests.sort()
        return digests
    }

    func namedTables() -> [String] {
        var names = (durable.versions + record.versions).map(\.key.digest.hex)
        names += pages.map(\.key.digest.hex)
        return names
    }
}
