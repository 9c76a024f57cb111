import Core
import Testing
import Updater
import World

@testable import Publishing

@Suite("Releases with manifests of the frontend dialect")
struct FrontendReleaseTests {
    private typealias Fixture = PublishingFixture

    private static func frontend(_ id: String? = nil) -> (inout Publication.Request) -> Void {
        { request in (request.dialect, request.app, request.version) = (.frontend, nil, id) }
    }

    private func offered(_ fixture: Fixture, _ name: String = "manifest.json") throws -> VersionTable {
        let bytes = try #require(fixture.bytes(PublishedFolder.root / name))
        return try ManifestReader(dialect: .frontend).read(bytes)
    }

    private func isWhole(_ table: VersionTable, _ fixture: Fixture) -> Bool {
        table.assets.allSatisfy { asset in
            guard let path = PublishedFolder.path(of: asset), let bytes = fixture.bytes(path) else {
                return false
            }
            return asset.hash == .sha256(SHA256.hash(of: bytes)) && asset.size == bytes.count
        }
    }

    @Test("Commit, date, and each file with path, route, hash and size; no app is named")
    func first() throws {
        var fixture = Fixture()
        let summary = try fixture.publish(Fixture.first, FrontendReleaseTests.frontend("abc1234"))
        #expect(summary.serial == 1 && summary.files == 3)
        let table = try offered(fixture)
        #expect(table.key.id == "abc1234" && table.metadata.order == .date(fixture.now))
        #expect(table.assets.map(\.route) == ["/app.js", "/app.js.map", "/index.html"])
        #expect(isWhole(table, fixture) && table.assets.allSatisfy { $0.url.hasPrefix("/files/") })
        #expect(try offered(fixture, "manifest-1.json") == table)
    }

    @Test("The next release has a later date, also where the clock has not moved or was set back")
    func later() throws {
        var fixture = Fixture()
        try fixture.publish(Fixture.first, FrontendReleaseTests.frontend())
        fixture.now = fixture.now + .seconds(-3_600)
        for serial in 2...4 {
            var files = Fixture.second
            files["n.txt"] = "\(serial)"
            #expect(try fixture.publish(files, FrontendReleaseTests.frontend()).serial == serial)
            let date = OriginTime(seconds: 1_790_000_000 + Int64(serial) - 1)
            #expect(try offered(fixture).metadata.order == .date(date))
        }
        let names = fixture.names
        #expect(try fixture.publish(nil) { $0.app = nil }.isUnchanged, "the dialect is that of the folder")
        #expect(fixture.names == names)
        #expect(try PublicationCheck.result(of: &fixture.disk).faults.isEmpty)
    }

    @Test("Where the folder is on its host is said once")
    func place() throws {
        var fixture = Fixture()
        try fixture.publish(Fixture.first) { request in
            FrontendReleaseTests.frontend()(&request)
            request.place = "/shop/web/"
        }
        try fixture.publish(Fixture.second, FrontendReleaseTests.frontend())
        let table = try offered(fixture)
        #expect(table.assets.allSatisfy { $0.url.hasPrefix("/shop/web/files/") } && isWhole(table, fixture))
        #expect(table.assets.allSatisfy { $0.packagePath.hasPrefix("shop/web/files/") })
        #expect(try PublicationCheck.result(of: &fixture.disk).faults.isEmpty)
        var package = SimulatedDisk()
        let summary = try EmbeddedRelease.write(from: &fixture.disk, to: &package, www: [])
        #expect(summary.serial == 2 && package.files(under: DiskPath(.data, "web")).count == 3)
    }

    @Test("What the dialect can't state is refused, and each folder has one dialect")
    func refusals() throws {
        let changes: [(String, (inout Publication.Request) -> Void)] = [
            ("a recall", { $0.terms = { $0.recalled = ["x"] } }),
            ("a channel", { $0.terms = { $0.channel = "beta" } }),
            ("a range of builds", { $0.terms = { $0.native.minimum = NativeBuild("2") } }),
            ("a data schema", { $0.terms = { $0.dataSchema = UntrustedInteger(2) } }),
            ("the order 'force'", { $0.terms = { $0.order = .force } }),
            ("an end of blacklist entries", { $0.terms = { $0.unblock = ["x"] } }),
            ("a share of the devices", { $0.share = Publication.Share(share: 1, of: 2) }),
        ]
        var published = Fixture()
        try published.publish(Fixture.first, FrontendReleaseTests.frontend())
        for (what, change) in changes {
            var fixture = published
            #expect(throws: PublishError.unsayable(what, .frontend), "\(what)") {
                try fixture.publish(Fixture.second) { request in
                    FrontendReleaseTests.frontend()(&request)
                    change(&request)
                }
            }
            #expect(fixture.names == published.names && fixture.offeredBytes == published.offeredBytes)
        }
        var fixture = published
        #expect(throws: PublishError.otherDialect(published: .frontend, given: .own)) {
            try fixture.publish(Fixture.second) { $0.dialect = .own }
        }
        var own = Fixture()
        try own.publish(Fixture.first)
        #expect(throws: PublishError.otherDialect(published: .own, given: .frontend)) {
            try own.publish(Fixture.second, FrontendReleaseTests.frontend())
        }
        // Without its manifest under a number, nothing says which publication it is.
        try fixture.disk.remove(PublishedFolder.root / "manifest-1.json")
        #expect(throws: PublishError.self) {
            try fixture.publish(Fixture.second, FrontendReleaseTests.frontend())
        }
    }

    @Test("Interrupted at any call, the folder offers the release before or the new one")
    func interrupted() throws {
        var before = Fixture()
        try before.publish(Fixture.first, FrontendReleaseTests.frontend("1"))
        before.disk.cleanShutdown()
        var (calls, old, new) = (0, 0, 0)
        let second = FrontendReleaseTests.frontend("2")
        while true {
            calls += 1
            guard let ends = try before.ends(stoppedAt: calls, Fixture.second, second) else { break }
            for var end in ends {
                let table = try offered(end)
                #expect(isWhole(table, end) && ["1", "2"].contains(table.key.id), "call \(calls)")
                if table.key.id == "1" { old += 1 } else { new += 1 }
                try end.publish(Fixture.second, second)
                #expect(try offered(end).key.id == "2")
                #expect(try PublicationCheck.result(of: &end.disk).faults.isEmpty)
            }
        }
        #expect(calls > 40 && old > 100 && new > 5)
    }
}
