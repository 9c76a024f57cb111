import Backend
import AppHost
import Core
import ScenarioLanguage
import Updater

@testable import World

/// A small app with three versions: v2 changes the script, v3 changes it again.
enum Shop {
    static func version(_ name: String, script: String, scriptSize: Int = 60_000) -> VersionSetup {
        func made(_ route: String, _ version: String, _ size: Int) -> FileSetup {
            FileSetup(route: route, content: .made(ContentKey(version: version, route: route, size: size)))
        }
        return VersionSetup(
            name: name,
            files: [
                made("/index.html", "v1", 2_000), made("/app.js", script, scriptSize),
                made("/logo.png", "v1", 12_000),
            ])
    }

    static func setup(dialect: ManifestDialect = .own, device: DeviceProfile = .plain) -> WorldSetup {
        let app = AppSetup(
            id: "com.example.shop", dialect: dialect, builds: [BuildSetup(name: "1.0", embeds: "v1")])
        return WorldSetup(
            app: app,
            versions: [
                version("v1", script: "v1"), version("v2", script: "v2"), version("v3", script: "v3"),
            ],
            devices: [device])
    }

    static func world(dialect: ManifestDialect = .own, device: DeviceProfile = .plain) throws -> World {
        try World(setup(dialect: dialect, device: device))
    }
}

extension DeviceProfile {
    /// Reports why the last process ended, keeps sockets open, does not announce reloads.
    static let reportingExits = DeviceProfile(
        name: "reporting exits", platform: "android",
        exits: [
            ExitReport(.crash, .crash), ExitReport(.user, .userRequested), ExitReport(.lowMemory, .lowMemory),
        ],
        backgroundBudget: .seconds(60), crashProfile: .journal, announcesReload: false,
        socketsSurviveSuspension: true)
}

extension World {
    /// Runs until the condition holds, at most for `limit`; returns whether it holds.
    mutating func run(_ limit: TimeSpan, until holds: (World) -> Bool) -> Bool {
        let end = now + limit
        while !holds(self) {
            guard let next = nextEventTime, next <= end else { return false }
            guard case .happened = step() else { return false }
        }
        return true
    }

    mutating func start() { perform(.launch(.foreground)) }

    mutating func relaunch() {
        perform(.kill(.user))
        start()
    }

    func isReady(_ version: String) -> Bool {
        let view = view()
        return view.running == version && view.webViews.first?.state == .ready
    }

    func isPending(_ version: String) -> Bool { view().status?.pending.map { name(of: $0) } == version }

    func count(_ fits: (TraceEvent.Kind) -> Bool) -> Int { trace.count { fits($0.kind) } }

    var requestedRoutes: [String] {
        trace.compactMap { event in
            guard case .requestSent(let request) = event.kind, case .file(let route) = request.kind else {
                return nil
            }
            return route
        }
    }

    /// For a failed expectation: the trace events, one a line.
    var traceText: String {
        trace.map { "\($0.at.microseconds) \($0.process) \($0.kind)" }.joined(separator: "\n")
    }
}
