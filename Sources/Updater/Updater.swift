import Core

/// The updater: it decides which version the next page load gets, and downloads, retains and removes
/// versions.
///
/// **What it promises** (rules U, R and N1 of `Sources/Runner/Runner.docc/Rules.md`). A version is offered
/// only when every required file is stored, synced and verified. Whatever happens to the process or the
/// power, the next launch starts a complete version if one exists. A version that does not confirm its start
/// is left at once and blamed only on recorded evidence. What may still be needed is never deleted. Every
/// refusal and failure leaves one log entry.
///
/// **How it works.** A value with one entry point, ``handle(_:at:disk:)``. Work that takes more than one
/// bounded step (16 disk operations, 256 KiB read or hashed) waits as an ``UpdaterJob`` and continues with
/// ``Event/again(_:)``, or with ``Event/synced(_:_:)`` when what it wrote is durable: no step syncs (S9).
/// `record` is the state in memory, which the next commit writes; `durable` is what a read of the disk would
/// return. What is reported to others is based on `durable`.
///
/// **What can go wrong** is reported as a ``LogCause``: the disk may refuse (the updater continues from
/// memory and serves what is readable), the origin may be wrong (refused, retried with a back-off), the page
/// may hang or crash (R3).
///
/// **What it deliberately does not do.** Serve bytes, know web views, keep time (an event carries the
/// instant), use the wall clock, start requests in an app configured ``UpdatePolicy/never``.
///
/// **Its parts.** Each is a value that keeps its own invariants; what needs several of them, the record or
/// the disk is decided in the extensions of this type.
/// - `environment`: whether the app is in front and the process suspended, and the network.
/// - `store`: how the store may be used, and whether files in it may be removed.
/// - `versions`: the complete versions, and what is known about their content.
/// - `blobNames`: which names of stored content are durable.
/// - `selection`: which version the process starts, and which it does not start any more.
/// - `starts`: the start in progress, what survives a kill, and a rescue that waits.
/// - `pages`: page loads that wait for an answer, and open pages.
/// - `cover`: how long the page in front has shown nothing, and whether R9's screen is shown.
/// - `webProcesses`: pages that are loaded again because their web process died.
/// - `switching`: what decides about switches that no page requests.
/// - `checks`: the check in progress, the one that follows it, and what earlier ones left; `failures`: which
///   failures the page was notified of.
/// - `retries`: when the updater automatically tries again, and the delay that the origin requested.
/// - `dates`: the origin's time, and the entries that wait for it.
/// - `download`: the download in progress; `partial`: what else is in the folder of partial files;
///   `progress`: what of it was shown.
/// - `outcomeUpload`: the report of outcomes in progress.
/// - `jobs`: work that takes several steps; `status`: what was last reported to the native app.
public struct Updater: Sendable {
    // What all parts use.

    var launch: Launch?
    var launchedAt = Instant.zero
    var settings = UpdaterSettings(app: "", origin: "")
    /// Time of the event that is being handled.
    var now = Instant.zero
    /// Key of all random choices, derived from the launch's entropy.
    var key = KeyedHash.Key(low: 0, high: 0)
    /// The record in memory, which the next commit writes.
    var record = StoreRecord() { didSet { status.isStale = true } }
    /// The record that a read of the disk would return.
    var durable = StoreRecord() { didSet { status.isStale = true } }
    /// The record as the store update left it, until it is durable (N1); nil: nothing is to be settled.
    var settledUpdate: StoreRecord? { didSet { status.isStale = true } }
    var slots = RecordSlots()
    /// Log entries of the record that are reported when it is durable.
    private var heldEntries: [LogEntry] = []
    var jobs = JobQueue()
    /// Whether ``Effect/again(_:)`` was sent with this lane and not answered yet.
    private var isUrgentStepRequested = false
    private var isBackgroundStepRequested = false
    /// Whether the last step used the disk: a bounded step then has no room for the work of another part.
    package internal(set) var hasTouchedDisk = false
    /// Effects of the current step.
    var effects: [Effect] = []
    /// Id of the next request to the origin.
    var nextTransfer: UInt32 = 1

    // The parts, as the head lists them.

    var environment = ProcessEnvironment()
    var store = StoreAccess()
    var versions = StoredVersions() { didSet { status.isStale = true } }
    var blobNames = BlobNames()
    var selection = StartSelection() { didSet { status.isStale = true } }
    var starts = ProcessStarts()
    var pages = PageLoads()
    var cover = CoverClock()
    var webProcesses = WebProcesses()
    var switching = AutomaticSwitches()
    var checks = Checks()
    var failures = ReportedFailures()
    var retries = RetrySchedule()
    var dates = EntryDates()
    var download: Download?
    var partial = PartialFolder()
    var progress = ReportedProgress()
    var outcomeUpload: OutcomeUpload?
    var stepwise = StepwiseValues()
    var status = StatusReport()

    package init() {}

    /// Handles one event, as one bounded step (16 disk operations, 256 KiB read or hashed).
    /// - Parameter now: monotonic time, never before that of the last event.
    /// - Returns: the effects to be performed, in order.
    package mutating func handle(_ event: Event, at now: Instant, disk: inout some Disk) -> [Effect] {
        self.now = now
        hasTouchedDisk = false
        receive(event, &disk)
        updateLaunchWait()
        if !isUrgentStepRequested, jobs.isReady(.urgent) {
            isUrgentStepRequested = true
            effects.append(.again(.urgent))
        }
        if !isBackgroundStepRequested, jobs.isReady(.background) {
            isBackgroundStepRequested = true
            effects.append(.again(.background))
        }
        reportStatus()
        return effects.takeAll()
    }

    private mutating func receive(_ event: Event, _ disk: inout some Disk) {
        switch event {
        case .launched(let launch): begin(launch)
        case .again(.urgent):
            isUrgentStepRequested = false
            step(.urgent, &disk)
        case .again(.background):
            isBackgroundStepRequested = false
            step(.background, &disk)
        case .synced(let ticket, let error): jobs.synced(ticket, error)
        case .timer(let name): timerFired(name, &disk)
        case .check(let reason): requestCheck(reason)
        case .transfer(let id, let part): received(part, of: id, &disk)
        case .signaturesVerified(let id, let answer): signaturesVerified(id, answer)
        case .network(let state): networkChanged(state)
        case .foreground: enteredForeground()
        case .background:
            enteredBackground()
            writeStartsFileAtOnce(&disk)
        case .active: activityChanged(true)
        case .inactive:
            activityChanged(false)
            writeStartsFileAtOnce(&disk)
        case .suspended: suspend()
        case .resumed: resume()
        case .frozen(let span): wasFrozen(for: span)
        case .pageLoadRequested(let token, let moment): pageLoadRequested(token, moment)
        case .page(let token, let event): page(token, event)
        case .switchRequested(let token): switchRequested(by: token)
        case .readFailed(let key, let path): readFailed(key, path)
        case .heldOff(let isHeld): holdOff(isHeld)
        case .userTriesAgain: userTriesAgain()
        case .settings(let changed): changeSettings(changed)
        }
    }

    private mutating func timerFired(_ name: TimerName, _ disk: inout some Disk) {
        switch name {
        case .startup: startupClockRanOut()
        case .sendingAllowance: sendingAllowanceRanOut()
        case .aliveAfterLoad(let token): confirmAliveAfterLoad(token)
        case .idle(let id): transferIdleTimerFired(id, &disk)
        case .retry: retryTimerFired()
        case .recheck: secondCheckTimerFired()
        case .collectGarbage: collectGarbageWhenIdle()
        case .forced: updateLaunchWait()
        case .cover: coverTimerFired()
        case .disk: retryDisk()
        }
    }

    mutating func log(_ cause: LogCause, _ key: VersionKey? = nil, _ detail: String = "") {
        let entry = entry(cause, key, detail)
        if store.hasReported(entry) { return }
        addToRecord(entry)
        if heldEntries.isEmpty { effects.append(.log(entry)) } else { heldEntries.append(entry) }
        notifyPage(of: cause, key, detail)
    }

    /// As ``log(_:_:_:)``, but the entry, and those after it, are reported with the next commit: a process
    /// that ended before would not know of it.
    mutating func logWhenDurable(_ cause: LogCause, _ key: VersionKey, _ detail: String = "") {
        let entry = entry(cause, key, detail)
        addToRecord(entry)
        heldEntries.append(entry)
        commit(then: .reportEntries)
    }

    mutating func reportHeldEntries() {
        for entry in heldEntries { effects.append(.log(entry)) }
        heldEntries = []
    }

    private func entry(_ cause: LogCause, _ key: VersionKey?, _ detail: String) -> LogEntry {
        LogEntry(
            cause, version: key?.id, detail: detail,
            after: .milliseconds((now - launchedAt).microseconds / 1_000))
    }

    private mutating func addToRecord(_ entry: LogEntry) {
        record.append(entry)
        recordOutcome(entry)
    }

    /// A keyed choice: the same entropy, name and ordinal give the same number.
    func choose(_ name: String, _ ordinal: UInt64 = 0) -> UInt64 {
        var hash = KeyedHash(key: key)
        hash.update(name)
        hash.update(ordinal)
        return hash.finish()
    }

    func version(_ key: VersionKey) -> StoredVersion? { versions.version(key) }

    /// The record with which the next process begins if this one ends now. A store update that could not be
    /// written is settled again by the next process, in the same way: what the former build left does not
    /// count any more.
    var lastingRecord: StoreRecord { settledUpdate ?? durable }

    var embedded: VersionKey? { launch?.embedded == nil ? nil : record.embedded }
}
