import Core
import Testing

@testable import Updater

@Suite("Lists of the record at their limits, and limits that an app sets")
struct ListLimitTests {
    @Test("T1: of 101 log entries the newest 100 are kept")
    func log() {
        var record = StoreRecord()
        for number in 1...100 { record.append(entry(number)) }
        #expect(record.log.map(\.detail) == (1...100).map(String.init))
        record.append(entry(101))
        #expect(record.log.map(\.detail) == (2...101).map(String.init))
    }

    private func entry(_ number: Int) -> LogEntry {
        LogEntry(.launched, version: nil, detail: String(number), after: .zero)
    }

    @Test("T3: an origin that is deaf to 64 outcomes gets all of them later, and of 65 the newest 64")
    func outcomes() throws {
        for count in [64, 65] {
            var device = try Harness(embedded: Version("v1", serial: 1))
            device.settings.reportsOutcomes = true
            try device.start()
            device.script = { $0.kind == .outcomes ? Reply(500) : nil }
            #expect(device.updater.record.outcomes.isEmpty)
            for number in 1...count {
                device.offered = Version("r\(number)", serial: 1 + number)
                device.offered?.native = "\"native\": { \"min\": \"9\" },"
                device.check()
            }
            device.script = nil
            device.requests = []
            device.check()
            let post = try #require(device.requests.last { $0.kind == .outcomes })
            let reported = try #require(JSONReader.read(post.body, dialect: .strict).array)
            #expect(reported.map { $0["version"]?.string } == ((count - 63)...count).map { "r\($0)" })
        }
    }

    @Test(
        "U10: a version's table has at most twice the bytes of a manifest, whatever an app sets as that limit",
        arguments: [
            (4 << 20, 8 << 20), (1, 2), (0, 0), (-1, 0), (Int.min, 0), (Int.max, Int.max - 1),
        ] as [(Int, Int)])
    func tableBytes(manifest: Int, table: Int) {
        var limits = UpdaterLimits()
        limits.manifestBytes = manifest
        #expect(limits.tableBytes == table)
    }
}
