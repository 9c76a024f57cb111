import Core
import Updater

/// The updater's durable record as the bytes on a disk say it, read without any help of the updater's
/// own reader, so that the two can't be wrong together. Only what the checkers ask about is kept.
package struct RecordImage: Hashable, Sendable {
    package var generation: UInt64 = 0
    /// The native build that wrote it.
    package var native = ""
    package var embedded: VersionKey?
    package var boot: String?
    /// The versions whose content is kept, with the processes that confirmed each.
    package var versions: [Entry] = []
    package var current: VersionKey?
    package var pending: VersionKey?
    package var lastKnownGood: VersionKey?
    package var goodBefore: VersionKey?
    package var mark: Mark?
    package var parked: VersionKey?
    package var blacklist: [Blacklisted] = []
    package var download: VersionKey?
    /// Content known to be damaged.
    package var damaged: [Digest256] = []
    package var log: [LogEntry] = []
    /// Over its bytes without those of the log, in this process of ours.
    package private(set) var sumWithoutLog = 0

    package struct Entry: Hashable, Sendable {
        package var key: VersionKey
        package var confirmations: Int
    }

    /// The mark of a start (rule R2).
    package struct Mark: Hashable, Sendable {
        package var key: VersionKey
        package var native: String
        package var boot: String?
        package var token: PageLoadToken
    }

    package struct Blacklisted: Hashable, Sendable {
        package var key: VersionKey
        package var native: String
        /// As the record says it.
        package var cause = ""
        package var count: Int
        package var hasEnded: Bool
    }

    /// The versions that some role of the record names, each once: what R1 and R7 rest on.
    package var roles: [(name: String, key: VersionKey)] {
        var roles: [(name: String, key: VersionKey)] = []
        if let current { roles.append(("current", current)) }
        if let pending { roles.append(("pending", pending)) }
        if let lastKnownGood { roles.append(("last known good", lastKnownGood)) }
        if let goodBefore { roles.append(("the good one before", goodBefore)) }
        if let parked { roles.append(("parked", parked)) }
        return roles
    }
}

extension RecordImage {
    package static let format = "otalab-record-1"

    /// Nil for anything that is not whole, of this format and in agreement with its checksum.
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
        embedded = RecordImage.key(root["embedded"])
        boot = root["boot"]?.string
        current = RecordImage.key(root["current"])
        pending = RecordImage.key(root["pending"])
        lastKnownGood = RecordImage.key(root["lastKnownGood"])
        goodBefore = RecordImage.key(root["goodBefore"])
        parked = RecordImage.key(root["parked"])
        download = RecordImage.key(root["download"])
        readLists(root)
        sumWithoutLog = RecordImage.sum(image, without: root["log"]?.byteRange ?? 0..<0)
    }

    private static func sum(_ image: HeadedFile, without log: Range<Int>) -> Int {
        var sum = Hasher()
        sum.combine(image.numbers[0])
        for part in [image.body[..<log.lowerBound], image.body[log.upperBound...]] {
            part.withUnsafeBytes { sum.combine(bytes: $0) }
            sum.combine(part.count)
        }
        return sum.finalize()
    }

    private mutating func readLists(_ root: JSONValue) {
        for node in root.list("versions") {
            guard let key = RecordImage.key(node) else { continue }
            versions.append(Entry(key: key, confirmations: Int(node["confirmations"]?.integer ?? 0)))
        }
        if let node = root["openStart"], let key = RecordImage.key(node),
            let token = node["token"]?.string.flatMap({ PageLoadToken(text: $0) })
        {
            mark = Mark(
                key: key, native: node["native"]?.string ?? "", boot: node["boot"]?.string, token: token)
        }
        for node in root.list("blacklist") {
            guard let key = RecordImage.key(node) else { continue }
            blacklist.append(
                Blacklisted(
                    key: key, native: node["native"]?.string ?? "", cause: node["cause"]?.string ?? "",
                    count: Int(node["count"]?.integer ?? 0),
                    hasEnded: node["ended"]?.bool ?? false))
        }
        damaged = root.list("damaged").compactMap(\.digest)
        for node in root.list("log") {
            guard let cause = node["cause"]?.string.flatMap(LogCause.init(rawValue:)) else { continue }
            log.append(
                LogEntry(
                    cause, version: node["version"]?.string, detail: node["detail"]?.string ?? "",
                    after: node["after"]?.integer.map { .milliseconds($0) }))
        }
    }

    private static func key(_ node: JSONValue?) -> VersionKey? {
        guard let id = node?["id"]?.string,
            let digest = node?["digest"]?.digest
        else { return nil }
        return VersionKey(id: id, digest: digest)
    }
}

extension JSONValue {
    /// Empty where there is none.
    fileprivate func list(_ key: StaticString) -> [JSONValue] { self[key]?.elements.map(Array.init) ?? [] }
}
