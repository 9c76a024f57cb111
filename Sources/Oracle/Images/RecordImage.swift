import Core
import Updater

/// The updater's durable record as the bytes on a disk state it. This parser is independent of the updater's,
/// so that an error in one of them does not hide in the other. It keeps only what checkers need.
package struct RecordImage: Hashable, Sendable {
    package var generation: UInt64 = 0
    /// Native build that wrote the record.
    package var native = ""
    /// Channel of the origin line that the record is about.
    package var channel: String?
    package var embedded: VersionKey?
    package var boot: String?
    /// Versions whose content is kept.
    package var versions: [StoredVersion] = []
    package var current: VersionKey?
    package var pending: VersionKey?
    package var lastKnownGood: VersionKey?
    /// The version that was last known good before ``lastKnownGood``.
    package var previousGood: VersionKey?
    /// Start record (R2) of the start that has not ended.
    package var openStart: OpenStart?
    package var parked: VersionKey?
    /// The version that the accepted manifest orders to run (U6).
    package var forced: VersionKey?
    package var blacklist: [BlacklistEntry] = []
    /// Versions of the entries that have not ended.
    package var blacklistInForce: [VersionKey] { blacklist.filter { !$0.hasEnded }.map(\.key) }
    /// Ids of versions that manifests name as recalled (U13).
    package var recalled: [String] = []
    /// Version that is being downloaded.
    package var download: VersionKey?
    /// Content that the record lists as damaged.
    package var damaged: [Digest256] = []
    package var log: [LogEntry] = []
    /// Hash of the record's bytes without those of the log. Valid only within this process, because Swift's
    /// hashing is seeded at random.
    package private(set) var hashWithoutLog = 0

    /// Whether a version was confirmed, as far as the record says.
    func isGood(_ key: VersionKey) -> Bool {
        key == lastKnownGood || key == previousGood
            || versions.contains { $0.key == key && $0.confirmations > 0 }
    }

    package struct StoredVersion: Hashable, Sendable {
        package var key: VersionKey
        /// Number of processes that confirmed a start of this version.
        package var confirmations: Int
    }

    /// The record of a start that has begun and not ended (rule R2).
    package struct OpenStart: Hashable, Sendable {
        package var key: VersionKey
        package var native: String
        package var boot: String?
        package var token: PageLoadToken
    }

    package struct BlacklistEntry: Hashable, Sendable {
        package var key: VersionKey
        package var native: String
        /// Cause, in the record's spelling.
        package var cause = ""
        /// Number of times that this version was blacklisted.
        package var count: Int
        package var hasEnded: Bool
    }

    /// A role of the record, and the version that has it.
    package struct Role: Hashable, Sendable {
        /// Name for people.
        package var name: String
        package var key: VersionKey
    }

    /// Roles that a version has. R1 and R7 refer to them.
    package var roles: [Role] {
        let named: [(String, VersionKey?)] = [
            ("current", current), ("pending", pending), ("last known good", lastKnownGood),
            ("the good one before", previousGood), ("parked", parked),
        ]
        return named.compactMap { name, key in key.map { Role(name: name, key: $0) } }
    }
}

extension RecordImage {
    package static let format = "otalab-record-1"

    /// Nil if the bytes are incomplete, of another format, or don't match their checksum.
    package init?(bytes: [UInt8]) {
        guard let image = HeadedFile(bytes, format: RecordImage.format, numbers: 2),
            image.numbers[1] == image.body.count
        else { return nil }
        var hash = SHA256()
        hash.update(Array("\(RecordImage.format) \(image.numbers[0]) \(image.numbers[1]) ".utf8))
        hash.update(image.body)
        guard hash.finish() == image.checksum, let root = image.json() else { return nil }
        generation = UInt64(image.numbers[0])
        native = root["native"]?.string ?? ""
        channel = root["channel"]?.string
        embedded = RecordImage.key(root["embedded"])
        boot = root["boot"]?.string
        current = RecordImage.key(root["current"])
        pending = RecordImage.key(root["pending"])
        lastKnownGood = RecordImage.key(root["lastKnownGood"])
        previousGood = RecordImage.key(root["goodBefore"])
        parked = RecordImage.key(root["parked"])
        forced = RecordImage.key(root["forced"])
        download = RecordImage.key(root["download"])
        readLists(root)
        hashWithoutLog = RecordImage.hash(image, without: root["log"]?.byteRange ?? 0..<0)
    }

    private static func hash(_ image: HeadedFile, without log: Range<Int>) -> Int {
        var hasher = Hasher()
        hasher.combine(image.numbers[0])
        for part in [image.body[..<log.lowerBound], image.body[log.upperBound...]] {
            part.withUnsafeBytes { hasher.combine(bytes: $0) }
            hasher.combine(part.count)
        }
        return hasher.finalize()
    }

    private mutating func readLists(_ root: JSONValue) {
        for node in root.list("versions") {
            guard let key = RecordImage.key(node) else { continue }
            versions.append(StoredVersion(key: key, confirmations: RecordImage.count(node["confirmations"])))
        }
        if let node = root["openStart"], let key = RecordImage.key(node),
            let token = node["token"]?.string.flatMap({ PageLoadToken(text: $0) })
        {
            openStart = OpenStart(
                key: key, native: node["native"]?.string ?? "", boot: node["boot"]?.string, token: token)
        }
        for node in root.list("blacklist") {
            guard let key = RecordImage.key(node) else { continue }
            blacklist.append(
                BlacklistEntry(
                    key: key, native: node["native"]?.string ?? "", cause: node["cause"]?.string ?? "",
                    count: RecordImage.count(node["count"]),
                    hasEnded: node["ended"]?.bool ?? false))
        }
        recalled = (root.list("recalled") + root.list("withheldRecalls")).compactMap(\.string)
        damaged = root.list("damaged").compactMap(\.digest)
        for node in root.list("log") {
            guard let cause = node["cause"]?.string.flatMap(LogCause.init(rawValue:)) else { continue }
            log.append(
                LogEntry(
                    cause, version: node["version"]?.string, detail: node["detail"]?.string ?? "",
                    after: node["after"]?.integer?.bounded(by: 0...Int64.max).map { .milliseconds($0) }))
        }
    }

    private static func count(_ node: JSONValue?) -> Int { node?.integer?.clamped(to: 0...Int.max) ?? 0 }

    private static func key(_ node: JSONValue?) -> VersionKey? {
        guard let id = node?["id"]?.string,
            let digest = node?["digest"]?.digest
        else { return nil }
        return VersionKey(id: id, digest: digest)
    }
}

extension JSONValue {
    /// Elements of an array member; empty if there is no such member.
    fileprivate func list(_ key: StaticString) -> [JSONValue] { self[key]?.elements.map(Array.init) ?? [] }
}
