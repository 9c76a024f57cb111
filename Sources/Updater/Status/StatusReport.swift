/// What was last reported as the status, and whether it may have changed since.
///
/// **Invariants**
/// - The status is computed anew only after a change of what it depends on: the record in memory, the durable
///   one, ``StoredVersions`` and ``StartSelection`` mark it as stale; opening the store reads the record. A
///   download begins with ``whileLoading(_:)``, and its end changes the record.
/// - No status is reported twice in a row, except after the one with which a download begins.
struct StatusReport: Sendable {
    /// Whether something changed that the status depends on.
    var isStale = true
    private var last: UpdaterStatus?
    /// Version of the last ``Updater/Effect/current(_:)``.
    private var lastCurrent: VersionKey?

    /// The last status with the version that begins to be downloaded; the next one is reported in any case.
    mutating func whileLoading(_ key: VersionKey) -> UpdaterStatus {
        var status = last ?? UpdaterStatus()
        status.downloading = key
        last = nil
        isStale = true
        return status
    }

    /// The status is up to date.
    /// - Returns: whether it is another one than that reported last.
    mutating func update(_ status: UpdaterStatus) -> Bool {
        isStale = false
        guard status != last else { return false }
        last = status
        return true
    }

    /// - Returns: whether another version was announced last.
    mutating func announce(current key: VersionKey?) -> Bool {
        guard key != lastCurrent else { return false }
        lastCurrent = key
        return true
    }
}
