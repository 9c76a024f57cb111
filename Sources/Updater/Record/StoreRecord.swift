import Core

/// The one durable record: everything that an updater knows across processes.
///
/// Two generations of it are on disk (``RecordSlots``); the one in memory is what the next commit writes.
/// Versions are named by key; every list is bounded.
struct StoreRecord: Hashable, Sendable {
    /// Count of the writes, which orders the two generations on disk.
    var generation: UInt64 = 0
    /// Random and stable name of the device, sent with checks so that the origin can select versions.
    var device = ""
    /// Origin line to which this record belongs (U8).
    var line = OriginLine(root: "", channel: "")
    /// Audience of the offers so far (U9).
    var audience = OfferAudience()
    /// Native build that wrote it, with the embedded version; another pair is a store update (N1).
    var native = ""
    var embedded: VersionKey?
    /// Boot during which the versions of `checked` were hashed (R10).
    var boot: String?
    var checked: [VersionKey] = []
    /// Downloaded versions whose content is retained, with what is known about each.
    var versions: [VersionEntry] = []
    /// Version that page loads are served.
    var current: VersionKey? { didSet { if current != oldValue { currentSince = nil } } }
    /// Origin time at which it became current, or of the first valid response after that; nil until then.
    var currentSince: OriginTime?
    /// Complete version that waits for a moment to switch (U6).
    var pending: VersionKey?
    /// Set if the pending version failed once and waits for its second chance (R3).
    var wait: SecondChanceWait?
    /// Version that confirmed last (R7).
    var lastKnownGood: VersionKey?
    /// Good version before the last known good one (R7).
    var previousGood: VersionKey?
    /// Record of a start that has not ended (R2).
    var openStart: OpenStart?
    /// Histories of versions with failed, unclear or uncounted starts; at most 64.
    var startHistories: [StartHistory] = []
    /// Parked version (R3).
    var parked: ParkedVersion?
    /// Blacklist with ended entries; at most 64 (R5).
    var blacklist: [BlacklistEntry] = []
    /// Ids that the newest accepted manifest recalls (U13).
    var recalled: [String] = []
    /// Ids recalled by publications that are not offered to this device, because of their share (U9, U13).
    var withheldRecalls: [String] = []
    /// Ids that the newest accepted manifest unblocks: an order counts when it is first seen (R5).
    var unblocked: [String] = []
    /// Keys of versions that this device has left, oldest first (U8; at most 16).
    var leftVersions: [VersionKey] = []
    /// Order of the newest accepted publication (U8).
    var newestAccepted: PublicationOrder = .none
    /// Version that the newest accepted manifest names.
    var accepted: VersionKey?
    /// The publication before the accepted one, until that is settled (``AcceptedPublication``).
    var settled: AcceptedPublication?
    /// Newest origin time stated by a valid manifest response.
    var originTime: OriginTime?
    /// Keys that origin lines have published (U16); at most 8 lines.
    var lineKeys: [LineKeys] = []
    /// What signed manifests said that were accepted, of versions that are here or on their way (U16).
    var acceptedSignatures: [AcceptedSignature] = []
    /// Version of the unfinished download.
    var download: VersionKey?
    /// Content that was found damaged and is not replaced yet (R10); at most 256 (DamagedContent.swift).
    var damaged: [Digest256] = []
    /// Whether stored content that no version of this record uses may be damaged.
    var distrustsUnusedContent = false
    /// Whether a record of a newer format was found, and no start has been confirmed since: all files are
    /// kept, also by later processes, which no longer find that record (N2).
    var keepsNewerFormat = false
    /// Switches that pages requested in the last 24 hours (U5).
    var switches: [RequestedSwitch] = []
    /// Outcomes that the origin has not accepted yet, oldest first (T3).
    var outcomes: [VersionOutcome] = []
    /// Outcomes so far, which makes their ids unique.
    var outcomeCount = 0
    /// Refusals that the origin knows, as `cause version`, so that they are not reported with each check.
    var reportedRefusals: [String] = []
    /// Newest log entries, oldest first; at most 100 (T1).
    var log: [LogEntry] = []
    /// Version that the newest accepted manifest forces (U6).
    var forced: VersionKey?
    /// Highest data schema that a version confirmed here has declared (R12).
    var data: WrittenDataSchema?

    // Most entries of each list. Beyond it the oldest goes, of ``blacklist`` the oldest that is not offered
    // (R5), and of ``damaged`` none: then whole versions leave the record (R8).
    static let startHistoryLimit = 64
    static let blacklistLimit = 64
    static let leftVersionLimit = 16
    static let withheldRecallLimit = 256
    static let logLimit = 100
    /// Three in a day to each of sixteen versions (U6).
    static let switchLimit = 48
    static let outcomeLimit = 64
    static let damagedLimit = 256
}

/// Remote root and channel; serials and dates are comparable within one line (U8).
struct OriginLine: Hashable, Sendable {
    var root: String
    var channel: String
}

/// R12: data schema of a version that has written data on this device.
struct WrittenDataSchema: Hashable, Sendable {
    var schema: UntrustedInteger
    /// Lowest schema of a version that can read such data, as declared by the version that wrote it.
    var readableFrom: UntrustedInteger
}

struct VersionEntry: Hashable, Sendable {
    var key: VersionKey
    /// Processes in which it confirmed on this native build: 1 is good, 5 is proven.
    var confirmations = 0
    /// Whether it has been started at least once.
    var hasStarted = false
    /// Seconds in front, rounded up, that the slowest of its confirmed starts took; two minutes at most (R3).
    var slowestStart: Int64 = 0
    /// Whether line or audience have changed since it was offered. It may go on running, but does not become
    /// pending again when recovery leaves it (U9).
    var isUnoffered = false

    static let proven = 5

    /// A start of it was confirmed after this time in front. Starts that no clock would cut are not noted.
    mutating func noteStart(took span: TimeSpan) {
        guard span > .seconds(2) else { return }
        slowestStart = max(slowestStart, (span + .microseconds(999_999)).microseconds / 1_000_000)
    }
}

/// A version that failed once, or ended in front, and waits for a process start (R3).
struct SecondChanceWait: Hashable, Sendable {
    /// Process starts since the rescue.
    var launches = 0
    /// Whether the version that took over has confirmed.
    var rescuerConfirmed = false

    /// Whether the version may start again (R3).
    var isOver: Bool { rescuerConfirmed || launches >= 2 }
}

/// The record of a start that has not ended (R2).
struct OpenStart: Hashable, Sendable {
    var key: VersionKey
    var native: String
    var boot: String?
    var token: PageLoadToken
    var isSecondChance: Bool
    /// Whether the origin sent a valid response in the minute before (R3: reachable).
    var isReachable = false
}

/// What is known from earlier starts of a version.
struct StartHistory: Hashable, Sendable {
    var key: VersionKey
    var failures = 0
    /// Unclear ends in a row, without a confirmation between them.
    var unclear = 0
    /// Uncounted ends in a row; the eighth counts as unclear.
    var uncounted = 0
    var parkings = 0
    /// Whether it has been left without blame, or failed, so that its next start is its second chance.
    var hasWaited = false
    /// Whether the origin was reachable during some unclear start.
    var wasReachable = false

    /// Whether its next start is its second chance (R3).
    var needsSecondChance: Bool { failures > 0 || hasWaited }
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
    /// Ordinal of this entry among the entries of this version, from 1.
    var count: Int
    var since: OriginTime?
    /// Whether it has ended; an ended entry keeps its count.
    var hasEnded = false

    /// Days of origin time after which it ends; the third entry does not end by time.
    var days: Int64? {
        switch count {
        case 1: 7
        case 2: 30
        default: nil
        }
    }
}

extension StoreRecord {
    func entry(_ key: VersionKey) -> VersionEntry? { versions.first { $0.key == key } }

    func startHistory(of key: VersionKey) -> StartHistory {
        startHistories.first { $0.key == key } ?? StartHistory(key: key)
    }

    mutating func setStartHistory(_ changed: StartHistory) {
        startHistories.removeAll { $0.key == changed.key }
        let isEmpty = changed == StartHistory(key: changed.key)
        if !isEmpty { startHistories.append(changed) }
        if startHistories.count > StoreRecord.startHistoryLimit {
            startHistories.removeFirst(startHistories.count - StoreRecord.startHistoryLimit)
        }
    }

    mutating func update(_ key: VersionKey, _ change: (inout VersionEntry) -> Void) {
        if let index = versions.firstIndex(where: { $0.key == key }) {
            change(&versions[index])
        } else {
            var entry = VersionEntry(key: key)
            change(&entry)
            versions.append(entry)
        }
    }

    /// Line or audience have changed: nothing counts as offered until a response offers it (U9).
    mutating func endOffers() {
        for index in versions.indices { versions[index].isUnoffered = true }
    }

    mutating func noteOffer(of key: VersionKey) {
        guard let index = versions.firstIndex(where: { $0.key == key }) else { return }
        versions[index].isUnoffered = false
    }

    func isOffered(_ key: VersionKey) -> Bool { !(entry(key)?.isUnoffered ?? false) }

    func isProven(_ key: VersionKey) -> Bool {
        key == embedded || (entry(key)?.confirmations ?? 0) >= VersionEntry.proven
    }

    func isGood(_ key: VersionKey) -> Bool { key == embedded || (entry(key)?.confirmations ?? 0) > 0 }

    func isBlacklisted(_ key: VersionKey) -> Bool {
        blacklist.contains { appliesHere($0) && $0.key == key && !$0.hasEnded }
    }

    /// R5: whether the entry was made under this native build and origin line.
    func appliesHere(_ entry: BlacklistEntry) -> Bool { entry.native == native && entry.line == line }

    /// Adds an entry. At most 64 are kept; the oldest is removed first, but none that the origin still offers
    /// (R5).
    mutating func addToBlacklist(_ entry: BlacklistEntry) {
        blacklist = blacklist.filter { !appliesHere($0) || $0.key != entry.key } + [entry]
        guard blacklist.count > StoreRecord.blacklistLimit else { return }
        let oldest = blacklist.firstIndex { !appliesHere($0) || $0.key != accepted } ?? 0
        blacklist.remove(at: oldest)
    }

    /// Names the native build with its package, for a file that may be of another one.
    var buildMark: UInt32 { FNV1a32.hash(of: "\(native) \(embedded?.digest.hex ?? "")") }

    func isRecalled(_ key: VersionKey) -> Bool {
        (recalled.contains(key.id) || withheldRecalls.contains(key.id)) && key != embedded
    }

    mutating func recordLeft(_ key: VersionKey) {
        leftVersions.removeAll { $0 == key }
        leftVersions.append(key)
        if leftVersions.count > StoreRecord.leftVersionLimit {
            leftVersions.removeFirst(leftVersions.count - StoreRecord.leftVersionLimit)
        }
    }

    mutating func append(_ entry: LogEntry) {
        log.append(entry)
        if log.count > StoreRecord.logLimit { log.removeFirst(log.count - StoreRecord.logLimit) }
    }
}
