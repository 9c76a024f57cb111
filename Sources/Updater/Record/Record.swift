import Core

/// The one durable record: everything an updater knows across process deaths.
///
/// Two generations of it lie on disk (``RecordSlots``); what is in memory is what the next commit writes.
/// Versions are named by key throughout; lists are bounded as the rulebook says.
struct Record: Hashable, Sendable {
    var generation: UInt64 = 0
    /// Random and stable; goes with targeting requests.
    var device = ""
    /// The origin line this record belongs to (U8).
    var line = OriginLine(root: "", channel: "")
    /// Whom the offers so far were made to (U9).
    var offeredTo = OfferedTo()
    /// The native build and the embedded version that wrote it; another pair is a store update (N1).
    var native = ""
    var embedded: VersionKey?
    /// The boot under which the versions of `checked` were hashed (R10).
    var boot: String?
    var checked: [VersionKey] = []
    /// The downloaded versions whose content is kept, with what is known of each.
    var versions: [VersionEntry] = []
    var current: VersionKey?
    var pending: VersionKey?
    var wait: SecondChanceWait?
    var lastKnownGood: VersionKey?
    var goodBefore: VersionKey?
    var openStart: OpenStart?
    var marks: [StartMarks] = []
    var parked: ParkedVersion?
    var blacklist: [BlacklistEntry] = []
    var recalled: [String] = []
    /// Keys of versions this device has left, oldest first (U8; at most 16).
    var left: [VersionKey] = []
    var newestAccepted: PublicationOrder = .none
    /// The version that the newest accepted manifest names.
    var accepted: VersionKey?
    /// The publication before the accepted one, as long as that is not settled (``Acceptance``).
    var settled: Acceptance?
    /// The newest origin time told by a good manifest answer.
    var originTime: OriginTime?
    /// The unfinished download, by the key of its manifest (ST-0).
    var download: VersionKey?
    /// Content found damaged and not yet replaced (R10).
    var damaged: [Digest256] = []
    /// Switches that pages asked for in the last 24 hours (U5).
    var switches: [RequestedSwitch] = []
    /// Not yet taken by the origin, oldest first (T3).
    var outcomes: [Outcome] = []
    /// Outcomes so far: what makes their ids unique.
    var outcomesMade = 0
    /// Refusals that the origin knows, `cause version`, so that each check does not tell them anew.
    var refusalsTold: [String] = []
    var log: [LogEntry] = []
    /// The version that the newest accepted manifest orders by force (U6).
    var forced: VersionKey?
    /// The highest data schema that a version confirmed here has declared (R12).
    var data: DataSchemaMark?

    static let markLimit = 64
    static let blacklistLimit = 64
    static let leftLimit = 16
    static let logLimit = 100
    static let switchLimit = 48
    static let outcomeLimit = 64
}

/// Serials and dates count within one line (U8).
struct OriginLine: Hashable, Sendable {
    var root: String
    var channel: String
}

/// R12: the data on this device has been written by a version of this schema.
struct DataSchemaMark: Hashable, Sendable {
    var number: Int
    /// The lowest schema of a version that reads such data, as the version that wrote it says.
    var readableFrom: Int
}

struct VersionEntry: Hashable, Sendable {
    var key: VersionKey
    /// Processes in which it confirmed on this native build: 1 is good, 5 is proven.
    var confirmations = 0
    /// It has been started at least once.
    var hasStarted = false

    static let proven = 5
}

/// A version that failed once waits for a process start (R3).
struct SecondChanceWait: Hashable, Sendable {
    /// Process starts since the rescue.
    var launches = 0
    /// The version that took over has confirmed.
    var rescuerConfirmed = false
}

/// The mark of a start that has not ended (R2).
struct OpenStart: Hashable, Sendable {
    var key: VersionKey
    var native: String
    var boot: String?
    var token: PageLoadToken
    var isSecondChance: Bool
    /// The origin had answered well in the minute before (R3: reachable).
    var isReachable = false
}

/// What earlier starts of a version left behind.
struct StartMarks: Hashable, Sendable {
    var key: VersionKey
    var failures = 0
    /// Unclear ends in a row, without a confirmation between.
    var unclear = 0
    /// Uncounted ends in a row; the eighth is unclear.
    var uncounted = 0
    var parkings = 0
    /// Some unclear start so far had a reachable origin.
    var wasReachable = false
}

struct ParkedVersion: Hashable, Sendable {
    var key: VersionKey
    var since: OriginTime?
}

struct BlacklistEntry: Hashable, Sendable {
    var key: VersionKey
    var native: String
    var line: OriginLine
    var cause: LogCause
    var evidence: String
    /// First, second, third entry of this version.
    var count: Int
    var since: OriginTime?
    /// An ended entry keeps its count.
    var hasEnded = false

    /// After how many days of origin time it ends; the third entry does not end by time.
    var days: Int64? {
        switch count {
        case 1: 7
        case 2: 30
        default: nil
        }
    }
}

extension Record {
    func entry(_ key: VersionKey) -> VersionEntry? { versions.first { $0.key == key } }

    func marks(_ key: VersionKey) -> StartMarks { marks.first { $0.key == key } ?? StartMarks(key: key) }

    mutating func setMarks(_ changed: StartMarks) {
        marks.removeAll { $0.key == changed.key }
        let isEmpty = changed == StartMarks(key: changed.key)
        if !isEmpty { marks.append(changed) }
        if marks.count > Record.markLimit { marks.removeFirst(marks.count - Record.markLimit) }
    }

    mutating func update(_ key: VersionKey, _ change: (inout VersionEntry) -> Void) {
        if let place = versions.firstIndex(where: { $0.key == key }) {
            change(&versions[place])
        } else {
            var entry = VersionEntry(key: key)
            change(&entry)
            versions.append(entry)
        }
    }

    func isProven(_ key: VersionKey) -> Bool {
        key == embedded || (entry(key)?.confirmations ?? 0) >= VersionEntry.proven
    }

    func isGood(_ key: VersionKey) -> Bool { key == embedded || (entry(key)?.confirmations ?? 0) > 0 }

    func isBlacklisted(_ key: VersionKey) -> Bool {
        blacklist.contains { isOfHere($0) && $0.key == key && !$0.hasEnded }
    }

    /// R5: an entry counts for the native build and the origin line that it was made under.
    func isOfHere(_ entry: BlacklistEntry) -> Bool { entry.native == native && entry.line == line }

    /// At most 64, oldest out first, but none that the origin still offers (R5).
    mutating func enter(_ entry: BlacklistEntry) {
        blacklist = blacklist.filter { !isOfHere($0) || $0.key != entry.key } + [entry]
        guard blacklist.count > Record.blacklistLimit else { return }
        let oldest = blacklist.firstIndex { $0.key != accepted } ?? 0
        blacklist.remove(at: oldest)
    }

    func isRecalled(_ key: VersionKey) -> Bool { recalled.contains(key.id) && key != embedded }

    mutating func remember(left key: VersionKey) {
        left.removeAll { $0 == key }
        left.append(key)
        if left.count > Record.leftLimit { left.removeFirst(left.count - Record.leftLimit) }
    }

    mutating func append(_ entry: LogEntry) {
        log.append(entry)
        if log.count > Record.logLimit { log.removeFirst(log.count - Record.logLimit) }
    }
}
