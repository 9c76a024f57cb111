import Core
import Testing

@testable import Updater

@Suite("The fields of a record: each is written and read, at its limits too")
struct RecordFieldTests {
    /// The full record of the tests as JSON.
    private static let body = String(decoding: RecordWriter.body(RecordTests.full()), as: UTF8.self)

    private func read(_ text: String) -> StoreRecord? { RecordReader.record(Array(text.utf8), generation: 1) }

    /// Fields below a value that have nothing to say: nil, false, zero, empty.
    private func emptyFields(_ value: Any, _ path: String) -> [String] {
        switch value {
        case let flag as Bool: return flag ? [] : [path]
        case let number as any BinaryInteger: return isZero(number) ? [path] : []
        case let text as String: return text.isEmpty ? [path] : []
        default: break
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional || mirror.displayStyle == .collection, mirror.children.isEmpty {
            return [path]
        }
        return mirror.children.enumerated().flatMap { index, child in
            emptyFields(child.value, path + "." + (child.label ?? String(index)))
        }
    }

    private func isZero(_ number: some BinaryInteger) -> Bool { number == 0 }

    @Test("The full record of the tests has something in every field of every entry")
    func full() {
        #expect(emptyFields(RecordTests.full(), "record").filter { !$0.contains("token") }.isEmpty)
        #expect(!emptyFields(StoreRecord(), "record").isEmpty)
    }

    @Test("R8: entries with nothing but what they must have are read back as they were written")
    func least() {
        let full = RecordTests.full()
        let key = VersionKey(id: "v", digest: SHA256.hash(of: [1]))
        var record = StoreRecord()
        record.versions = [VersionEntry(key: key)]
        record.wait = SecondChanceWait()
        record.openStart = OpenStart(
            key: key, native: "", boot: nil, token: PageLoadToken(0), isSecondChance: false)
        record.startHistories = [
            StartHistory(key: key, failures: 1), StartHistory(key: key, hasWaited: true),
        ]
        record.parked = ParkedVersion(key: key, since: nil)
        record.blacklist = [
            BlacklistEntry(
                key: key, native: "", line: full.line, cause: .startFailedByClock, evidence: "", count: 1,
                since: nil)
        ]
        record.lineKeys = [LineKeys(line: full.line, keys: [])]
        record.acceptedSignatures = [
            AcceptedSignature(version: key, line: full.line, signer: SHA256.hash(of: [2]), keys: [])
        ]
        record.switches = [RequestedSwitch(key: key, at: nil)]
        record.outcomes = [
            VersionOutcome(
                id: "", time: nil, version: "", native: "", kind: .taken, cause: .switched)
        ]
        record.log = [LogEntry(.launched), LogEntry(.parked, version: "v", detail: "", after: .zero)]
        record.data = WrittenDataSchema(schema: 0, readableFrom: 0)
        record.settled = AcceptedPublication(order: .none, key: nil, recalled: [])
        record.audience = OfferAudience(user: nil, cohort: "c")
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
        record.audience = OfferAudience(user: "u", cohort: nil)
        record.newestAccepted = .date(OriginTime(seconds: 9))
        record.settled?.order = .date(OriginTime(seconds: -1))
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
        for kind in VersionOutcome.Kind.allCases {
            record.outcomes[0].kind = kind
            #expect(RecordCoding.decode(RecordCoding.encode(record))?.outcomes == record.outcomes)
        }
        for cause in LogCause.allCases {
            record.log = [LogEntry(cause)]
            #expect(RecordCoding.decode(RecordCoding.encode(record))?.log == record.log)
        }
    }

    /// Members without which a record is another format's.
    private static let required: Set<String> = [
        "device", "root", "channel", "native", "id", "digest", "confirmations", "started", "launches",
        "rescuerConfirmed", "token", "secondChance", "failures", "unclear", "uncounted", "parkings", "cause",
        "evidence", "count", "ended", "signer", "algorithm", "key", "outcome", "schema", "readableFrom",
    ]
    /// Members that one entry requires and another does not.
    private static let requiredBySome: Set<String> = ["version", "reachable"]

    @Test("N2: a record without a required member, or with another type there, is invalid as a whole")
    func members() throws {
        let scalar = try Regex(#"\"([a-zA-Z]+)\":(\"(?:[^\"\\]|\\.)*\"|-?[0-9]+|true|false)"#)
        var names: Set<String> = []
        for match in Self.body.matches(of: scalar) {
            let name = String(try #require(match.output[1].substring))
            names.insert(name)
            guard !Self.requiredBySome.contains(name) else { continue }
            let isRequired = Self.required.contains(name)
            let value = try #require(match.output[2].substring)
            var absent = Self.body
            absent.replaceSubrange(match.range, with: "\"x\(name)\":\(value)")
            #expect((read(absent) == nil) == isRequired, "\(name) is absent")
            var other = Self.body
            other.replaceSubrange(match.range, with: "\"\(name)\":[]")
            #expect((read(other) == nil) == (isRequired || name == "outcomesMade"), "\(name) is a list")
        }
        #expect(names.isSuperset(of: Self.required) && names.isSuperset(of: Self.requiredBySome))
        #expect(read(Self.body) != nil && read("{}") == nil && read("") == nil)
        for list in ["versions", "log", "blacklist", "recalled", "checked"] {
            #expect(read(Self.body.replacing("\"\(list)\":[", with: "\"\(list)\":7,\"x\":[")) == nil)
            #expect(read(Self.body.replacing("\"\(list)\":[", with: "\"\(list)\":[7,")) == nil)
        }
    }

    @Test("N2: an entry that only a newer app understands costs the entry: outcomes and log")
    func newerEntries() throws {
        let outcome = try #require(
            read(Self.body.replacing("\"outcome\":\"failed\"", with: "\"outcome\":\"x\"")))
        #expect(outcome.outcomes.isEmpty && outcome.log.count == 1)
        let cause = try #require(
            read(Self.body.replacing("\"cause\":\"start-failed-by-page\"", with: "\"cause\":\"x\"")))
        #expect(cause.outcomes.isEmpty && cause.blacklist.count == 1)
        for (name, value) in [("algorithm", "\"rsa\""), ("key", "\"0\""), ("token", "\"x\"")] {
            let pattern = try Regex("\"\(name)\":\"[^\"]*\"")
            #expect(read(Self.body.replacing(pattern, with: "\"\(name)\":\(value)")) == nil, "\(name)")
        }
    }

    @Test("R8: counts and times are read up to their limits; a count beyond makes the record invalid")
    func limits() throws {
        let most = Int.max >> 1
        for (count, isValid) in [(0, true), (most, true), (most + 1, false), (-1, false)] {
            for name in ["failures", "launches", "outcomesMade", "confirmations"] {
                let text = Self.body.replacing(try Regex("\"\(name)\":[0-9]+"), with: "\"\(name)\":\(count)")
                #expect((read(text) != nil) == isValid, "\(name) \(count)")
            }
        }
        let latest = (1 as Int64) << 40
        for seconds in [latest, -latest] {
            for (value, isRead) in [(seconds, true), (seconds + seconds.signum(), false)] {
                let text = Self.body.replacing(
                    try Regex("\"originTime\":[0-9]+"), with: "\"originTime\":\(value)")
                #expect(read(text)?.originTime == (isRead ? OriginTime(seconds: value) : nil), "\(value)")
                let slow = Self.body.replacing(
                    try Regex("\"slowestStart\":[0-9]+"), with: "\"slowestStart\":\(value)")
                #expect(read(slow)?.versions.first?.slowestStart == (isRead ? value : 0), "\(value)")
            }
        }
        for (schema, isValid) in [(0, true), (-1, false)] {
            let text = Self.body.replacing(try Regex("\"schema\":[0-9]+"), with: "\"schema\":\(schema)")
            #expect((read(text) != nil) == isValid)
        }
    }

    @Test("R8: a generation below 2⁶² is valid, in a record of this format and of a newer one")
    func generations() {
        var record = RecordTests.full()
        record.generation = RecordCoding.maxGeneration - 1
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
        record.generation = RecordCoding.maxGeneration
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == nil)
        func newer(_ text: String) -> UInt64? { RecordCoding.newerGeneration(Array(text.utf8)) }
        let most = (1 as UInt64) << 62
        #expect(RecordCoding.maxGeneration == most)
        #expect(newer("otalab-record-2 5\n") == 5 && newer("otalab-record-999 5 more of it\n{}") == 5)
        #expect(newer("otalab-record-2 \(most - 1) x\n") == most - 1)
        for text in [
            "otalab-record-1 5\n", "otalab-record-0 5\n", "otalab-record-2 \(most)\n", "otalab-record-2\n",
            "otalab-record-2 x\n", "otalab-record- 5\n", "otalab-table-2 5\n", "otalab-record-2 5", "",
        ] {
            #expect(newer(text) == nil, "\(text)")
        }
        let head = "otalab-record-2 5 "
        let rest = String(repeating: "x", count: 199 - head.utf8.count)
        #expect(newer(head + rest + "\n") == 5 && newer(head + rest + "x\n") == nil)
    }

    @Test("R8: of a record that is too long the older half of the log goes, again and again")
    func halves() throws {
        func record(_ sizes: [Int]) -> StoreRecord {
            var record = StoreRecord()
            record.log = sizes.enumerated().map { index, size in
                LogEntry(.launched, version: "\(index)", detail: String(repeating: "x", count: size))
            }
            return record
        }
        func kept(_ sizes: [Int]) throws -> [String] {
            let bytes = RecordCoding.encode(record(sizes))
            #expect(bytes.count <= RecordCoding.maxBytes)
            return try #require(RecordCoding.decode(bytes)).log.compactMap(\.version)
        }
        #expect(try kept(Array(repeating: 60_000, count: 10)) == (5..<10).map { "\($0)" })
        #expect(try kept([600_000]) == [])
        #expect(try kept([1, 600_000]) == [])
        #expect(try kept([600_000, 1, 1]) == ["1", "2"])
        let empty = RecordWriter.body(record([0])).count
        let most = RecordCoding.maxBytes - 200 - empty - ",\"detail\":\"\"".utf8.count
        #expect(try kept([most]) == ["0"])
        #expect(try kept([most + 1]) == [])
    }

    @Test("F16: since when a version is current is known until another one is")
    func currentSince() {
        let keys = (1...2 as ClosedRange<UInt8>).map { VersionKey(id: "v", digest: SHA256.hash(of: [$0])) }
        var record = StoreRecord()
        record.current = keys[0]
        record.currentSince = OriginTime(seconds: 5)
        record.current = keys[0]
        #expect(record.currentSince == OriginTime(seconds: 5))
        record.current = keys[1]
        #expect(record.currentSince == nil)
    }
}
