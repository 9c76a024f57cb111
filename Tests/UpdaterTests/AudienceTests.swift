import Core
import Testing
import World

@testable import Updater

@Suite("U9: what was meant for another user, cohort or channel does not become current")
struct AudienceTests {
    /// A device of user jo with v2 pending.
    private func pending() throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.user = "jo"
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        #expect(device.status.pending?.id == "v2")
        return device
    }

    private static let changes: [@Sendable (inout UpdaterSettings) -> Void] = [
        { $0.user = "max" }, { $0.user = nil }, { $0.cohort = "beta" }, { $0.channel = "beta" },
        { $0.origin = "https://other.example/app/manifest.json" },
    ]

    @Test("while the process runs; nothing is downloaded again when it is offered once more")
    func running() throws {
        for change in AudienceTests.changes {
            var device = try pending()
            change(&device.settings)
            device.send(.settings(device.settings))
            #expect(device.status.pending == nil && device.causes(.pendingDropped) == 1)
            #expect(device.show(.reload) == "v1")
            device.requests = []
            device.check()
            #expect(device.status.pending?.id == "v2")
            #expect(device.requests.map(\.kind) == [.manifest])
            #expect(device.show(.reload) == "v2")
        }
    }

    @Test("across processes: the record knows for whom it was offered")
    func relaunched() throws {
        for change in AudienceTests.changes {
            var device = try pending()
            device.kill()
            change(&device.settings)
            try device.launch()
            #expect(device.show(.processStart) == "v1")
            #expect(device.status.pending == nil && device.causes(.pendingDropped) == 1)
        }
    }

    @Test("other settings, and the same ones, leave it pending")
    func same() throws {
        var device = try pending()
        device.settings.startupTimeout = .seconds(30)
        device.send(.settings(device.settings))
        #expect(device.status.pending?.id == "v2" && device.causes(.pendingDropped) == 0)
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
    }

    @Test("a check and a download in progress end: the origin is asked again, for the new user")
    func inProgress() throws {
        var device = try pending()
        device.offered = Version("v3", serial: 3)
        device.answers = [("/app.js", 503, [])]
        device.check()
        #expect(device.status.downloading?.id == "v3")
        device.settings.user = "max"
        device.send(.settings(device.settings))
        #expect(device.status.downloading == nil)
        device.answers = []
        device.check()
        #expect(
            device.requests.last { $0.kind == .manifest }?.fields["OTA-User"] == "max")
        #expect(device.status.pending?.id == "v3")
    }

    @Test("a response to a request of the previous user does not count (U4)")
    func late() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.user = "jo"
        try device.start()
        device.isSilent = true
        device.check()
        device.settings.user = "max"
        device.send(.settings(device.settings))
        let requested = device.requests.filter { $0.kind == .manifest }
        #expect(requested.count == 2)
        let cancelled = device.effects.compactMap { if case .cancelFetch(let id) = $0 { id } else { nil } }
        #expect(cancelled.count == 1)
        let first = try #require(cancelled.first)
        for event in device.whole(first, 200, Version("v2", serial: 2).manifest) { device.send(event) }
        #expect(device.status.downloading == nil && device.status.pending == nil)
    }
}
