import Core
import Testing

@testable import Updater

@Suite("What a store update, another origin line and another audience leave of a record")
struct StoreUpdateTests {
    private let embedded = EmbeddedSource(
        dialect: .own, manifest: DiskPath(.package, "web/manifest.json"), root: DiskPath(.package, "web"))

    /// An updater that is being opened, with this record.
    private func updater(_ record: StoreRecord, native: String = "1.2") throws -> Updater {
        var settings = UpdaterSettings(app: "com.example.shop", origin: "https://origin.example/m.json")
        settings.user = "u"
        settings.cohort = "b"
        var launch = Updater.Launch(
            settings: settings, native: try #require(NativeBuild(native)), platform: "ios",
            entropy: Array(repeating: 1, count: 32))
        launch.embedded = embedded
        var updater = Updater()
        updater.settings = settings
        updater.launch = launch
        updater.record = record
        updater.durable = record
        updater.store.beginOpening()
        return updater
    }

    private func stored(
        _ version: Version, _ verification: StoredVersion.Verification,
        _ location: StoredVersion.StoredAsset.Location = .absent
    ) throws -> StoredVersion {
        let table = try ManifestReader(dialect: .own).read(version.manifest)
        let assets = table.assets.map { StoredVersion.StoredAsset(location: location, size: $0.size ?? 0) }
        return StoredVersion(
            table: table, storedAssets: assets, verification: verification, packageRoot: embedded.root)
    }

    private func fields(_ record: StoreRecord) -> [String: String] {
        let fields = Mirror(reflecting: record).children.map { ($0.label ?? "", "\($0.value)") }
        return Dictionary(uniqueKeysWithValues: fields)
    }

    /// Compares every field with what it was and with that of a new record.
    private func expectFields(
        of record: StoreRecord, after before: StoreRecord, cleared: Set<String>, stated: Set<String>
    ) {
        let (old, new, empty) = (fields(before), fields(record), fields(StoreRecord()))
        #expect(cleared.union(stated).isSubset(of: old.keys))
        for (name, value) in new where !stated.contains(name) {
            #expect(value == (cleared.contains(name) ? empty[name] : old[name]), "\(name)")
        }
    }

    @Test(
        "N1: after a store update all of the previous build goes, and what is the origin line's stays",
        arguments: [(5, false), (12, false), (20, true)])
    func storeUpdate(serial: Int, isNewer: Bool) throws {
        let before = RecordTests.full()
        var updater = try updater(before, native: "1.3")
        let package = try stored(Version("p", serial: serial), .package)
        updater.versions.addEmbedded(package)
        updater.starts.file.markReachable(PageLoadToken(3))
        updater.decideLaunch()
        let record = try #require(updater.settledUpdate)
        let stated: Set<String> = [
            "native", "embedded", "current", "lastKnownGood", "acceptedSignatures", "log",
        ]
        expectFields(
            of: record, after: before,
            cleared: [
                "boot", "checked", "versions", "pending", "wait", "previousGood", "openStart",
                "startHistories", "parked", "blacklist", "lineKeys", "download", "damaged", "currentSince",
            ],
            stated: isNewer ? stated.union(["settled", "newestAccepted", "accepted"]) : stated)
        #expect(record.native == "1.3" && record.embedded == package.key && record.current == package.key)
        #expect(record.lastKnownGood == package.key)
        #expect(record.acceptedSignatures.map(\.version) == before.acceptedSignatures.map(\.version))
        #expect(record.acceptedSignatures.allSatisfy { $0.keys.isEmpty })
        if isNewer {
            #expect(record.settled == nil && record.newestAccepted == .serial(20))
            #expect(record.accepted == package.key)
        }
        #expect(record.log.map(\.cause) == [.parked, .launched, .storeUpdate, .previousBuildDropped])
        #expect(record.log[2].detail == "from=1.2 to=1.3" && record.log[2].version == "p")
        #expect(record.log[3].version == before.versions[0].key.id)
        #expect(!updater.starts.file.wasReachable(PageLoadToken(3)))
    }

    @Test("N1: the first launch of all is no store update, and names the device")
    func firstLaunch() throws {
        var updater = try updater(StoreRecord())
        updater.versions.addEmbedded(try stored(Version("p", serial: 5), .package))
        updater.decideLaunch()
        let record = try #require(updater.settledUpdate)
        #expect(record.log.map(\.cause) == [.launched] && record.device.utf8.count == 32)
        #expect(record.newestAccepted == .serial(5) && record.accepted == record.embedded)
        #expect(record.native == "1.2" && record.line.root == "https://origin.example")
        #expect(record.wait == nil && record.current == record.embedded)
        var other = try self.updater(StoreRecord())
        other.key = KeyedHash.Key(low: 1, high: 2)
        other.decideLaunch()
        #expect(other.record.device != record.device)
        #expect(other.record.device.prefix(16) != other.record.device.suffix(16))
    }

    @Test("N1: the newest download stays that fits, is above the package and needs no file of it")
    func kept() throws {
        var unfit = Version("unfit", serial: 30)
        unfit.native = "\"native\": { \"min\": \"9\" },"
        let downloads = [
            try stored(Version("below", serial: 4), .everyByte),
            try stored(Version("same", serial: 5), .everyByte),
            try stored(Version("good", serial: 6), .everyByte),
            try stored(Version("best", serial: 7), .everyByte),
            try stored(Version("needs", serial: 31), .everyByte, .package("x")),
            try stored(unfit, .everyByte),
            try stored(Version("recalled", serial: 32), .everyByte),
        ]
        func kept(_ ids: Set<String>, _ package: Version?, isReversed: Bool = false) throws -> String? {
            var record = RecordTests.full()
            record.native = "1.0"
            record.versions = []
            record.recalled = ["recalled"]
            record.versions = downloads.map { VersionEntry(key: $0.key, confirmations: 9) }
            var updater = try updater(record)
            if let package { updater.versions.addEmbedded(try stored(package, .package)) }
            for version in isReversed ? downloads.reversed() : downloads where ids.contains(version.key.id) {
                updater.versions.addRead(version)
            }
            updater.decideLaunch()
            let settled = try #require(updater.settledUpdate)
            #expect(settled.versions == settled.pending.map { [VersionEntry(key: $0)] } ?? [])
            return settled.pending?.id
        }
        let all = Set(downloads.map(\.key.id))
        for isReversed in [false, true] {
            #expect(try kept(all, Version("p", serial: 5), isReversed: isReversed) == "best")
            #expect(try kept(all, nil, isReversed: isReversed) == "best")
        }
        #expect(try kept(all.subtracting(["best"]), Version("p", serial: 5)) == "good")
        #expect(try kept(all.subtracting(["best", "good"]), Version("p", serial: 5)) == nil)
        #expect(try kept(["below"], Version("p", serial: 5)) == nil)
        #expect(try kept(["below"], nil) == "below")
        #expect(try kept(all, Version("p", serial: -1)) == nil, "without a serial it may be newer")
    }

    @Test("N1: with nothing embedded a download with serial 0 stays; one without a serial never does")
    func serials() throws {
        for (serial, isKept) in [(0, true), (-1, false)] {
            var record = RecordTests.full()
            record.native = "1.0"
            record.versions = []
            var updater = try updater(record)
            updater.launch?.embedded = nil
            updater.versions.addRead(try stored(Version("v", serial: serial), .everyByte))
            updater.decideLaunch()
            #expect((updater.settledUpdate?.pending != nil) == isKept, "\(serial)")
        }
    }

    @Test("U8, U9: in another origin line nothing is accepted, recalled, left or pending; the rest stays")
    func line() throws {
        for (root, channel) in [
            ("https://origin.example", "beta"), ("https://other.example", "stable"),
        ] {
            let before = RecordTests.full()
            var updater = try updater(before)
            updater.settings.origin = root + "/m.json"
            updater.settings.channel = channel
            updater.starts.file.originDelay = OriginDelay(
                remaining: .seconds(9), boot: nil, at: .zero, end: nil)
            updater.retries.delay(until: .zero + .seconds(9), date: nil)
            updater.checks.second = SecondCheck(key: try #require(before.pending), since: .zero)
            updater.updateOriginLine()
            expectFields(
                of: updater.record, after: before,
                cleared: [
                    "pending", "wait", "download", "newestAccepted", "settled", "accepted", "forced",
                    "leftVersions", "recalled", "withheldRecalls",
                ], stated: ["line", "log"])
            #expect(updater.record.line == OriginLine(root: root, channel: channel))
            #expect(updater.record.log.map(\.cause) == [.parked, .lineChanged, .pendingDropped])
            #expect(updater.record.log[1].detail == "to=\(root) channel=\(channel)")
            #expect(updater.checks.second == nil)
            let isSameRoot = root == "https://origin.example"
            #expect((updater.starts.file.originDelay != nil) == isSameRoot, "a delay is the root's")
            #expect((updater.retries.originDelayEnd != nil) == isSameRoot)
        }
    }

    @Test("U8: a new origin line begins with the embedded version's publication")
    func lineWithEmbedded() throws {
        let package = try stored(Version("p", serial: 5), .package)
        var record = RecordTests.full()
        record.embedded = package.key
        var updater = try updater(record)
        updater.versions.addEmbedded(package)
        updater.settings.channel = "beta"
        updater.updateOriginLine()
        #expect(updater.record.newestAccepted == .serial(5) && updater.record.accepted == package.key)
        #expect(updater.record.settled == nil)
    }

    @Test("U9: another user or cohort leaves what was pending and forced, and nothing else")
    func audience() throws {
        let before = RecordTests.full()
        let pending = try #require(before.pending)
        for (user, cohort) in [("x", "b"), ("u", "x"), (nil, "b"), ("u", nil)] as [(String?, String?)] {
            var updater = try updater(before)
            updater.settings.user = user
            updater.settings.cohort = cohort
            updater.updateOriginLine()
            expectFields(
                of: updater.record, after: before, cleared: ["pending", "wait", "forced"],
                stated: ["audience", "leftVersions", "log"])
            #expect(updater.record.audience == OfferAudience(user: user, cohort: cohort))
            #expect(updater.record.leftVersions == before.leftVersions + [pending])
            #expect(updater.record.log.map(\.cause) == [.parked, .pendingDropped])
        }
        var same = try updater(before)
        same.updateOriginLine()
        #expect(same.record == before)
    }

    @Test("U9: a pending embedded version is meant for everybody")
    func embeddedIsForAll() throws {
        var record = RecordTests.full()
        record.pending = record.embedded
        var updater = try updater(record)
        updater.settings.user = "x"
        updater.updateOriginLine()
        #expect(updater.record.pending == record.embedded)
    }
}
