import Core
import LocalServer
import Testing
import Updater
import World

@testable import AppHost

@Suite("What joins updater and server: waiting events, and the sites of versions")
struct PartTests {
    private func timers(_ queue: inout PartEventQueue) -> [String] {
        var names: [String] = []
        while let event = queue.next() {
            switch event {
            case .updater(.timer(let name)): names.append("\(name)")
            case .server(.timer(let name)): names.append("\(name)")
            case .updater: names.append("updater")
            case .server: names.append("server")
            case .listPackage: names.append("package")
            }
        }
        return names
    }

    @Test("A timer that is cancelled is taken out alone; the others keep their order")
    func removed() {
        let write = LocalServer.TimerName.write(ConnectionID(1))
        let idle = LocalServer.TimerName.idle(ConnectionID(1))
        let events: [PartEvent] = [
            .updater(.timer(.retry)), .server(.timer(write)), .updater(.timer(.recheck)), .listPackage,
            .server(.timer(idle)), .updater(.foreground), .server(.frozen),
        ]
        let all = ["retry", "\(write)", "recheck", "package", "\(idle)", "updater", "server"]
        let cancelled: [(AppHost.TimerName, String)] = [
            (.updater(.retry), "retry"), (.updater(.recheck), "recheck"), (.updater(.disk), ""),
            (.server(write), "\(write)"), (.server(idle), "\(idle)"), (.retryListening, ""),
        ]
        for (name, text) in cancelled {
            var queue = PartEventQueue()
            queue.remove(name)
            for event in events { queue.append(event) }
            queue.remove(name)
            #expect(timers(&queue) == all.filter { $0 != text }, "\(name)")
            #expect(queue.next() == nil)
        }
    }

    @Test("N3: a suspension, and its end, are handled before what still waits")
    func suspension() {
        for isEnd in [false, true] {
            var host = AppHost()
            host.partEvents.append(.updater(.timer(.retry)))
            if isEnd { host.resumed() } else { host.suspended() }
            let first = host.partEvents.next()
            switch first {
            case .updater(.suspended): #expect(!isEnd)
            case .updater(.resumed): #expect(isEnd)
            default: Issue.record("\(String(describing: first)) is first")
            }
            #expect(timers(&host.partEvents) == ["retry"])
        }
    }

    @Test("A timer that is set again or cancelled takes the one that waits here out")
    func setOrCancelled() {
        for isSet in [true, false] {
            var host = AppHost()
            host.partEvents.append(.updater(.timer(.retry)))
            host.partEvents.append(.updater(.timer(.recheck)))
            let name = AppHost.TimerName.updater(.retry)
            if isSet { host.setTimer(name, .seconds(1)) } else { host.cancelTimer(name) }
            #expect(host.effects == [isSet ? .setTimer(name, after: .seconds(1)) : .cancelTimer(name)])
            #expect(timers(&host.partEvents) == ["recheck"])
        }
    }

    @Test("An event of the background lane is handled in its own step, not later in that of a page's request")
    func backgroundFirst() {
        var queue = PartEventQueue()
        queue.putLastFirst()
        #expect(timers(&queue) == [])
        queue.append(.listPackage)
        queue.append(.updater(.timer(.retry)))
        queue.append(.updater(.timer(.recheck)))
        queue.putLastFirst()
        #expect(timers(&queue) == ["recheck", "package", "retry"])
        // A step that may touch the disk is the last one; what is left waits for the next event.
        for (event, left) in [(AppHost.Event.timer(.updater(.collectGarbage)), 2), (.check, 3)] {
            var host = AppHost()
            host.partEvents.append(.listPackage)
            host.partEvents.append(.listPackage)
            var disk = SimulatedDisk()
            _ = host.handle(event, at: .zero, disk: &disk)
            var names = timers(&host.partEvents)
            #expect(names.count == left - 1, "\(event) \(names)")
            names.removeAll { $0 == "package" }
            #expect(names == (event == .check ? ["updater"] : []))
        }
    }

    @Test(
        "What the platform says is handled in the step in which it comes: the process may have no other (R4, N3)",
        arguments: [
            AppHost.Event.foreground, .background, .active, .inactive, .suspended, .resumed, .push,
        ])
    func platformFirst(event: AppHost.Event) {
        var host = AppHost()
        host.partEvents.append(.listPackage)
        host.partEvents.append(.listPackage)
        var disk = SimulatedDisk()
        _ = host.handle(event, at: .zero, disk: &disk)
        #expect(timers(&host.partEvents).allSatisfy { $0 == "package" })
    }

    @Test("Another step is requested once while events are left, and again when it has come")
    func again() {
        var queue = PartEventQueue()
        #expect(queue.requestsAgain() == false, "nothing is left")
        queue.append(.listPackage)
        #expect(queue.requestsAgain() && !queue.requestsAgain())
        queue.continued()
        #expect(queue.requestsAgain() == true)
        queue.continued()
        _ = queue.next()
        #expect(queue.requestsAgain() == false)
    }

    private func version(_ id: String, files: Int) -> ServedVersion {
        ServedVersion(
            key: VersionKey(id: id, digest: SHA256.hash(of: [1])), index: "/index.html",
            files: (0..<files).map {
                ServedFile(route: "/\($0)", path: DiskPath(.package, "\($0)"), size: $0, tag: "\($0)")
            })
    }

    @Test("A version has one site while its files stay, another with more files, and none when it is retired")
    func sites() {
        var sites = SiteCache()
        let (one, two) = (version("v1", files: 1), version("v2", files: 2))
        let site = sites.site(of: one)
        #expect(site.index == "/index.html" && site.files == one.files && site.name.hasPrefix("v1#"))
        _ = sites.site(of: two)
        #expect(sites.key(ofSite: site.name) == one.key)
        var moved = one
        moved.files = [ServedFile(route: "/0", path: DiskPath(.package, "other"), size: 0, tag: "0")]
        #expect(sites.site(of: moved) == site, "the number of files is the same")
        let grown = sites.site(of: version("v1", files: 3))
        #expect(grown.files.count == 3 && grown.name == site.name)
        #expect(sites.site(of: version("v1", files: 3)) == grown)
        sites.remove(one.key)
        #expect(sites.key(ofSite: site.name) == nil)
        #expect(sites.key(ofSite: sites.site(of: two).name) == two.key)
        #expect(sites.site(of: moved).files == moved.files)
    }

    @Test(
        "A native screen goes when another is demanded or none; only one over a loading page goes with content"
    )
    func screens() {
        var state = ScreenState()
        #expect(state.shown == .cover && state.native == nil)
        #expect(!state.setNative(nil) && !state.setNative(.recovery))
        state.contentShown()
        #expect(state.native == .recovery)
        #expect(!state.setNative(.offline) && state.setNative(nil) && !state.setNative(nil))
        state.setNativeUntilContent(.recovery)
        #expect(state.native == .recovery)
        state.contentShown()
        #expect(state.native == nil)
        state.setNativeUntilContent(.recovery)
        #expect(state.setNative(.noSpace) == false)
        state.contentShown()
        #expect(state.native == .noSpace)
    }

    @Test("The port's screen goes before the updater's, that one before page and cover; each is shown once")
    func shown() {
        var state = ScreenState()
        #expect(state.update(port: nil, hasContent: false) == nil, "the cover is there from the beginning")
        #expect(state.update(port: nil, hasContent: true) == .page)
        #expect(state.update(port: nil, hasContent: true) == nil && state.shown == .page)
        _ = state.setNative(.offline)
        #expect(state.update(port: .portTaken, hasContent: true) == .portTaken)
        #expect(state.update(port: nil, hasContent: true) == .offline)
        _ = state.setNative(nil)
        #expect(state.update(port: nil, hasContent: false) == .cover)
    }
}
