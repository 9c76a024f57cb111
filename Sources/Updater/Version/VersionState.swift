/// State of a version on this device. It is derived from the record and never stored. The table on the page
/// `VersionStates` shows how events lead from one state to the next, and a test drives the updater through
/// all of it.
package enum VersionState: String, Hashable, Sendable, CaseIterable {
    /// Nothing of it is here, and nothing is recorded against it.
    case unknown
    /// Being downloaded.
    case downloading
    /// Complete, but not in use; removed at the next confirmed start (R7).
    case stored
    /// Complete and verified; waits for a moment to switch (U6).
    case pending
    /// Ended in front, or was left after unclear ends: only a process start activates it, once, and no
    /// version is blamed (R3).
    case waiting
    /// Its start record is on disk and its start has not ended (R2, R3).
    case starting
    /// Failed its first start: only a process start activates it, once (R3).
    case failedOnce = "failed-once"
    /// Three unclear ends in a row: kept, but offers of it change nothing for a day (R3).
    case parked
    /// Confirmed at least once on this native build.
    case good
    /// Confirmed in five processes, or embedded.
    case proven
    /// Some of its content is damaged: not used until it has been downloaded again (R10).
    case damaged
    /// Not downloaded, made pending or started (R5).
    case blacklisted
    /// The newest accepted manifest recalls it (U13).
    case recalled
}

extension Updater {
    /// State of a version; the first that applies, strongest first: what forbids a start, what is in
    /// progress, what is known.
    package func state(of key: VersionKey) -> VersionState {
        if key == record.embedded { return .proven }
        if record.isBlacklisted(key) { return .blacklisted }
        if record.isRecalled(key) { return .recalled }
        if record.parked?.key == key { return .parked }
        if download?.table.key == key || record.download == key { return .downloading }
        guard version(key) != nil else {
            return record.startHistory(of: key).failures > 0 ? .failedOnce : .unknown
        }
        if isDamaged(key) { return .damaged }
        if record.openStart?.key == key { return .starting }
        if record.isProven(key) { return .proven }
        if record.startHistory(of: key).failures > 0 { return .failedOnce }
        if record.pending == key { return record.wait == nil ? .pending : .waiting }
        return record.isGood(key) ? .good : .stored
    }
}
