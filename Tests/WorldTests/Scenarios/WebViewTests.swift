import AppHost
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("Several web views of one app")
struct WebViewTests {
    private func twoPages() throws -> World {
        var world = try Shop.world()
        world.isRecording = true
        world.perform(.launch(.foreground), as: "main")
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        world.perform(.page(PageSpec(page: "main", action: .opens("/help"))), as: "side")
        #expect(world.run(.seconds(5)) { $0.view().webViews.last?.state == .ready }, "\(world.traceText)")
        return world
    }

    private func didNothing(_ world: World) -> Int {
        world.count { if case .actionDidNothing = $0 { true } else { false } }
    }

    @Test("a second one is let in by the cookies of the first, and has a page load of its own")
    func opens() throws {
        let world = try twoPages()
        let views = world.view().webViews
        #expect(views.map(\.name) == ["main", "side"])
        #expect(views.map(\.running) == ["v1", "v1"])
        #expect(views.map(\.load).count == 2 && views[0].load != views[1].load)
        let hosted = world.devices[0].process.webViews
        #expect(hosted[0].view.cookies == hosted[1].view.cookies)
        #expect(hosted[1].view.cookies.contains { $0.value == views[1].load?.text })
    }

    @Test("one that closes takes its load and its connections with it; the first one stays")
    func closes() throws {
        var world = try twoPages()
        let load = try #require(world.view().webViews.last?.load)
        world.perform(.page(PageSpec(page: "side", action: .closes)))
        world.run(for: .seconds(1))
        #expect(world.view().webViews.map(\.name) == ["main"])
        #expect(world.count { $0 == .pageClosed(WebViewID(1), load: load) } == 1)
        #expect(world.devices[0].process.sockets.connections.allSatisfy { $0.peer == .webView(.first) })
        #expect(didNothing(world) == 0)
        world.perform(.page(PageSpec(page: "main", action: .closes)))
        #expect(world.view().webViews.count == 1 && didNothing(world) == 1)
        world.perform(.page(PageSpec(page: "main", action: .opens("/help"))), as: "again")
        #expect(world.run(.seconds(5)) { $0.view().webViews.last?.name == "again" })
        #expect(world.run(.seconds(5)) { $0.view().webViews.last?.state == .ready })
    }

    @Test("a page that was left can't be reloaded; it can still ask")
    func left() throws {
        var world = try twoPages()
        world.perform(.page(PageSpec(page: "side", action: .reload)), as: "later")
        #expect(world.run(.seconds(5)) { $0.view().webViews.last?.name == "later" })
        world.perform(.page(PageSpec(page: "side", action: .reload)), as: "never")
        #expect(didNothing(world) == 1)
        world.perform(.page(PageSpec(page: "side", action: .asks("/logo.png"))))
        world.run(for: .seconds(1))
        #expect(didNothing(world) == 1)
    }

    @Test("without an app there is nothing that could open one")
    func nothing() throws {
        var world = try Shop.world()
        world.isRecording = true
        world.perform(.page(PageSpec(action: .opens("/"))), as: "side")
        #expect(didNothing(world) == 1)
    }
}
