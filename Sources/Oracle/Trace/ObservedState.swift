import AppHost
import Backend
import Core
import ScenarioLanguage
import Updater

/// What the trace of one device shows so far. Checkers, expectations and liveness are evaluated against it.
///
/// It is computed from trace events alone. What the app reports (status, log, page loads) is kept apart from
/// what happened (processes, requests, events of pages), because a report can be wrong.
package struct ObservedState: Sendable {
    package let app: AppSetup
    package let versions: [VersionSetup]
    package var names: VersionNames
    package let profile: DeviceProfile
    package internal(set) var settings: UpdaterSettings
    /// Whether settings have changed the origin line.
    private(set) var hasChangedLine = false
    /// Shortest startup timeout that any setting of the scenario has allowed.
    package internal(set) var leastStartupTimeout: TimeSpan
    /// Port on which the local server listens, according to the backend.
    package var port: UInt16?
    package internal(set) var now = Instant.zero
    /// Time of the last event that was not a step of the scenario.
    package internal(set) var lastActivity = Instant.zero

    // The device.
    package internal(set) var build: String
    /// Build number that the installed build states.
    package var buildNumber: String { app.builds.first { $0.name == build }?.number ?? build }
    /// Number of the running process, or of the last one.
    package internal(set) var process = 0
    package internal(set) var isAlive = false
    /// Whether the app is in front and gets the user's input.
    package internal(set) var isActive = false
    /// When the app was last notified that it is not.
    var leftFrontAt: Instant?
    package internal(set) var isInForeground = false
    package internal(set) var isSuspended = false
    /// When the process was launched.
    package internal(set) var processBegan = Instant.zero
    package internal(set) var bootID = 0
    /// Cause of the end of the previous process.
    package internal(set) var lastDeath: DeathCause?
    /// Time of the last good manifest answer.
    package internal(set) var lastGoodAnswer: Instant?

    // Pages and starts.
    /// Page loads of the running process.
    package internal(set) var loads: [LoadTrace] = []
    /// Starts in all processes, the oldest first.
    package internal(set) var starts: [StartTrace] = []
    /// Id of the version whose start ended while its page is in use: it is shown until the app leaves the
    /// front (R3), and its page loads begin no start.
    var postponedRescue: String?
    /// Whether a process may end at any disk operation, also while it writes a note that is not synced.
    package var mayLoseNotes = false
    /// Versions that were confirmed on the installed native build; the last confirmed one is last.
    package internal(set) var goodVersions: [GoodVersion] = []
    /// Versions whose bytes the last page load of each version got, by the version's index; nil before its
    /// first page load.
    package internal(set) var shownContent: [VersionMask?] = []
    /// Names of the native builds that were launched, in order, with one element for each store update that
    /// the app could notice: a build that was replaced before its first launch is none.
    package internal(set) var buildsSeen: [String] = []
    /// The build before the launched one, until a process of the new build has reported its state and could
    /// write: only then has the device noticed the store update for good.
    package internal(set) var formerBuild: FormerBuild?
    /// Whether the running process's build came back before that.
    var isBuildBack = false

    // The origin.
    package internal(set) var transfers: [TransferTrace] = []
    /// Indices in ``transfers`` of the running process's requests that have not ended.
    var openIndices: [Int] = []
    /// Whose signatures count (U16).
    package internal(set) var signing: SigningState
    /// Highest number of a publication that an answer to this device has stated.
    package internal(set) var newestSerial = 0
    /// Manifests that were damaged on their way, still valid, and taken for what the origin offers.
    package internal(set) var damagedOffersTaken = 0
    /// Time for which the origin still wants this device to wait (`Retry-After`). Only time in which the app
    /// runs counts, because over the ends of processes the app itself counts so (N3).
    package internal(set) var retryAfterLeft = TimeSpan.zero
    /// Time for which processes were suspended.
    var slept = TimeSpan.zero
    /// Names or ids of recalled versions.
    package internal(set) var recalled: [String] = []
    package internal(set) var unblocked: [UnblockOrder] = []

    // What the app reports.
    package internal(set) var status: UpdaterStatus?
    /// Status before the last report.
    package internal(set) var previousStatus: UpdaterStatus?
    package internal(set) var screen = AppHost.Screen.page
    /// Whether the document that the first web view requested last is the remote root's (S7).
    var isRemoteDocument = false
    /// Web views that show a document without a page load: what the user does there concerns no start.
    var withoutPage: [WebViewID] = []
    package internal(set) var logged: [LoggedEntry] = []
    /// Whether a `disk` step or a lying disk has damaged stored content.
    package internal(set) var isMediumDamaged = false
    /// Whether it has damaged the record.
    package internal(set) var isRecordDamaged = false
    /// Faults in effect that make disk calls fail.
    var diskFaults: [String] = []
    /// Faults that slow down the disk, with those that have ended.
    var diskDelays: [DiskDelay] = []

    /// By how much timers may have fired late so far.
    package internal(set) var timerDelay = TimeSpan.zero

    struct DiskDelay: Hashable, Sendable {
        var fault: String
        var by: TimeSpan
        var endedAt: Instant?
    }

    /// The time that a piece of work with the disk may take beyond what it usually takes: some calls follow
    /// each other, and those that were slow when a fault ended may still be under way. Syncs that take
    /// seconds on this device count too.
    var diskDelay: TimeSpan {
        let delays = diskDelays.filter { delay in
            delay.endedAt.map { now < $0 + delay.by * ObservedState.slowCalls } ?? true
        }
        let sync = max(profile.diskCost.sync, profile.diskCost.syncDirectory)
        let own = sync >= .seconds(1) ? sync : .zero
        return ((delays.map(\.by).max() ?? .zero) + own) * ObservedState.slowCalls
    }

    private static let slowCalls: Int64 = 16

    /// A version with confirmed starts.
    package struct GoodVersion: Hashable, Sendable {
        package var key: VersionKey
        /// Number of processes in which a start was confirmed since it is on the device.
        package var confirmations: Int
        /// The last of these processes.
        package var process: Int
    }

    /// An order of the origin to remove a version from blacklists.
    package struct UnblockOrder: Hashable, Sendable {
        /// Name or id of the version.
        package var id: String
        package var at: Instant
    }

    /// An entry of the app's log, and the event that reported it.
    package struct LoggedEntry: Sendable {
        /// Ordinal of the event.
        package var eventOrdinal: Int
        package var at: Instant
        package var process: Int
        package var entry: LogEntry
    }

    package init(
        app: AppSetup, versions: [VersionSetup], profile: DeviceProfile = .plain, names: VersionNames? = nil
    ) {
        self.app = app
        self.profile = profile
        leastStartupTimeout = app.settings.startupTimeout
        self.versions = versions
        self.names = names ?? VersionNames(versions)
        settings = app.settings
        build = app.installed
        signing = SigningState(app)
        buildsSeen = [app.installed]
        settings.origin = ownOrigin ?? ""
    }

    /// Name of the edge that is the installed build's own origin; nil: its origin is the one of the route.
    var ownOrigin: String? { app.builds.first { $0.name == build }?.origin }

    /// Whether the signature of the newest manifest does not let the device accept it (U16).
    var isOfferRefused: Bool {
        guard let newest = transfers.last(where: { $0.isManifest && $0.state == .ended && $0.status == 200 })
        else { return false }
        // Keys that a manifest has brought are in the record, and go with it.
        let hasLostKeys = isRecordDamaged && logged([.signatureByUnknownKey], since: newest.sentAt) != nil
        return !newest.isAuthentic || hasLostKeys
    }

    mutating func apply(_ change: SettingsSpec) {
        let before = ObservedLine(self)
        change.apply(to: &settings)
        if ObservedLine(self) != before { hasChangedLine = true }
        leastStartupTimeout = min(leastStartupTimeout, settings.startupTimeout)
    }

    /// Removes confirmations that the record does not contain, because a power cut has removed them. Embedded
    /// versions keep theirs, because they need no record.
    package mutating func reconcileConfirmations(with record: RecordImage) {
        let embedded = goodVersions.filter { isEmbedded($0.key) }.map(\.key)
        goodVersions.removeAll { version in
            !embedded.contains(version.key) && !record.isGood(version.key)
        }
        for index in goodVersions.indices where !embedded.contains(goodVersions[index].key) {
            let known = record.versions.first { $0.key == goodVersions[index].key }?.confirmations ?? 0
            if known > 0 { goodVersions[index].confirmations = min(goodVersions[index].confirmations, known) }
        }
    }

    /// Call this when virtual time has advanced to an instant.
    package mutating func timePassed(to instant: Instant) { count(to: instant) }

    // MARK: - Queries

    /// Whether requests for a path are forwarded to the remote root (S7).
    func isForwarded(_ path: Substring) -> Bool {
        app.api.contains { path.hasPrefix($0.prefix { $0 != "*" }) }
    }

    package func load(_ token: PageLoadToken) -> LoadTrace? { loads.last { $0.token == token } }

    /// Whether a version is recalled. The embedded version can't be.
    package func isRecalled(_ key: VersionKey) -> Bool {
        !isEmbedded(key) && (recalled.contains(key.id) || recalled.contains(name(key)))
    }

    /// Whether a version was made for the installed native build, according to its manifest.
    package func fits(_ name: String) -> Bool {
        versions.first { $0.name == name }.flatMap(isMadeForBuild) ?? true
    }

    /// Id of the version that a manifest answer offers. An order to run the embedded version names none.
    package func offeredID(_ answer: TransferTrace) -> String? {
        if let offered = answer.offered { return offered }
        return answer.status == 200 && answer.serial != nil ? status?.embedded?.id : nil
    }

    /// The last start of a version in the running process.
    package func start(of key: VersionKey) -> StartTrace? {
        starts.last { $0.key == key && $0.process == process }
    }

    package func index(of key: VersionKey) -> Int? { names.index(of: key) }

    package func name(_ key: VersionKey?) -> String { names.name(of: key) }

    /// Whether a version is embedded in the installed app package.
    package func isEmbedded(_ key: VersionKey) -> Bool {
        guard let embeds = app.builds.first(where: { $0.name == build })?.embeds else { return false }
        return index(of: key).map { names.entries[$0].name == embeds } ?? false
    }

    /// Number of processes in which a start of the version was confirmed since it is on the device.
    package func confirmedProcesses(of key: VersionKey) -> Int {
        goodVersions.first { $0.key == key }?.confirmations ?? 0
    }

    /// Whether a start is confirmed. A start of an embedded version has no start record and may leave no
    /// entry, so the signal itself counts.
    package func isConfirmed(_ start: StartTrace) -> Bool {
        if start.end == .confirmed { return true }
        guard isEmbedded(start.key) else { return false }
        return start.hasSignalled || (settings.confirmation == .loaded && hasLived(start))
    }

    /// Whether a page of the start has received all that it refers to, and was alive for 5 s after that (R6).
    package func hasLived(_ start: StartTrace) -> Bool {
        start.loads.reversed().contains { load($0)?.lived(for: .seconds(5), at: now, slept: slept) ?? false }
    }

    /// Whether a start has no record (R2): it could not be written, and no later try in its process could.
    package func isUnmarked(_ start: StartTrace) -> Bool {
        let last = logged.last {
            $0.process == start.process && $0.entry.version == start.key.id
                && [.startMarked, .startNotMarked].contains($0.entry.cause)
        }
        return last?.entry.cause == .startNotMarked
    }

    /// Whether a version is proven: embedded, or confirmed in five processes.
    package func isProven(_ key: VersionKey) -> Bool { isEmbedded(key) || confirmedProcesses(of: key) >= 5 }

    /// Requests to the origin that have not ended, in the running process.
    package var openTransfers: [TransferTrace] { openIndices.map { transfers[$0] } }

    package var hasOpenTransfers: Bool { !openIndices.isEmpty }

    /// The request to the origin with this number, which each process counts anew.
    package func transfer(_ id: TransferID, ofProcess process: Int) -> TransferTrace? {
        transfers.last { $0.request.transfer == id && $0.process == process }
    }

    /// The running process's requests that fulfil a condition, in order.
    package func transfersOfProcess(_ isWanted: (TransferTrace) -> Bool) -> [TransferTrace] {
        var found: [TransferTrace] = []
        for index in transfers.indices.reversed() {
            if transfers[index].process != process { break }
            if isWanted(transfers[index]) { found.append(transfers[index]) }
        }
        return found.reversed()
    }

    /// The last log entry with one of these causes since an instant.
    package func logged(_ causes: [LogCause], version id: String? = nil, since: Instant = .zero)
        -> LoggedEntry?
    {
        for index in logged.indices.reversed() {
            if logged[index].at < since { return nil }
            if causes.contains(logged[index].entry.cause), id == nil || logged[index].entry.version == id {
                return logged[index]
            }
        }
        return nil
    }

    /// Log entries of the running process, in order.
    package var loggedInProcess: ArraySlice<LoggedEntry> {
        var first = logged.endIndex
        while first > logged.startIndex, logged[first - 1].process == process { first -= 1 }
        return logged[first...]
    }

    /// Whether the running process could not read the record and continues without one: what it reports says
    /// nothing about what is recorded, and it records nothing.
    var isWithoutRecord: Bool {
        hasLoggedInProcess(.recordLost) && hasLoggedInProcess(.storeUnavailable)
    }

    /// Whether the running process has logged an entry with this cause.
    package func hasLoggedInProcess(_ cause: LogCause) -> Bool {
        loggedInProcess.contains { $0.entry.cause == cause }
    }

    /// Whether a document of this version is in front although its start is over: the user has used the page,
    /// and its rescue waits for the background (U6). A link of it leads to the same version (S1).
    package func staysBecausePageIsInUse(_ key: VersionKey) -> Bool {
        postponedRescue == key.id
            && loads.contains { $0.isInFront && $0.version == key && $0.process == process }
    }
}
