import Core
import HTTP1

/// The local server of a hybrid app: bytes of HTTP/1.1 requests come in as events, bytes of responses leave
/// as effects. It uses no socket and no clock: a connection is an id, time is an event, a file body is an
/// effect.
///
/// **What it promises.** S1: every response of a page load comes from the version that the load is pinned to.
/// S2: a stored file is sent unchanged. S3: the index answers document navigations only. S5: only a file
/// whose URL carries its content's hash may be cached. S6: requests need the server's own Host and session
/// key, and reach nothing outside the version's routes and `www`.
///
/// **How a request names its page load.** The next index response overwrites a cookie while the old page
/// still sends requests; `Referer` of a font names the style sheet, and `pushState` removes the token from
/// the document's URL; page loads share connections; nothing may be written into a stored file. So several
/// signals are used, the strongest first:
/// 1. The document's URL carries `otalab-load=<token>` in its query. A navigation whose token is absent,
///    unknown or used is answered by a redirect (307) to the same URL with a fresh token, so that every
///    document has its own token and `Referer` of the requests it causes names the load.
/// 2. A request of a load for a style sheet, module script or worker, without a token in its URL, is
///    redirected (307, not stored) to the same URL with that load's token: requests that the resource causes
///    then have a `Referer` with the token.
/// 3. The cookie `otalab-load-PORT`, set with the index, once the load it names is *committed*: a request
///    came whose URL or Referer carries its token, or the host reported it. Until then a request of the old
///    page may carry the new load's cookie, and it belongs to the previous load. The page's script relies on
///    it where it takes the token out of the address of the only document that is open (G2). One that
///    comes back from the page cache has it there again.
/// 4. A route whose URL carries its content's hash: any version that has it. Else the current version.
///
/// **What else it answers.** API requests are forwarded to the remote root (S7, ``RouteTable``,
/// ``ProxyExchange``); native code answers the routes that the table assigns to it (``HandlerRequest``).
///
/// **How the state is grouped.** Each value keeps its own invariants: ``ConnectionTable``, ``PageLoadTable``,
/// ``HostCalls`` (what the host has to answer), ``Routing``, ``ServerClock``. The extensions of this type
/// join them and append effects; between two events `effects` is empty.
///
/// **What it withstands.** The page `LocalServer.docc/Withstands.md` lists each requirement of the threat
/// model, of parsing, connections and the proxy, with the tests that cover it;
/// `LocalServer.docc/RemoteRoot.md` says what becomes of each header field.
///
/// **What it deliberately does not do.** Read a manifest, choose a version, hash while serving, know the
/// updater.
public struct LocalServer: Equatable, Sendable {
    let configuration: Configuration
    let policy: RequestPolicy
    var connections: ConnectionTable
    var pageLoads = PageLoadTable()
    var hostCalls = HostCalls()
    var routing: Routing
    var clock: ServerClock
    var effects: [Effect] = []
    /// Whether the last step did more on the disk than close one file that was read: such a step leaves no
    /// disk work for another part of the app, because a step is bounded.
    package internal(set) var hasTouchedDisk = false

    /// Name of the cookie with the page load's token.
    let loadCookie: String

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        policy = RequestPolicy(configuration)
        loadCookie = ReservedQueryItems.cookie(ReservedQueryItems.load, port: configuration.port)
        connections = ConnectionTable(limits: configuration.limits)
        routing = Routing(table: configuration.routes, remoteRoot: configuration.remote)
        clock = ServerClock(configuration.wallClock)
    }

    /// Handles one event in one bounded step: at most one file is opened, none is read.
    /// - Returns: the effects, to be performed in order.
    public mutating func handle(_ event: Event, at now: Instant, disk: inout some Disk) -> [Effect] {
        hasTouchedDisk = false
        clock.now = now
        switch event {
        case .opened(let id): opened(id, &disk)
        case .received(let id, let bytes): received(id, bytes, &disk)
        case .sent(let id): sent(id, &disk)
        case .progressed(let id): progressed(id)
        case .finished(let id): finished(id, &disk)
        case .closed(let id, let error): closed(id, error, &disk)
        case .timer(let name): timerFired(name, &disk)
        case .frozen: restartTimers()
        case .navigationAnswer(let id, let answer): navigationAnswered(id, answer, &disk)
        case .committed(let token): pageLoads.commit(token)
        case .ended(let token): pageLoads.end(token)
        case .current(let site): pageLoads.current = site
        case .bridgeAnswer(let call, let bytes): bridgeAnswered(call, bytes)
        case .upstream(let id, let event): handleUpstream(id, event, &disk)
        case .remoteRoot(let root): routing.remoteRoot = root
        case .routes(let table): routing.table = table
        case .handlerAnswer(let call, let answer): handlerAnswered(call, answer)
        case .stopped: stopped(&disk)
        }
        return effects.takeAll()
    }
}
