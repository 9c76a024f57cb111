import Core
import HTTP1
import Testing

@testable import Updater

@Suite("What an app gets that decides nothing about its updates")
struct DefaultSettingTests {
    @Test("U5, U15, R3: every setting has the documented default")
    func settings() {
        var stated: [String: String] = [:]
        for child in Mirror(reflecting: UpdaterSettings(app: "a", origin: "o")).children {
            stated[child.label ?? ""] = "\(child.value)"
        }
        let expected: [String: Any] = [
            "app": "a", "origin": "o", "dialect": ManifestDialect.own, "allowedRoots": [String](),
            "channel": "stable", "cohort": String?.none as Any, "user": String?.none as Any,
            "updates": UpdatePolicy.automatic, "confirmation": ConfirmationPolicy.called,
            "startupTimeout": TimeSpan.seconds(20), "unclearEndsUntilRescue": 3, "switchesOnReload": true,
            "switchesOnReturn": false, "reportsOutcomes": false, "keys": [PublicKey]?.none as Any,
            "usesMeteredNetwork": true, "meteredBytes": Int?.none as Any, "parallelTransfers": 6,
            "connectTimeout": TimeSpan.seconds(15), "idleTimeout": TimeSpan.seconds(30),
            "limits": UpdaterLimits(),
        ]
        #expect(stated.keys.sorted() == expected.keys.sorted())
        for (name, value) in expected { #expect(stated[name] == "\(value)", "\(name)") }
    }

    @Test("U10, U11: every limit has the documented default")
    func limits() {
        let limits = UpdaterLimits()
        #expect(limits.manifestBytes == 4_194_304 && limits.assetCount == 20_000)
        #expect(limits.fileBytes == 536_870_912 && limits.versionBytes == 2_147_483_648)
        #expect(limits.reserveBytes == 50_000_000)
        #expect(Mirror(reflecting: limits).children.count == 5)
    }

    @Test("The manifest is requested from the origin itself, or from Meteor's folder below it")
    func manifestURL() {
        var settings = UpdaterSettings(app: "a", origin: "https://o.example/m.json")
        for dialect in [ManifestDialect.own, .frontend] {
            settings.dialect = dialect
            #expect(settings.manifestURL == settings.origin && settings.fileBase == settings.origin)
        }
        settings.dialect = .meteor
        for origin in ["https://o.example/x", "https://o.example/x//", "https://o.example/x/__cordova/"] {
            settings.origin = origin
            #expect(settings.fileBase == "https://o.example/x/__cordova/")
            #expect(settings.manifestURL == "https://o.example/x/__cordova/manifest.json")
        }
    }

    @Test("R3: a startup timeout below five seconds counts as five, or ten where the server confirms (R6)")
    func startupTimeout() {
        var settings = UpdaterSettings(app: "a", origin: "o")
        for (seconds, called, loaded) in [
            (4, 5, 10), (5, 5, 10), (6, 6, 10), (0, 5, 10), (-1, 5, 10), (10, 10, 10), (11, 11, 11),
        ] as [(Int64, Int64, Int64)] {
            settings.startupTimeout = .seconds(seconds)
            settings.confirmation = .called
            #expect(settings.effectiveStartupTimeout == .seconds(called))
            settings.confirmation = .loaded
            #expect(settings.effectiveStartupTimeout == .seconds(loaded))
        }
    }

    @Test("A launch is in front, online and not under a debugger unless the host says otherwise")
    func launch() throws {
        let settings = UpdaterSettings(app: "a", origin: "o")
        let native = try #require(NativeBuild("1"))
        let launch = Updater.Launch(settings: settings, native: native, platform: "ios", entropy: [])
        #expect(launch.inForeground && launch.network == .online && !launch.isDebugged)
        #expect(launch.compatibility == nil && launch.embedded == nil && launch.bootID == nil)
        #expect(launch.lastExit == nil && launch.wallClock == nil)
    }

    @Test("A request is the first of its kind, with nothing in it; a status names no version")
    func interface() {
        let request = OriginRequest(kind: .manifest, url: "u")
        #expect(request.attempt == 1 && request.body.isEmpty && request.version == nil)
        #expect(request.fields == HeaderFields())
        let status = UpdaterStatus()
        #expect(
            !status.pendingWaits && status.good.isEmpty && status.blacklist.isEmpty && status.parked.isEmpty)
        #expect(status.current == nil && status.pending == nil && status.downloading == nil)
    }

    @Test("U7: progress is compared in bytes where both know them, else in files")
    func progress() {
        let key = VersionKey(id: "v", digest: SHA256.hash(of: [1]))
        func progress(_ filesDone: Int, _ files: Int, _ bytesDone: Int, _ bytes: Int?) -> DownloadProgress {
            DownloadProgress(
                version: key, filesDone: filesDone, files: files, bytesDone: bytesDone, bytes: bytes)
        }
        let half = progress(1, 2, 50, 100)
        #expect(progress(2, 2, 49, 100).isBehind(half) && !half.isBehind(progress(2, 2, 49, 100)))
        #expect(!progress(0, 2, 500, 1_000).isBehind(half) && !progress(0, 2, 501, 1_000).isBehind(half))
        for bytes in [nil, 0] as [Int?] {
            #expect(progress(1, 3, 99, bytes).isBehind(half) && !half.isBehind(progress(1, 3, 99, bytes)))
            #expect(!progress(2, 4, 0, bytes).isBehind(half) && !progress(2, 3, 0, bytes).isBehind(half))
        }
        #expect(!progress(0, 0, 0, nil).isBehind(progress(0, 0, 0, nil)))
        #expect(!progress(1, 1, 0, nil).isBehind(progress(1, 0, 0, nil)))
        #expect(progress(0, 1, 1, 1 << 62).isBehind(progress(0, 1, 2, 1 << 62)), "no overflow")
    }
}
