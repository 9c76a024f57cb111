import Core
import Testing

@testable import Updater

@Suite("The lists of a record: what each keeps, and what gives way")
struct RecordLimitTests {
    private func key(_ number: Int) -> VersionKey {
        VersionKey(id: "v\(number)", digest: SHA256.hash(of: Array("\(number)".utf8)))
    }

    @Test("R3: histories of 64 versions are kept, the changed one as the newest; an empty one is none")
    func startHistories() {
        var record = StoreRecord()
        for number in 1...64 { record.setStartHistory(StartHistory(key: key(number), failures: number)) }
        #expect(record.startHistories.map(\.failures) == Array(1...64))
        record.setStartHistory(StartHistory(key: key(1), failures: 100))
        #expect(record.startHistories.map(\.failures) == Array(2...64) + [100])
        record.setStartHistory(StartHistory(key: key(65), failures: 65))
        #expect(record.startHistories.map(\.failures) == Array(3...64) + [100, 65])
        #expect(record.startHistory(of: key(3)).failures == 3)
        #expect(record.startHistory(of: key(2)) == StartHistory(key: key(2)))
        record.setStartHistory(StartHistory(key: key(3)))
        #expect(record.startHistories.map(\.failures) == Array(4...64) + [100, 65])
    }

    @Test("R3: a start is a second chance after a failure or after it was left, and else is not")
    func secondChances() {
        #expect(!StartHistory(key: key(1), unclear: 2, uncounted: 7, parkings: 2).needsSecondChance)
        #expect(StartHistory(key: key(1), failures: 1).needsSecondChance)
        #expect(StartHistory(key: key(1), hasWaited: true).needsSecondChance)
    }

    @Test("U8: sixteen versions that were left are known; one that is left again is the newest")
    func leftVersions() {
        var record = StoreRecord()
        for number in 1...16 { record.recordLeft(key(number)) }
        #expect(record.leftVersions == (1...16).map { key($0) })
        record.recordLeft(key(1))
        #expect(record.leftVersions == (2...16).map { key($0) } + [key(1)])
        record.recordLeft(key(17))
        #expect(record.leftVersions == (3...16).map { key($0) } + [key(1), key(17)])
    }

    @Test("U5: 48 switches that pages requested are known, of 49 the newest")
    func switches() throws {
        var device = try Harness.started()
        for number in 1...48 { device.updater.recordRequestedSwitch(to: key(number)) }
        #expect(device.updater.record.switches.map(\.key) == (1...48).map { key($0) })
        device.updater.recordRequestedSwitch(to: key(49))
        #expect(device.updater.record.switches.map(\.key) == (2...49).map { key($0) })
    }

    @Test("T3: the origin gets no second report of the newest 32 refusals that it knows")
    func reportedRefusals() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.reportsOutcomes = true
        try device.start()
        for (count, first) in [(32, 1), (33, 2)] {
            for number in (count == 32 ? 1 : 33)...count {
                device.offered = Version("r\(number)", serial: 1 + number)
                device.offered?.native = "\"native\": { \"min\": \"9\" },"
                device.check()
            }
            // The next check reports what this one has logged.
            device.check()
            let known = device.updater.record.reportedRefusals
            #expect(known == (first...count).map { "native-outside-range r\($0)" })
        }
    }

    @Test("U13: of recalls that are not offered here the first 256 hold")
    func withheldRecalls() throws {
        func outside(_ ids: Range<Int>, _ other: String?) -> [UInt8] {
            var version = Version("out", serial: 2)
            let list = ids.map { "\"w\($0)\"" }.joined(separator: ",")
            let otherwise = other.map { ", \"otherwise\": \"\($0)\"" } ?? ""
            version.extra = "\"recalled\": [\(list)], \"rollout\": { \"share\": 0, \"of\": 1\(otherwise) },"
            return version.manifest
        }
        for (count, kept) in [(256, 256), (257, 256)] {
            var device = try Harness.started()
            device.script = { request in
                guard request.kind == .manifest else { return nil }
                let isFirst = request.url.hasSuffix("/manifest.json")
                return Reply(200, isFirst ? outside(0..<200, "others.json") : outside(100..<count, nil))
            }
            device.check()
            #expect(device.updater.record.withheldRecalls == (0..<kept).map { "w\($0)" })
        }
    }

    @Test("R7: one confirmation makes a version good, five make it proven; the embedded one is both")
    func good() {
        var record = StoreRecord()
        record.embedded = key(0)
        for count in 0...6 {
            record.versions = [VersionEntry(key: key(1), confirmations: count)]
            #expect(record.isGood(key(1)) == (count >= 1) && record.isProven(key(1)) == (count >= 5))
        }
        #expect(record.isGood(key(0)) && record.isProven(key(0)) && !record.isGood(key(2)))
        #expect(record.entry(key(1))?.confirmations == 6 && record.entry(key(2)) == nil)
        record.update(key(1)) { $0.hasStarted = true }
        record.update(key(2)) { $0.confirmations = 3 }
        #expect(
            record.versions == [
                VersionEntry(key: key(1), confirmations: 6, hasStarted: true),
                VersionEntry(key: key(2), confirmations: 3),
            ])
    }

    @Test("R3: the slowest confirmed start is noted in whole seconds, rounded up, from two seconds on")
    func slowStarts() {
        for (microseconds, seconds) in [
            (2_000_000, 0), (2_000_001, 3), (3_000_000, 3), (3_000_001, 4), (19_000_000, 19),
        ] as [(Int64, Int64)] {
            var entry = VersionEntry(key: key(1))
            entry.noteStart(took: .microseconds(microseconds))
            #expect(entry.slowestStart == seconds, "\(microseconds)")
            entry.noteStart(took: .seconds(30))
            entry.noteStart(took: .seconds(5))
            #expect(entry.slowestStart == 30)
        }
    }

    @Test("R5: the first entry of the blacklist lasts 7 days, the second 30, the third for good")
    func days() {
        let days = (0...5).map { count in
            BlacklistEntry(
                key: key(1), native: "1", line: OriginLine(root: "r", channel: "c"), cause: .noSpace,
                evidence: "", count: count
            ).days
        }
        #expect(days == [nil, 7, 30, nil, nil, nil])
    }

    @Test("R5: an entry counts under its build and line until it has ended; a new one takes its place there")
    func blacklist() {
        var record = StoreRecord()
        record.native = "1"
        record.line = OriginLine(root: "r", channel: "c")
        func entry(_ number: Int, count: Int = 1) -> BlacklistEntry {
            BlacklistEntry(
                key: key(number), native: record.native, line: record.line, cause: .startFailedByPage,
                evidence: "", count: count)
        }
        record.addToBlacklist(entry(1))
        record.addToBlacklist(entry(2))
        #expect(record.isBlacklisted(key(1)) && record.isBlacklisted(key(2)) && !record.isBlacklisted(key(3)))
        record.addToBlacklist(entry(1, count: 2))
        #expect(record.blacklist.map(\.key) == [key(2), key(1)] && record.blacklist[1].count == 2)
        record.blacklist[0].hasEnded = true
        #expect(!record.isBlacklisted(key(2)))
        record.line.channel = "d"
        #expect(!record.isBlacklisted(key(1)))
        record.addToBlacklist(entry(1))
        #expect(record.blacklist.map(\.count) == [1, 2, 1])
        record.line.channel = "c"
        record.native = "2"
        #expect(!record.isBlacklisted(key(1)) && !record.appliesHere(record.blacklist[1]))
    }

    @Test("U13: a recall by either list holds, but not for the embedded version")
    func recalls() {
        var record = StoreRecord()
        record.embedded = key(0)
        record.recalled = ["v0", "v1"]
        record.withheldRecalls = ["v0", "v2"]
        #expect((0...3).map { record.isRecalled(key($0)) } == [false, true, true, false])
    }

    @Test("U16: what a manifest said is kept while its version is here or on its way, the newest of each")
    func signatures() {
        let line = OriginLine(root: "r", channel: "c")
        func signature(_ number: Int, _ byte: UInt8 = 1) -> AcceptedSignature {
            AcceptedSignature(version: key(number), line: line, signer: SHA256.hash(of: [byte]), keys: [])
        }
        var record = StoreRecord()
        record.versions = [VersionEntry(key: key(1))]
        record.download = key(2)
        for number in 1...4 { record.note(signature(number)) }
        #expect(record.acceptedSignatures.map(\.version) == [key(1), key(2), key(4)])
        record.note(signature(1, 2))
        #expect(record.acceptedSignatures == [signature(2), signature(1, 2)])
    }

    @Test("U16: the keys of a confirmed version are those of its line, in place of earlier ones")
    func lineKeys() {
        let keys = (1...3 as ClosedRange<UInt8>).map {
            PublicKey(id: "k\($0)", algorithm: .ed25519, bytes: Array(repeating: $0, count: 32))
        }
        var record = StoreRecord()
        record.versions = (1...4).map { VersionEntry(key: key($0)) }
        for (number, channel) in [(1, "a"), (2, "b"), (3, "a"), (4, "a")] {
            record.note(
                AcceptedSignature(
                    version: key(number), line: OriginLine(root: "r", channel: channel),
                    signer: keys[0].fingerprint, keys: number == 4 ? [] : [keys[number - 1]]))
        }
        var taken: [LineKeys?] = []
        for number in [1, 2, 3, 4, 5, 3] { taken.append(record.takeKeys(confirmedBy: key(number))) }
        #expect(taken.map { $0?.keys.map(\.id) } == [["k1"], ["k2"], ["k3"], nil, nil, nil])
        #expect(record.lineKeys.map(\.line.channel) == ["b", "a"] && record.lineKeys[1].keys == [keys[2]])
        #expect(record.acceptedSignatures.count == 4)
    }

    @Test("U16: a key is the same under another name, and another one under another algorithm")
    func fingerprints() {
        func key(_ id: String, _ algorithm: SignatureAlgorithm, _ byte: UInt8) -> Digest256 {
            PublicKey(id: id, algorithm: algorithm, bytes: [byte]).fingerprint
        }
        #expect(key("a", .ed25519, 1) == key("b", .ed25519, 1))
        #expect(key("a", .ed25519, 1) != key("a", .p256, 1) && key("a", .ed25519, 1) != key("a", .ed25519, 2))
    }
}
