import Core
import HTTP1
import Testing
import World

@testable import Updater

@Suite("Checks whose responses come in parts, lead elsewhere, or find a store that is not open")
struct CheckProgressTests {
    @Test("U5: a manifest may take as long as it likes while a byte comes within 30 s")
    func trickle() throws {
        var device = try Harness.started()
        device.settings.reportsOutcomes = false
        let manifest = Version("v2", serial: 2).manifest
        device.offered = Version("v2", serial: 2)
        device.delayed = ["/manifest.json"]
        device.check()
        let id = try #require(device.waiting.last?.id)
        device.wait(.seconds(14))
        device.send(.transfer(id, .head(status: 200, fields: [:])))
        for byte in manifest.prefix(5) {
            device.wait(.seconds(29))
            device.send(.transfer(id, .bytes([byte])))
        }
        #expect(device.causes(.checkFailed) == 0)
        var silent = device
        silent.wait(.seconds(29))
        #expect(silent.causes(.checkFailed) == 0)
        silent.wait(.seconds(1))
        #expect(silent.logged.last { $0.cause == .checkFailed }?.detail == "check: silent for 30 s")
        device.send(.transfer(id, .bytes(Array(manifest.dropFirst(5)))))
        device.delayed = []
        device.send(.transfer(id, .end))
        #expect(device.status.pending?.id == "v2")
    }

    @Test("U9: the manifest for the others is relative to the one that names it, and forced no more")
    func otherFolder() throws {
        var first = Version("v2", serial: 2)
        let rollout = { (other: String) in
            "\"rollout\": { \"share\": 0, \"of\": 1, \"otherwise\": \"\(other)\" },"
        }
        first.extra = "\"order\": \"force\","
        var device = try Harness.started()
        device.offered = first
        device.check()
        #expect(device.updater.record.forced?.id == "v2" && device.status.pending?.id == "v2")
        first.extra = rollout("a/m.json")
        var second = Version("v3", serial: 3)
        second.extra = rollout("n.json")
        let last = Version("v4", serial: 4)
        device.offered = last
        device.script = { [first, second] request in
            guard request.kind == .manifest else { return nil }
            if request.url.hasSuffix("/app/a/n.json") { return Reply(200, last.manifest) }
            return Reply(200, (request.url.hasSuffix("/app/a/m.json") ? second : first).manifest)
        }
        device.check()
        #expect(device.status.pending?.id == "v4" && device.updater.record.forced == nil)
        #expect(device.logged.contains { $0.cause == .pendingDropped && $0.version == "v2" })
        #expect(device.causes(.superseded) == 0, "it was dropped before")
    }

    @Test("U1: a download that waits for its confirmation ends when nothing is offered any more")
    func nothingOffered() throws {
        var device = try Harness(embedded: nil, dialect: .frontend)
        try device.launch()
        let manifest =
            "{ \"commit\": \"v2\", \"date\": \"2026-11-20T12:00:00Z\", \"files\": [{ \"path\": \"i\", \"route\": \"/\" }] }"
        var hasFiles = false
        device.script = { request in
            guard request.route == nil else {
                hasFiles = true
                return Reply(200, [1])
            }
            return hasFiles ? Reply(204) : Reply(200, Array(manifest.utf8))
        }
        device.check()
        #expect(device.logged.last { $0.cause == .manifestChanged }?.version == "v2")
        #expect(device.updater.download == nil && device.status.pending == nil)
    }

    @Test("R1: a check that is requested while the store waits for the disk opens it at once")
    func opensAtOnce() throws {
        var device = try Harness.started()
        device.kill()
        device.disk.add(DiskFault(.status, .denied, times: nil))
        try device.launch(inForeground: false)
        device.wait(.seconds(20))
        device.disk.removeFaults()
        device.requests = []
        device.check()
        #expect(device.updater.store.phase == .running && device.manifests == 1)
    }

    @Test("R1: a process without embedded content that finds the store in use shows a screen and tries again")
    func inUseWithoutEmbedded() throws {
        var device = try Harness(embedded: nil)
        device.offered = Version("v1", serial: 1)
        try device.launch()
        device.check()
        device.send(.page(device.load(.processStart), .confirmed))
        let first = device.updater
        device.effects = []
        try device.launch()
        #expect(device.causes(.storeInUse) == 1 && device.screens.last == .loading(nil))
        #expect(device.updater.store.retry.isWaiting)
        device.updater = first
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v1")
    }

    @Test("N4: a push in background switches to what is pending already")
    func pushedAlready() throws {
        for (isInFront, reloads) in [(false, [Updater.ReloadReason.push]), (true, [])] {
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2)
            device.check()
            device.effects = []
            if !isInFront { device.send(.background) }
            device.send(.check(.push))
            #expect(device.reloads == reloads)
            #expect((device.status.current?.id == "v2") == !isInFront)
        }
    }
}
