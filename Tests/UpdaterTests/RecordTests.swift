import Core
import Testing
import World

@testable import Updater

@Suite("The record: two generations, damage, bounds")
struct RecordTests {
    /// A record with something in every field.
    static func full() -> StoreRecord {
        func key(_ number: UInt8) -> VersionKey {
            VersionKey(id: "v\(number) \"odd\" \u{2028}", digest: SHA256.hash(of: [number]))
        }
        var record = StoreRecord()
        record.generation = 41
        record.device = "0123456789abcdef"
        record.line = OriginLine(root: "https://origin.example", channel: "stable")
        record.native = "1.2"
        record.embedded = key(0)
        record.boot = "boot"
        record.checked = [key(1)]
        record.versions = [
            VersionEntry(
                key: key(1), confirmations: 4, hasStarted: true, slowestStart: 26, isUnoffered: true)
        ]
        record.current = key(1)
        record.pending = key(2)
        record.wait = SecondChanceWait(launches: 1, rescuerConfirmed: true)
        record.lastKnownGood = key(1)
        record.previousGood = key(0)
        record.openStart = OpenStart(
            key: key(1), native: "1.2", boot: "boot", token: PageLoadToken(77), isSecondChance: true,
            isReachable: true)
        record.startHistories = [
            StartHistory(
                key: key(2), failures: 1, unclear: 2, uncounted: 3, parkings: 1, hasWaited: true,
                wasReachable: true)
        ]
        record.unblocked = ["v5", "v6"]
        record.parked = ParkedVersion(key: key(3), since: OriginTime(seconds: 1_800_000_000))
        record.blacklist = [
            BlacklistEntry(
                key: key(4), native: "1.2", line: record.line, cause: .startFailedByCrash,
                evidence: "exit record: crash", count: 2, since: OriginTime(seconds: 5), hasEnded: true)
        ]
        record.recalled = ["v9"]
        record.withheldRecalls = ["v8"]
        record.leftVersions = [key(5)]
        record.newestAccepted = .serial(12)
        record.accepted = key(2)
        record.originTime = OriginTime(seconds: 1_800_000_001)
        record.lineKeys = [
            LineKeys(
                line: OriginLine(root: "https://other.example", channel: "beta"),
                keys: [PublicKey(id: "k1", algorithm: .ed25519, bytes: [UInt8](repeating: 7, count: 32))])
        ]
        record.acceptedSignatures = [
            AcceptedSignature(
                version: key(6), line: record.line, signer: SHA256.hash(of: [8]),
                keys: [PublicKey(id: "k2", algorithm: .p256, bytes: [4] + [UInt8](repeating: 9, count: 64))])
        ]
        record.download = key(6)
        record.damaged = [SHA256.hash(of: [9])]
        record.log = [LogEntry(.parked, version: "v3", detail: "parking 1", after: .milliseconds(12))]
        record.forced = key(2)
        record.data = WrittenDataSchema(schema: 7, readableFrom: 6)
        record.audience = OfferAudience(user: "u", cohort: "b")
        record.outcomes = [
            VersionOutcome(
                id: "d-1", time: OriginTime(seconds: 4), version: "v2", native: "1.2", kind: .failed,
                cause: .startFailedByPage)
        ]
        record.outcomeCount = 1
        record.currentSince = OriginTime(seconds: 1_799_999_000)
        record.settled = AcceptedPublication(order: .serial(11), key: key(1), recalled: ["v7"])
        record.distrustsUnusedContent = true
        record.keepsNewerFormat = true
        record.switches = [RequestedSwitch(key: key(2), at: OriginTime(seconds: 1_800_000_000))]
        record.reportedRefusals = ["schema-too-low v2"]
        return record
    }

    @Test("the full record of these tests leaves out no field")
    func completeness() {
        let empty = Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: StoreRecord()).children.map { ($0.label, "\($0.value)") }
        )
        for (label, value) in Mirror(reflecting: RecordTests.full()).children {
            #expect(empty[label] != "\(value)", "\(label ?? "")")
        }
    }

    @Test("R8: impossible counts make a record unreadable, not a crash")
    func bounds() {
        var record = RecordTests.full()
        record.generation = .max
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == nil)
        let changes: [(inout StoreRecord) -> Void] = [
            { $0.outcomeCount = .max }, { $0.startHistories[0].unclear = .max },
            { $0.blacklist[0].count = -1 }, { $0.versions[0].confirmations = .max },
        ]
        for change in changes {
            var record = RecordTests.full()
            change(&record)
            #expect(RecordCoding.decode(RecordCoding.encode(record)) == nil)
        }
        record = RecordTests.full()
        record.originTime = OriginTime(seconds: .min)
        #expect(RecordCoding.decode(RecordCoding.encode(record))?.originTime == nil)
        let digest = SHA256.hash(of: [1]).hex
        let note = "otalab-starts-2 \(digest)=9223372036854775807"
        #expect(StartsFile.decode(Array("\(note) \(FNV1a32.hash(of: note))\n".utf8)) == nil)
        let wait = "otalab-starts-2 wait=9223372036854775807"
        let read = StartsFile.decode(Array("\(wait) \(FNV1a32.hash(of: wait))\n".utf8))
        #expect(read?.originDelay?.remaining == .hours(24))
    }

    @Test("R8: a record is read back as it was written, with all fields")
    func roundTrip() throws {
        let record = RecordTests.full()
        #expect(RecordCoding.decode(RecordCoding.encode(record)) == record)
        #expect(RecordCoding.decode(RecordCoding.encode(StoreRecord())) == StoreRecord())
    }

    @Test("R8: no truncated record and none with a flipped bit is valid")
    func damage() throws {
        let bytes = RecordCoding.encode(RecordTests.full())
        for length in stride(from: 0, to: bytes.count, by: 23) {
            #expect(RecordCoding.decode(Array(bytes.prefix(length))) == nil)
        }
        for index in bytes.indices where index < 130 || index % 11 == 0 {
            var changed = bytes
            changed[index] ^= UInt8(1 << (index % 8))
            #expect(RecordCoding.decode(changed) == nil, "byte \(index)")
        }
        #expect(RecordCoding.decode(bytes + [0x20]) == nil)
    }

    @Test("R8: two halves of two generations are not a valid record")
    func mixed() throws {
        var record = RecordTests.full()
        let old = RecordCoding.encode(record)
        record.generation += 1
        record.pending = nil
        let new = RecordCoding.encode(record)
        for cut in stride(from: 1, to: min(old.count, new.count), by: 19) {
            let torn = Array(new.prefix(cut)) + Array(old.dropFirst(cut))
            guard torn != old, torn != new else { continue }
            let read = RecordCoding.decode(torn)
            #expect(read == nil, "cut at \(cut)")
        }
    }

    @Test(
        "R8: with one slot damaged the other counts; losing both costs downloads and blacklist, not the app")
    func slots() throws {
        let kinds: [(name: String, bytes: @Sendable ([UInt8]) -> [UInt8])] = [
            ("empty", { _ in [] }), ("cut", { Array($0.prefix($0.count / 2)) }),
            ("zeros", { Array(repeating: 0, count: $0.count) }),
            ("flipped", { $0.dropLast() + [$0[$0.count - 1] ^ 1] }),
            ("too long", { $0 + Array(repeating: 0x20, count: RecordCoding.maxBytes) }),
        ]
        for kind in kinds {
            for slot in [StorePaths.recordA, StorePaths.recordB] {
                var device = try good()
                let newest = device.updater.slots.older == slot ? "older" : "newer"
                let bytes = device.bytes(of: slot)
                try device.disk.place(slot, kind.bytes(bytes))
                try device.launch()
                #expect(device.causes(.recordFellBack) == 1, "\(kind.name) \(newest)")
                #expect(["v1", "v2"].contains(device.show(.processStart)), "\(kind.name) \(newest)")
                if newest == "older" { #expect(device.status.lastKnownGood?.id == "v2") }
            }
            var device = try good()
            for slot in [StorePaths.recordA, StorePaths.recordB] {
                try device.disk.place(slot, kind.bytes(device.bytes(of: slot)))
            }
            try device.launch()
            #expect(device.causes(.recordLost) == 1)
            #expect(device.show(.processStart) == "v1", "\(kind.name)")
            device.check()
            #expect(device.status.pending?.id == "v2")
        }
    }

    @Test("R8: a record that could not be read, and then can, counts no more once another has been written")
    func unreadTwice() throws {
        var device = try good()
        var generations: [UInt64] = []
        // The second time, what the first has begun without a record is as far ahead as the second begins.
        for _ in 0..<2 {
            for slot in [StorePaths.recordA, StorePaths.recordB] {
                device.disk.add(DiskFault(.read, .inputOutput, times: nil, path: slot))
            }
            let before = device.causes(.recordLost)
            try device.launch()
            device.wait(.seconds(1))
            #expect(device.causes(.recordLost) == before + 1)
            let token = device.load(.processStart)
            #expect(device.running(token) == "v1")
            device.disk.removeFaults()
            for slot in [StorePaths.recordA, StorePaths.recordB] {
                let record = try #require(RecordCoding.decode(device.bytes(of: slot)))
                #expect(record.lastKnownGood?.id != "v2", "\(slot) is of the record before")
                generations.append(record.generation)
            }
            #expect(device.causes(.recordNotWritten) == 0)
            device.send(.page(token, .confirmed))
            device.check()
            #expect(device.status.pending?.id == "v2")
            device.kill()
            try device.start()
            #expect(device.status.lastKnownGood?.id == "v2")
            device.kill()
        }
        #expect(generations.count == 4)
    }

    private func good() throws -> Harness {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        device.kill()
        return device
    }

    @Test("R8: a full record never exceeds its limit: the oldest log entries are removed first")
    func largest() throws {
        var record = RecordTests.full()
        for number in 0..<200 {
            let digest = SHA256.hash(of: [UInt8(number)])
            let key = VersionKey(id: String(repeating: "w", count: 127) + "\(number % 10)", digest: digest)
            record.addToBlacklist(
                BlacklistEntry(
                    key: key, native: record.native, line: record.line, cause: .startFailedByPage,
                    evidence: String(repeating: "e", count: 200), count: 1))
            record.setStartHistory(StartHistory(key: key, failures: 1))
            record.append(LogEntry(.checkFailed, detail: String(repeating: "x", count: 8_000)))
        }
        let bytes = RecordCoding.encode(record)
        #expect(bytes.count <= RecordCoding.maxBytes)
        let read = try #require(RecordCoding.decode(bytes))
        #expect(read.blacklist == record.blacklist && read.startHistories == record.startHistories)
        #expect(read.log.count < record.log.count && read.log.last == record.log.last)
    }

    @Test("N2: a cause that only a newer app knows costs its log line, not the record")
    func unknownCause() throws {
        var text = String(decoding: RecordWriter.body(RecordTests.full()), as: UTF8.self)
        text = text.replacing("\"cause\":\"parked\"", with: "\"cause\":\"made-up\"")
        text = text.replacing("\"cause\":\"start-failed-by-crash\"", with: "\"cause\":\"made-up-too\"")
        let record = try #require(RecordReader.record(Array(text.utf8), generation: 41))
        #expect(record.log.isEmpty && record.blacklist.count == 1)
    }

    @Test(
        "N2: a record of a newer format starts embedded, keeps the files until a confirmed start, then continues"
    )
    func newerFormat() throws {
        var device = try good()
        let slot = device.updater.slots.older == StorePaths.recordA ? StorePaths.recordB : StorePaths.recordA
        try device.disk.place(slot, Array("otalab-record-2 900 7 sum\n{\"x\":1}".utf8))
        try device.launch()
        #expect(device.causes(.recordNewerFormat) == 1)
        let token = device.load(.processStart)
        #expect(device.running(token) == "v1")
        device.wait(.minutes(3))
        #expect(device.disk.files(under: StorePaths.blobs).count == 1)
        device.send(.page(token, .confirmed))
        device.wait(.minutes(3))
        #expect(device.disk.files(under: StorePaths.blobs).isEmpty)
        #expect(device.updater.durable.generation > 900)
        device.check()
        #expect(device.status.pending?.id == "v2")
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
    }

    @Test("N2: a record without its files, and files without their record, start embedded")
    func restored() throws {
        var settings = try good()
        for file in settings.disk.files(under: StorePaths.blobs)
            + settings.disk.files(under: StorePaths.tables)
        {
            try settings.disk.remove(file)
        }
        try settings.launch()
        #expect(settings.show(.processStart) == "v1")
        #expect(settings.causes(.contentDamaged) == 1 && settings.status.blacklist.isEmpty)

        var files = try good()
        try files.disk.remove(StorePaths.recordA)
        try files.disk.remove(StorePaths.recordB)
        try files.launch()
        #expect(files.show(.processStart) == "v1")
        files.wait(.minutes(2))
        #expect(files.disk.files(under: StorePaths.blobs).isEmpty)
    }

    @Test("N1: down and up again between native builds never starts a previous build's version")
    func downgrade() throws {
        var device = try good()
        for (native, embedded) in [("1.1", Version("v4", serial: 4)), ("1.0", Version("v1", serial: 1))] {
            try device.embed(embedded)
            device.native = native
            try device.launch()
            #expect(device.show(.processStart) == embedded.id)
            #expect(device.status.pending == nil && device.status.blacklist.isEmpty)
            device.kill()
        }
    }

    @Test("N1: a version for both builds and above the new embedded one is kept, pending and unproven")
    func survives() throws {
        var device = try Harness.started()
        var wide = Version("v9", serial: 9)
        wide.native = "\"native\": { \"min\": \"1.0\", \"below\": \"2\" },"
        wide.files[2].bytes = Version.content("other logo", 800)
        wide.files[0].bytes = Array("<script src=/app.js></script><p>".utf8)
        device.offered = wide
        device.check()
        device.kill()
        try device.start()
        device.kill()
        try device.embed(Version("v4", serial: 4))
        device.native = "1.1"
        try device.launch()
        #expect(device.status.current?.id == "v4" && device.status.pending?.id == "v9")
        #expect(device.status.good.isEmpty)
        #expect(device.show(.processStart) == "v9")
    }

    @Test("R1: a second process that finds the store in use serves the embedded version and writes nothing")
    func twoProcesses() throws {
        var device = try good()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
        let first = device.updater
        let before = device.bytes(of: StorePaths.recordA)
        let other = device.bytes(of: StorePaths.recordB)
        try device.launch()
        #expect(device.causes(.storeInUse) == 1)
        #expect(device.show(.processStart) == "v1")
        device.check()
        device.wait(.minutes(5))
        #expect(device.bytes(of: StorePaths.recordA) == before)
        #expect(device.bytes(of: StorePaths.recordB) == other)
        device.updater = first
        #expect(device.show(.reload) == "v2")
    }

    @Test("R5: of 65 blacklist entries the oldest gives way, but not the one that this line's origin offers")
    func fullBlacklist() {
        var record = StoreRecord()
        record.native = "1.0"
        record.line = OriginLine(root: "https://origin.example", channel: "stable")
        func entry(_ id: String, channel: String = "stable") -> BlacklistEntry {
            BlacklistEntry(
                key: VersionKey(id: id, digest: SHA256.hash(of: Array(id.utf8))), native: "1.0",
                line: OriginLine(root: "https://origin.example", channel: channel),
                cause: .startFailedByPage, evidence: "", count: 1)
        }
        record.accepted = entry("offered").key
        record.addToBlacklist(entry("offered"))
        record.line.channel = "beta"
        record.addToBlacklist(entry("offered", channel: "beta"))
        record.line.channel = "stable"
        for index in 1...62 { record.addToBlacklist(entry("v\(index)")) }
        #expect(record.blacklist.count == 64)
        record.addToBlacklist(entry("v63"))
        #expect(record.blacklist.count == 64)
        #expect(record.blacklist.prefix(2).map(\.key.id) == ["offered", "v1"])
        #expect(record.blacklist.allSatisfy { $0.line.channel == "stable" }, "another line's entry gave way")
        record.addToBlacklist(entry("v64"))
        #expect(record.blacklist.prefix(2).map(\.key.id) == ["offered", "v2"])
    }
}
