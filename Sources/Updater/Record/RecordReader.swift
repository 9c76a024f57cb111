import Core

/// Reads what ``RecordWriter`` wrote. The checksum has already been verified, so a missing field or one of
/// another type means another format; the whole record is then invalid (N2), never half of it.
struct RecordReader {
    private let node: JSONValue

    static func record(_ body: [UInt8], generation: UInt64) -> StoreRecord? {
        do {
            let root = try JSONDocument.read(body).root
            var record = try RecordReader(node: root).read()
            record.generation = generation
            return record
        } catch {
            return nil
        }
    }

    private enum Fault: Error { case field(StaticString) }

    private func read() throws -> StoreRecord {
        var record = StoreRecord()
        record.device = try text("device")
        record.line = try line()
        record.audience = OfferAudience(user: node["user"]?.string, cohort: node["cohort"]?.string)
        record.native = try text("native")
        record.embedded = try optional("embedded") { try $0.key() }
        record.boot = node["boot"]?.string
        record.checked = try list("checked") { try $0.key() }
        record.versions = try list("versions") { try $0.version() }
        record.current = try optional("current") { try $0.key() }
        record.currentSince = time("currentSince")
        record.pending = try optional("pending") { try $0.key() }
        record.wait = try optional("wait") {
            SecondChanceWait(
                launches: try $0.count("launches"), rescuerConfirmed: try $0.flag("rescuerConfirmed"))
        }
        record.lastKnownGood = try optional("lastKnownGood") { try $0.key() }
        record.previousGood = try optional("goodBefore") { try $0.key() }
        record.openStart = try optional("openStart") { try $0.openStart() }
        record.startHistories = try list("marks") { try $0.startHistory() }
        record.parked = try optional("parked") { ParkedVersion(key: try $0.key(), since: $0.time("since")) }
        record.blacklist = try list("blacklist") { try $0.blacklistEntry() }
        record.recalled = try list("recalled") { try $0.plainText() }
        record.withheldRecalls = try list("withheldRecalls") { try $0.plainText() }
        record.unblocked = try list("unblocked") { try $0.plainText() }
        record.leftVersions = try list("left") { try $0.key() }
        record.newestAccepted = order()
        record.settled = try optional("settled") { try $0.acceptance() }
        record.accepted = try optional("accepted") { try $0.key() }
        record.originTime = time("originTime")
        record.lineKeys = try list("lineKeys") { try $0.lineKeys() }
        record.acceptedSignatures = try list("signatures") { try $0.signature() }
        record.download = try optional("download") { try $0.key() }
        record.damaged = try list("damaged") {
            guard let digest = $0.node.digest else { throw Fault.field("damaged") }
            return digest
        }
        record.distrustsUnusedContent = node["distrustsUnusedContent"]?.bool ?? false
        record.keepsNewerFormat = node["keepsNewerFormat"]?.bool ?? false
        record.switches = try list("switches") { RequestedSwitch(key: try $0.key(), at: $0.time("at")) }
        record.outcomes = try list("outcomes") { try $0.outcome() }.compactMap { $0 }
        record.outcomeCount = node["outcomesMade"] == nil ? 0 : try count("outcomesMade")
        record.reportedRefusals = try list("refusalsTold") { try $0.plainText() }
        record.log = try list("log") { try $0.logEntry() }.compactMap { $0 }
        record.forced = try optional("forced") { try $0.key() }
        record.data = try optional("data") {
            WrittenDataSchema(
                schema: try $0.stated("schema"), readableFrom: try $0.stated("readableFrom"))
        }
        return record
    }

    private func text(_ name: StaticString) throws -> String {
        guard let value = node[name]?.string else { throw Fault.field(name) }
        return value
    }

    private func plainText() throws -> String {
        guard let value = node.string else { throw Fault.field("text") }
        return value
    }

    private func count(_ name: StaticString) throws -> Int {
        guard let value = node[name]?.integer?.bounded(by: RecordReader.counts) else {
            throw Fault.field(name)
        }
        return value
    }

    /// A number of an accepted manifest.
    private func stated(_ name: StaticString) throws -> UntrustedInteger {
        guard let value = node[name]?.integer, value >= .zero else { throw Fault.field(name) }
        return value
    }

    /// Counts that can be incremented without an overflow.
    private static let counts: ClosedRange<Int> = 0...(Int.max >> 1)
    /// About 35,000 years before and after 1970.
    private static let seconds: ClosedRange<Int64> = -(1 << 40)...(1 << 40)

    private func flag(_ name: StaticString) throws -> Bool {
        guard let value = node[name]?.bool else { throw Fault.field(name) }
        return value
    }

    private func time(_ name: StaticString) -> OriginTime? {
        node[name]?.integer?.bounded(by: RecordReader.seconds).map { OriginTime(seconds: $0) }
    }

    private func optional<Value>(_ name: StaticString, _ read: (RecordReader) throws -> Value) throws
        -> Value?
    {
        guard let inner = node[name] else { return nil }
        return try read(RecordReader(node: inner))
    }

    private func list<Value>(_ name: StaticString, _ read: (RecordReader) throws -> Value) throws -> [Value] {
        guard let inner = node[name] else { return [] }
        guard let items = inner.elements else { throw Fault.field(name) }
        return try items.map { try read(RecordReader(node: $0)) }
    }

    private func order() -> PublicationOrder {
        if let date = time("date") { return .date(date) }
        return node["serial"]?.integer.map { .serial($0) } ?? .none
    }

    private func acceptance() throws -> AcceptedPublication {
        AcceptedPublication(
            order: order(), key: try optional("accepted") { try $0.key() },
            recalled: try list("recalled") { try $0.plainText() })
    }

    private func key() throws -> VersionKey {
        guard let digest = node["digest"]?.digest else { throw Fault.field("digest") }
        return VersionKey(id: try text("id"), digest: digest)
    }

    private func version() throws -> VersionEntry {
        VersionEntry(
            key: try key(), confirmations: try count("confirmations"), hasStarted: try flag("started"),
            slowestStart: node["slowestStart"]?.integer?.bounded(by: RecordReader.seconds) ?? 0,
            isUnoffered: node["unoffered"]?.bool ?? false)
    }

    private func openStart() throws -> OpenStart {
        guard let token = PageLoadToken(text: try text("token")) else { throw Fault.field("token") }
        return OpenStart(
            key: try key(), native: try text("native"), boot: node["boot"]?.string, token: token,
            isSecondChance: try flag("secondChance"), isReachable: node["reachable"]?.bool ?? false)
    }

    private func startHistory() throws -> StartHistory {
        StartHistory(
            key: try key(), failures: try count("failures"), unclear: try count("unclear"),
            uncounted: try count("uncounted"), parkings: try count("parkings"),
            hasWaited: node["waited"]?.bool ?? false, wasReachable: try flag("reachable"))
    }

    private func blacklistEntry() throws -> BlacklistEntry {
        // A newer app may have written a cause that this one does not know: the entry is still valid.
        let cause = LogCause(rawValue: try text("cause")) ?? .blacklistEntry
        return BlacklistEntry(
            key: try key(), native: try text("native"),
            line: try line(), cause: cause,
            evidence: try text("evidence"),
            count: try count("count"), since: time("since"), hasEnded: try flag("ended"))
    }

    private func lineKeys() throws -> LineKeys {
        LineKeys(line: try line(), keys: try list("keys") { try $0.publicKey() })
    }

    private func signature() throws -> AcceptedSignature {
        guard let signer = node["signer"]?.digest else { throw Fault.field("signer") }
        return AcceptedSignature(
            version: try key(), line: try line(), signer: signer,
            keys: try list("keys") { try $0.publicKey() })
    }

    private func publicKey() throws -> PublicKey {
        guard let algorithm = SignatureAlgorithm(rawValue: try text("algorithm")),
            let bytes = Hex.bytes(try text("key"))
        else { throw Fault.field("key") }
        return PublicKey(id: try text("id"), algorithm: algorithm, bytes: bytes)
    }

    private func line() throws -> OriginLine {
        OriginLine(root: try text("root"), channel: try text("channel"))
    }

    private func logEntry() throws -> LogEntry? {
        guard let cause = LogCause(rawValue: try text("cause")) else { return nil }
        return LogEntry(
            cause, version: node["version"]?.string, detail: node["detail"]?.string ?? "",
            after: node["after"]?.integer?.bounded(by: RecordReader.seconds).map { .milliseconds($0) })
    }

    private func outcome() throws -> VersionOutcome? {
        guard let kind = VersionOutcome.Kind(rawValue: try text("outcome")),
            let cause = LogCause(rawValue: try text("cause"))
        else { return nil }
        return VersionOutcome(
            id: try text("id"), time: time("time"), version: try text("version"),
            native: try text("native"), kind: kind, cause: cause)
    }
}
