/// What a version is on this device. Worked out from the record, never stored: the record's facts are the
/// truth, a state is their name. How events lead from one to the next is the table of the page
/// `VersionStates`, and a test drives the updater through every row of it.
public enum VersionState: String, Hashable, Sendable, CaseIterable {
    /// Nothing of it is here, and nothing is known against it.
    case unknown
    /// Being fetched.
    case downloading
    /// Complete, without a part to play; it goes at the next confirmed start (R7).
    case stored
    /// Complete, verified, waits for its moment (U6).
    case pending
    /// Its mark is on disk and its start has not ended (R2, R3).
    case starting
    /// Failed its first start: only a process start takes it up, once (R3).
    case failedOnce = "failed-once"
    /// Three unclear ends in a row: stays stored, offers of it change nothing for a day (R3).
    case parked
    /// Confirmed at least once on this native build.
    case good
    /// Confirmed in five processes, or embedded.
    case proven
    /// Some of its content is damaged: out of use until it has been fetched again (R10).
    case damaged
    /// Neither downloaded, made pending nor started (R5).
    case blacklisted
    /// The newest accepted manifest calls it back (U13).
    case recalled
}

extension Updater {
    /// The first that holds, strongest first: what must not be started, what is under way, what is known.
    public func state(of key: VersionKey) -> VersionState {
        if key == record.embedded { return .proven }
        if record.isBlacklisted(key) { return .blacklisted }
        if record.isRecalled(key) { return .recalled }
        if record.parked?.key == key { return .parked }
        if download?.table.key == key || record.download == key { return .downloading }
        guard version(key) != nil else { return record.marks(key).failures > 0 ? .failedOnce : .unknown }
        if isDamaged(key) { return .damaged }
        if record.openStart?.key == key { return .starting }
        if record.isProven(key) { return .proven }
        if record.marks(key).failures > 0 { return .failedOnce }
        if record.pending == key { return .pending }
        return record.isGood(key) ? .good : .stored
    }
}
