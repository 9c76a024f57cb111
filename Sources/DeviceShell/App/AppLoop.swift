import AppHost
import Core
import LocalServer
import Updater

/// The event loop that runs ``AppHost`` (or a ``HostedApp`` around one) on a real device, with sockets, disk,
/// timers and network, on one thread.
///
/// Guarantees
/// - Effects are performed in order; each outside occurrence becomes one event, in order.
/// - The loop makes no decisions: the host decides which version runs, what is answered and when to retry.
/// - An idle loop sleeps: there is no tick; only sockets, timers and the ``Inbox`` wake it up. (While a timer
///   decides about a start it wakes up once a second, see ``FreezeDetector``.)
/// - A timer that was cancelled or set again never fires. One that is due fires after everything that had
///   arrived until then has been handled, so that a peer that reads, or the death of a web process, counts
///   before the time that passed.
/// - Time in which the process did not run is reported as `frozen` before everything that came in it.
/// - Unauthenticated clients never take the descriptors that files and downloads need
///   (``FileDescriptorBudget``).
/// - ``Inbox/stop()`` shuts the loop down in order: it accepts no more connections, sends the answers in
///   progress (for at most 2 s), then closes all sockets. The store needs no shutdown, because a killed
///   process loses nothing (R1).
///
/// Effects that the loop can't perform (web views, screens, logs) are passed to `onEffect`, on the loop's
/// thread. Deliberately not here: TLS (see ``OriginTransport`` and ``UpstreamTransport``) and threads (the
/// loop runs on the thread that calls ``run(_:)``).
public final class AppLoop {
    /// Carries requests to an origin over something other than plain TCP, for URLs of https. It enqueues
    /// `.transfer` events as ``OriginRequest`` specifies. Both methods are called on the loop's thread and
    /// must not block.
    public protocol OriginTransport: AnyObject {
        func fetch(_ id: TransferID, _ request: OriginRequest, _ inbox: Inbox)
        func cancel(_ id: TransferID)
    }

    /// Carries the bytes of connections to a remote root over something other than plain TCP, for roots of
    /// https. It enqueues `.upstream` events as `UpstreamCommand` specifies. The method is called on the
    /// loop's thread and must not block; it ignores calls for an id that it has not opened.
    public protocol UpstreamTransport: AnyObject {
        func call(_ id: UpstreamID, _ call: UpstreamCommand, _ inbox: Inbox)
    }

    /// Thread-safe inbox, through which other threads send events to the host and stop the loop.
    public let eventInbox: Inbox

    let clock: any DeviceClock
    var disk: PosixDisk
    package let poller: Poller
    private var host: any HostedApp
    var timers = TimerTable()
    private var freezes: FreezeDetector
    /// Events that the host has not handled yet.
    package internal(set) var inbox: [AppHost.Event] = []
    package let origin: OriginClient
    let upstream: UpstreamClient
    let secureOrigin: (any OriginTransport)?
    let secureUpstream: (any UpstreamTransport)?
    let onEffect: (AppHost.Effect) -> Void

    let listening: ListeningSockets
    var peers: [Int32: Peer] = [:]
    var descriptors: [ConnectionID: Int32] = [:]
    var nextConnection: UInt32 = 1
    let lingering: LingeringSockets
    private let budget: FileDescriptorBudget
    /// Connections accepted in one turn at each address. Fewer where few connections are allowed, because
    /// many accepted at once would displace a page's connection that was accepted just before and not yet
    /// read.
    private(set) var acceptsPerTurn = AppLoop.maxAcceptsPerTurn
    private var stopsAt: Instant?
    var buffer = [UInt8](repeating: 0, count: 65_536)

    /// - Parameters:
    ///   - disk: disk of the app, with the volumes that the host reads and writes.
    ///   - host: the app, which has handled no event yet.
    ///   - secureOrigin: carries requests to an origin of https; without it they fail as insecure.
    ///   - secureUpstream: carries connections to a remote root of https; without it they fail as insecure.
    ///   - onEffect: performs the effects that the loop can't; called on the loop's thread, must not block.
    /// - Throws: ``AppLoopError`` when the system has no descriptors left.
    public convenience init(
        _ disk: PosixDisk, _ host: some HostedApp = AppHost(), secureOrigin: (any OriginTransport)? = nil,
        secureUpstream: (any UpstreamTransport)? = nil,
        onEffect: @escaping (AppHost.Effect) -> Void = { _ in }
    ) throws(AppLoopError) {
        try self.init(
            disk, host, clock: MonotonicClock(), secureOrigin: secureOrigin, secureUpstream: secureUpstream,
            onEffect: onEffect)
    }

    package init(
        _ disk: PosixDisk, _ host: some HostedApp, clock: any DeviceClock,
        secureOrigin: (any OriginTransport)? = nil, secureUpstream: (any UpstreamTransport)? = nil,
        onEffect: @escaping (AppHost.Effect) -> Void = { _ in }
    ) throws(AppLoopError) {
        self.disk = disk
        self.host = host
        self.clock = clock
        freezes = FreezeDetector(at: clock.now)
        self.secureOrigin = secureOrigin
        self.secureUpstream = secureUpstream
        self.onEffect = onEffect
        do throws(SystemError) {
            poller = try Poller()
            eventInbox = Inbox(try WakeUp())
            try poller.watch(eventInbox.wakeUp.readEnd, .reads)
        } catch {
            throw AppLoopError(error)
        }
        listening = ListeningSockets(poller)
        budget = FileDescriptorBudget.current()
        lingering = LingeringSockets(
            poller, limit: min(AppLoop.maxLingering, budget.lingering), readLimit: 256 << 10)
        origin = OriginClient(poller, clock)
        upstream = UpstreamClient(poller, clock)
        origin.deliver = { [unowned self] id, event in inbox.append(.transfer(id, event)) }
        origin.resolve = { [eventInbox] id, address in
            NameResolver.resolve(address.host, port: address.port) {
                eventInbox.enqueue(item: .resolved(id, $0))
            }
        }
        upstream.deliver = { [unowned self] id, event in inbox.append(.upstream(id, event)) }
        upstream.resolve = { [eventInbox] id, host, port in
            NameResolver.resolve(host, port: port) { eventInbox.enqueue(item: .resolvedUpstream(id, $0)) }
        }
    }

    deinit {
        for descriptor in peers.keys { SocketCalls.close(descriptor) }
        eventInbox.close()
    }

    /// Runs the app on the calling thread until ``Inbox/stop()`` is called. To be called once.
    /// - Throws: ``AppLoopError`` when the system's poller fails; the loop can't continue then.
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
        eventInbox.close()
    }

    package func begin(_ launch: AppHost.Launch) {
        SocketCalls.ignoreBrokenPipes()
        origin.connectTime = launch.updater.settings.connectTimeout
        var launch = launch
        launch.limits.connections = min(launch.limits.connections, budget.connections)
        acceptsPerTurn = min(AppLoop.maxAcceptsPerTurn, max(launch.limits.connections / 8, 1))
        inbox.append(.launched(launch))
    }

    // MARK: - One turn

    /// Most rounds of events in one turn, each caused by the one before, until the sockets are polled again.
    private static let maxRounds = 8

    /// Number of turns so far; an idle loop makes none.
    private(set) var turns = 0

    private func turn() throws(SystemError) {
        try turn(waiting: inbox.isEmpty ? untilNext : .zero)
    }

    /// Handles what is due.
    /// - Parameter time: longest wait for a descriptor; nil: until one is ready.
    /// - Returns: number of events and descriptors handled.
    @discardableResult
    package func turn(waiting time: TimeSpan?) throws(SystemError) -> Int {
        turns += 1
        freezes.restart(at: clock.now)
        var count = 0
        // Several rounds, so that an answer sent at once, and the events after its end, need no other poll.
        for _ in 0..<AppLoop.maxRounds where !inbox.isEmpty {
            count += inbox.count
            handleInbox()
        }
        count += try poll(waiting: inbox.isEmpty ? time : .zero)
        if timers.isDue(at: clock.now) { count += try fireTimers() }
        let now = clock.now
        origin.timePassed()
        upstream.timePassed()
        listening.timePassed(now)
        lingering.timePassed(now)
        return count
    }

    /// - Returns: number of descriptors handled.
    private func poll(waiting time: TimeSpan?) throws(SystemError) -> Int {
        let ready = try poller.wait(time)
        if let time, let hole = freezes.hole(at: clock.now, afterWaiting: time) {
            origin.frozen(for: hole)
            inbox.append(.frozen(hole))
        } else {
            freezes.restart(at: clock.now)
        }
        // No event is handled in between, because an effect could close a descriptor, a new socket could
        // reuse its number, and that socket would get the readiness of the closed one.
        handle(ready)
        return ready.count
    }

    /// Fires the timers that are due, after a poll that began when they were: the process may have been
    /// stopped between the last poll and now, and a signal ends a poll without a descriptor.
    /// - Returns: number of events and descriptors handled.
    private func fireTimers() throws(SystemError) -> Int {
        let now = clock.now
        var count = 0
        // Each descriptor once; one poll returns a part of many.
        for _ in 0...(poller.count / Poller.maxEvents) {
            let ready = try poll(waiting: .zero)
            count += ready + inbox.count
            handleInbox()
            if ready < Poller.maxEvents { break }
        }
        for ticket in timers.due(at: now) {
            // A hole may set the timer again.
            observeHole()
            guard timers.take(ticket) else { continue }
            pass(.timer(ticket.name))
            count += 1
        }
        return count
    }

    /// Handles the events that are in the inbox now; those that they cause wait for the next round.
    private func handleInbox() {
        for event in inbox.takeAll() {
            observeHole()
            pass(event)
        }
    }

    /// Reports time in which the last step did not go on.
    private func observeHole() {
        guard let hole = freezes.hole(at: clock.now) else { return }
        origin.frozen(for: hole)
        pass(.frozen(hole))
    }

    private func pass(_ event: AppHost.Event) {
        for effect in host.handle(event, at: clock.now, disk: &disk) { perform(effect) }
    }

    private var untilNext: TimeSpan? {
        guard let remaining = nextDeadline.map({ max($0 - clock.now, .zero) }) else { return nil }
        return timers.hasStartTimer ? min(remaining, FreezeDetector.longestStep) : remaining
    }

    /// Earliest instant at which the loop must wake up; nil when it waits for the outside alone.
    package var nextDeadline: Instant? {
        let instants = [
            timers.next, origin.nextDeadline, upstream.nextDeadline, lingering.nextDeadline,
            listening.acceptsAgain, stopsAt,
        ]
        return instants.compactMap { $0 }.min()
    }

    /// Handles the page and what the app itself has opened first, then clients without the key, so that they
    /// delay only each other (S10). New connections come last, so that none of them displaces one whose
    /// request is there already.
    private func handle(_ ready: [Poller.Ready]) {
        var later: [Poller.Ready] = []
        for ready in ready {
            if isFirst(ready.descriptor) { handle(ready) } else { later.append(ready) }
        }
        for ready in later where peers[ready.descriptor] != nil { handle(ready) }
        let ended = later.lazy.filter { self.lingering.owns($0.descriptor) }
        for ready in ended.prefix(AppLoop.maxDrainsPerTurn) { handle(ready) }
        for ready in later where listening.owns(ready.descriptor) { handle(ready) }
    }

    private func isFirst(_ descriptor: Int32) -> Bool {
        if let peer = peers[descriptor] { return peer.isAdmitted }
        return !lingering.owns(descriptor) && !listening.owns(descriptor)
    }

    private func handle(_ ready: Poller.Ready) {
        if ready.descriptor == eventInbox.wakeUp.readEnd {
            for item in eventInbox.drain() { handle(item) }
        } else if listening.owns(ready.descriptor) {
            accept(ready.descriptor)
        } else if peers[ready.descriptor] != nil {
            if ready.canWrite, peers[ready.descriptor]?.isSending == true { send(ready.descriptor) }
            // A peer without read interest is reported only when it has failed; reading returns the failure.
            if ready.canRead, peers[ready.descriptor].map({ $0.wantsRead || !$0.isSending }) == true {
                receive(ready.descriptor)
            }
        } else if lingering.owns(ready.descriptor) {
            lingering.drain(ready.descriptor)
        } else if origin.owns(ready.descriptor) {
            origin.ready(ready)
        } else if upstream.owns(ready.descriptor) {
            upstream.ready(ready)
        }
    }

    private func handle(_ item: Inbox.InboxItem) {
        switch item {
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

    private func perform(_ effect: AppHost.Effect) {
        switch effect {
        case .again(let lane): inbox.append(.again(lane))
        case .sync(let ticket, let target, _): sync(ticket, target)
        case .setTimer(let name, let after): timers.set(name, at: clock.now + after)
        case .cancelTimer(let name): timers.cancel(name)
        case .fetch(let id, let request): fetch(id, request)
        case .cancelFetch(let id):
            origin.cancel(id)
            secureOrigin?.cancel(id)
            inbox.removeAll { if case .transfer(id, _) = $0 { true } else { false } }
        case .listen(let port): listen(port)
        case .stopListening: stopListening()
        case .send(let id, let output): beginSending(id, output)
        case .close(let id): close(id)
        case .authenticated(let id): authenticated(id)
        case .setReadInterest(let id, let interest): setReadInterest(id, interest)
        case .upstream(let id, let call): callUpstream(id, call)
        case .load, .message, .pageReturned, .nativeMethodCalled, .handlerRequested, .pageTraffic, .screen,
            .status, .log,
            .pageLoad, .answered, .report, .openLink:
            onEffect(effect)
        }
    }

    private func sync(_ ticket: SyncTicket, _ target: SyncTarget) {
        inbox.append(.synced(ticket, disk.sync(target)))
    }

    private func callUpstream(_ id: UpstreamID, _ call: UpstreamCommand) {
        guard let secureUpstream else { return upstream.call(id, call) }
        switch call {
        case .open(let root) where root.isSecure: secureUpstream.call(id, call, eventInbox)
        case .open: upstream.call(id, call)
        case .send, .receive, .finish, .close:
            // The one that has not opened the connection ignores the call.
            upstream.call(id, call)
            secureUpstream.call(id, call, eventInbox)
        }
    }

    private func fetch(_ id: TransferID, _ request: OriginRequest) {
        if let secureOrigin, OriginAddress(request.url)?.isSecure == true {
            secureOrigin.fetch(id, request, eventInbox)
        } else {
            origin.begin(id, request)
        }
    }
}

/// The system's poller failed, or the system has no descriptors or memory left for the loop.
public struct AppLoopError: Error, CustomStringConvertible {
    /// `errno` of the system call that failed.
    public let errorNumber: Int32

    package init(_ error: SystemError) { errorNumber = error.errorNumber }

    public var description: String { "the system's poller failed (errno \(errorNumber))" }
}
