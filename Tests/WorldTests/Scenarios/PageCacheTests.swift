import AppHost
import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import World

@Suite("The page cache of a web view")
struct PageCacheTests {
    /// Pages `1` to the count, each by a link of the one before, on a web view that keeps two behind the one
    /// in front.
    private func world(
        pages count: Int, keeps: Int = 2, change: (inout WorldSetup) -> Void = { _ in }
    ) throws -> World {
        var device = DeviceProfile.plain
        device.cachedPages = keeps
        var setup = Shop.setup(device: device)
        change(&setup)
        var world = try World(setup)
        world.isRecording = true
        world.perform(.launch(.foreground), as: "1")
        #expect(world.run(.seconds(5)) { $0.isReady("v1") })
        for number in 1..<count {
            world.perform(.page(PageSpec(action: .tapsLink)), as: "\(number + 1)")
            #expect(
                world.run(.seconds(5)) { $0.view().webViews[0].name == "\(number + 1)" && $0.isReady("v1") })
        }
        return world
    }

    private func goBack(_ world: inout World) { world.perform(.page(PageSpec(action: .goesBack))) }

    private func requests(_ world: World) -> Int {
        world.count {
            if case .pageRequested(let request) = $0 { request.destination == .document } else { false }
        }
    }

    private func name(_ world: World) -> String? { world.view().webViews[0].name }

    @Test("Two pages live on; the user goes back to them without a request, then with one")
    func keepsTwo() throws {
        var world = try world(pages: 4)
        let before = requests(world)
        goBack(&world)
        #expect(name(world) == "3" && world.view().webViews[0].state == .ready)
        goBack(&world)
        #expect(name(world) == "2" && requests(world) == before)
        goBack(&world)
        world.run(for: .seconds(1))
        #expect(requests(world) == before + 2, "redirected to a load of its own")
    }

    @Test("A page that is dropped, by others, a new page or the end of the web process, is closed once")
    func drops() throws {
        func closed(_ world: World) -> Int {
            world.count { if case .pageClosed = $0 { true } else { false } }
        }
        #expect(closed(try world(pages: 3)) == 0)
        #expect(closed(try world(pages: 5)) == 2)
        #expect(closed(try world(pages: 3, keeps: 0)) == 2)
        var forward = try world(pages: 3)
        goBack(&forward)
        forward.perform(.page(PageSpec(action: .tapsLink)), as: "other")
        #expect(forward.run(.seconds(5)) { $0.view().webViews[0].name == "other" })
        #expect(closed(forward) == 1, "nothing leads forward to the third page")
        var dead = try world(pages: 3)
        dead.perform(.page(PageSpec(action: .dies)))
        #expect(closed(dead) == 2)
        #expect(dead.run(.seconds(5)) { $0.isReady("v1") })
    }

    @Test(
        "A reload and location.replace leave nothing to go back to",
        arguments: [
            PageAction.reload, .replaceLocation,
        ])
    func replaced(action: PageAction) throws {
        var world = try world(pages: 1)
        world.perform(.page(PageSpec(action: action)), as: "again")
        #expect(world.run(.seconds(5)) { $0.view().webViews[0].name == "again" && $0.isReady("v1") })
        let before = requests(world)
        goBack(&world)
        world.run(for: .seconds(1))
        #expect(requests(world) == before && name(world) == "again")
        #expect(world.count { if case .actionDidNothing = $0 { true } else { false } } == 1)
    }

    @Test("Going back after `history.pushState` gives the page its address of before, without a request")
    func pushed() throws {
        var world = try world(pages: 2, keeps: 0)
        let before = requests(world)
        func route() -> String? { world.devices[0].process.webViews[0].view.shownDocument?.route }
        let own = route()
        world.perform(.page(PageSpec(action: .pushes(Spanned("/help#top")))))
        #expect(route() == "/help#top")
        goBack(&world)
        #expect(route() == own && requests(world) == before && name(world) == "2")
        goBack(&world)
        world.run(for: .seconds(1))
        #expect(requests(world) > before, "the page before")
    }

    @Test("Scripts of a page in the cache stand still, and its start goes on where it was")
    func standsStill() throws {
        var world = try world(pages: 1) {
            $0.versions[0].startup = StartupSpec(behaviour: .staged(usable: .zero, confirms: .seconds(4)))
        }
        world.perform(.page(PageSpec(action: .tapsLink)), as: "2")
        #expect(world.run(.seconds(5)) { $0.view().webViews[0].name == "2" })
        world.run(for: .seconds(1))
        world.perform(.page(PageSpec(action: .tapsLink)), as: "3")
        world.run(for: .seconds(60))
        world.perform(.page(PageSpec(page: Spanned("2"), action: .calls(Spanned(.checkForUpdates)))))
        #expect(world.count { if case .actionDidNothing = $0 { true } else { false } } == 1)
        goBack(&world)
        #expect(world.view().webViews[0].name == "2" && world.view().webViews[0].state == .shown)
        world.run(for: .milliseconds(2900))
        #expect(world.view().webViews[0].state == .shown)
        world.run(for: .milliseconds(200))
        #expect(world.view().webViews[0].state == .ready)
        world.run(for: .seconds(60))
        #expect(world.count { if case .called(_, .startupDidComplete, _) = $0 { true } else { false } } == 3)
    }

    @Test("A page that came back names its load in the address of its requests")
    func address() throws {
        var world = try world(pages: 2)
        goBack(&world)
        let view = world.devices[0].process.webViews[0].view
        let page = try #require(view.shownDocument)
        #expect(page.isOlderThanCookie && page.url.contains("otalab-load="))
        func named() -> Int {
            world.count {
                guard case .answered(let answer) = $0 else { return false }
                return answer.load == page.load && answer.target == "/logo.png"
            }
        }
        let before = named()
        world.perform(.page(PageSpec(action: .asks(Spanned("/logo.png")))))
        world.run(for: .seconds(1))
        #expect(named() == before + 1)
    }
}
