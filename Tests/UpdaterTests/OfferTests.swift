import Core
import Foundation
import Testing
import World

@testable import Updater

@Suite("What a manifest states besides its files: fitness, orders, targets, verification")
struct OfferTests {
    private func device(_ change: (inout Harness) -> Void = { _ in }) throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        change(&device)
        try device.start()
        return device
    }

    // MARK: U10

    private func refusal(_ text: String) throws -> [LogCause] {
        var device = try device()
        device.answers = [("manifest.json", 200, Array(text.utf8))]
        device.logged = []
        device.check()
        #expect(device.status.pending == nil)
        #expect(device.requests.compactMap(\.route).isEmpty)
        return device.logged.map(\.cause)
    }

    private func v2(_ text: String, _ other: String) -> String {
        String(decoding: Version("v2", serial: 2).manifest, as: UTF8.self)
            .replacingOccurrences(of: text, with: other)
    }

    @Test("U10: another app, channel, native build and origin are refused, each with its cause")
    func fitness() throws {
        #expect(try refusal(v2("com.example.shop", "com.example.other")) == [.otherApp])
        #expect(try refusal(v2("\"serial\"", "\"channel\": \"beta\", \"serial\"")) == [.otherChannel])
        let native = "\"native\": { \"min\": \"1.1\" }, \"serial\""
        #expect(try refusal(v2("\"serial\"", native)) == [.nativeOutsideRange])
        let url = "\"url\": \"https://evil.example/app.js\", \"route\": \"/app.js\""
        #expect(try refusal(v2("\"route\": \"/app.js\"", url)) == [.originChangeNotAllowed])
    }

    @Test("U10: each limit refuses what exceeds it")
    func limits() {
        func refusal(_ version: Version, _ change: (inout UpdaterLimits) -> Void) -> LogCause? {
            var limits = UpdaterLimits()
            change(&limits)
            do {
                _ = try ManifestReader(dialect: .own, limits: limits).read(version.manifest)
                return nil
            } catch {
                return error.cause
            }
        }
        let version = Version("v2", serial: 2)
        #expect(refusal(version) { _ in } == nil)
        #expect(refusal(version) { $0.manifestBytes = 100 } == .manifestTooLarge)
        #expect(refusal(version) { $0.assetCount = 2 } == .manifestTooManyAssets)
        #expect(refusal(version) { $0.fileBytes = 2_999 } == .fileTooLarge)
        #expect(refusal(version) { $0.versionBytes = 3_000 } == .versionTooLarge)
        #expect(UpdaterLimits().assetCount == 20_000)
        #expect(UpdaterLimits().manifestBytes == 4 << 20)
        #expect(UpdaterLimits().fileBytes == 512 << 20)
        #expect(UpdaterLimits().versionBytes == 2 << 30)
    }

    // MARK: Recall and unblock

    @Test("U13: a recalled pending version is dropped, a running one is left at the next allowed moment")
    func recall() throws {
        var device = try device()
        device.offered = Version("v2", serial: 2)
        device.check()
        var pending = device
        pending.offered = Version("v1", serial: 3)
        pending.offered?.extra = "\"recalled\": [\"v2\"],"
        pending.check()
        #expect(pending.status.pending == nil)
        #expect(pending.causes(.recalled) == 1)

        device.kill()
        try device.launch()
        let token = device.load(.processStart)
        device.send(.page(token, .confirmed))
        device.offered = Version("v2", serial: 3)
        device.offered?.extra = "\"recalled\": [\"v2\"],"
        device.check()
        #expect(
            device.effects.contains {
                if case .notice(.recalled(let key)) = $0 { key.id == "v2" } else { false }
            })
        #expect(device.show(.navigation) == "v2")
        #expect(device.show(.otherWebView) == "v2")
        var called = device
        called.send(.switchRequested(token))
        #expect(called.show(.commanded) == "v1")
        #expect(device.show(.reload) == "v1")
        #expect(device.status.blacklist.isEmpty)
    }

    @Test("U13: a recall touches no other version")
    func recallOfAnother() throws {
        var device = try device()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        device.offered = Version("v3", serial: 3)
        device.offered?.extra = "\"recalled\": [\"v2\"],"
        device.check()
        #expect(device.status.pending?.id == "v3")
        #expect(device.show(.reload) == "v3")
    }

    // MARK: U9

    @Test("U9: the origin receives what it selects versions by")
    func targetFields() throws {
        let device = try device {
            $0.settings.cohort = "early"
            $0.settings.user = "anna"
            $0.settings.updates = .automatic
        }
        let request = try #require(device.requests.first { $0.kind == .manifest })
        #expect(request.field("OTA-App") == "com.example.shop")
        #expect(request.field("OTA-Channel") == "stable")
        #expect(request.field("OTA-Native-Build") == "1.0")
        #expect(request.field("OTA-Running") == "v1")
        #expect(request.field("OTA-Cohort") == "early")
        #expect(request.field("OTA-User") == "anna")
        #expect(request.field("OTA-Device")?.count == 32)
        var again = device
        again.kill()
        again.requests = []
        try again.launch()
        #expect(again.requests.first?.field("OTA-Device") == request.field("OTA-Device"))
    }

    @Test("U9: a pending version was meant for the previous user; stored, it needs no download for the next")
    func otherUser() throws {
        var device = try device { $0.settings.user = "anna" }
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.status.pending?.id == "v2")
        var under = device
        under.settings.user = "ben"
        under.send(.settings(under.settings))
        #expect(under.status.pending == nil)
        device.kill()
        device.settings.user = "ben"
        try device.launch()
        #expect(device.show(.processStart) == "v1")
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.requests.compactMap(\.route).isEmpty)
    }

    @Test("U8, U9: another channel is another origin line, whose numbers are independent")
    func otherChannel() throws {
        var device = try device()
        device.offered = Version("v5", serial: 50)
        device.check()
        var settings = device.settings
        settings.channel = "beta"
        device.settings = settings
        device.send(.settings(settings))
        device.offered = Version("v6", serial: 6)
        device.check()
        #expect(device.status.pending?.id == "v6")
        #expect(device.causes(.olderThanAccepted) == 0)
    }

    @Test("U8: a dropped pending version counts as left; without an order it needs a second check")
    func droppedIsLeft() throws {
        var device = try device()
        device.offered = Version("v2", serial: -1)
        device.check()
        #expect(device.status.pending?.id == "v2")
        device.offered = Version("v1", serial: -1)
        device.check()
        #expect(device.status.pending == nil)
        device.offered = Version("v2", serial: -1)
        device.check()
        #expect(device.status.pending == nil)
        device.wait(.seconds(70))
        #expect(device.status.pending?.id == "v2")
    }

    // MARK: VerificationSummary

    private func table(_ dialect: ManifestDialect, _ text: String) throws -> VerificationSummary {
        VerificationSummary(try ManifestReader(dialect: dialect).read(Array(text.utf8)))
    }

    @Test("The verification of each dialect is what the documented table says, derived from the assets")
    func verificationText() throws {
        let own = try table(.own, v2("", ""))
        #expect(
            own.text == "verified=every-byte unchanged=by-hash order=serial orders=yes native=range")
        let head = "\"commit\": \"c\", \"date\": \"2026-11-20T12:00:00Z\", \"files\": "
        let bare = try table(.frontend, "{ \(head) [ { \"path\": \"i\", \"route\": \"/\" } ] }")
        #expect(bare.text == "verified=at-acceptance unchanged=by-tag order=date orders=no native=none")
        let hash = String(repeating: "0a", count: 32)
        let hashed = try table(
            .frontend, "{ \(head) [ { \"path\": \"i\", \"route\": \"/\", \"hash\": \"\(hash)\" } ] }")
        #expect(hashed.text == "verified=every-byte unchanged=by-hash order=date orders=no native=none")
        let meteor = try table(
            .meteor,
            """
            { "version": "m", "cordovaCompatibilityVersions": { "ios": "x" }, "manifest": [
              { "path": "a.js", "where": "client", "type": "js", "cacheable": true, "url": "/a.js", "size": 5,
                "hash": "0123456789012345678901234567890123456789" } ] }
            """)
        #expect(
            meteor.text
                == "verified=hashed-rows unchanged=by-hash-or-tag order=two-checks orders=no "
                + "native=equal-string")
    }

    @Test("It is logged when a version becomes pending, and stored with it")
    func verificationLogged() throws {
        var device = try device()
        device.offered = Version("v2", serial: 2)
        device.check()
        let entry = device.logged.first { $0.cause == .becamePending }
        #expect(entry?.detail.hasPrefix("verified=every-byte") == true)
        device.kill()
        try device.launch()
        #expect(device.updater.versions.all.last?.verification == .everyByte)
    }
}

@Suite("Assets without a hash (frontend dialect, bare)")
struct BareFrontendTests {
    private static func manifest(_ id: String, _ day: Int) -> [UInt8] {
        Array(
            """
            { "commit": "\(id)", "date": "2026-11-\(day)T12:00:00Z", "files": [
              { "path": "index.html", "route": "/" }, { "path": "app.js", "route": "/app.js" } ] }
            """.utf8)
    }

    private static let late = ("Date", "Mon, 30 Nov 2026 12:00:00 GMT")

    private func device() throws -> Harness {
        var device = try Harness(embedded: nil, dialect: .frontend)
        try device.launch()
        return device
    }

    private func script(_ id: String, _ day: Int, app: String) -> (OriginRequest) -> Reply? {
        { request in
            guard let route = request.route else { return Reply(200, Self.manifest(id, day), [Self.late]) }
            let tag = "\"\(route == "/" ? "index" : app)\""
            if request.field("If-None-Match") == tag { return Reply(304, [], [("ETag", tag)]) }
            let body = Version.content(route == "/" ? "index" : app, 900)
            return Reply(200, body, [("ETag", tag), Self.late])
        }
    }

    @Test(
        "U2: content with the same strong tag is not sent again; U1: the manifest is requested once more")
    func conditional() throws {
        var device = try device()
        device.script = script("c1", 20, app: "a1")
        device.check()
        #expect(device.causes(.becamePending) == 1)
        #expect(device.manifests == 2)
        let token = device.load(.processStart)
        device.send(.page(token, .confirmed))
        device.script = script("c2", 21, app: "a2")
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == "c2")
        #expect(device.requests.map { $0.field("If-None-Match") } == [nil, "\"index\"", "\"a1\"", nil])
        #expect(device.show(.reload) == "c2")
        #expect(device.served.values.contains { served in served.files.allSatisfy { $0.size == 900 } })
    }

    @Test("U8: a date more than 24 h ahead of the response's is refused, an older one ignored")
    func dates() throws {
        var device = try device()
        device.script = script("c1", 25, app: "a1")
        device.check()
        #expect(device.causes(.becamePending) == 1)
        device.script = { request in
            request.route.map { _ in Reply(404) }
                ?? Reply(200, Self.manifest("c9", 29), [("Date", "Fri, 27 Nov 2026 12:00:00 GMT")])
        }
        device.check()
        #expect(device.causes(.dateAhead) == 1)
        device.script = script("c0", 24, app: "a0")
        device.check()
        #expect(device.causes(.olderThanAccepted) == 1)
        #expect(device.causes(.downloadStarted) == 1)
    }

    /// The process dies when the index is finished and the script is not; the next one checks.
    /// - Parameter change: what happens to the device between the two.
    private func resumed(after change: (inout Harness) throws -> Void = { _ in }) throws -> Harness {
        var device = try device()
        let whole = script("c1", 20, app: "a1")
        device.script = { request in request.route == "/app.js" ? .silence : whole(request) }
        device.check()
        device.kill()
        try change(&device)
        try device.launch()
        device.script = whole
        device.requests = []
        device.check()
        return device
    }

    @Test("ST-0: a finished asset without a hash is not requested again after the process died")
    func finished() throws {
        let device = try resumed()
        #expect(device.requests.compactMap(\.route) == ["/app.js"])
        #expect(device.causes(.becamePending) == 1)
    }

    @Test("A list of finished assets of more than a step's bytes is read to its end")
    func longList() throws {
        let device = try resumed { device in
            let path = StorePaths.partialFinished
            let real = device.bytes(of: path)
            #expect(!real.isEmpty)
            var list = FinishedAssets()
            var bytes: [UInt8] = []
            while bytes.count <= FileReading.backgroundChunkSize {
                let key = SHA256.hash(of: Array("\(bytes.count)".utf8))
                bytes += list.add(key, key, StoredVersion.StoredAsset(location: .blob(key), size: 1)).line
            }
            try device.disk.place(path, bytes + real)
        }
        #expect(device.requests.compactMap(\.route) == ["/app.js"])
        #expect(device.causes(.becamePending) == 1)
    }

    @Test("A finished asset whose line was cut off is ignored")
    func tornLine() {
        var finished = FinishedAssets()
        let digest = SHA256.hash(of: [1])
        let stored = StoredVersion.StoredAsset(location: .blob(digest), size: 9, tag: "\"t\"")
        let first = finished.add(SHA256.hash(of: [2]), digest, stored)
        let second = finished.add(SHA256.hash(of: [3]), digest, stored)
        #expect(second.offset == first.line.count)
        let whole = FinishedAssets(first.line + second.line)
        var byKey = FinishedAssetsByKey()
        let found = byKey.stored(SHA256.hash(of: [3]), in: whole)
        #expect(found == stored)
        for cut in [1, 20, second.line.count - 1] {
            let torn = FinishedAssets(first.line + second.line.prefix(cut))
            #expect(torn.entries.count == 1)
            #expect(torn.length == first.line.count)
        }
        var flipped = first.line
        flipped[10] ^= 1
        #expect(FinishedAssets(flipped).entries.isEmpty)
    }
}
