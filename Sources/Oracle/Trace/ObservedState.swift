import AppHost
import Backend
import Core
import ScenarioLanguage
import Updater

/// What the trace of one device shows so far: the common ground of checkers, expectations and liveness.
///
/// Worked out from facts alone. What the app tells (status, log, page loads) is kept as what it told;
/// what really happened (processes, requests, page events) as what happened.
package struct ObservedState: Sendable {
    package let app: AppSetup
    package let versions: [VersionSetup]
    package var names: VersionNames
    package let profile: DeviceProfile
    package internal(set) var settings: UpdaterSettings
    /// The shortest that any setting of the story gave a start.
    package internal(set) var leastStartupTimeout: TimeSpan
    /// What the local server listens on, as the surroundings know it.
    package var port: UInt16?
    package internal(set) var now = Instant.zero
    /// When anything but a step of the laboratory happened last.
    package internal(set) var lastActivity = Instant.zero

    // The device.
    package internal(set) var build: String
    /// The number that this build states.
    package var buildNumber: String { app.builds.first { $0.name == build }?.number ?? build }
    package internal(set) var process = 0
    package internal(set) var isAlive = false
    package internal(set) var isInForeground = false
    package internal(set) var isSuspended = false
    package internal(set) var processBegan = Instant.zero
    package internal(set) var bootID = 0
    package internal(set) var lastDeath: DeathCause?
    /// Good manifest answers tell origin time: the newest instant one came.
    package internal(set) var lastGoodAnswer: Instant?

    // Pages and starts.
    /// Of the process that runs.
    package internal(set) var loads: [LoadTrace] = []
    /// All, oldest first.
    package internal(set) var starts: [StartTrace] = []
    /// Processes are cut off at any disk operation, also in the middle of a note that is not synced.
    package var mayLoseNotes = false
    /// Versions whose start was confirmed on the native build that is installed, with how many
    /// processes did; the one taken last stands last.
    package internal(set) var good: [(key: VersionKey, processes: Int)] = []
    /// Versions that a store update has set back.
    package internal(set) var buildsSeen: [String] = []

    // The origin.
    package internal(set) var transfers: [TransferTrace] = []
    package internal(set) var recalled: [String] = []
    package internal(set) var unblocked: [(id: String, at: Instant)] = []

    // What the app told.
    package internal(set) var status: UpdaterStatus?
    package internal(set) var formerStatus: UpdaterStatus?
    package internal(set) var screen = AppHost.Screen.page
    package internal(set) var logged: [LoggedEntry] = []
    /// A `disk` step or a lying disk has damaged what is stored.
    package internal(set) var isMediumDamaged = false

    package struct LoggedEntry: Sendable {
        package var fact: Int
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
        buildsSeen = [app.installed]
    }

    /// What a step of the story sets; facts only tell that something was set.
    package mutating func apply(_ change: SettingsSpec) {
        change.apply(to: &settings)
        leastStartupTimeout = min(leastStartupTimeout, settings.startupTimeout)
    }

    /// Confirmations that nothing knows of any more are none; those of embedded content need no record.
    package mutating func keepGood(as record: RecordImage) {
        let embedded = good.filter { isEmbedded($0.key) }.map(\.key)
        good.removeAll { row in
            !embedded.contains(row.key) && row.key != record.lastKnownGood && row.key != record.goodBefore
                && !record.versions.contains { $0.key == row.key && $0.confirmations > 0 }
        }
        for place in good.indices where !embedded.contains(good[place].key) {
            let known = record.versions.first { $0.key == good[place].key }?.confirmations ?? 0
            if known > 0 { good[place].processes = min(good[place].processes, known) }
        }
    }

    /// Virtual time has come to here.
    package mutating func timePassed(to instant: Instant) { count(to: instant) }

    // MARK: - Questions

    package func load(_ token: PageLoadToken) -> LoadTrace? { loads.last { $0.token == token } }

    /// The start that a version has in the process that runs.
    package func start(of key: VersionKey) -> StartTrace? {
        starts.last { $0.key == key && $0.process == process }
    }

    package func place(of key: VersionKey) -> Int? { names.place(of: key) }

    package func name(_ key: VersionKey?) -> String { names.name(of: key) }

    /// Part of the app package that is installed.
    package func isEmbedded(_ key: VersionKey) -> Bool {
        guard let embeds = app.builds.first(where: { $0.name == build })?.embeds else { return false }
        return place(of: key).map { names.entries[$0].name == embeds } ?? false
    }

    package func confirmedProcesses(of key: VersionKey) -> Int {
        good.first { $0.key == key }?.processes ?? 0
    }

    /// Confirmed in five processes; embedded counts as proven (rulebook, "Words").
    package func isProven(_ key: VersionKey) -> Bool { isEmbedded(key) || confirmedProcesses(of: key) >= 5 }

    /// Requests to the origin that were sent and have not come to an end in the process that runs.
    package var openTransfers: [TransferTrace] {
        // By place: those that are not wanted are not copied.
        var open: [TransferTrace] = []
        for place in transfers.indices
        where transfers[place].process == process && transfers[place].state == .open {
            open.append(transfers[place])
        }
        return open
    }

    /// The last entry with one of these causes since an instant.
    package func logged(_ causes: [LogCause], version id: String? = nil, since: Instant = .zero)
        -> LoggedEntry?
    {
        logged.last { row in
            row.at >= since && causes.contains(row.entry.cause) && (id == nil || row.entry.version == id)
        }
    }
}
