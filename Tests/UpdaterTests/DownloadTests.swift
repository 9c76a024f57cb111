import Core
import Testing
import World

@testable import Updater

@Suite("Downloads: redirects, codings, lengths, optional assets, and interrupted downloads")
struct DownloadTests {
    private static let v2 = Version("v2", serial: 2)

    private func device(
        _ version: Version = v2, roots: [String] = [], _ script: @escaping (OriginRequest) -> Reply?
    ) throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.allowedRoots = roots
        try device.start()
        device.offered = version
        device.script = script
        device.requests = []
        device.check()
        return device
    }

    private func redirecting(to location: String, roots: [String] = []) throws -> Harness {
        try device(roots: roots) { request in
            guard request.route == "/app.js" else { return nil }
            if request.url.hasSuffix("/app.js") { return Reply(302, [], [("Location", location)]) }
            return Reply(200, Self.v2.bytes("/app.js"))
        }
    }

    // MARK: Redirects

    @Test("Within the origin a redirect is followed, relative ones too", arguments: ["/moved/a", "b?x=1"])
    func sameOrigin(_ location: String) throws {
        let device = try redirecting(to: location)
        #expect(device.status.pending?.id == "v2")
        let wanted = location == "/moved/a" ? "/moved/a" : "/b?x=1"
        #expect(device.requested("/app.js").last?.url == "https://origin.example" + wanted)
    }

    @Test(
        "Another host, a downgrade and other schemes are refused and logged",
        arguments: [
            "https://cdn.example/a", "http://origin.example/a", "//cdn.example/a", "file:///etc/passwd",
            "data:text/plain,x", "https://origin.example.evil.example/a", "https://origin.example@evil/a", "",
        ])
    func otherHost(_ location: String) throws {
        let device = try redirecting(to: location)
        #expect(device.status.pending == nil)
        #expect(device.causes(.redirectRefused) == 1)
        #expect(device.requests.allSatisfy { $0.url.hasPrefix("https://origin.example/") })
    }

    @Test("A root that the settings allow is followed, with https only")
    func allowedRoot() throws {
        let roots = ["https://cdn.example", "http://plain.example"]
        let allowed = try redirecting(to: "https://CDN.example:443/a", roots: roots)
        #expect(allowed.status.pending?.id == "v2")
        let plain = try redirecting(to: "http://plain.example/a", roots: roots)
        #expect(plain.status.pending == nil)
    }

    @Test("An origin whose https is written in capitals does not allow an http root either")
    func capitalScheme() throws {
        var settings = try device { _ in nil }.settings
        settings.origin = "HTTPS://origin.example/manifest.json"
        settings.allowedRoots = ["http://plain.example", "https://cdn.example"]
        #expect(Redirects.allowed(settings) == ["HTTPS://origin.example", "https://cdn.example"])
    }

    @Test("Redirects end after five, and those of the manifest follow the same policy")
    func bounded() throws {
        let device = try device { $0.route == nil ? nil : Reply(307, [], [("Location", "/again")]) }
        #expect(device.requested("/app.js").count == 6)
        #expect(device.causes(.redirectRefused) == 1)
        let portal = try self.device { request in
            request.kind == .manifest ? Reply(302, [], [("Location", "http://portal.example/")]) : nil
        }
        #expect(portal.causes(.redirectRefused) == 1)
        let moved = try self.device { request in
            guard request.kind == .manifest, request.url.hasSuffix("manifest.json") else {
                return request.kind == .manifest ? Reply(200, Self.v2.manifest) : nil
            }
            return Reply(308, [], [("Location", "/ota/v2")])
        }
        #expect(moved.status.pending?.id == "v2")
    }

    @Test("A redirected file resumes where it stopped")
    func redirectedRange() throws {
        let whole = Self.v2.bytes("/app.js")
        var device = try device { request in
            guard request.route == "/app.js" else { return nil }
            if request.url.hasSuffix("/app.js") { return Reply(302, [], [("Location", "/b")]) }
            return request.from.map { Reply.part(whole, from: $0) } ?? Reply(200, whole).cut(after: 1_000)
        }
        device.wait(.seconds(5))
        #expect(device.requested("/app.js").map(\.from) == [nil, nil, 1_000, 1_000])
        #expect(device.status.pending?.id == "v2")
    }

    // MARK: Codings and lengths

    @Test("Identity is requested, and a response with a coding is refused, also of the manifest")
    func codings() throws {
        let coded = [("Content-Encoding", "gzip")]
        var device = try device { request in
            request.route.map { Reply(200, Self.v2.bytes($0), coded) } ?? Reply(200, Self.v2.manifest, coded)
        }
        #expect(device.causes(.codingRefused) == 1)
        #expect(device.requests.allSatisfy { $0.field("Accept-Encoding") == "identity" })
        device.script = { request in request.route.map { Reply(200, Self.v2.bytes($0), coded) } }
        device.wait(.seconds(2))
        #expect(device.causes(.codingRefused) == 2)
        device.script = nil
        device.wait(.seconds(5))
        #expect(device.status.pending?.id == "v2")
        let identity = try self.device { request in
            request.route.map { Reply(200, Self.v2.bytes($0), [("Content-Encoding", "identity")]) }
        }
        #expect(identity.status.pending?.id == "v2")
    }

    @Test("U11: a body longer than announced is cut off, and another announced length is refused")
    func lengths() throws {
        let long = Self.v2.bytes("/app.js") + [1]
        let longer = try device { $0.route.map { _ in Reply(200, long, [("Content-Length", "3000")]) } }
        #expect(longer.causes(.lengthMismatch) == 1)
        let other = try device { $0.route.map { _ in Reply(200, long) } }
        #expect(other.causes(.lengthMismatch) == 1)
        let manifest = try device { request in
            request.kind == .manifest ? Reply(200, Self.v2.manifest, [("Content-Length", "9999")]) : nil
        }
        #expect(manifest.causes(.lengthMismatch) == 1)
        #expect(manifest.status.pending == nil)
    }

    @Test("After a mismatch caches on the way are bypassed, for the file and for the manifest")
    func cacheBypass() throws {
        var device = try device { $0.route.map { _ in Reply(200, Version.content("stale", 3_000)) } }
        device.script = nil
        device.requests = []
        device.wait(.seconds(3))
        #expect(device.status.pending?.id == "v2")
        #expect(device.requests.count == 2)
        #expect(device.requests.allSatisfy { $0.field("Cache-Control") == "no-cache" })
    }

    @Test("An empty file is a file")
    func emptyFile() throws {
        var version = Self.v2
        version.files.append(("/empty.txt", []))
        let device = try device(version) { _ in nil }
        #expect(device.status.pending?.id == "v2")
    }

    // MARK: Optional assets

    private var withMap: Version {
        var version = Self.v2
        version.files.append(("/app.js.map", Version.content("map", 100)))
        version.optional = ["/app.js.map"]
        return version
    }

    @Test("U12: an optional asset may be missing at once, or after three refusals or wrong bodies")
    func optionalAssets() throws {
        let gone = try device(withMap) { $0.route == "/app.js.map" ? Reply(404) : nil }
        #expect(gone.status.pending?.id == "v2")
        for reply in [Reply(403), Reply(200, Version.content("x", 100)), Reply(200, [1])] {
            var refused = try device(withMap) { $0.route == "/app.js.map" ? reply : nil }
            #expect(refused.status.pending == nil)
            refused.wait(.seconds(10))
            #expect(refused.status.pending?.id == "v2")
            #expect(refused.requested("/app.js.map").count == 3)
            #expect(refused.causes(.optionalMissing) == 1)
        }
        var busy = try device(withMap) { $0.route == "/app.js.map" ? Reply(503) : nil }
        busy.wait(.seconds(5))
        #expect(busy.status.pending == nil, "the origin may have recovered in the meantime")
        busy.wait(.minutes(1))
        #expect(busy.status.pending?.id == "v2" && busy.causes(.optionalMissing) == 1)
    }

    // MARK: Cut off

    @Test("U2, ST-R2: what an earlier process has finished is kept and not requested again")
    func finishedStays() throws {
        var version = Self.v2
        version.files.append(("/b.js", Version.content("b", 400)))
        var device = try device(version) { $0.route == "/b.js" ? .silence : nil }
        device.kill()
        try device.launch()
        device.wait(.minutes(5))
        device.script = nil
        device.requests = []
        device.check()
        #expect(device.requests.compactMap(\.route) == ["/b.js"])
        #expect(device.status.pending?.id == "v2")
        device.wait(.minutes(2))
        #expect(device.disk.files(under: StorePaths.partial).isEmpty)
    }

    @Test("U4: a newer version replaces a download; late bytes of that are written nowhere")
    func superseded() throws {
        let v3 = Version("v3", serial: 3)
        var device = try device {
            $0.route == nil ? nil : Reply(200, Self.v2.bytes("/app.js")).stalling(after: 9)
        }
        let late = try #require(device.unanswered.first)
        device.offered = v3
        device.unanswered = []
        device.script = { $0.route == nil ? nil : Reply(200, v3.bytes("/app.js")).stalling(after: 7) }
        device.check()
        device.send(.transfer(late, .bytes([1, 2, 3])))
        device.send(.transfer(late, .end))
        device.wait(.seconds(20))
        let sizes = device.disk.files(under: StorePaths.partial).compactMap { path in
            path.name.count == 64 ? device.disk.content(of: path)?.size : nil
        }
        #expect(sizes.filter { $0 > 0 }.contains(7))
        #expect(!sizes.contains(12))
        device.script = nil
        device.kill()
        try device.launch()
        device.check()
        #expect(device.status.pending?.id == "v3")
    }

    @Test("U11: too little space is reported before the start, and a full disk gives back what was taken")
    func space() throws {
        var device = try Harness.started()
        device.offered = Self.v2
        device.disk.limitFreeSpace(to: 50_000_000 + 3_200)
        device.requests = []
        device.check()
        #expect(device.causes(.noSpace) >= 1)
        #expect(device.requests.compactMap(\.route).isEmpty)
        device.disk.limitFreeSpace(to: 50_000_000 + 60_000)
        device.check()
        #expect(device.status.pending?.id == "v2")
    }

    // MARK: Data policy

    @Test("U15: leaving an allowed network pauses the download, coming back resumes it")
    func dataPolicy() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.meteredBytes = 1_000
        try device.start()
        device.offered = Self.v2
        let whole = Self.v2.bytes("/app.js")
        device.script = { $0.route == nil ? nil : Reply(200, whole).stalling(after: 1_500) }
        device.check()
        device.send(.network(.metered))
        #expect(device.causes(.waitsForNetwork) == 1)
        device.script = { request in request.from.map { Reply.part(whole, from: $0) } }
        device.requests = []
        device.wait(.minutes(5))
        #expect(device.requests.isEmpty)
        device.send(.network(.online))
        #expect(device.requested("/app.js").map(\.from) == [1_500])
        #expect(device.status.pending?.id == "v2")
    }

    @Test("U15: a download that is small enough uses any network")
    func smallEnough() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.meteredBytes = 3_000
        try device.start()
        device.offered = Self.v2
        device.send(.network(.metered))
        device.check()
        #expect(device.status.pending?.id == "v2")
    }

    // MARK: Progress

    @Test("U7: progress on the loading screen never decreases, despite mismatches and a newer version")
    func progress() throws {
        var device = try Harness(embedded: nil)
        device.settings.updates = .automatic
        let v1 = Version("v1", serial: 1, size: 200_000)
        let v2 = Version("v2", serial: 2, size: 400_000)
        device.offered = v1
        var isNew = false
        device.script = { request in
            guard request.route == "/app.js" else { return nil }
            if request.version?.id == "v1" { return Reply(200, Version.content("x", 200_000)) }
            isNew = true
            return nil
        }
        try device.launch()
        device.offered = v2
        device.wait(.minutes(1))
        #expect(isNew)
        var shown = 0
        var count = 0
        for effect in device.effects {
            guard case .screen(.loading(let progress?)) = effect, let bytes = progress.bytes else { continue }
            let share = progress.bytesDone * 1_000 / max(bytes, 1)
            #expect(share >= shown)
            shown = share
            count += 1
        }
        #expect(count > 5)
        #expect(device.effects.contains(.ready))
    }

    @Test("Hundreds of files that arrive faster than they are synced don't use up the descriptors")
    func manyFilesAtOnce() throws {
        var device = try Harness.started()
        var v2 = Version("v2", serial: 2)
        for index in 0..<300 { v2.files.append(("/part\(index).js", Array("part \(index)".utf8))) }
        device.offered = v2
        device.check()
        #expect(device.causes(.diskFailed) == 0)
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A disk that accepts little at a time is written in bounded steps, and the file is right")
    func shortWrites() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2, size: 150_000)
        device.disk.limitWrites(to: 1_000)
        device.check()
        #expect(device.status.pending?.id == "v2")
        let blob = StorePaths.blob(SHA256.hash(of: Version.content("v2", 150_000)))
        #expect(device.bytes(of: blob) == Version.content("v2", 150_000))
        // The disk is full while bytes are still to be written.
        device.offered = Version("v3", serial: 3, size: 150_000)
        device.disk.add(DiskFault(.write, nth: 120, .noSpace, path: StorePaths.partial))
        device.check()
        #expect(device.logged.contains { $0.cause == .noSpace && $0.detail == "ENOSPC in write" })
        #expect(device.status.pending?.id == "v2")
        device.disk.removeFaults()
        device.check()
        #expect(device.status.pending?.id == "v3")
    }
}
