import Core
import Testing

@testable import Updater

@Suite("T1: the error report, line by line")
struct ErrorReportTests {
    private static func key(_ number: UInt8) -> VersionKey {
        VersionKey(id: "v\(number)", digest: SHA256.hash(of: [number]))
    }

    /// An updater with something to say in every line.
    private func updater() throws -> Updater {
        let key = Self.key
        var updater = Updater()
        updater.settings = UpdaterSettings(app: "com.example.shop", origin: "https://o.example:1/m.json")
        updater.settings.updates = .manual
        updater.settings.startupTimeout = .milliseconds(12_345)
        var launch = Updater.Launch(
            settings: updater.settings, native: try #require(NativeBuild("1.0")), platform: "ios", entropy: []
        )
        launch.bootID = "boot 1"
        updater.launch = launch
        updater.environment = ProcessEnvironment(inForeground: false, .metered, at: .zero)
        var table = try ManifestReader(dialect: .own).read(Version("v1", serial: 5).manifest)
        table.key = key(1)
        updater.versions.addRead(
            StoredVersion(table: table, storedAssets: [], verification: .hashedRows, packageRoot: nil))
        var record = StoreRecord()
        record.device = "d"
        record.native = "1.0"
        record.line = OriginLine(root: "r", channel: "c")
        record.originTime = OriginTime(seconds: 100)
        record.embedded = key(0)
        record.current = key(1)
        record.currentSince = OriginTime(seconds: 90)
        record.pending = key(2)
        record.forced = key(2)
        record.lastKnownGood = key(1)
        record.previousGood = key(0)
        record.parked = ParkedVersion(key: key(3), since: nil)
        record.download = key(4)
        record.data = WrittenDataSchema(schema: 7, readableFrom: 6)
        record.versions = [VersionEntry(key: key(1), confirmations: 2), VersionEntry(key: key(3))]
        record.startHistories = [
            StartHistory(key: key(2), failures: 1, unclear: 2, uncounted: 3, parkings: 4),
            StartHistory(key: key(6), uncounted: 1),
        ]
        for (cause, since) in [(LogCause.startFailedByCrash, OriginTime(seconds: 50)), (.noSpace, nil)] {
            var entry = BlacklistEntry(
                key: key(5), native: "1.0", line: record.line, cause: cause, evidence: "exit record: 100 %",
                count: 2, since: since)
            entry.hasEnded = since != nil
            record.blacklist.append(entry)
        }
        record.damaged = [key(8).digest, key(9).digest]
        record.log = [
            LogEntry(.parked, version: "v3", detail: "a b", after: .microseconds(12_999)),
            LogEntry(.launched),
        ]
        updater.record = record
        return updater
    }

    @Test("Everything that is known is in it, in its place, once")
    func whole() throws {
        func hex(_ number: UInt8) -> String { Self.key(number).digest.hex }
        let expected = """
            otalab-report format=1 writer=otalab
            app id=com.example.shop native=1.0 platform=ios dialect=own root=https://o.example:1 \
            channel=stable updates=manual confirmation=called startup-timeout=12345ms
            device id=d boot=boot%201 front=false network=metered origin-time=100 running-since=90 data-schema=7
            version id=v0 digest=\(hex(0)) state=proven roles=embedded,good-before
            version id=v1 digest=\(hex(1)) state=good roles=current,last-known-good confirmations=2 \
            verified=hashed-rows serial=5
            version id=v2 digest=\(hex(2)) state=failed-once roles=pending,forced failures=1 unclear=2 \
            uncounted=3 parkings=4
            version id=v4 digest=\(hex(4)) state=downloading roles=download
            version id=v3 digest=\(hex(3)) state=parked roles=parked
            version id=v6 digest=\(hex(6)) state=unknown uncounted=1
            blacklist id=v5 digest=\(hex(5)) native=1.0 cause=start-failed-by-crash count=2 ended=true since=50 \
            evidence=exit%20record:%20100%20%25
            blacklist id=v5 digest=\(hex(5)) native=1.0 cause=no-space count=2 ended=false \
            evidence=exit%20record:%20100%20%25
            damaged content=\(hex(8))
            damaged content=\(hex(9))
            log n=1 after=12ms cause=parked version=v3 facts=a%20b
            log n=2 cause=launched
            end lines=15

            """
        #expect(try updater().report().text == expected)
    }

    @Test("Every field of the documented table is written by some report")
    func fields() throws {
        var seen: [String: Set<String>] = ["host": []]
        var lines = try updater().report().lines
        lines.append(ErrorReport.hostLine(1, LogEntry(.requestRefused, detail: "a=b")))
        for line in lines { seen[line.keyword, default: []].formUnion(line.fields.map(\.name)) }
        for keyword in ReportKeyword.allCases where keyword != .report && keyword != .end {
            #expect(seen[keyword.rawValue] == Set(keyword.fields), "\(keyword)")
        }
    }

    @Test("A process that knows nothing yet says that")
    func empty() {
        #expect(Updater().report().text == "otalab-report format=1 writer=otalab\nend lines=1\n")
    }

    @Test("An entry of the app is a line of its own, without facts if it has none")
    func host() {
        let entry = LogEntry(.requestRefused, version: "v", detail: "a=b c")
        #expect(ErrorReport.hostLine(3, entry).text == "host n=3 cause=request-refused facts=a=b%20c")
        #expect(
            ErrorReport.hostLine(1, LogEntry(.serverPortTaken)).text == "host n=1 cause=server-port-taken")
    }

    @Test("Of a value every byte up to the space, the delete character and the percent sign is encoded")
    func encoding() {
        for byte in 0...0x7f as ClosedRange<UInt8> {
            let text = String(decoding: [byte], as: UTF8.self)
            let isEncoded = byte <= 0x20 || byte == 0x7f || byte == 0x25
            let written = ReportLine("k", [.init("n", text)]).text
            #expect(written == "k n=" + (isEncoded ? "%" + Hex.text([byte]) : text), "\(byte)")
        }
        let line = ReportLine("k", [.init("a", "ü=1"), .init("b", ""), .init("a", "2")])
        #expect(line.text == "k a=ü=1 b= a=2" && line["a"] == "ü=1" && line["b"] == "" && line["c"] == nil)
        #expect(ReportLine("k").text == "k")
    }

    @Test("Times are whole milliseconds, rounded down")
    func milliseconds() {
        #expect(ErrorReport.milliseconds(.microseconds(1_999)) == "1ms")
        #expect(ErrorReport.milliseconds(.seconds(20)) == "20000ms")
    }
}
