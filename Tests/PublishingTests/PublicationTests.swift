import Core
import Testing
import Updater
import World

@testable import Publishing

@Suite("A release is published into a folder that a static host serves")
struct PublicationTests {
    private typealias Fixture = PublishingFixture

    @Test("The first release: manifest, files under the names of their content, maps as what no page needs")
    func first() throws {
        var fixture = Fixture()
        let summary = try fixture.publish(Fixture.first) { $0.version = "1.0.0" }
        #expect(summary.serial == 1 && summary.files == 3 && summary.newFiles == 3)
        let table = try #require(fixture.offered)
        #expect(table.key.id == "1.0.0" && table.metadata.order == .serial(1))
        #expect(table.metadata.app == "com.example.shop" && fixture.isWhole(table))
        let script = try #require(table.assets.first { $0.route == "/app.js" })
        #expect(script.sourceMap == "/app.js.map" && script.url.hasSuffix(".js"))
        #expect(table.assets.filter(\.isOptional).map(\.route) == ["/app.js.map"])
        #expect(fixture.table("manifest-1.json") == table)
    }

    @Test("The next release has the next serial, shares content, and leaves that of the one before")
    func next() throws {
        var fixture = Fixture()
        try fixture.publish(Fixture.first)
        let before = try #require(fixture.offered)
        let summary = try fixture.publish(Fixture.second)
        #expect(summary.serial == 2 && summary.files == 3 && summary.newFiles == 2)
        let table = try #require(fixture.offered)
        #expect(table.key != before.key && fixture.isWhole(table) && fixture.isWhole(before))
    }

    @Test("The same files again are nothing new, with other terms they are")
    func unchanged() throws {
        var fixture = Fixture()
        try fixture.publish(Fixture.first)
        let names = fixture.names
        #expect(try fixture.publish(Fixture.first).isUnchanged)
        #expect(fixture.names == names && fixture.offered?.metadata.order == .serial(1))
        var numbered = fixture
        #expect(try !numbered.publish(Fixture.first) { $0.serial = 9 }.isUnchanged)
        let summary = try fixture.publish(nil) { request in
            request.terms = { $0.recalled = ["0.9"] }
        }
        #expect(!summary.isUnchanged && summary.newFiles == 0)
        #expect(fixture.offered?.metadata.recalled == ["0.9"])
        // A recall stays, an order is of one publication.
        try fixture.publish(Fixture.second) { request in request.terms = { $0.order = .force } }
        #expect(fixture.offered?.metadata.recalled == ["0.9"] && fixture.offered?.metadata.command == .force)
        try fixture.publish(Fixture.first)
        #expect(fixture.offered?.metadata.recalled == ["0.9"] && fixture.offered?.metadata.command == .update)
    }

    @Test(
        "The order to go back to the app's own version needs no build, and the next release has files again")
    func embedded() throws {
        var fixture = Fixture()
        try fixture.publish(Fixture.first)
        try fixture.publish(nil) { request in request.terms = { $0.order = .embedded } }
        #expect(fixture.offered?.metadata.command == .embedded && fixture.offered?.assets.isEmpty == true)
        #expect(throws: PublishError.noRelease) { try fixture.publish(nil) }
        #expect(try fixture.publish(Fixture.first).serial == 3)
        #expect(fixture.offered?.metadata.command == .update)
    }

    @Test("Outside a rollout devices are led to the release before; more devices have the same one behind it")
    func rollout() throws {
        var fixture = Fixture()
        let share = { (part: Int) in
            { (request: inout Publication.Request) in request.share = .init(share: part, of: 100) }
        }
        #expect(throws: PublishError.shareOfFirst) { try fixture.publish(Fixture.first, share(5)) }
        try fixture.publish(Fixture.first)
        try fixture.publish(Fixture.second, share(5))
        let rollout = try #require(fixture.offered?.metadata.rollout)
        #expect(rollout.share == 5 && rollout.otherwise == "manifest-1.json")
        try fixture.publish(Fixture.second, share(50))
        let wider = try #require(fixture.offered?.metadata.rollout)
        #expect(wider.share == 50 && wider.otherwise == "manifest-1.json" && wider.salt == rollout.salt)
        // A recall of another version, without a build, goes to the same devices.
        try fixture.publish(nil) { request in request.terms = { $0.recalled = ["0.9"] } }
        #expect(fixture.offered?.metadata.rollout == wider)
        var all = fixture
        try all.publish(nil, share(100))
        #expect(all.offered?.metadata.rollout == nil && all.offered?.key == fixture.offered?.key)
        try fixture.publish(Fixture.second)
        #expect(fixture.offered?.metadata.rollout == nil)
    }

    @Test("At most as many rollouts follow each other as an updater requests manifests")
    func chain() throws {
        var fixture = Fixture()
        try fixture.publish(Fixture.first)
        for number in 1...Rollout.maxHops {
            try fixture.publish(["index.html": "\(number)"]) { $0.share = .init(share: 1, of: 10) }
        }
        #expect(throws: PublishError.tooManyRollouts) {
            try fixture.publish(["index.html": "last"]) { $0.share = .init(share: 1, of: 10) }
        }
        #expect(try fixture.publish(["index.html": "last"]).serial == Rollout.maxHops + 2)
    }

    @Test("What is kept: the last publications and those that a rollout leads to, with their files")
    func kept() throws {
        var fixture = Fixture()
        for number in 1...4 { try fixture.publish(["index.html": "\(number)"]) }
        #expect(fixture.names.filter { $0.hasPrefix("files/") }.count == 4)
        let summary = try fixture.publish(["index.html": "5"]) { request in
            request.share = .init(share: 1, of: 2)
            request.kept = 1
        }
        #expect(summary.removed == 6)
        #expect(fixture.names.filter { $0.hasPrefix("manifest-") } == ["manifest-4.json", "manifest-5.json"])
        #expect(fixture.names.filter { $0.hasPrefix("files/") }.count == 2)
        #expect(try PublicationCheck.result(of: &fixture.disk).faults.isEmpty)
    }

    @Test("Signed: the head names each key, the signature is of the manifest's exact bytes")
    func signed() throws {
        var fixture = Fixture()
        func signer(_ id: String) -> ReleaseSigner {
            ReleaseSigner(keyID: id, algorithm: .ed25519) { Array(id.utf8) + SHA256.hash(of: $0).bytes }
        }
        try fixture.publish(Fixture.first) { $0.signers = [signer("a"), signer("b")] }
        for name in ["manifest.json", "manifest-1.json"] {
            let file = try SignedManifest(try #require(fixture.bytes(DiskPath(.data, name))))
            #expect(file.signatures.map(\.key) == ["a", "b"] && file.signatures[0].algorithm == "ed25519")
            #expect(file.signatures[1].bytes == Array("b".utf8) + SHA256.hash(of: file.manifest).bytes)
            #expect(try ManifestReader(dialect: .own).read(file.manifest).metadata.order == .serial(1))
        }
        #expect(throws: PublishError.unsigned) { try fixture.publish(Fixture.second) }
        #expect(try fixture.publish(Fixture.first) { $0.signers = [signer("a"), signer("b")] }.isUnchanged)
        #expect(try !fixture.publish(Fixture.first) { $0.signers = [signer("b")] }.isUnchanged)
        #expect(try PublicationCheck.result(of: &fixture.disk).faults.isEmpty)
        #expect(throws: PublishError.notSigned(keyID: "c")) {
            try fixture.publish(Fixture.second) { request in
                request.signers = [ReleaseSigner(keyID: "c", algorithm: .ed25519) { _ in nil }]
            }
        }
        let unsigned = try fixture.publish(Fixture.second) { $0.isUnsignedAllowed = true }
        #expect(unsigned.serial == 3 && fixture.offered?.metadata.order == .serial(3))
    }

    @Test(
        "Announced keys stay in later releases until others are announced, or none; unsigned there are none"
    )
    func announcedKeys() throws {
        struct Outcome: Hashable {
            var isUnchanged: Bool
            var keys: [PublicKey]
        }
        var fixture = Fixture()
        let signer = ReleaseSigner(keyID: "a", algorithm: .ed25519) { SHA256.hash(of: $0).bytes }
        let key = PublicKey(id: "b", algorithm: .ed25519, bytes: Array(repeating: 7, count: 32))
        func publish(_ keys: [PublicKey]?, signed: Bool = true) throws -> Outcome {
            let summary = try fixture.publish(Fixture.first) { request in
                request.signers = signed ? [signer] : []
                request.isUnsignedAllowed = !signed
                request.terms = { terms in if let keys { terms.keys = keys } }
            }
            let file = fixture.bytes(PublishedFolder.manifest) ?? []
            let manifest = signed ? try SignedManifest(file).manifest : file
            let keys = try ManifestReader(dialect: .own).readSigned(manifest).keys
            return Outcome(isUnchanged: summary.isUnchanged, keys: keys)
        }
        #expect(try publish(nil).keys == [])
        #expect(try publish([key]) == Outcome(isUnchanged: false, keys: [key]))
        #expect(try publish(nil) == Outcome(isUnchanged: true, keys: [key]))
        #expect(try publish([]) == Outcome(isUnchanged: false, keys: []))
        #expect(try publish([key]) == Outcome(isUnchanged: false, keys: [key]))
        #expect(try publish(nil, signed: false) == Outcome(isUnchanged: false, keys: []))
    }

    @Test("What is refused leaves everything as it was")
    func refused() throws {
        var fixture = Fixture()
        #expect(throws: PublishError.noApp) { try fixture.publish(Fixture.first) { $0.app = nil } }
        #expect(throws: PublishError.noRelease) { try fixture.publish(nil) }
        try fixture.publish(Fixture.first) { request in (request.version, request.serial) = ("1.0", 7) }
        let before = fixture.names
        #expect(throws: PublishError.otherApp(published: "com.example.shop", given: "x")) {
            try fixture.publish(Fixture.second) { $0.app = "x" }
        }
        #expect(throws: PublishError.lowSerial(given: 7, newest: 7)) {
            try fixture.publish(Fixture.second) { $0.serial = 7 }
        }
        #expect(throws: PublishError.idInUse("1.0", serial: 7)) {
            try fixture.publish(Fixture.second) { $0.version = "1.0" }
        }
        #expect(throws: PublishError.recallsItself("1.0")) {
            try fixture.publish(nil) { request in request.terms = { $0.recalled = ["1.0"] } }
        }
        #expect(throws: PublishError.self) { try fixture.publish(["app.js": "no index"]) }
        #expect(throws: PublishError.self) { try fixture.publish(Fixture.second) { $0.version = "a b" } }
        let other = try fixture.disk.lock(PublishedFolder.lock)
        #expect(throws: PublishError.inUse) { try fixture.publish(Fixture.second) }
        try fixture.disk.close(other)
        #expect(fixture.names == before && fixture.offered?.key.id == "1.0")
        // A build that changes while it is published.
        var request = Publication.Request(now: fixture.now)
        request.build = try fixture.build(Fixture.second)
        _ = try fixture.build(["index.html": "<script src=app.js>", "app.js": "TWO", "style.css": "p{}"])
        #expect(throws: PublishError.buildChanged("app.js")) {
            try Publication.publish(request, on: &fixture.disk)
        }
        #expect(fixture.offered?.key.id == "1.0")
    }

    @Test("The check finds a file that is missing, short, or has other bytes; publishing again mends it")
    func check() throws {
        var fixture = Fixture()
        #expect(throws: PublishError.noRelease) { try PublicationCheck.result(of: &fixture.disk) }
        try fixture.publish(Fixture.first)
        let url = try #require(fixture.offered?.assets.first { $0.route == "/app.js" }?.url)
        let path = DiskPath(.data, url)
        for content in [nil, "on", "two"] {
            try fixture.disk.remove(path)
            if let content { try fixture.disk.place(path, Array(content.utf8)) }
            let result = try PublicationCheck.result(of: &fixture.disk)
            #expect(result.faults.map(\.name) == [url] && result.files == 3 && result.serial > 0)
            try fixture.publish(Fixture.first) { request in
                request.terms = { $0.unblock = [content ?? "none"] }
            }
            #expect(try PublicationCheck.result(of: &fixture.disk).faults.isEmpty)
        }
    }

    @Test(
        "Interrupted at any call, by a kill or a power cut, the folder offers the release before or the new one"
    )
    func interrupted() throws {
        var before = Fixture()
        try before.publish(Fixture.first) { $0.version = "1" }
        before.disk.cleanShutdown()
        let request = { (request: inout Publication.Request) in
            request.version = "2"
            request.kept = 1
        }
        var whole = before
        try whole.publish(Fixture.second, request)
        var (calls, old, new) = (0, 0, 0)
        while true {
            calls += 1
            guard let ends = try before.ends(stoppedAt: calls, Fixture.second, request) else { break }
            for var end in ends {
                let table = try #require(end.offered, "call \(calls)")
                #expect(end.isWhole(table), "call \(calls)")
                if table.key.id == "1" { old += 1 } else { new += 1 }
                #expect(table == before.offered || table == whole.offered)
                // The next publication ends it, and removes what was left behind.
                try end.publish(Fixture.second, request)
                #expect(end.offered?.key == whole.offered?.key)
                try end.publish(Fixture.second) { request in
                    (request.version, request.kept) = ("2", 1)
                    request.terms = { $0.unblock = ["1"] }
                }
                let files = { (fixture: Fixture) in fixture.names.filter { $0.hasPrefix("files/") } }
                #expect(files(end) == files(whole))
                #expect(!end.names.contains { $0.hasSuffix(".part") })
            }
        }
        #expect(calls > 40 && old > 100 && new > 5)
    }
}
