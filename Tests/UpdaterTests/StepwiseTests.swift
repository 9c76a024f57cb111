import Core
import Testing

@testable import Updater

/// Manifests that are longer than a step of the background.
private enum LongManifest {
    static let count = 2_000

    static func own(_ last: String = "") -> String {
        let files = (0..<count).map { index in
            #"{"route":"/f\#(index).js","size":\#(index),"sha256":"\#(digest(index))"}"#
        }
        return #"{"format":"otalab-manifest-1","app":"com.example.shop","version":"v2","serial":2,"#
            + #""index":"/f7.js","files":[\#(files.joined(separator: ",")) \#(last)]}"#
    }

    static func meteor() -> String {
        let files = (0..<count).map { index in
            #"{"path":"app/f\#(index).js","where":"client","type":"js","url":"/f\#(index).js","#
                + #""hash":"\#(digest(index).prefix(40))"}"#
        }
        return #"{"format":"web-program-pre1","version":"v2","cordovaCompatibilityVersions":{"ios":"x"},"#
            + #""manifest":[\#(files.joined(separator: ","))]}"#
    }

    static func frontend() -> String {
        let files = (0..<count).map { #"{"path":"public/f\#($0).js","route":"/f\#($0).js"}"# }
        return #"{"commit":"9f3a61c","date":"2026-11-20T12:00:00Z","#
            + #""files":[{"path":"public/index.html","route":"/"},\#(files.joined(separator: ","))]}"#
    }

    static func digest(_ index: Int) -> String { SHA256.hash(of: Array("\(index)".utf8)).hex }
}

@Suite("S9: manifests and tables are read and written in bounded steps")
struct StepwiseTests {
    /// Outcome of a reading in steps, and how many there were.
    private func read(_ text: String, _ dialect: ManifestDialect, inStepsOf size: Int) -> (
        result: Result<VersionTable, ManifestRefusal>, steps: Int
    ) {
        var reading = ManifestReading(Array(text.utf8), dialect: dialect, limits: UpdaterLimits())
        var steps = 0
        while true {
            steps += 1
            do throws(ManifestRefusal) {
                if let table = try reading.step(size) { return (.success(table), steps) }
            } catch {
                return (.failure(error), steps)
            }
        }
    }

    @Test(
        "A manifest of any dialect has the same table, whatever the size of the steps",
        arguments: [
            (ManifestDialect.own, LongManifest.own()), (.meteor, LongManifest.meteor()),
            (.frontend, LongManifest.frontend()),
        ])
    func sameTable(_ dialect: ManifestDialect, _ text: String) throws {
        let table = try ManifestReader(dialect: dialect).read(Array(text.utf8))
        #expect(table.assets.count >= LongManifest.count)
        for size in [100, 4_096, 64 << 10] {
            let (result, steps) = read(text, dialect, inStepsOf: size)
            #expect(try result.get() == table)
            // Its bytes are parsed, its files converted and hashed: each once.
            #expect(steps >= text.utf8.count * 2 / (size + 200), "\(steps) steps of \(size) bytes")
        }
    }

    @Test("A manifest is refused for the same reason, whatever the size of the steps")
    func sameRefusal() {
        let digest = LongManifest.digest(0)
        let texts = [
            LongManifest.own(","), LongManifest.own(",7"), LongManifest.own(#",{"route":"/x.js"}"#),
            LongManifest.own(#",{"route":"/F0.js","size":1,"sha256":"\#(LongManifest.digest(1))"}"#),
            LongManifest.own(#",{"route":"/f0.js","size":1,"sha256":"\#(digest)"}"#),
            LongManifest.own(#",{"route":"/x.js","size":600000000,"sha256":"\#(digest)"}"#),
            String(LongManifest.own().dropLast(2)), "",
        ]
        for text in texts {
            guard case .failure(let whole) = read(text, .own, inStepsOf: .max).result else {
                Issue.record("not refused: …\(text.suffix(80))")
                continue
            }
            for size in [1_000, 64 << 10] {
                guard case .failure(let refusal) = read(text, .own, inStepsOf: size).result else {
                    Issue.record("not refused in steps: …\(text.suffix(80))")
                    continue
                }
                #expect(refusal.cause == whole.cause)
                #expect(refusal.detail == whole.detail)
            }
        }
    }

    @Test("A table is written and read in steps as at once; a changed byte is found")
    func tables() throws {
        let manifest = Array(LongManifest.own().utf8)
        let table = try ManifestReader(dialect: .own).read(manifest)
        let stored = table.assets.map { asset in
            StoredVersion.StoredAsset(
                location: .blob(SHA256.hash(of: Array(asset.route.utf8))), size: asset.size ?? 0,
                tag: asset.size == 7 ? "\"a\"" : nil)
        }
        let version = StoredVersion(
            table: table, storedAssets: stored, verification: .everyByte, packageRoot: nil)
        func write(inStepsOf bytes: Int) -> (whole: [UInt8], steps: Int) {
            var writing = TableWriting(version, manifest: manifest)
            var steps = 1
            while true {
                if let written = writing.step(bytes) { return (written, steps) }
                steps += 1
            }
        }
        let whole = write(inStepsOf: .max).whole
        let (written, steps) = write(inStepsOf: 64 << 10)
        #expect(written == whole)
        #expect(steps >= whole.count >> 16)

        func read(_ bytes: [UInt8]) throws(TableDamage) -> StoredVersion {
            var reading = TableReading(bytes, packageRoot: nil, limits: UpdaterLimits())
            while true { if let version = try reading.step(64 << 10) { return version } }
        }
        #expect(try read(whole) == version)
        for offset in [0, 20, 90, 200, whole.count / 2, whole.count - 1] {
            var damaged = whole
            damaged[offset] ^= 1
            #expect(throws: TableDamage.self) { try read(damaged) }
        }
        #expect(throws: TableDamage.self) { try read(Array(whole.dropLast())) }
        #expect(throws: TableDamage.self) { try read([]) }
    }

    @Test("The list of finished assets is the same in steps, without lines that are cut off or changed")
    func finishedLines() {
        var list = FinishedAssets()
        var bytes: [UInt8] = []
        for index in 0..<1_000 {
            let digest = SHA256.hash(of: Array("\(index)".utf8))
            let stored = StoredVersion.StoredAsset(location: .blob(digest), size: index)
            bytes += list.add(digest, digest, stored).line
        }
        bytes[bytes.count / 2] ^= 1
        bytes.removeLast(10)
        let whole = FinishedAssets(bytes)
        #expect(whole.entries.count == 998)
        var stepwise = FinishedAssets()
        var steps = 1
        while !stepwise.readLines(of: bytes, atMost: 10_000) { steps += 1 }
        #expect(stepwise == whole)
        #expect(steps > bytes.count / 11_000)
    }

    @Test(
        "A plan of n assets compares n log n keys of the list of finished assets; of equal keys the last counts"
    )
    func finishedByKey() {
        func comparisons(_ count: Int) -> Int {
            var list = FinishedAssets()
            let keys = (0..<count).map { SHA256.hash(of: Array("\($0)".utf8)) }
            for (size, key) in keys.enumerated() {
                _ = list.add(key, key, StoredVersion.StoredAsset(location: .blob(key), size: size))
            }
            _ = list.add(keys[0], keys[0], StoredVersion.StoredAsset(location: .blob(keys[0]), size: count))
            var byKey = FinishedAssetsByKey()
            for (size, key) in keys.enumerated() {
                #expect(byKey.stored(key, in: list)?.size == (size == 0 ? count : size))
            }
            #expect(byKey.stored(SHA256.hash(of: []), in: list) == nil)
            return byKey.comparisons
        }
        let few = comparisons(500)
        let many = comparisons(5_000)
        #expect(many < few * 15, "\(few) for 500, \(many) for 5,000")
    }

    /// v2 with a manifest of 400 KB, most of it in a field that the updater does not know.
    private var versionWithNotes: Version { withNotes(Version("v2", serial: 2)) }

    private func withNotes(_ version: Version) -> Version {
        var version = version
        version.extra = #""notes": [\#((0..<40_000).map { "\($0)" }.joined(separator: ", "))],"#
        return version
    }

    @Test("A page that is requested while a long manifest is read is answered before it is read")
    func pageFirst() throws {
        var device = try Harness.started()
        device.offered = versionWithNotes
        device.delayed = ["manifest.json"]
        device.check()
        let id = try #require(device.waiting.last?.id)
        device.effects = []
        let manifest = device.whole(id, 200, versionWithNotes.manifest)
        device.send(manifest + [.pageLoadRequested(PageLoadToken(99), .reload)])
        let answered = try #require(
            device.effects.firstIndex { effect in
                if case .answerPageLoad = effect { true } else { false }
            })
        let requested = try #require(
            device.effects.firstIndex { effect in
                if case .fetch(_, let request) = effect { request.route == "/app.js" } else { false }
            })
        #expect(answered < requested)
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A long manifest of a check that was given up decides nothing")
    func givenUp() throws {
        var device = try Harness.started()
        device.offered = versionWithNotes
        device.delayed = ["manifest.json"]
        device.check()
        let id = try #require(device.waiting.last?.id)
        device.delayed = []
        device.offered = Version("v3", serial: 3)
        var changed = device.settings
        changed.user = "max"
        device.send(device.whole(id, 200, versionWithNotes.manifest) + [.settings(changed)])
        #expect(device.status.pending?.id != "v2")
        device.check()
        #expect(device.status.pending?.id == "v3")
        #expect(!device.requests.contains { $0.version?.id == "v2" })
    }

    @Test("Versions with long manifests start again, embedded and downloaded; a download of one continues")
    func restarts() throws {
        var device = try Harness(embedded: withNotes(Version("v1", serial: 1)))
        try device.start()
        #expect(device.status.current?.id == "v1")
        device.offered = versionWithNotes
        device.delayed = ["/app.js"]
        device.check()
        #expect(device.status.downloading?.id == "v2")
        device.kill()
        device.delayed = []
        try device.start()
        device.check()
        #expect(device.status.pending?.id == "v2")
        device.kill()
        try device.start()
        #expect(device.status.current?.id == "v2")
        device.kill()
        try device.start()
        #expect(device.status.current?.id == "v2")
        #expect(device.causes(.contentDamaged) == 0)
    }
}
