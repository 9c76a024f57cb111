import AppHost
import Core
import LocalServer
import Updater

/// The event loop that runs ``AppHost`` (or a ``HostedApp`` around one) on a real device, with sockets, disk,
/// timers and network, on one thread.
///
/// Guarantees
/// - Effects are performed in order; each outside occurrence becomes one event, in order within its lane
///   (`AppHost.Event.lane`).
/// - What only the update waits for gives way (S9): an event of the background lane is handled when no urgent
///   one waits (``LaneQueue`` names the exception), and then the sockets are polled before the next, so that
///   a page's request waits for one such step at most. While ``maxWaitingParts`` of them wait, nothing more
///   is read from the origin.
/// - A sync does not hold the loop up: a ``SyncWorker`` performs it beside the loop, and its result is an
///   event. The loop's end does not wait for syncs, and their results are dropped then.
/// - The loop makes no decisions: the host decides which version runs, what is answered and when to retry.
/// - An idle loop sleeps: there is no tick; only sockets, timers and the ``Inbox`` wake it up. (While a timer
///   decides about a start it wakes up once a second, see ``FreezeDetector``.)
/// - A timer that was cancelled or set again never fires. One that is due fires after every urgent event that
///   had arrived until then has been handled, so that a peer that reads, or the death of a web process,
///   counts before the time that passed; a timer of the background lane also after the parts of responses
///   that had arrived.
/// - Time in which the process did not run is reported as `frozen` before everything that came in it.
/// - Unauthenticated clients never take the descriptors that files and downloads need
///   (``FileDescriptorBudget``).
/// - ``Inbox/stop()`` shuts the loop down in order: it accepts no more connections, sends the answers in
///   progress (for at most 2 s), then closes all sockets. The store needs no shutdown, because a killed
///   process loses nothing (R1).
///
/// Effects that the loop can't perform (web views, screens, logs) are passed to `onEffect`, on the loop's
/// thread. Deliberately not here: TLS (see ``OriginTransport`` and ``UpstreamTransport``) and threads: the
/// loop runs on the thread that calls ``run(_:)``. Only system calls that may block for long have others
/// (``DetachedThread``).
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
    /// Timers of the urgent lane.
    var timers = TimerTable()
    /// Timers of the background lane. One that is due goes into ``inbox``.
    var backgroundTimers = TimerTable()
    private var freezes: FreezeDetector
    /// Events that the host has not handled yet.
    package internal(set) var inbox = LaneQueue<AppHost.Event>()
    /// Whether the last poll was followed by reading responses of the origin.
    private var hasReadOrigins = true
    let syncs: SyncWorker
    /// Number of syncs whose result is not in ``inbox`` yet.
    var syncsInFlight = 0
    package let origin: OriginClient
    let upstream: UpstreamClient
    let secureOrigin: (any OriginTransport)?
    let secureUpstream: (any UpstreamTransport)?
    let verifier: (any SignatureVerifier)?
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
    ///   - verifier: verifies signed manifests (U16); without it an app with keys accepts none.
    ///   - onEffect: performs the effects that the loop can't; called on the loop's thread, must not block.
    /// - Throws: ``AppLoopError`` when the system has no descriptors left.
    public convenience init(
        _ disk: PosixDisk, _ host: some HostedApp = AppHost(), secureOrigin: (any OriginTransport)? = nil,
        secureUpstream: (any UpstreamTransport)? = nil, verifier: (any SignatureVerifier)? = nil,
        onEffect: @escaping (AppHost.Effect) -> Void = { _ in }
    ) throws(AppLoopError) {
        try self.init(
            disk, host, clock: MonotonicClock(), secureOrigin: secureOrigin, secureUpstream: secureUpstream,
            verifier: verifier, onEffect: onEffect)
    }

    /// - Parameters:
    ///   - clock: a clock that never goes back.
    ///   - performSync: performs a sync, on another thread.
    package init(
        _ disk: PosixDisk, _ host: some HostedApp, clock: any DeviceClock,
        performSync: @escaping @Sendable (PendingSync) -> DiskError? = { $0.perform() },
        secureOrigin: (any OriginTransport)? = nil, secureUpstream: (any UpstreamTransport)? = nil,
        verifier: (any SignatureVerifier)? = nil, onEffect: @escaping (AppHost.Effect) -> Void = { _ in }
    ) throws(AppLoopError) {
        self.disk = disk
        self.host = host
        self.clock = clock
        freezes = FreezeDetector(at: clock.now)
        self.secureOrigin = secureOrigin
        self.secureUpstream = secureUpstream
        self.verifier = verifier
        self.onEffect = onEffect
        do throws(SystemError) {
            poller = try Poller()
            eventInbox = Inbox(try WakeUp())
            try poller.watch(eventInbox.wakeUp.readEnd, .reads)
        } catch {
            throw AppLoopError(error)
        }
        syncs = SyncWorker(performSync) { [eventInbox] ticket, failure in
            eventInbox.enqueue(item: .synced(ticket, failure))
        }
        listening = ListeningSockets(poller)
        budget = FileDescriptorBudget.current()
        lingering = LingeringSockets(
            poller, limit: min(AppLoop.maxLingering, budget.lingering), readLimit: 256 << 10)
        origin = OriginClient(poller, clock)
        upstream = UpstreamClient(poller, clock)
        origin.deliver = { [unowned self] id, event in enqueue(.transfer(id, event)) }
        origin.resolve = { [eventInbox] id, address in
            NameResolver.resolve(address.host, port: address.port) {
                eventInbox.enqueue(item: .resolved(id, $0))
            }
        }
        upstream.deliver = { [unowned self] id, event in enqueue(.upstream(id, event)) }
        upstream.resolve = { [eventInbox] id, host, port in
            NameResolver.resolve(host, port: port) { eventInbox.enqueue(item: .resolvedUpstream(id, $0)) }
        }
    }

    deinit {
        for descriptor in peers.keys { SocketCalls.close(descriptor) }
        syncs.end()
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
        syncs.end()
        eventInbox.close()
    }

    package func begin(_ launch: AppHost.Launch) {
        SocketCalls.ignoreBrokenPipes()
        origin.connectTime = launch.updater.settings.connectTimeout
        var launch = launch
        launch.limits.connections = min(launch.limits.connections, budget.connections)
        acceptsPerTurn = min(AppLoop.maxAcceptsPerTurn, max(launch.limits.connections / 8, 1))
        enqueue(.launched(launch))
        freezes.restart(at: clock.now)
    }

    // MARK: - One turn

    /// Most rounds of events in one turn, each caused by the one before, until the sockets are polled again.
    private static let maxRounds = 8
    /// Events of the background lane that wait until nothing more is read from the origin. Each has at most
    /// 64 KiB of a response, so all have about 1 MiB.
    static let maxWaitingParts = 16

    /// Number of turns so far, for any thread; an idle loop makes none.
    var turns: Int { turnCounter.count }
    private let turnCounter = TurnCounter()

    private func turn() throws(SystemError) {
        try nextTurn(waiting: inbox.isEmpty ? untilNext : .zero)
    }

    /// One turn of a loop that its caller drives: the time since the turn before is the caller's, no hole.
    /// - Parameter time: longest wait for a descriptor; nil: until one is ready.
    /// - Returns: number of events and descriptors handled.
    @discardableResult
    package func turn(waiting time: TimeSpan?) throws(SystemError) -> Int {
        freezes.restart(at: clock.now)
        return try nextTurn(waiting: time)
    }

    /// Handles what is due. The time since the turn before is the loop's own: a process that was stopped
    /// between the two did not run.
    /// - Parameter time: longest wait for a descriptor; nil: until one is ready.
    /// - Returns: number of events and descriptors handled.
    @discardableResult
    func nextTurn(waiting time: TimeSpan?) throws(SystemError) -> Int {
        turnCounter.add()
        var count = 0
        // Several rounds, so that an answer sent at once, and the events after its end, need no other poll.
        for _ in 0..<AppLoop.maxRounds { count += handleUrgentEvents() }
        if !inbox.isNextUrgent, handleNext(of: .background) { count += 1 }
        count += try poll(waiting: inbox.isEmpty ? time : .zero)
        count += try fireTimers()
        let now = clock.now
        origin.timePassed()
        upstream.timePassed()
        listening.timePassed(now)
        lingering.timePassed(now)
        return count
    }

    /// - Returns: number of descriptors handled.
    private func poll(waiting time: TimeSpan?) throws(SystemError) -> Int {
        hasReadOrigins = inbox.count(of: .background) < AppLoop.maxWaitingParts
        let ready = try poller.wait(time)
        if let hole = freezes.hole(at: clock.now, afterWaiting: time) {
            origin.frozen(for: hole)
            enqueue(.frozen(hole))
        }
        // No event is handled in between, because an effect could close a descriptor, a new socket could
        // reuse its number, and that socket would get the readiness of the closed one.
        handle(ready)
        return ready.count
    }

    /// Fires the timers that are due, after a poll that began when they were: the process may have been
    /// stopped between the last poll and now, and a signal ends a poll without a descriptor. Those of the
    /// background lane wait behind the parts of responses that had arrived, and until these are read.
    /// - Returns: number of events and descriptors handled.
    private func fireTimers() throws(SystemError) -> Int {
        let now = clock.now
        guard timers.isDue(at: now) || backgroundTimers.isDue(at: now) else { return 0 }
        var count = 0
        var hasReadAll = true
        // Each descriptor once; one poll returns a part of many.
        for _ in 0...(poller.count / Poller.maxEvents) {
            let ready = try poll(waiting: .zero)
            hasReadAll = hasReadAll && hasReadOrigins
            count += ready + handleUrgentEvents()
            if ready < Poller.maxEvents { break }
        }
        for ticket in timers.due(at: now) {
            // A hole may set the timer again.
            observeHole()
            guard timers.take(ticket) else { continue }
            pass(.timer(ticket.name))
            count += 1
        }
        guard hasReadAll else { return count }
        for ticket in backgroundTimers.due(at: now) where backgroundTimers.take(ticket) {
            enqueue(.timer(ticket.name))
        }
        return count
    }

    /// Handles the urgent events that are in the inbox now; those that they cause wait for the next round.
    /// - Returns: number of events handled.
    private func handleUrgentEvents() -> Int {
        var count = 0
        for _ in 0..<inbox.count(of: .urgent) where handleNext(of: .urgent) { count += 1 }
        return count
    }

    /// - Returns: false when no event of this lane waits.
    private func handleNext(of lane: WorkLane) -> Bool {
        // First, because a hole may cancel what is next.
        if inbox.count(of: lane) > 0 { observeHole() }
        guard let event = inbox.next(of: lane) else { return false }
        pass(event)
        return true
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
            timers.next, backgroundTimers.next, origin.nextDeadline, upstream.nextDeadline,
            lingering.nextDeadline, listening.acceptsAgain, stopsAt,
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
            for item in eventInbox.drain(takesBackground: hasReadOrigins) { handle(item) }
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
            origin.ready(ready, mayReceive: hasReadOrigins)
        } else if upstream.owns(ready.descriptor) {
            upstream.ready(ready)
        }
    }

    private func handle(_ item: Inbox.InboxItem) {
        switch item {
        case .event(let event): take(event)
        case .synced(let ticket, let failure):
            syncsInFlight -= 1
            enqueue(.synced(ticket, failure))
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
        enqueue(event)
    }

    /// Adds an event that the host handles after those of its lane that wait.
    func enqueue(_ event: AppHost.Event) { inbox.append(event, event.lane) }

    /// Whether the next turns have work without a request of a peer and without time passing.
    package var isBusy: Bool { !inbox.isEmpty || isSyncing || origin.isConnecting }

    /// Whether the result of a sync is outstanding.
    package var isSyncing: Bool { syncsInFlight > 0 }

    private var isOver: Bool {
        guard let stopsAt else { return false }
        return stopsAt <= clock.now
            || (inbox.count(of: .urgent) == 0 && !peers.values.contains(where: \.isSending))
    }
}
