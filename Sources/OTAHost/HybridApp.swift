import AppHost
import Core
import DeviceShell
import Updater

/// An app's web content: the updater, the local server and everything around them, for one process.
///
/// ```swift
/// let app = try HybridApp(
///     UpdaterSettings(app: "com.example.shop", origin: "https://updates.example.com/manifest.json"),
///     build: "5.2.1", package: AppPackage(packageFolder), state: StateFolder(stateFolder), delegate: shell)
/// try app.start()
/// ```
///
/// **What it promises.** The code that decides is the one that scenarios run (``AppHost``); this type adds
/// what every app would have to write around it: the disk, the loop and its thread, random numbers, boot id,
/// calls and their answers. A killed process loses nothing (R1), so that no end needs to be announced.
///
/// **What can go wrong** is a ``StartError`` before anything runs, or the end of the loop, when the system's
/// poller fails (``start(ended:)``).
///
/// **What is left to the app** are its ``HybridAppDelegate``, and the events that only a platform knows: it
/// sends them with ``send(_:)``, from any thread.
public final class HybridApp: @unchecked Sendable {
    /// Used by the thread of ``run()`` alone.
    private let loop: AppLoop
    private let launch: AppHost.Launch
    private let inbox: Inbox
    /// Keeps the lock while the app runs.
    private let state: StateFolder
    private let calls = PageCalls()
    private let delegate: any HybridAppDelegate

    /// What carries https, and verifies signatures: of the system, or the app's own.
    public struct Services {
        /// Carries requests to an origin of https; nil: they fail as insecure.
        public var origin: (any AppLoop.OriginTransport)?
        /// Carries API requests to a remote root of https; nil: they fail as insecure.
        public var upstream: (any AppLoop.UpstreamTransport)?
        /// Verifies signed manifests (U16); nil: the system's libcrypto does, where there is one and the app
        /// is launched with keys. Without a verifier an app with keys accepts no manifest.
        public var verifier: (any SignatureVerifier)?

        public init() {}
    }

    /// Opens the store's disk. Nothing runs yet, and nothing is written but a folder's mark for backup
    /// programs.
    /// - Parameters:
    ///   - settings: what the app decides about its updates.
    ///   - build: the native app's build number, such as `CFBundleVersion` or `versionCode`.
    ///   - package: what the store installed with the app.
    ///   - state: where the app keeps its state. One process has it at a time.
    ///   - delegate: the app's own code. It is held as long as this object.
    ///   - host: another value around an `AppHost`, for development.
    ///   - configure: changes the launch: port, links, routes, methods of native code, exit record, whether
    ///     the app is in front.
    /// - Throws: ``StartError``.
    public convenience init(
        _ settings: UpdaterSettings, build: String, package: AppPackage, state: StateFolder,
        delegate: some HybridAppDelegate, host: some HostedApp = AppHost(), services: Services = Services(),
        configure: (inout AppHost.Launch) -> Void = { _ in }
    ) throws(StartError) {
        guard let native = NativeBuild(build) else { throw .buildNumber(build) }
        var updater = Updater.Launch(
            settings: settings, native: native, platform: HybridApp.platform,
            entropy: LaunchEntropy.bytes())
        updater.embedded = package.embedded
        updater.bootID = BootID.read()
        updater.isDebugged = Debugger.isAttached
        var launch = AppHost.Launch(updater: updater, www: package.www)
        configure(&launch)
        try self.init(
            launch, package: package.folder, state: state, delegate: delegate, host: host, services: services)
    }

    /// - Parameters:
    ///   - launch: with everything in it.
    ///   - package: path of the package's folder.
    package init(
        _ launch: AppHost.Launch, package: String?, state: StateFolder, delegate: some HybridAppDelegate,
        host: some HostedApp, services: Services
    ) throws(StartError) {
        self.launch = launch
        self.state = state
        self.delegate = delegate
        let disk = try HybridApp.disk(state, package, launch.updater.embedded)
        do {
            try disk.excludeDataFromBackups()
        } catch {
            delegate.note("can't mark the state folder as one that backups leave out: \(error)")
        }
        let relay = Relay()
        do {
            loop = try AppLoop(
                disk, host, secureOrigin: services.origin, secureUpstream: services.upstream,
                verifier: services.verifier ?? HybridApp.systemVerifier(launch)
            ) {
                relay.app?.perform($0)
            }
        } catch {
            throw .loop(error.errorNumber)
        }
        inbox = loop.eventInbox
        relay.app = self
    }

    /// Forwards the loop's effects to its owner, which does not exist yet when the loop is created.
    private final class Relay {
        weak var app: HybridApp?
    }

    /// An app without keys does not load the library.
    private static func systemVerifier(_ launch: AppHost.Launch) -> (any SignatureVerifier)? {
        launch.updater.settings.keys == nil ? nil : SystemSignatures()
    }

    private static var platform: String {
        #if os(Android)
            "android"
        #else
            "ios"
        #endif
    }

    private static func disk(_ state: StateFolder, _ package: String?, _ embedded: EmbeddedSource?)
        throws(StartError) -> PosixDisk
    {
        let disk: PosixDisk
        do {
            disk = try PosixDisk(data: state.data, package: package)
        } catch {
            throw error.path?.volume == .package
                ? .package(package ?? "", error) : .stateFolder(state.path, error)
        }
        guard let manifest = embedded?.manifest else { return disk }
        do {
            _ = try disk.status(manifest)
        } catch {
            throw error.code == .notFound
                ? .noManifest((package ?? "") + "/" + manifest.text) : .package(package ?? "", error)
        }
        return disk
    }

    // MARK: - Lifecycle

    /// Runs the app on a thread of its own until ``stop()``. To be called once, and not besides ``run()``.
    /// - Parameter ended: called on that thread; with an error when the system's poller failed.
    /// - Throws: ``StartError/noThread``.
    public func start(ended: @escaping @Sendable (AppLoopError?) -> Void = { _ in }) throws(StartError) {
        let isStarted = DetachedThread.start {
            do throws(AppLoopError) {
                try self.run()
                ended(nil)
            } catch {
                ended(error)
            }
        }
        if !isStarted { throw .noThread }
    }

    /// Runs the app on the calling thread until ``stop()``. To be called once.
    public func run() throws(AppLoopError) {
        defer { calls.end() }
        try loop.run(launch)
    }

    /// Ends the app in order: answers in progress are sent, for at most 2 s. A phone's app needs no such
    /// call.
    public func stop() { inbox.stop() }

    // MARK: - Events

    /// Reports what only the platform knows: `.foreground`, `.webView(…)`, `.push` … From any thread.
    public func send(_ event: AppHost.Event) { inbox.enqueue(event) }

    /// Calls the page that a web view shows (N5): the method that it handles with `otalab.handle(method)`.
    /// - Parameters:
    ///   - params: UTF-8 JSON.
    ///   - answer: called once, on any thread, with UTF-8 JSON; nil: no page was there, it went before it
    ///     answered, it did not answer within 30 s, or 100 calls were open already.
    public func callPage(
        _ method: String, _ params: [UInt8] = Array("null".utf8), in view: WebViewID = .first,
        answer: @escaping @Sendable (_ result: [UInt8]?) -> Void = { _ in }
    ) {
        guard let call = calls.begin(answer) else { return }
        send(.callPage(call, view, method: method, params: params))
    }

    // MARK: - Effects

    private func perform(_ effect: AppHost.Effect) {
        switch effect {
        case .load(let view, let url): delegate.load(url, in: view)
        case .screen(let screen): delegate.show(screen)
        case .message(let view, let load, let bytes): delegate.deliver(bytes, to: load, in: view)
        case .log(let entry): delegate.log(entry)
        case .status(let status): delegate.statusChanged(status)
        case .pageLoad(let view, let load, let version): delegate.pageLoadBegan(load, of: version, in: view)
        case .answered(let entry): delegate.answered(entry)
        case .report(let text): delegate.report(text)
        case .openLink(let view, let url): delegate.openLink(url, in: view)
        case .environmentSwitched(let environment): delegate.environmentSwitched(to: environment)
        case .pageReturned(let call, let result): calls.returned(call, result)
        case .nativeMethodCalled(let call):
            delegate.called(call) { [inbox] in inbox.enqueue(.nativeMethodReturned(call.call, $0)) }
        case .handlerRequested(let call, let request):
            delegate.requested(request) { [inbox] in inbox.enqueue(.handlerAnswer(call, $0)) }
        // The loop has performed these, or the value around the host has asked for them.
        case .again, .sync, .setTimer, .cancelTimer, .fetch, .cancelFetch, .verifySignatures, .listen,
            .stopListening, .send, .close, .authenticated, .setReadInterest, .upstream, .pageTraffic:
            break
        }
    }
}
