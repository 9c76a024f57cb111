import Core
import HTTP1

/// The local server of a hybrid app: HTTP/1.1 bytes in, decisions out. It knows no socket and no clock;
/// connections are numbers, time is an event, a file body is an effect.
///
/// **What it promises.** S1: every answer of a page load comes from the version that the load was pinned to.
/// S2: a stored file leaves as it is. S3: the index answers document navigations only. S5: only what carries
/// its content's hash may be kept by a cache. S6: own Host, own session key, nothing outside the version's
/// routes and `www`.
///
/// **How a request names its page load.** A cookie is overwritten by the new index answer just when the old
/// page still asks; `Referer` of a font names the style sheet, and `pushState` takes the token out of the
/// document's URL; connections are shared; nothing may be written into a stored file. So several signals are
/// weighed, the strongest first:
/// 1. The document's URL carries `otalab-load=<token>` in its query. A navigation whose token is absent,
///    unknown or used is answered by a redirect (307) to the same URL with a fresh token, so that every
///    document has a token of its own and `Referer` of what it asks for names the load.
/// 2. A style sheet, module script or worker asked by a load without a token of its own is redirected (307,
///    not stored) to the same URL with that load's token: what it refers to then has a `Referer` with the
///    token.
/// 3. The cookie `otalab-load`, set with the index, when the load it names is *committed*: a request came
///    whose URL or Referer carries its token, or the host said so. Until then the cookie may be the new
///    load's on a request of the old page, and the request belongs to the load before it.
/// 4. A route whose URL is fixed by its content's hash: any version that has it. Else the current version.
///
/// **What else it answers.** API requests go to the remote root (S7, ``RouteTable``, ``Exchange``); native
/// code answers what a row of the table gives it (``HandlerRequest``).
///
/// **What it deliberately does not do.** Read a manifest, choose a version, hash while serving, know the
/// updater.
public struct LocalServer: Equatable, Sendable {
    var configuration: Configuration
    let gate: RequestPolicy
    var connections: [Connection] = []
    var loads: [Load] = []
    var lastServed: PageLoadToken?
    var current: Site?
    var asked: [Asked] = []
    var calls: [Called] = []
    var handlerCalls: [HandlerCalled] = []
    var nextNavigation: UInt32 = 1
    var nextCall: UInt32 = 1
    var nextHandlerCall: UInt32 = 1
    var nextUpstream: UInt32 = 1
    /// Where API requests go now.
    var remote: RemoteRoot?
    /// Who answers which path now.
    var routes: RouteTable
    /// Counts openings and requests, for ``Connection/lastUse``.
    var uses = 0
    /// Of the step.
    var now = Instant.zero
    var date: DateHeader?
    var effects: [Effect] = []
    /// The last step did more on the disk than close one file that was read: no room is left in a bounded
    /// step for another part's work.
    public internal(set) var hasTouchedDisk = false

    /// Methods that files answer (HT-C2).
    static let fileMethods = "GET, HEAD, OPTIONS"

    /// A document whose version the host has been asked for.
    struct Asked: Hashable, Sendable {
        var id: NavigationID
        var connection: ConnectionID
    }

    /// A bridge message that the host has not answered yet.
    struct Called: Hashable, Sendable {
        var call: BridgeCall
        var connection: ConnectionID
    }

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        gate = RequestPolicy(configuration)
        remote = configuration.remote
        routes = configuration.routes
        date = configuration.wallClock.map(DateHeader.init)
    }

    /// One bounded step: at most one file is opened, none is read.
    public mutating func handle(_ event: Event, at now: Instant, disk: inout some Disk) -> [Effect] {
        hasTouchedDisk = false
        self.now = now
        switch event {
        case .opened(let id): opened(id, &disk)
        case .received(let id, let bytes): received(id, bytes, &disk)
        case .sent(let id): sent(id, &disk)
        case .progressed(let id): progressed(id)
        case .finished(let id): finished(id, &disk)
        case .closed(let id, let error): closed(id, error, &disk)
        case .timer(let name): timerFired(name, &disk)
        case .answerNavigation(let id, let answer): answered(id, answer, &disk)
        case .committed(let token): commit(token)
        case .ended(let token): end(token)
        case .current(let site): current = site
        case .bridgeAnswer(let call, let bytes): answered(call, bytes, &disk)
        case .upstream(let id, let event): upstream(id, event, &disk)
        case .remoteRoot(let root): remote = root
        case .routes(let table): routes = table
        case .handlerAnswer(let call, let answer): answered(call, answer)
        // What carries it will say so; nothing has to be kept until then.
        case .announced: break
        case .stopped: stopped(&disk)
        }
        let result = effects
        effects.removeAll(keepingCapacity: true)
        return result
    }

    private mutating func timerFired(_ name: TimerName, _ disk: inout some Disk) {
        switch name {
        case .head(let id):
            guard let place = place(id), connections[place].timer == name else { return }
            guard !connections[place].parser.isBetweenRequests || connections[place].head != nil else {
                return drop(id, &disk)
            }
            connections[place].timer = nil
            refuse(id, .requestTimeout, "the request took too long", closes: true)
        case .upstream(let id):
            guard let place = place(id), connections[place].timer == name else { return }
            connections[place].timer = nil
            upstreamSilent(id, &disk)
        case .idle(let id), .write(let id):
            guard let place = place(id), connections[place].timer == name else { return }
            connections[place].timer = nil
            drop(id, &disk)
        }
    }
}
