import AppHost
import DevelopmentHost
import OTAHost

/// A real app host in this process, with a browser as its web view.
///
/// Guarantees: it sleeps when nothing happens, and logs what it does (``ServedShell``). ``stop()`` shuts it
/// down; ``run()`` returns then.
///
/// Makes no decisions: console commands become events for the host.
final class ServedApp: Sendable {
    /// Names of the mock handlers, in the order of their file.
    let mockNames: [String]
    private let app: HybridApp
    private let shell: ServedShell

    /// - Throws: ``StartError``.
    init(_ launch: AppHost.Launch, _ mocks: MockHandlers, _ state: ServedFolder, _ log: ServeLog)
        throws(StartError)
    {
        mockNames = mocks.handlers.map(\.name)
        shell = ServedShell(log, port: launch.port ?? 0)
        var services = HybridApp.Services()
        services.origin = SecureOrigin.origin(log)
        services.upstream = SecureOrigin.upstream(log)
        app = try HybridApp(
            launch, package: state.package, state: state.state, delegate: shell,
            host: DevelopmentHost(mocks: mocks), services: services)
    }

    // MARK: - Lifecycle

    /// Runs on the calling thread until it is stopped.
    func run() throws { try app.run() }

    func send(_ event: AppHost.Event) { app.send(event) }

    func stop() { app.stop() }

    /// Asks the page to reload itself, as a native button would.
    func reloadPage() {
        send(.webView(.first, .navigating(.reload, url: "")))
        app.callPage("reload") { [shell] in shell.pageAnswered($0) }
    }

    /// - Returns: whether there is a mock handler of this name.
    func switchMock(_ name: String, isOn: Bool) -> Bool {
        guard let index = mockNames.firstIndex(of: name) else { return false }
        send(DevelopmentHost.event(switchingMock: index, isOn: isOn))
        return true
    }

    var statusLine: String { shell.statusLine }
}
