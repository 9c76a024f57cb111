import Core
import HTTP1
import Testing

@testable import Updater

@Suite("Moments, orders and settings")
struct SwitchingTests {
    private func running() throws -> Harness {
        try Harness.started()
    }

    private func forced(_ id: String, serial: Int) -> Version {
        var version = Version(id, serial: serial)
        version.extra = "\"order\": \"force\","
        return version
    }

    @Test("U6: a forced version is announced in front and waits for background")
    func forcedInFront() throws {
        var device = try running()
        device.offered = forced("v2", serial: 2)
        device.check()
        #expect(device.notices.contains { if case .forced(let key) = $0 { key.id == "v2" } else { false } })
        #expect(device.reloads.isEmpty)
        device.send(.background)
        #expect(device.reloads == [.forced])
        #expect(device.show(.commanded) == "v2")
    }

    @Test("S1: once a switch call is answered, what no page load pins is answered from the new version")
    func switchCallIsAnnounced() throws {
        var device = try running()
        device.offered = Version("v2", serial: 2)
        device.check()
        let token = device.load(.navigation)
        device.effects = []
        device.send(.switchRequested(token))
        let key = try #require(device.status.current)
        #expect(key.id == "v2" && device.effects.contains(.switchAnswered(token, .switched(key))))
        let current = device.effects.compactMap { effect in
            if case .current(let version) = effect { version?.key } else { nil }
        }
        #expect(current == [key])
    }

    @Test("U6: a launch waits for a forced version while its bytes arrive, and starts it")
    func forcedAtLaunch() throws {
        var device = try running()
        device.settings.updates = .automatic
        let version = forced("v2", serial: 2)
        device.offered = version
        device.delayed = ["/app.js"]
        device.check()
        device.kill()
        device.waiting = []
        try device.launch()
        #expect(device.effects.count { $0 == .ready } == 1)
        #expect(device.screens.last == .loading(nil) || device.causes(.forcedWait) == 1)
        let app = try #require(version.files.first { $0.route == "/app.js" }).bytes
        device.wait(.seconds(8))
        device.arrive("/app.js", Array(app.prefix(1_000)), of: app.count)
        device.wait(.seconds(8))
        #expect(device.effects.count { $0 == .ready } == 1)
        device.arrive("/app.js", Array(app.dropFirst(1_000)), of: app.count - 1_000, ends: true)
        device.wait(.seconds(1))
        #expect(device.effects.count { $0 == .ready } == 2)
        #expect(device.show(.processStart) == "v2")
    }

    @Test("U6: the wait ends after 10 s without progress, and after 30 s in total")
    func forcedWaitEnds() throws {
        for hasProgress in [false, true] {
            var device = try running()
            device.settings.updates = .automatic
            device.offered = forced("v2", serial: 2)
            device.delayed = ["/app.js"]
            device.check()
            device.kill()
            device.waiting = []
            try device.launch()
            let head: HeaderFields = ["Content-Length": "3000"]
            let id = try #require(device.waiting.first?.id)
            device.send(.transfer(id, .head(status: 200, fields: head)))
            for _ in 0..<4 where hasProgress {
                device.wait(.seconds(7))
                device.send(.transfer(id, .bytes([1])))
            }
            device.wait(.milliseconds(hasProgress ? 1_900 : 9_900))
            #expect(device.effects.count { $0 == .ready } == 1)
            device.wait(.milliseconds(200))
            #expect(device.effects.count { $0 == .ready } == 2)
            #expect(device.show(.processStart) == "v1")
        }
    }

    @Test("U6: the page holds off a push and a forced switch, not a process start, and no longer than 24 h")
    func holdsOff() throws {
        var device = try running()
        device.offered = forced("v2", serial: 2)
        device.send(.heldOff(true))
        device.check()
        device.send(.background)
        #expect(device.reloads.isEmpty && device.causes(.heldOff) == 2)
        var later = device
        later.wait(.hours(25))
        later.send(.foreground)
        later.send(.background)
        #expect(later.reloads == [.forced])
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v2")
    }

    @Test("U13: a running recalled version is left at a moment, never by a link, and not started again")
    func recall() throws {
        var device = try running()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        var answer = Version("v1", serial: 3)
        answer.extra = "\"recalled\": [\"v2\"],"
        device.offered = answer
        device.check()
        #expect(device.notices.contains { if case .recalled = $0 { true } else { false } })
        #expect(device.show(.navigation) == "v2")
        #expect(device.show(.otherWebView) == "v2")
        var reloading = device
        #expect(reloading.show(.reload) == "v1")
        device.kill()
        try device.launch()
        #expect(device.show(.processStart) == "v1")
    }

    @Test("U13: without another version the recalled one is behind the recovery screen")
    func recallOfTheOnlyOne() throws {
        var device = try Harness(embedded: nil)
        device.settings.updates = .automatic
        device.offered = Version("v2", serial: 2)
        try device.launch()
        device.send(.page(device.load(.processStart), .confirmed))
        var answer = Version("v3", serial: 3)
        answer.extra = "\"recalled\": [\"v2\"],"
        device.offered = answer
        device.delayed = ["/app.js", "/logo.png", "/index.html"]
        device.check()
        device.kill()
        try device.launch()
        #expect(device.screens.last == .recovery)
        device.send(.userTriesAgain)
        #expect(device.show(.commanded) == "v2")
        #expect(device.causes(.userStarted) == 1)
    }

    @Test("U13: a download of a version that is recalled ends")
    func recallOfTheDownload() throws {
        var device = try running()
        device.offered = Version("v2", serial: 2)
        device.delayed = ["/app.js"]
        device.check()
        #expect(device.status.downloading?.id == "v2")
        var answer = Version("v1", serial: 3)
        answer.extra = "\"recalled\": [\"v2\"],"
        device.offered = answer
        device.check()
        #expect(device.status.downloading == nil && device.causes(.recalled) == 1)
    }

    @Test("U14: never asks nothing, whatever happens; only the page's own wish counts with \"page\"")
    func policies() throws {
        for policy in [UpdatePolicy.never, .page] {
            var device = try Harness(embedded: Version("v1", serial: 1))
            device.settings.updates = policy
            device.settings.reportsOutcomes = true
            device.offered = Version("v2", serial: 2)
            try device.start()
            // R9's screen may check with "page".
            let silent = Updater.CheckReason.allCases.filter { reason in
                reason != .page && (reason != .recovery || policy == .never)
            }
            for reason in silent { device.send(.check(reason)) }
            device.send(.background)
            device.wait(.hours(1))
            device.send(.network(.offline))
            device.send(.network(.online))
            device.send(.foreground)
            device.wait(.hours(1))
            #expect(device.requests.isEmpty, "\(policy)")
            device.send(.check(.page))
            #expect(device.requests.isEmpty == (policy == .never))
        }
    }

    @Test("U14: with \"page\" a check that failed is the page's to repeat")
    func pageRepeats() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.updates = .page
        try device.start()
        device.answers = [("manifest.json", 503, [])]
        device.send(.check(.page))
        device.wait(.hours(1))
        #expect(device.requests.count == 1)
    }

    @Test("N4: a silent push switches in background only, and a user in front is never reloaded")
    func push() throws {
        var device = try running()
        device.offered = Version("v2", serial: 2)
        device.send(.check(.push))
        device.wait(.minutes(5))
        #expect(device.reloads.isEmpty && device.status.pending?.id == "v2")
        device.send(.background)
        #expect(device.reloads.isEmpty)
        device.send(.check(.push))
        #expect(device.reloads == [.push])
        #expect(device.show(.commanded) == "v2")
    }

    @Test("N3: the startup clock is paused in background and suspension, and continues")
    func clockIsPaused() throws {
        var device = try running()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.launch()
        device.check()
        device.load(.processStart)
        device.wait(.seconds(15))
        device.send(.background)
        device.send(.suspended)
        device.wait(.hours(8))
        device.send(.resumed)
        device.send(.foreground)
        device.check()
        device.wait(.seconds(4))
        #expect(device.causes(.startFailedByClock) == 0)
        device.wait(.seconds(2))
        #expect(device.causes(.startFailedByClock) == 1)
    }
}
