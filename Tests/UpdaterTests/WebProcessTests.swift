import Core
import Testing

@testable import Updater

@Suite("The death of a web process (R3, R11), in front, in background and in other web views")
struct WebProcessTests {
    enum Kind: CaseIterable {
        case unproven, confirmed, embedded
    }

    private func running(_ kind: Kind) throws -> (device: Harness, token: PageLoadToken) {
        var device = kind == .embedded ? try Harness.started() : try Harness.aboutToStart()
        let token = device.load(kind == .embedded ? .navigation : .processStart)
        if kind == .confirmed { device.send(.page(token, .confirmed)) }
        device.effects = []
        return (device, token)
    }

    @Test(
        "In background nothing is loaded again, however often; on return it is loaded once",
        arguments: Kind.allCases)
    func inBackground(_ kind: Kind) throws {
        var (device, token) = try running(kind)
        device.send(.background)
        for _ in 1...20 { device.send(.page(token, .webProcessDied)) }
        #expect(device.reloads.isEmpty && device.screens.isEmpty)
        #expect(device.causes(.webProcessDiedInBackground) == 20)
        device.send(.foreground)
        #expect(device.reloads == [.webProcessDied])
        #expect(device.show(.webProcessRestart) == (kind == .embedded ? "v1" : "v2"))
        device.send(.background)
        device.send(.foreground)
        #expect(device.reloads.count == 1 && device.status.blacklist.isEmpty)
        #expect(device.causes(.webProcessRestarted) + device.causes(.webProcessGaveUp) == 0)
    }

    @Test("R3: a page that died in background must die twice in front before its version is left")
    func thenInFront() throws {
        var (device, token) = try running(.unproven)
        device.send(.background)
        device.send(.page(token, .webProcessDied))
        device.send(.foreground)
        token = device.load(.webProcessRestart)
        device.send(.page(token, .webProcessDied))
        #expect(device.causes(.startFailedWebProcess) == 0 && device.reloads.count == 2)
        token = device.load(.webProcessRestart)
        device.send(.page(token, .webProcessDied))
        #expect(device.causes(.startFailedWebProcess) == 1 && device.reloads.last == .rescue)
    }

    @Test("A page load that happens meanwhile replaces the dead page: nothing is loaded again on return")
    func replaced() throws {
        var (device, token) = try running(.confirmed)
        device.send(.background)
        device.send(.page(token, .webProcessDied))
        device.load(.commanded)
        device.send(.foreground)
        #expect(device.reloads.isEmpty)
    }

    @Test("A page of another web view is reloaded in its view, is no evidence, and shares the limit")
    func beside() throws {
        var (device, _) = try running(.unproven)
        for death in 1...4 {
            let side = device.load(.otherWebView)
            device.send(.page(side, .webProcessDied))
            #expect(device.effects.contains(.reloadOtherWebView(side)) == (death <= 3))
        }
        #expect(device.reloads.isEmpty && device.screens.isEmpty)
        #expect(device.causes(.webProcessGaveUp) == 1 && device.causes(.startFailedWebProcess) == 0)
    }

    @Test("A page of another web view that died in background is reloaded on return, unless it was closed")
    func otherWebViewInBackground() throws {
        var (device, _) = try running(.confirmed)
        let sides = [device.load(.otherWebView), device.load(.otherWebView)]
        device.send(.background)
        for side in sides { device.send(.page(side, .webProcessDied)) }
        device.send(.page(sides[0], .closed))
        #expect(!device.effects.contains(.reloadOtherWebView(sides[1])))
        device.send(.foreground)
        #expect(device.effects.contains(.reloadOtherWebView(sides[1])))
        #expect(!device.effects.contains(.reloadOtherWebView(sides[0])) && device.reloads.isEmpty)
    }
}
