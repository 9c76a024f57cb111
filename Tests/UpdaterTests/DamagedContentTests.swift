import Core
import Testing
import World

@testable import Updater

@Suite("R10 and R8: more damaged content than the record lists")
struct DamagedContentTests {
    private static let fileCount = StoreRecord.damagedLimit + 4

    private func version(_ id: String, serial: Int) -> Version {
        var version = Version(id, serial: serial)
        for index in 0..<DamagedContentTests.fileCount {
            version.files.append(("/part\(index).js", Array("part \(index)".utf8)))
        }
        return version
    }

    /// v2 has confirmed; then each of its stored files was changed, and the device restarted.
    private func damaged() throws -> Harness {
        var device = try Harness.started()
        device.offered = version("v2", serial: 2)
        device.check()
        #expect(device.status.pending?.id == "v2")
        device.kill()
        try device.start()
        #expect(device.status.current?.id == "v2")
        device.kill()
        for blob in device.disk.files(under: StorePaths.blobs) {
            var bytes = device.bytes(of: blob)
            bytes[0] ^= 1
            try device.disk.place(blob, bytes)
        }
        device.boot = "boot-2"
        return device
    }

    private func expectWholeContent(_ device: Harness, _ comment: String) throws {
        let pending = try #require(device.updater.record.pending)
        let table = try #require(device.updater.version(pending))
        for digest in table.blobs {
            #expect(SHA256.hash(of: device.bytes(of: StorePaths.blob(digest))) == digest, "\(comment)")
        }
    }

    @Test("The version leaves the record as a whole, and its files are removed")
    func removed() throws {
        var device = try damaged()
        try device.start()
        #expect(device.status.current?.id == "v1")
        #expect(device.updater.record.versions.isEmpty && device.updater.durable.damaged.isEmpty)
        #expect((1...10).contains(device.causes(.contentDamaged)))
        #expect(device.disk.files(under: StorePaths.blobs).isEmpty)
        #expect(!device.updater.durable.distrustsUnusedContent)
    }

    @Test("Files that can't be removed are not used, until they are gone")
    func notRemoved() throws {
        var device = try damaged()
        device.disk.add(DiskFault(.remove, .inputOutput, times: nil, path: StorePaths.blobs))
        try device.start()
        #expect(!device.disk.files(under: StorePaths.blobs).isEmpty)
        #expect(device.updater.durable.distrustsUnusedContent)
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == "v2")
        // The logo is embedded, everything else is downloaded.
        #expect(device.requests.count { $0.url.contains("part") } == DamagedContentTests.fileCount)
        try expectWholeContent(device, "after the download")
        device.disk.removeFaults()
        device.kill()
        try device.start()
        device.wait(.minutes(2))
        #expect(device.status.current?.id == "v2")
        #expect(!device.updater.durable.distrustsUnusedContent)
    }

    @Test("A kill at any call of the launch, the check or the clean-up leaves no damaged file in use")
    func killed() throws {
        let damaged = try damaged()
        var whole = damaged
        let first = whole.disk.operations
        try whole.start()
        whole.wait(.minutes(2))
        whole.check()
        let count = whole.disk.operations - first
        for call in stride(from: 1, through: count, by: count / 7) {
            var cut = damaged
            cut.disk.stop(atCall: call)
            try cut.start()
            cut.wait(.minutes(2))
            cut.check()
            cut.kill()
            cut.disk.resume()
            try cut.start()
            cut.check()
            if cut.status.current?.id == "v1" { try expectWholeContent(cut, "call \(call) of \(count)") }
        }
    }

    @Test("R10: content that an earlier process stored is verified before a version that reuses it is served")
    func reused() throws {
        var device = try Harness.started()
        var v2 = Version("v2", serial: 2)
        v2.files.append(("/new.js", Array("new".utf8)))
        device.offered = v2
        device.delayed = ["/app.js"]
        device.check()
        device.kill()
        let stored = StorePaths.blob(SHA256.hash(of: Array("new".utf8)))
        #expect(device.bytes(of: stored) == Array("new".utf8))
        try device.disk.place(stored, Array("nex".utf8))
        device.boot = "boot-2"
        device.delayed = []
        try device.start()
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.show(.reload) == "v1")
        #expect(device.causes(.contentDamaged) == 1)
        device.wait(.minutes(1))
        device.check()
        #expect(device.show(.reload) == "v2")
    }

    @Test("R8: a record whose lists are all full is below its reader's limit without its log")
    func largest() {
        func key(_ index: Int) -> VersionKey {
            VersionKey(
                id: String(repeating: "\"", count: 120) + "\(10_000_000 + index)",
                digest: SHA256.hash(of: Array("\(index)".utf8)))
        }
        func keys(_ count: Int) -> [VersionKey] { (0..<count).map(key) }
        var record = RecordTests.full()
        record.log = []
        record.line = OriginLine(
            root: "https://" + String(repeating: "r", count: 120), channel: "channel-name")
        record.versions = keys(8).map { VersionEntry(key: $0, confirmations: 1_000, hasStarted: true) }
        record.checked = keys(8)
        record.startHistories = keys(StoreRecord.startHistoryLimit).map {
            StartHistory(key: $0, failures: 100, unclear: 100, uncounted: 100, parkings: 100)
        }
        let entry = record.blacklist[0]
        record.blacklist = keys(StoreRecord.blacklistLimit).map {
            var copy = entry
            copy.key = $0
            copy.line = record.line
            return copy
        }
        record.leftVersions = keys(StoreRecord.leftVersionLimit)
        let ids = (0..<ManifestNode.maxIDs).map { key($0).id }
        record.recalled = ids
        record.withheldRecalls = Array(ids.prefix(StoreRecord.withheldRecallLimit))
        record.unblocked = ids
        record.settled = AcceptedPublication(order: .serial(1), key: key(1), recalled: ids)
        record.damaged = keys(StoreRecord.damagedLimit).map(\.digest)
        record.switches = keys(StoreRecord.switchLimit).map {
            RequestedSwitch(key: $0, at: OriginTime(seconds: 1_800_000_000))
        }
        let outcome = record.outcomes[0]
        record.outcomes = keys(StoreRecord.outcomeLimit).map {
            var copy = outcome
            copy.version = $0.id
            return copy
        }
        record.reportedRefusals = ids.prefix(32).map { "manifest-field-malformed \($0)" }
        let bytes = RecordCoding.encode(record)
        #expect(bytes.count < RecordCoding.maxBytes)
        let isReadBack = RecordCoding.decode(bytes) == record
        #expect(isReadBack)
    }
}
