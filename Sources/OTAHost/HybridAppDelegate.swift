import AppHost
import Core
import LocalServer
import Updater

/// What an app's own code does for its web content: web views, native screens, logs.
///
/// All methods are called on the app's thread (``HybridApp/start(ended:)``), in order, and must not block: a
/// shell whose views belong to another thread, as on a phone, passes the calls on to it.
public protocol HybridAppDelegate: AnyObject, Sendable {
    /// Navigates a web view to this URL on the local server, in place of the document in front
    /// (`AppHost.Effect.load`). Once it is committed the shell reports that with ``HybridApp/send(_:)``.
    func load(_ url: String, in view: WebViewID)

    /// Shows this native screen; `page` is the web view.
    func show(_ screen: AppHost.Screen)

    /// Delivers a message event (UTF-8 JSON) to the document of this page load, by `otalab.receive(text)`;
    /// dropped if the view shows another by then.
    func deliver(_ message: [UInt8], to load: PageLoadToken, in view: WebViewID)

    // MARK: - With a default that does nothing

    /// An entry of the updater's log, also kept for the error report (F4).
    func log(_ entry: LogEntry)

    /// Something about the device that is no entry of the updater's, in one sentence.
    func note(_ text: String)

    /// The updater's status has changed.
    func statusChanged(_ status: UpdaterStatus)

    /// A page load of this web view has begun, and gets this version.
    func pageLoadBegan(_ load: PageLoadToken, of version: VersionKey, in view: WebViewID)

    /// The local server has answered a request.
    func answered(_ entry: LocalServer.AccessLogEntry)

    /// The user asked for the error report (F4): the app sends it, or shows it.
    func report(_ text: String)

    /// A link that native code takes over (H4); only with `nativeLinks` or `allowedRoutes` of the launch.
    func openLink(_ url: String, in view: WebViewID)

    /// A page pointed the app at another environment, for this process (F9).
    func environmentSwitched(to environment: AppHost.Environment)

    // MARK: - With a default that refuses

    /// A page calls the app's native code (N5); only with `nativeMethods` of the launch. `answer` may be
    /// called later and on any thread, once.
    func called(
        _ call: AppHost.NativeMethodCall, answer: @escaping @Sendable (AppHost.NativeMethodResult) -> Void)

    /// A request that native code answers (S7); only with a handler in the launch's routes. `answer` may be
    /// called later and on any thread, once.
    func requested(
        _ request: LocalServer.HandlerRequest,
        answer: @escaping @Sendable (LocalServer.HandlerAnswer) -> Void)
}

extension HybridAppDelegate {
    public func log(_ entry: LogEntry) {}
    public func note(_ text: String) {}
    public func statusChanged(_ status: UpdaterStatus) {}
    public func pageLoadBegan(_ load: PageLoadToken, of version: VersionKey, in view: WebViewID) {}
    public func answered(_ entry: LocalServer.AccessLogEntry) {}
    public func report(_ text: String) {}
    public func openLink(_ url: String, in view: WebViewID) {}
    public func environmentSwitched(to environment: AppHost.Environment) {}

    public func called(
        _ call: AppHost.NativeMethodCall, answer: @escaping @Sendable (AppHost.NativeMethodResult) -> Void
    ) {
        answer(.refused("the app has no code for '\(call.method)'"))
    }

    public func requested(
        _ request: LocalServer.HandlerRequest,
        answer: @escaping @Sendable (LocalServer.HandlerAnswer) -> Void
    ) {
        note("the app has no code for the handler '\(request.handler)'")
        answer(LocalServer.HandlerAnswer(.notFound))
    }
}
