import Core

/// The starts of this process: the one in progress, what outlives a kill, and a rescue that waits.
///
/// **Invariants**
/// - One start is in progress or the last one: a page load of another version ends it.
/// - A version confirms once for each process, so that repeated switches prove nothing.
/// - A rescue waits only while the page of the failed start is in use: until the app leaves the front, or a
///   start is confirmed (R3).
struct ProcessStarts: Sendable {
    /// The start in progress, also after its end, until a page load of another version.
    var run: StartRun?
    /// What is written without a sync (``Updater/changeStartsFile(_:)``).
    var file = StartsFile()
    /// The file as it was last read or written.
    private(set) var written = StartsFile()
    /// Whether a rescue waits until the app leaves the front, because the page is in use (R3).
    private(set) var isRescuePostponed = false
    /// Versions that have confirmed in this process.
    private var confirmed: [VersionKey] = []
    /// Versions that this process has left for a second chance, as long as no version has confirmed since.
    private var left: [VersionKey] = []

    var isFileChanged: Bool { file != written }

    mutating func fileRead(_ file: StartsFile) {
        self.file = file
        written = file
    }

    /// The record names this build. The file may be of another one, because it is written after the record of
    /// a store update, and without a sync. A mark alone is written with the next change.
    mutating func settleBuild(_ build: UInt32) {
        let isOnDisk = !isFileChanged
        var marked = file
        marked.build = build
        file.move(to: build)
        if isOnDisk, file == marked { written.build = build }
    }

    mutating func fileWritten(_ content: StartsFile) { written = content }

    /// The file with nothing new but whether the record is durable.
    var fileOfUnsyncedRecord: StartsFile {
        var content = written
        content.isRecordUnsynced = file.isRecordUnsynced
        return content
    }

    /// Begins a start without a clock: the version is proven, or its start can't be recorded.
    mutating func beginWithoutClock(_ key: VersionKey, _ token: PageLoadToken, at now: Instant) {
        run = StartRun(
            key: key, token: token, at: now, isProven: true, isSecondChance: false, clock: .zero)
    }

    /// - Returns: whether the version has not confirmed in this process before.
    mutating func countConfirmation(of key: VersionKey) -> Bool {
        guard !confirmed.contains(key) else { return false }
        confirmed.append(key)
        return true
    }

    /// The version is left, and another one takes over (R3).
    mutating func leave(_ key: VersionKey) { left.append(key) }

    /// A start is confirmed: what was left has been rescued.
    mutating func rescuerConfirmed() { left = [] }

    /// Whether this process has left the version, and the version that took over has not confirmed.
    func awaitsRescuer(_ key: VersionKey) -> Bool { left.contains(key) }

    mutating func postponeRescue() { isRescuePostponed = true }

    /// - Returns: whether a rescue was postponed.
    mutating func endPostponement() -> Bool {
        defer { isRescuePostponed = false }
        return isRescuePostponed
    }
}
