import AppHost
import Core
import LocalServer
import Updater

/// A real app host on a real device: sockets, disk, timers and the network around an ``AppHost`` (or a
/// ``HostedApp`` around one), in one thread.
///
/// VerificationSummary
/// - Effects are carried out in order; what happens outside becomes one event after the other.
/// - No decision is made here: which version, which answer, when to try again is the host's to say.
/// - An idle loop sleeps: no tick, no wake-up but for a socket, a timer or a knock.
/// - Strangers at the port never take the descriptors that files and downloads need
///   (``FileDescriptorBudget``).
/// - ``Inbox/stop()`` ends it in order: nothing is accepted any more, answers on their way leave (2 s at
///   most), then all sockets are closed. The store needs no such end: a killed process loses nothing (R1).
///
/// What the loop can't do itself (web views, screens, logs) goes to `outside`, on the loop's thread.
/// Deliberately not here: TLS (see ``OriginTransport`` and ``UpstreamTransport``), threads (whoever calls
/// ``run(_:)`` gives his own).
public final class AppLoop {
    /// Another way to an origin than plain TCP, for URLs of https. Answers come back through the door, as
    /// ``OriginRequest`` wants them; both calls come on the loop's thread and must not wait.
    public protocol OriginTransport: AnyObject {
        func fetch(_ id: TransferID, _ request: OriginRequest, _ door: Inbox)
        func cancel(_ id: TransferID)
    }

    /// Another way to the remote root than plain TCP, for roots of https: a connection as bytes. What
    /// `UpstreamCall` asks for is answered through the door by `.upstream` events; the call comes on the
    /// loop's thread and must not wait. Calls for an id that was never opened here are nothing.
    public protocol UpstreamTransport: AnyObject {
        func call(_ id: UpstreamID, _ call: UpstreamCall, _ door: Inbox)
    }

    /// To knock at from other threads.
    public let door: Inbox

    let clock: any DeviceClock
    var disk: PosixDisk
    package let poller: Poller
    private var host: any HostedApp
    var timers = TimerTable()
    package internal(set) var inbox: [AppHost.Event] = []
    package let origin: OriginClient
    let upstream: UpstreamClient
    let secure: (any OriginTransport)?
    let secureUpstream: (any UpstreamTransport)?
    let outside: (AppHost.Effect) -> Void

    let listening: ListeningSockets
    var peers: [Int32: Peer] = [:]
    var descriptors: [ConnectionID: Int32] = [:]
    var nextConnection: UInt32 = 1
    let leaving: LingeringSockets
    private let room: FileDescriptorBudget
    /// Less where few have room: a crowd that is accepted at once would take the place of a page that was
    /// accepted just before and has not been heard.
    private(set) var mostAccepted = AppLoop.mostAccepted
    private var stopsAt: Instant?
    var buffer = [UInt8](repeating: 0, count: 65_536)

    /// - Parameters:
    ///   - disk: where the app's package and its data are.
    ///   - host: the app; nothing has been told it yet.
    ///   - secure: for requests to an origin of https; without it they fail as insecure.
    ///   - upstream: for connections to a remote root of https; without it they fail as insecure.
    /// - Throws: when the system gives no descriptors.
    public convenience init(
        _ disk: PosixDisk, _ host: some HostedApp = AppHost(), secure: (any OriginTransport)? = nil,
        upstream: (any UpstreamTransport)? = nil, outside: @escaping (AppHost.Effect) -> Void = { _ in }
    ) throws(AppLoopError) {
        try self.init(
            disk, host, clock: MonotonicClock(), secure: secure, upstream: upstream, outside: outside)
    }

    package init(
        _ disk: PosixDisk, _ host: some HostedApp, clock: any DeviceClock,
        secure: (any OriginTransport)? = nil,
        upstream secureUpstream: (any UpstreamTransport)? = nil,
        outside: @escaping (AppHost.Effect) -> Void = { _ in }
    ) throws(AppLoopError) {
        self.disk = disk
        self.host = host
        self.clock = clock
        self.secure = secure
        self.secureUpstream = secureUpstream
        self.outside = outside
        do throws(SystemError) {
            poller = try Poller()
            door = Inbox(try WakeUp())
            try poller.watch(door.wakeUp.listening, .reads)
        } catch {
            throw AppLoopError(error)
        }
        listening = ListeningSockets(poller)
        room = FileDescriptorBudget.read()
        leaving = LingeringSockets(
            poller, most: min(AppLoop.mostLeaving, room.leaving), mayRead: 256 << 10)
        origin = OriginClient(poller, clock)
        upstream = UpstreamClient(poller)
        origin.deliver = { [unowned self] id, event in inbox.append(.transfer(id, event)) }
        origin.resolve = { [door] id, address in
            NameResolver.resolve(address.host, port: address.port) { door.knock(.resolved(id, $0)) }
        }
        upstream.deliver = { [unowned self] id, event in inbox.append(.upstream(id, event)) }
        upstream.resolve = { [door] id, host, port in
            NameResolver.resolve(host, port: port) { door.knock(.resolvedUpstream(id, $0)) }
        }
    }

    deinit {
        for descriptor in peers.keys { SocketCalls.close(descriptor) }
        door.close()
    }

    /// Runs the app until the door is told to stop.
    /// - Throws: when the system's poller fails; the app is over then.
    public func run(_ launch: AppHost.Launch) throws(AppLoopError) {
        var launch = launch
        launch.wallClock = launch.wallClock ?? WallClock.read(at: clock.now)
        begin(launch)
        do throws(SystemError) {
            while !isOver { try turn() }
        } catch {
            throw AppLoopError(error)
        }
        closeAll()
        door.close()
    }

    package func begin(_ launch: AppHost.Launch) {
        SocketCalls.ignoreBrokenPipes()
        origin.connectTime = launch.updater.settings.connectTimeout
        var launch = launch
        launch.limits.connections = min(launch.limits.connections, room.connections)
        mostAccepted = min(AppLoop.mostAccepted, max(launch.limits.connections / 8, 1))
        inbox.append(.launched(launch))
    }

    // MARK: - One turn

    /// How often in one turn what was handled may lead to more, before the sockets have theirs.
    private static let mostRounds = 8

    /// How often the loop woke up; an idle one does not.
    private(set) var turns = 0

    private func turn() throws(SystemError) {
        try turn(waiting: inbox.isEmpty ? untilNext : .zero)
    }

    /// - Parameter time: how long it waits where nothing is to be done; nil: until something happens.
    /// - Returns: how many events and descriptors had their turn.
    @discardableResult
    package func turn(waiting time: TimeSpan?) throws(SystemError) -> Int {
        turns += 1
        var count = 0
        // An answer that leaves at once, and what its end leads to, cost no further look at the sockets.
        for _ in 0..<AppLoop.mostRounds where !inbox.isEmpty {
            count += inbox.count
            handleInbox()
        }
        let ready = try poller.wait(inbox.isEmpty ? time : .zero)
        // Nothing is handled in between: a descriptor that an effect closed and another one took over would
        // be told what was true of the first.
        for ready in ready { take(ready) }
        count += ready.count
        let now = clock.now
        for name in timers.due(at: now) { inbox.append(.timer(name)) }
        if let next = origin.nextDeadline, next <= now { origin.timePassed() }
        listening.timePassed(now)
        leaving.timePassed(now)
        return count
    }

    /// As many as there are now.
    private func handleInbox() {
        let events = inbox
        inbox.removeAll(keepingCapacity: true)
        for event in events {
            for effect in host.handle(event, at: clock.now, disk: &disk) { carryOut(effect) }
        }
    }

    private var untilNext: TimeSpan? { nextDeadline.map { max($0 - clock.now, .zero) } }

    /// When something is due without anything happening outside.
    package var nextDeadline: Instant? {
        let instants = [
            timers.next, origin.nextDeadline, leaving.nextDeadline, listening.acceptsAgain, stopsAt,
        ]
        return instants.compactMap { $0 }.min()
    }

    private func take(_ ready: Poller.Ready) {
        if ready.descriptor == door.wakeUp.listening {
            for knock in door.open() { take(knock) }
        } else if listening.owns(ready.descriptor) {
            accept(ready.descriptor)
        } else if peers[ready.descriptor] != nil {
            if ready.canWrite, peers[ready.descriptor]?.isSending == true { send(ready.descriptor) }
            // One that is not waited for is told of for its failure alone: reading says which.
            if ready.canRead, peers[ready.descriptor].map({ $0.isHeard || !$0.isSending }) == true {
                receive(ready.descriptor)
            }
        } else if leaving.owns(ready.descriptor) {
            leaving.drain(ready.descriptor, &buffer)
        } else if origin.owns(ready.descriptor) {
            origin.ready(ready)
        } else if upstream.owns(ready.descriptor) {
            upstream.ready(ready)
        }
    }

    private func take(_ knock: Inbox.InboxItem) {
        switch knock {
        case .event(let event): take(event)
        case .resolved(let id, let addresses): origin.resolved(id, addresses)
        case .resolvedUpstream(let id, let addresses): upstream.resolved(id, addresses)
        case .stop:
            stopsAt = stopsAt ?? clock.now + .seconds(2)
            stopListening()
        }
    }

    /// What ``Inbox/tell(_:)`` says, on the loop's own thread: the host hears it in the next turn.
    package func take(_ event: AppHost.Event) {
        if case .settings(let changed) = event { origin.connectTime = changed.connectTimeout }
        inbox.append(event)
    }

    private var isOver: Bool {
        guard let stopsAt else { return false }
        return stopsAt <= clock.now || (inbox.isEmpty && !peers.values.contains(where: \.isSending))
    }

    // MARK: - Effects

    private func carryOut(_ effect: AppHost.Effect) {
        switch effect {
        case .again: inbox.append(.again)
        case .setTimer(let name, let after): timers.set(name, at: clock.now + after)
        case .cancelTimer(let name): timers.cancel(name)
        case .fetch(let id, let request): fetch(id, request)
        case .cancelFetch(let id):
            origin.cancel(id)
            secure?.cancel(id)
            inbox.removeAll { if case .transfer(id, _) = $0 { true } else { false } }
        case .listen(let port): listen(port)
        case .stopListening: stopListening()
        case .send(let id, let output): begin(id, output)
        case .close(let id): close(id)
        case .admitted(let id): admitted(id)
        case .hear(let id, let hearing): hear(id, hearing)
        case .upstream(let id, let call): reach(id, call)
        case .load, .message, .pageAnswered, .pageAsks, .handlerAsked, .pageTraffic, .screen, .status, .log,
            .pageLoad, .answered, .report, .openLink:
            outside(effect)
        }
    }

    private func reach(_ id: UpstreamID, _ call: UpstreamCall) {
        guard let secureUpstream else { return upstream.call(id, call) }
        switch call {
        case .open(let root) where root.isSecure: secureUpstream.call(id, call, door)
        case .open: upstream.call(id, call)
        case .send, .receive, .finish, .close:
            // The one that has not opened it does nothing.
            upstream.call(id, call)
            secureUpstream.call(id, call, door)
        }
    }

    private func fetch(_ id: TransferID, _ request: OriginRequest) {
        if let secure, OriginAddress(request.url)?.isSecure == true {
            secure.fetch(id, request, door)
        } else {
            origin.begin(id, request)
        }
    }
}

/// The system has no descriptors or memory left for the loop.
public struct AppLoopError: Error, CustomStringConvertible {
    /// The system's `errno`.
    public let number: Int32

    package init(_ error: SystemError) { number = error.number }

    public var description: String { "the system's poller failed (errno \(number))" }
}
