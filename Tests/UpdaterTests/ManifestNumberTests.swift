import Core
import HTTP1
import ModuleTestSupport
import Testing

@testable import Updater

@Suite("Numbers of manifests, tables and settings, through to where they are used")
struct ManifestNumberTests {
    /// The version in use after it was offered, started and confirmed, and a new process has read its record.
    private func inUse(_ extra: String, serial: Int = 2) throws -> (id: String?, device: Harness) {
        var device = try Harness.started()
        var offered = Version("v2", serial: serial)
        offered.extra = extra
        device.offered = offered
        device.check()
        device.kill()
        try device.start()
        let generation = device.updater.record.generation
        device.kill()
        try device.launch()
        #expect(device.updater.record.generation >= generation, "the record was read again")
        let id = device.show(.processStart)
        device.check()
        return (id, device)
    }

    private func isCount(_ number: String) -> Bool { Int64(number).map { $0 >= 0 } == true && number != "+1" }

    @Test(
        "R12: a schema that was written is read again, whatever its number",
        arguments: HostileNumber.all.filter { !$0.isEmpty })
    func schemas(number: String) throws {
        let isRead = isCount(number) && !(number.count > 1 && number.hasPrefix("0"))
        let own = try inUse("\"dataSchema\": \(number),")
        #expect(own.id == (isRead ? "v2" : "v1"), "\(own.device.logged.map(\.detail))")
        if isRead { #expect(own.device.updater.record.data?.schema.description == number) }
        let lowest = try inUse("\"dataSchema\": 7, \"dataSchemaReadableFrom\": \(number),")
        #expect(lowest.id == (isRead ? "v2" : "v1"))
    }

    @Test(
        "U8: a serial that was accepted is read again, whatever its number",
        arguments: HostileNumber.all.filter { !$0.isEmpty })
    func serials(number: String) throws {
        let (id, device) = try inUse("\"serial\": \(number),", serial: -1)
        let isNewer = isCount(number) && !number.hasPrefix("00") && number != "0" && number != "1"
        #expect(id == (isNewer ? "v2" : "v1"))
        if isNewer { #expect(device.updater.record.newestAccepted == .serial(.init(Int64(number) ?? 0))) }
    }

    @Test("Dates of the frontend dialect, at each position", arguments: HostileNumber.all)
    func dates(number: String) {
        for form in [
            "F-11-20T12:00:00Z", "2026-F-20T12:00:00Z", "2026-11-FT12:00:00Z", "2026-11-20TF:00:00Z",
            "2026-11-20T12:00:00.FZ", "2026-11-20T12:00:00+F:00", "2026-11-20T12:00:00-12:F", "F",
        ] {
            let text = form.replacing("F", with: number)
            let manifest = """
                {"commit":"c","date":"\(text)","files":[{"path":"a","route":"/"}]}
                """
            do {
                let table = try ManifestReader(dialect: .frontend).read(Array(manifest.utf8))
                guard case .date(let date) = table.metadata.order else {
                    Issue.record("no date")
                    continue
                }
                let span = date - OriginTime(seconds: 0)
                #expect(span < .days(4_000_000) && .zero - span < .days(4_000_000))
            } catch {
                #expect(error.cause == .manifestFieldMalformed, "\(error)")
            }
        }
    }

    @Test(
        "Sizes of a manifest through the plan of a download, without limits of the app",
        arguments: HostileNumber.all)
    func sizes(number: String) throws {
        for (hash, network) in [(true, NetworkState.online), (false, .metered)] {
            var device = try Harness(embedded: Version("v1", serial: 1))
            device.settings.limits.fileBytes = .max
            device.settings.limits.versionBytes = .max
            device.settings.limits.reserveBytes = .max
            device.settings.meteredBytes = .max
            device.settings.dialect = hash ? .own : .frontend
            try device.start()
            device.send(.network(network))
            let files = (0..<4).map { index in
                let digest = SHA256.hash(of: [UInt8(index)]).hex
                return hash
                    ? #"{"route":"/\#(index)","size":\#(number),"sha256":"\#(digest)"}"#
                    : #"{"path":"\#(index)","route":"/\#(index == 0 ? "" : "\(index)")","size":\#(number)}"#
            }.joined(separator: ",")
            let manifest =
                hash
                ? #"{"format":"otalab-manifest-1","app":"com.example.shop","version":"v2","index":"/0","#
                : #"{"commit":"v2","date":"2026-11-20T12:00:00Z","#
            let text = manifest + #""files":[\#(files)]}"#
            device.answers = [("manifest.json", 200, Array(text.utf8))]
            device.check()
            device.wait(.minutes(2))
            #expect(device.status.current?.id == "v1" || device.status.current == nil)
        }
    }

    @Test(
        "Sizes in a table: within the limit of a file, or the table is damaged", arguments: HostileNumber.all)
    func tableSizes(number: String) {
        let manifest = Array(
            """
            {"commit":"c","date":"2026-11-20T12:00:00Z","files":[{"path":"a","route":"/"}]}
            """.utf8)
        let digest = SHA256.hash(of: [1]).hex
        let places =
            #"{"dialect":"frontend","verified":"at-acceptance","places":[["blob","\#(digest)",\#(number)]]}"#
        let body = manifest + Array(places.utf8)
        let head = "\(TableCoding.format) \(manifest.count) \(body.count) \(SHA256.hash(of: body).hex)\n"
        for limit in HostileNumber.integers.map({ Int(clamping: $0) }) {
            var limits = UpdaterLimits()
            limits.fileBytes = limit
            let read = TableCoding.decode(Array(head.utf8) + body, packageRoot: nil, limits: limits)
            let size = read?.storedAssets.first?.size
            #expect(size.map { (0...max(limit, 0)).contains($0) } ?? true)
        }
    }

    /// Every numeric setting of the app.
    private static let settings: [@Sendable (inout UpdaterSettings, Int) -> Void] = [
        { $0.startupTimeout = .microseconds(Int64($1)) }, { $0.startupTimeout = .seconds(Int64($1)) },
        { $0.connectTimeout = .microseconds(Int64($1)) }, { $0.idleTimeout = .seconds(Int64($1)) },
        { $0.idleTimeout = .microseconds(Int64($1)) }, { $0.parallelTransfers = $1 },
        { $0.meteredBytes = $1 }, { $0.limits.manifestBytes = $1 }, { $0.limits.assetCount = $1 },
        { $0.limits.fileBytes = $1 }, { $0.limits.versionBytes = $1 }, { $0.limits.reserveBytes = $1 },
    ]

    @Test("Settings of an app", arguments: HostileNumber.integers)
    func settings(number: Int64) throws {
        for set in Self.settings {
            var device = try Harness(embedded: Version("v1", serial: 1))
            set(&device.settings, Int(clamping: number))
            try device.launch()
            device.send(.network(.metered))
            let token = device.load(.processStart)
            device.wait(.minutes(1))
            device.send(.page(token, .confirmed))
            device.offered = Version("v2", serial: 2)
            device.delayed = ["/app.js"]
            device.check()
            device.wait(.minutes(2))
            device.delayed = []
            device.wait(.minutes(2))
            device.kill()
            try device.start()
            device.isSilent = true
            device.check()
            device.wait(.minutes(2))
        }
    }
}
