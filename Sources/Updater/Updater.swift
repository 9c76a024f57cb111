import Core

/// The updater: which version the next page load gets, and how versions come and go.
///
/// **What it promises** (rulebook U, R, N1). A version is offered only when every required file is stored,
/// synced and verified. Whatever the process or the power does, the next launch starts a complete version
/// where one exists. A version that does not confirm its start is left at once and blamed only on recorded
/// evidence. What may still be needed is never deleted. Every refusal and failure leaves one log entry.
///
/// **How it works.** A value with one door, ``handle(_:at:disk:)``. Work that takes more than one bounded
/// step (at most one sync, 16 other disk operations, 256 KiB read or hashed) waits as a ``Job`` and goes on
/// with ``Event/again``. `record` is what memory holds and the next commit writes; `durable` is what a read
/// of the disk would give. What is told outside rests on `durable`.
///
/// **What can go wrong** is told as a ``LogCause``: the disk may refuse (the updater goes on from memory and
/// serves what is readable), the origin may lie (refused, retried with a back-off), the page may hang or
/// crash (R3).
///
/// **What it deliberately does not do.** Serve bytes, know web views, keep time (an event brings the
/// instant), use the wall clock, start requests in an app configured ``UpdatePolicy/never``.
public struct Updater: Sendable {
    var launch: Launch?
    var settings = UpdaterSettings(app: "", origin: "")
    var phase = Phase.waiting { didSet { isStatusStale = true } }
    var now = Instant.zero
    var key = KeyedHash.Key(low: 0, high: 0)
    var inForeground = true
    var isSuspended = false
    var network = NetworkState.online

    var record = Record() { didSet { isStatusStale = true } }
    var durable = Record() { didSet { isStatusStale = true } }
    var slots = RecordSlots()
    /// Complete versions: the embedded one and those the record names.
    var versions: [StoredVersion] = [] { didSet { isStatusStale = true } }
    /// The version whose files the server was told last.
    var lastServed: (version: StoredVersion, files: ServedVersion)?
    /// The record was read without an error, so that what it does not name may go (ST-R1).
    var mayDelete = true
    /// A record of a newer format was found: files stay until a confirmed start (N2).
    var isNewerFormatKept = false

    /// The store is locked by the device, and nobody is in front of it.
    var isOpeningPutOff = false
    var hasLock = false

    var urgent: [Job] = []
    var background: [Job] = []
    var isAgainAsked = false
    /// In the last step: no room is left in a bounded step for another part's work.
    public internal(set) var hasTouchedDisk = false
    var effects: [Effect] = []

    var pages: [OpenPage] = []
    var asks: [PageReloadRequest] = []
    var start: StartRun?
    /// The version the process starts with, and whether the first page load takes it from pending.
    var choice: StartChoice? { didSet { isStatusStale = true } }
    /// Versions that recovery has left in this process: each is rescued from once (U5).
    var leftHere: [VersionKey] = []
    /// Versions that have confirmed in this process: it counts once for each.
    var confirmedHere: [VersionKey] = []
    var isRescuePutOff = false
    var webDeaths: [Instant] = []
    /// Pages whose web process died in background: loaded again when the app comes to the front.
    var deadPages = DeadPages()
    var startsNote = StartsNote()
    /// Versions whose lengths and, where needed, hashes have been checked in this process.
    var verifiedHere: [VersionKey] = []

    /// Content whose names this process has made durable.
    var syncedBlobs: [Digest256] = []
    /// Folders that an earlier process made and was killed over have durable names since.
    var hasSyncedBlobFolders = false

    var check: CheckRun?
    /// The last check failed and none has succeeded since.
    var isCheckOwed = false
    var wishesCheck: CheckReason?
    var secondLook: SecondLook?
    /// This process has taken a publication (U8).
    var hasAccepted = false
    var lastGoodAnswer: Instant?
    var originClock: OriginClock?
    /// Entries of this process that wait for the first answer's date.
    var undated: [Undated] = []
    var backgroundSince: Instant?
    var lastCheck: Instant?
    var nextTransfer: UInt32 = 1
    var checkAttempts = 0
    /// The last answer to a check could not be used: no cache on the way is asked for the next.
    var bypassesCache = false
    /// When a check that failed may be tried again (U5).
    var checkPace = Backoff()
    /// When something that the disk refused, and only a manifest's answer can set going, may be tried again.
    var diskPace = Backoff()
    /// What the retry timer is set to.
    var retryAt: Instant?
    /// The origin has asked not to be asked before this (Retry-After).
    var originWait: Instant?
    /// A silent push has asked, and the app has not been in front since (N4).
    var isPushed = false
    var hasSwitchedUnasked = false
    var heldOffSince: Instant?
    var forcedWait: ForcedWait?
    var launchedAt = Instant.zero
    var hasAskedAtLaunch = false
    /// Versions told to be too low for the data here (R12).
    var schemaToldOf: [VersionKey] = []
    /// What the user asked for on R9's screen.
    var userChoice: VersionKey?

    var outcomeRun: OutcomeRun?
    var download: Download?
    /// The version that ``download`` is of: asked after every step, without a look into all of it.
    var downloading: VersionKey? { didSet { isStatusStale = true } }
    /// The unfinished download of an earlier process, until the origin's answer decides on it (ST-R2).
    var interrupted: VersionTable?
    /// Names of the partial files of these tables' rows, as a clean-up has worked them out.
    var partialNames: (tables: [VersionTable], keys: [Digest256])?
    /// Rows without a SHA-256 that the unfinished download has (ST-0).
    var finishedRows = FinishedRows()
    var lastProgress: Progress?
    /// What the loading screen showed last.
    var shownProgress: Progress?
    var suspendedSince: Instant?
    /// Open files of a download that was dropped, to be closed by the next step.
    var orphans: [FileHandle] = []
    var lastStatus: Status?
    /// Something changed that it is worked out from.
    private var isStatusStale = true
    var lastCurrent: VersionKey?

    public init() {}

    enum Phase: Hashable, Sendable {
        case waiting
        case opening
        case running
        /// The store can't be used: the embedded version is served, nothing is written, no update is taken.
        case withoutStore
    }

    /// One bounded step. Effects are to be carried out in order.
    public mutating func handle(_ event: Event, at now: Instant, disk: inout some Disk) -> [Effect] {
        self.now = now
        hasTouchedDisk = false
        if case .again = event { isAgainAsked = false }
        receive(event, &disk)
        if !hasTouchedDisk { step(&disk) }
        updateForcedWait()
        if !isAgainAsked, hasWork {
            isAgainAsked = true
            effects.append(.again)
        }
        tellStatus()
        let result = effects
        effects.removeAll(keepingCapacity: true)
        return result
    }

    private mutating func receive(_ event: Event, _ disk: inout some Disk) {
        switch event {
        case .launched(let launch): begin(launch)
        case .again: break
        case .timer(let name): timerFired(name, &disk)
        case .check(let reason): wish(reason)
        case .transfer(let id, let part): received(part, of: id, &disk)
        case .network(let state): networkChanged(state)
        case .foreground: cameToFront()
        case .background: wentToBack()
        case .suspended: suspend(true)
        case .resumed: suspend(false)
        case .pageLoadAsked(let token, let moment): pageLoadAsked(token, moment)
        case .page(let token, let event): page(token, event)
        case .switchAsked(let token): switchAsked(by: token)
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
        case .aliveAfterLoad(let token): confirmLoaded(token)
        case .idle(let id): transferIsIdle(id, &disk)
        case .retry: retryTime()
        case .recheck: secondLookTime()
        case .sweep: sweepNow()
        case .forced: updateForcedWait()
        }
    }

    mutating func log(_ cause: LogCause, _ key: VersionKey? = nil, _ detail: String = "") {
        let entry = LogEntry(
            cause, version: key?.id, detail: detail,
            after: .milliseconds((now - launchedAt).microseconds / 1_000))
        record.append(entry)
        noteOutcome(entry)
        effects.append(.log(entry))
    }

    /// A keyed choice: the same entropy and words give the same number.
    func choose(_ words: String, _ number: UInt64 = 0) -> UInt64 {
        var hash = KeyedHash(key: key)
        hash.update(words)
        hash.update(number)
        return hash.finish()
    }

    func version(_ key: VersionKey) -> StoredVersion? { versions.first { $0.key == key } }

    /// What the server is told of it; the last one is not worked out again.
    mutating func served(_ version: StoredVersion) -> ServedVersion {
        if let lastServed, lastServed.version == version { return lastServed.files }
        let files = version.served()
        lastServed = (version, files)
        return files
    }

    var embedded: VersionKey? { launch?.embedded == nil ? nil : record.embedded }

    /// The rulebook's last known good: recalled, blacklisted and damaged ones are left out.
    private var usableLastKnownGood: VersionKey? {
        [durable.lastKnownGood, durable.goodBefore, durable.embedded].compactMap { $0 }.first { key in
            !durable.isRecalled(key) && !durable.isBlacklisted(key) && !isDamaged(key, durable)
        }
    }

    private mutating func tellStatus() {
        guard isStatusStale else { return }
        guard phase == .running || phase == .withoutStore else { return }
        isStatusStale = false
        var status = Status()
        status.embedded = embedded
        status.current = choice?.key ?? record.current
        // Damaged content is none that waits: it is fetched again first (R10).
        status.pending = durable.pending.flatMap { isDamaged($0, durable) ? nil : $0 }
        if let choice, choice.takesPending { status.current = durable.current }
        status.pendingWaits = durable.wait != nil
        status.lastKnownGood = usableLastKnownGood
        status.good = durable.versions.filter { $0.confirmations > 0 }.map(\.key)
        status.blacklist = durable.blacklist.filter { durable.isOfHere($0) && !$0.hasEnded }.map(\.key)
        status.parked = durable.parked.map { [$0.key] } ?? []
        status.downloading = downloading
        guard status != lastStatus else { return }
        lastStatus = status
        effects.append(.status(status))
    }
}
