import Core
import Testing
import World

@testable import AppHost
@testable import LocalServer
@testable import Updater

@Suite("What a launch states, and what is the default where it states nothing")
struct LaunchTests {
    private func updaterLaunch(inForeground: Bool = true) throws -> Updater.Launch {
        Updater.Launch(
            settings: UpdaterSettings(app: "com.example.shop", origin: "http://origin.example/manifest.json"),
            native: try #require(NativeBuild("1.0")), platform: "ios", entropy: [UInt8](0..<32),
            inForeground: inForeground)
    }

    /// A host after its launch, with all that followed at once.
    private func launched(
        _ launch: AppHost.Launch, _ disk: inout SimulatedDisk
    ) -> (host: AppHost, effects: [AppHost.Effect]) {
        var host = AppHost()
        var effects = host.handle(.launched(launch), at: .zero, disk: &disk)
        var index = 0
        while index < effects.count {
            if case .again(let lane) = effects[index] {
                effects += host.handle(.again(lane), at: .zero, disk: &disk)
            }
            index += 1
        }
        return (host, effects)
    }

    private func ports(_ effects: [AppHost.Effect]) -> [UInt16] {
        effects.compactMap { if case .listen(let port) = $0 { port } else { nil } }
    }

    @Test("The server gets port, limits, routes, remote root and wall clock; the updater gets the clock too")
    func stated() throws {
        var limits = LocalServer.Limits()
        limits.connections = 7
        let clock = WallClock(seconds: 1_800_000_000, at: .zero)
        let pattern = try #require(RoutePattern("/api/**"))
        var launch = AppHost.Launch(
            updater: try updaterLaunch(), port: 4_711, www: DiskPath(.package, "www"), limits: limits)
        launch.routes = RouteTable([RouteEntry(pattern, .remote(upgrades: true))])
        launch.remote = try RemoteRoot("https://api.example.com/v1")
        launch.wallClock = clock
        var disk = SimulatedDisk()
        try disk.mountPackage(files: [("www/a.js", [1])])
        let (host, effects) = launched(launch, &disk)
        #expect(ports(effects) == [4_711])
        let configuration = try #require(host.server?.configuration)
        #expect(configuration.port == 4_711 && configuration.limits == limits)
        #expect(configuration.routes == launch.routes && configuration.remote == launch.remote)
        #expect(configuration.wallClock == clock && configuration.www?.files.map(\.route) == ["/a.js"])
        #expect(host.updater.launch?.wallClock == clock)
    }

    @Test("A wall clock of the updater's own part is left as it is")
    func ownClock() throws {
        var launch = AppHost.Launch(updater: try updaterLaunch())
        launch.updater.wallClock = WallClock(seconds: 5, at: .zero)
        launch.wallClock = WallClock(seconds: 7, at: .zero)
        var disk = SimulatedDisk()
        #expect(launched(launch, &disk).host.updater.launch?.wallClock?.seconds == 5)
    }

    @Test("Where nothing is stated, nothing is allowed or reported, and the port is the app's")
    func defaults() throws {
        let launch = AppHost.Launch(updater: try updaterLaunch())
        #expect(launch.port == nil && launch.www == nil && launch.link == nil && launch.remote == nil)
        #expect(launch.nativeLinks.isEmpty && launch.allowedRoutes.isEmpty && launch.nativeMethods.isEmpty)
        #expect(!launch.allowsTestMessages && !launch.confirmsDelivery && !launch.reportsPageTraffic)
        #expect(launch.limits == LocalServer.Limits() && launch.wallClock == nil)
        var disk = SimulatedDisk()
        let (host, effects) = launched(launch, &disk)
        #expect(ports(effects) == [12_308])
        #expect(host.server?.configuration.www == nil)
    }

    @Test(
        "Before the package is listed there is no server: a foreground, a loss or a suspension opens no port"
    )
    func beforeTheServer() throws {
        let launch = AppHost.Launch(updater: try updaterLaunch(), www: DiskPath(.package, "www"))
        for event in [AppHost.Event.foreground, .resumed, .suspended] {
            var disk = SimulatedDisk()
            try disk.mountPackage(files: [("www/a.js", [1])])
            var host = AppHost()
            var effects = host.handle(.launched(launch), at: .zero, disk: &disk)
            #expect(host.server == nil)
            effects += host.handle(event, at: .zero, disk: &disk)
            #expect(ports(effects).isEmpty && !effects.contains(.stopListening), "\(event)")
        }
    }

    @Test("A socket that is lost is opened again at once in front, and at the return in background (S8)")
    func lost() throws {
        for isInFront in [true, false] {
            var disk = SimulatedDisk()
            var (host, _) = launched(
                AppHost.Launch(updater: try updaterLaunch(inForeground: isInFront)), &disk)
            _ = host.handle(.listener(.listening), at: .zero, disk: &disk)
            let lost = host.handle(.listener(.lost), at: .zero, disk: &disk)
            #expect(ports(lost) == (isInFront ? [12_308] : []))
            let back = host.handle(.foreground, at: .zero, disk: &disk)
            #expect(ports(back) == [12_308])
            _ = host.handle(.listener(.listening), at: .zero, disk: &disk)
            #expect(ports(host.handle(.foreground, at: .zero, disk: &disk)).isEmpty)
            _ = host.handle(.background, at: .zero, disk: &disk)
            #expect(ports(host.handle(.listener(.lost), at: .zero, disk: &disk)).isEmpty)
        }
    }

    @Test(
        "S8: The answer to an attempt that a suspension has stopped counts no more, also after the return",
        arguments: [AppHost.ListenerEvent.listening, .portTaken], [true, false])
    func stoppedAttempt(_ answer: AppHost.ListenerEvent, isBeforeReturn: Bool) throws {
        var disk = SimulatedDisk()
        var (host, _) = launched(AppHost.Launch(updater: try updaterLaunch()), &disk)
        #expect(host.handle(.suspended, at: .zero, disk: &disk).contains(.stopListening))
        var events = [AppHost.Event.listener(answer), .resumed]
        if !isBeforeReturn { events.reverse() }
        var effects: [AppHost.Effect] = []
        for event in events { effects += host.handle(event, at: .zero, disk: &disk) }
        #expect(ports(effects) == [12_308])
        #expect(!host.port.isListening && host.port.screen == nil)
        _ = host.handle(.listener(.portTaken), at: .zero, disk: &disk)
        #expect(!host.port.isListening && host.port.screen == .portTaken)
        _ = host.handle(.listener(.listening), at: .zero, disk: &disk)
        #expect(host.port.isListening && host.port.screen == nil)
    }

    @Test("S8: A port that is opened anew and is taken has cut off what was on its way")
    func takenAnew() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        func loads() -> Int { fixture.count { if case .load = $0 { true } else { false } } }
        #expect(loads() == 1)
        fixture.isPortTaken = true
        fixture.handle(.listener(.portTaken))
        #expect(fixture.screen == .portTaken && loads() == 1)
        fixture.isPortTaken = false
        fixture.wait(.seconds(1))
        #expect(loads() == 2 && fixture.show().1.text == "<p>v1</p>")
    }

    @Test("A page that waits for its port is loaded once when it listens, and not again when it listens anew")
    func loadedOnce() throws {
        var fixture = try HostFixture()
        fixture.isPortTaken = true
        try fixture.launch()
        func loads() -> Int { fixture.count { if case .load = $0 { true } else { false } } }
        #expect(loads() == 0 && fixture.screen == .portTaken)
        fixture.handle(.suspended)
        fixture.handle(.resumed)
        fixture.isPortTaken = false
        fixture.wait(.seconds(1))
        #expect(loads() == 1)
        #expect(fixture.show().1.text == "<p>v1</p>")
        fixture.handle(.suspended)
        fixture.handle(.resumed)
        #expect(loads() == 1)
    }

    @Test(
        "A page that was on its way when the server stopped is loaded again in front, as no moment to switch",
        arguments: [AppHost.Event.suspended, .listener(.lost)])
    func cutOff(_ event: AppHost.Event) throws {
        var fixture = try HostFixture()
        try fixture.launch()
        func loads() -> Int { fixture.count { if case .load = $0 { true } else { false } } }
        let (page, _) = fixture.show()
        // It is shown: nothing was cut off.
        fixture.handle(event)
        fixture.handle(.resumed)
        #expect(loads() == 1)
        fixture.handle(.webView(.first, .navigating(.reload, url: "")))
        _ = fixture.open(page, isReload: true)
        fixture.handle(.background)
        fixture.handle(event)
        fixture.handle(.resumed)
        #expect(loads() == 1)
        fixture.handle(.foreground)
        #expect(loads() == 2)
        #expect(fixture.show().1.text == "<p>v1</p>")
        fixture.handle(event)
        fixture.handle(.foreground)
        #expect(loads() == 2)
    }
}
