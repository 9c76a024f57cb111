import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

/// One phone: its disk, its way to the origin, the installed app and the process of it that runs, if one
/// does.
///
/// Guarantees: what a process held is gone with it, what the disk accepted stays, and what the next
/// process is told of the last one's end is the profile's business, not the truth. Deliberately not here:
/// what follows from an effect (the world), what a page does (``WebView``).
struct Device: Sendable {
    let number: Int
    let profile: DeviceProfile
    var disk: SimulatedDisk
    /// The installed build's place in the setup.
    var build: Int
    var settings: UpdaterSettings
    var link: Link
    var edge: Int
    var network = NetworkState.online
    var process = AppProcess.none
    /// Processes so far.
    var processes = 0
    var boot = 1
    /// The device's monotonic clock counts from here (N3: no instant outlives a boot).
    var bootedAt = Instant.zero
    /// Versions of the page loads that the app told of, the last ones.
    private(set) var loads: [(token: PageLoadToken, key: VersionKey)] = []
    /// Of the last process; nil before the first.
    var lastDeath: DeathCause?
    var screen = AppHost.Screen.page {
        didSet { isPageInFront = screen == .page }
    }
    /// No cover and no native screen.
    private(set) var isPageInFront = true
    var status: UpdaterStatus?
    var progress: Int?
    var white = WhiteTime()
    /// What the platform's web view keeps over process deaths.
    var webStorage = WebStorage()
    /// The page's origin, by the port that was bound last.
    var pageOrigin = ""
    /// What a scenario calls the next load that the host asks for.
    var nextLoadName: String?
    /// Starts of each version's page on this device, by the version's place.
    var starts: [Int]

    /// The world hands out what reaches it (``World/runAppOutside(of:)``).
    var isAppOutside = false

    var isRunning: Bool { process.number != 0 }

    /// One bounded step of the app, and what it cost. The caller has seen that a process is there.
    mutating func handle(_ event: AppHost.Event, at instant: Instant) -> (
        effects: [AppHost.Effect], cost: TimeSpan
    ) {
        disk.beginStep()
        _ = disk.takeCost()
        let clock = Instant(microseconds: instant.microseconds - bootedAt.microseconds)
        let effects = process.app.handle(event, at: clock, disk: &disk)
        return (effects, disk.takeCost())
    }

    mutating func note(_ token: PageLoadToken, _ key: VersionKey) {
        if loads.count == 16 { loads.removeFirst() }
        loads.append((token, key))
    }

    /// What the platform tells a fresh process.
    func launch(_ library: Library, embedded: Bool, entropy: [UInt8], inForeground: Bool) -> AppHost.Launch? {
        let app = library.setup.app
        guard app.builds.indices.contains(build), let native = NativeBuild(app.builds[build].number) else {
            return nil
        }
        var launch = Updater.Launch(
            settings: settings, native: native, platform: profile.platform, entropy: entropy,
            inForeground: inForeground, network: network)
        launch.compatibility = app.compatibility(ofNative: app.builds[build].native)
        launch.embedded = embedded ? AppPackage.source(app.dialect) : nil
        launch.bootID = profile.tellsBootID ? "boot-\(boot)" : nil
        launch.lastExit = lastDeath.flatMap { profile.record(of: $0) }
        var whole = AppHost.Launch(
            updater: launch, port: app.port, www: app.www.isEmpty ? nil : AppPackage.www)
        whole.routes = RouteTable(app.api.compactMap { .remote($0) })
        // An API that answers for itself (``RemoteAPI``); its name is of no account.
        do { whole.remote = try RemoteRoot("http://api.example.com") } catch { whole.remote = nil }
        return whole
    }
}
