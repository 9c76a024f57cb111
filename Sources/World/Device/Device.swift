import Backend
import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

/// One phone: its disk, its network, the installed app, and the app's process if one runs.
///
/// Guarantees: the state of a process ends with it, and what the disk accepted stays. What the platform
/// reports about the end of a process is what the profile says, which need not be the truth. Deliberately not
/// here: the consequences of effects (the world), the behaviour of pages (``WebView``).
struct Device: Sendable {
    /// Index in the setup's devices.
    let index: Int
    let profile: DeviceProfile
    var disk: SimulatedDisk
    /// Index of the installed build in the setup.
    var build: Int
    var settings: UpdaterSettings
    var network: DeviceNetwork
    var process = AppProcess.none
    /// Number of processes so far.
    var processes = 0
    var clock = BootClock()
    /// How the last process ended; nil before the first.
    var lastDeath: DeathCause?
    var display = Display()
    var pages: PageRecord

    /// Whether the app runs outside the world, which queues the inputs for it
    /// (``World/useExternalApp(of:)``).
    var isAppExternal = false

    var isRunning: Bool { process.ordinal != 0 }

    /// Whether the app is in front, and the user sees neither cover, native screen nor content.
    private var isWhite: Bool {
        display.isPageInFront && process.isInForeground && !process.isSuspended && !process.isContentShown
    }

    /// Call this after every event that may have changed what the user sees.
    ///
    /// It changes the device in place, because it is asked after each event: a copy of a device retains
    /// hundreds of objects.
    mutating func updateWhiteTime(at instant: Instant) -> WhiteTime.Change? {
        display.white.update(isWhite: isWhite, at: instant)
    }

    /// Runs one bounded step of the app; returns its effects and the virtual time of its disk work. The
    /// caller has checked that a process runs.
    mutating func handle(_ event: AppHost.Event, at instant: Instant) -> (
        effects: [AppHost.Effect], cost: TimeSpan
    ) {
        disk.beginStep()
        _ = disk.takeCost()
        let effects = process.app.handle(event, at: clock.reading(at: instant), disk: &disk)
        return (effects, disk.takeCost())
    }

    /// The launch event that the platform gives a new process.
    func launch(
        _ library: VersionLibrary, embedded: Bool, entropy: [UInt8], inForeground: Bool, wallClock: WallClock
    ) -> AppHost.Launch? {
        let app = library.setup.app
        guard app.builds.indices.contains(build), let native = NativeBuild(app.builds[build].number) else {
            return nil
        }
        var launch = Updater.Launch(
            settings: settings, native: native, platform: profile.platform, entropy: entropy,
            inForeground: inForeground, network: network.state)
        // A build without one has that of its embedded manifest (U10).
        launch.compatibility = app.builds[build].native.map { app.compatibility(ofNative: $0) }
        launch.embedded = embedded ? AppPackage.source(app.dialect) : nil
        launch.bootID = profile.providesBootID ? "boot-\(clock.boot)" : nil
        launch.isDebugged = app.isDebugged
        launch.wallClock = wallClock
        launch.lastExit = lastDeath.flatMap { profile.exitRecord(after: $0) }
        var whole = AppHost.Launch(
            updater: launch, port: app.port, www: app.www.isEmpty ? nil : AppPackage.www)
        whole.link = process.link
        whole.nativeLinks = app.nativeLinks
        whole.allowedRoutes = app.ownLinks
        whole.nativeMethods = app.nativeMethods
        whole.allowsTestMessages = app.allowsTestMessages
        whole.announcesDocuments = profile.announcesDocuments
        whole.routes = RouteTable(app.api.compactMap { .remote($0, upgrades: true) })
        // ``RemoteAPI`` answers, whatever the host's name is.
        do { whole.remote = try RemoteRoot("http://api.example.com") } catch { whole.remote = nil }
        return whole
    }
}
