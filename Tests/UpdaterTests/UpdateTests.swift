import Core
import Testing
import World

@testable import Updater

@Suite("Updating")
struct UpdateTests {
    @Test(
        "U1: an offered version becomes pending when every file is stored, and runs at the next process start"
    )
    func plainUpdate() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.status.current?.id == "v1")
        device.kill()
        try device.launch()
        let token = device.load(.processStart)
        #expect(device.running(token) == "v2")
        device.send(.page(token, .confirmed))
        #expect(device.status.lastKnownGood?.id == "v2")
        #expect(device.status.pending == nil)
    }

    @Test("U2: only changed files are downloaded, and nothing if nothing is new")
    func onlyChanged() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.requests.filter { $0.kind != .manifest }.map(\.kind) == [.file("/app.js")])
        let before = device.requests.count
        device.check()
        #expect(device.requests.count == before + 1)
    }

    @Test("U6: a reload activates the pending version, a link does not")
    func moments() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.show(.navigation) == "v1")
        #expect(device.show(.otherWebView) == "v1")
        #expect(device.show(.reload) == "v2")
    }

    @Test(
        "U1: a file with other bytes is refused with its cause, and downloaded again when the origin is correct"
    )
    func wrongBytes() throws {
        var device = try Harness.started()
        let good = Version("v2", serial: 2)
        device.offered = good
        device.answers = [("/app.js", 200, Version.content("other", 3_000))]
        device.check()
        #expect(device.status.pending == nil)
        #expect(device.causes(.contentMismatch) == 1)
        device.answers = []
        device.wait(.seconds(10))
        #expect(device.status.pending?.id == "v2")
    }

    @Test("U10: a captive portal's page is not a manifest; the check is retried automatically")
    func captivePortal() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.answers = [("manifest.json", 200, Array("<html>Please log in</html>".utf8))]
        device.check()
        #expect(device.causes(.manifestUnreadable) == 1)
        device.answers = []
        device.wait(.seconds(5))
        #expect(device.status.pending?.id == "v2")
    }

    @Test(
        "U8: an older publication is ignored; one that goes back under a new number needs no download"
    )
    func forwardOnly() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.offered = Version("v1", serial: 1)
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.causes(.olderThanAccepted) == 1)
        device.kill()
        try device.start()
        let before = device.requests.count
        device.offered = Version("v1", serial: 3)
        device.check()
        #expect(device.status.pending?.id == "v1")
        #expect(device.requests.count == before + 1)
    }

    @Test("U4: a newer version supersedes a running download and a pending version")
    func supersede() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.offered = Version("v3", serial: 3)
        device.check()
        #expect(device.status.pending?.id == "v3")
        device.wait(.minutes(2))
        #expect(device.disk.files(under: StorePaths.tables).count == 1)
    }

    @Test("U7: without embedded content the first version is shown as soon as it is complete")
    func firstVersion() throws {
        var device = try Harness(embedded: nil)
        device.settings.updates = .automatic
        device.offered = Version("v1", serial: 1)
        try device.launch()
        #expect(device.effects.contains(.ready))
        #expect(device.show(.processStart) == "v1")
    }

    @Test("N1: after a store update nothing of the old build is left")
    func storeUpdate() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        device.kill()
        try device.embed(Version("v4", serial: 4))
        device.native = "1.1"
        try device.launch()
        #expect(device.show(.processStart) == "v4")
        #expect(device.status.pending == nil)
        device.wait(.minutes(2))
        #expect(device.disk.files(under: StorePaths.blobs).isEmpty)
        #expect(device.disk.files(under: StorePaths.tables).isEmpty)
    }
}
