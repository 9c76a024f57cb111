import Backend
import AppHost
import Core
import DeviceShell
import Foundation
import LocalServer
import ScenarioLanguage
import Updater
import World

/// The backend with a real app: the real loop with its sockets and its disk, a simulated world's origin on a
/// real port, and the world's page, which talks to the real server over real sockets.
///
/// Guarantees
/// - Origin, link, page, user and triggers are those of the world: the same code with the same times. Bytes
///   between them and the app travel over TCP on the loopback, through the real clients and servers.
/// - Virtual time stands still while there is activity (bytes in transit, a sync that has begun), and then
///   jumps to the next event; a scenario of an hour takes only as long as its work does.
/// - A killed process is a loop that is deallocated; the next process finds the folder as it was left.
///
/// Errors: sockets that don't become idle within ``settleTimeout``, or a system without free descriptors; the
/// scenario is inconclusive then. Deliberately not here: what a real device can't be made to do (power cuts,
/// damaged media); see ``LiveSupport``.
package final class LiveBackend: Backend, @unchecked Sendable {
    /// World whose app runs outside of it.
    private var world: World
    /// Port of the origin.
    private let port: HTTPPort
    /// Root URL of the origin.
    private let root: String
    private var adapter: OriginAdapter
    private var pages: PageConnections
    private let remoteSockets: RemoteSockets
    private var folder: DeviceFolder
    private let clock = ManualClock()
    /// Running app; nil while there is no process.
    private var app: SteppedApp?
    /// Id of the world's process that ``app`` belongs to; 0: none.
    private var process = 0
    /// Body bytes that the app's process has taken in, by transfer.
    private var receivedBytes: [TransferID: Int] = [:]
    /// Requests that the app has sent and the world has not got yet.
    private var requests = RequestOrder()
    /// URLs of requests that failed before they were answered, and that the app has not sent anew.
    private var failedURLs: [String] = []
    /// Events for a process that has not been launched yet.
    private var eventsBeforeLaunch: [AppHost.Event] = []
    /// Whether the process is suspended and gets no turns.
    private var isSuspended = false
    /// Output of the world that was not delivered yet. After ``deliverWorldOutput()`` the first element is a
    /// marker, if there is any.
    private var pendingOutput: [World.ExternalInput] = []
    /// Whether there was activity on a socket since the last idle moment.
    private var hasActivity = false
    /// Reason why the run can't continue; nil: none.
    private var failure: String?
    /// Whether files may have changed since the last disk image.
    private var mayHaveNewFiles = true

    /// Port that the build is configured with; views of the device show it.
    private let configuredPort: UInt16
    /// Free port of this machine, on which the app listens instead.
    private let freePort: UInt16

    private let createdAt = Date()

    /// Seconds after which sockets that are still active make the run fail.
    static let settleTimeout = 10.0
    /// Most seconds of wall-clock time for the whole scenario.
    static let maxWallSeconds = 120.0
    /// Microseconds without input after which all sockets count as idle. Bytes on the loopback usually arrive
    /// at once; the pause is for a machine under load.
    static let quietMicroseconds: UInt32 = 250
    /// Milliseconds without input after which the sockets count as idle while the app has connections to the
    /// remote root. A machine under load may need that long to deliver bytes on the loopback.
    static let remotePatience: Int32 = 4
    /// Most turns that a process gets between the event and its suspension.
    static let maxTurnsBeforeSuspension = 8

    /// Creates the world of a setup, with the app of its first device outside of the world. Sets the root URL
    /// of the setup's origin to its port on the loopback. The app listens on a free port;
    /// ``view(of:)`` shows the configured one instead.
    package init(_ setup: inout WorldSetup) throws {
        port = try HTTPPort("127.0.0.1", port: 0)
        adapter = OriginAdapter(port)
        pages = try PageConnections()
        remoteSockets = try RemoteSockets()
        folder = try DeviceFolder()
        root = "http://127.0.0.1:\(port.port)"
        setup.origin.root = root
        configuredPort = setup.app.port ?? AppHost.defaultPort(ofApp: setup.app.id)
        let free = try HTTPPort("127.0.0.1", port: 0).port
        freePort = free
        let configured = setup.app.port
        setup.app.port = free
        world = try World(setup)
        setup.app.port = configured
        world.isRecording = true
        world.useExternalApp()
    }

    deinit {
        app = nil
        folder.remove()
    }

    // MARK: - Observation

    package var now: Instant { world.now }
    package var trace: [TraceEvent] { world.trace }
    package var digest: UInt64 { world.digest }
    package var eventCount: Int { world.eventCount }
    package var isSettled: Bool { world.isSettled && adapter.openCount == 0 }
    package var armedActions: [ArmedAction] { world.armedActions }
    package var appliedDeviceFaults: [String] { world.appliedDeviceFaults }
    package func view(of device: Int) -> DeviceView {
        var view = world.view(of: device)
        if view.port == freePort { view.port = configuredPort }
        return view
    }
    package func running(on device: Int) -> String? { world.running(on: device) }
    package func key(ofVersion index: Int) -> VersionKey? { world.key(ofVersion: index) }
    package func files(ofVersion index: Int) -> [PublishedFile] { world.files(ofVersion: index) }
    package func webStorage(of device: Int) -> (cookies: [String], keys: [String]) {
        world.webStorage(of: device)
    }

    /// Time of the next event in the world or the app.
    private var nextEventTime: Instant? { [world.nextEventTime, appDeadline].compactMap { $0 }.min() }

    package func diskRevision(of device: Int) -> Int? {
        if mayHaveNewFiles {
            mayHaveNewFiles = false
            recordingFailure { try folder.refresh() }
        }
        return folder.image.revision
    }

    package func withDisk<Result>(of device: Int, _ body: (SimulatedDisk) -> Result) -> Result? {
        body(folder.image)
    }

    // MARK: - Actions and time

    package func perform(_ action: StepAction) {
        world.perform(action)
        settle()
    }

    package func disarm() { world.disarm() }

    package func advance(to end: Instant) -> StepOutcome {
        if Date().timeIntervalSince(createdAt) > LiveBackend.maxWallSeconds {
            failure =
                failure
                ?? "the scenario took longer than \(Int(LiveBackend.maxWallSeconds)) s of the wall clock"
        }
        if let failure { return .exhausted(.other(failure)) }
        guard let next = nextEventTime, next <= end else {
            world.run(until: end)
            settle()
            return .reachedEnd
        }
        if let due = appDeadline, due == next, world.nextEventTime.map({ due < $0 }) ?? true {
            world.run(until: due)
            clock.now = world.now
            runAppTurn()
        } else {
            let outcome = world.advance(to: end)
            if outcome != .event { return outcome }
        }
        settle()
        return failure.map { .exhausted(.other($0)) } ?? .event
    }

    // MARK: - Activity on sockets

    private var appDeadline: Instant? {
        guard let app, !isSuspended else { return nil }
        return app.nextDeadline.map { max($0, world.now) }
    }

    /// Processes everything that happens without virtual time passing, until all sockets are idle.
    private func settle() {
        let startedAt = Date()
        var unsettledRounds = 0
        while failure == nil {
            clock.now = world.now
            deliverWorldOutput()
            var count = runAppTurn()
            count += handlePortEvents()
            recordingFailure { count += try pages.deliver(to: &world) + remoteSockets.deliver(to: &world) }
            if count > 0 || !world.hasNoExternalInputs {
                hasActivity = true
                unsettledRounds = 0
                continue
            }
            let isBusy = port.isBusy || (!isSuspended && app?.isBusy ?? false)
            guard hasActivity || isBusy || !pendingOutput.isEmpty else { return }
            if hasActivity || isBusy, waitForSockets() { continue }
            guard isBusy || (isInTransit && unsettledRounds < 200) else {
                // The requests before these are not on their way any more.
                if passRequests(overtaking: true) > 0 {
                    unsettledRounds = 0
                    continue
                }
                hasActivity = false
                guard !pendingOutput.isEmpty else { return }
                passMarker()
                continue
            }
            unsettledRounds += 1
            if isLate(since: startedAt) {
                failure = "the sockets did not come to rest within \(Int(LiveBackend.settleTimeout)) s"
            }
        }
    }

    /// Both ends count the open requests and the body bytes of their answers. While the counts differ,
    /// something is in transit, or one end has cancelled a request and the other end can't know it. Idle
    /// sockets alone don't show it, because a busy machine can take longer to deliver bytes than
    /// ``quietMicroseconds``.
    private var isInTransit: Bool {
        guard let app, !isSuspended else { return false }
        if app.openRequests != adapter.openCount { return true }
        return adapter.sentBytes.contains { receivedBytes[$0.id, default: 0] < $0.count }
    }

    private func isLate(since start: Date) -> Bool {
        Date().timeIntervalSince(start) > LiveBackend.settleTimeout
    }

    /// - Returns: whether a socket has input.
    private func waitForSockets() -> Bool {
        var descriptors = [
            port.poller.descriptor, pages.descriptor, remoteSockets.poller.descriptor,
        ]
        if let app, !isSuspended { descriptors.append(app.descriptor) }
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&polled, nfds_t(polled.count), 0) > 0 { return true }
        // Nothing counts what the app has sent to the remote root and what has arrived there.
        if remoteSockets.isInUse, poll(&polled, nfds_t(polled.count), LiveBackend.remotePatience) > 0 {
            return true
        }
        let startedAt = ContinuousClock.now
        usleep(LiveBackend.quietMicroseconds)
        if poll(&polled, nfds_t(polled.count), 0) > 0 { return true }
        // A pause that takes far longer than it should shows a machine under load, on which bytes take longer
        // too: the system delivers them when it has a core for it.
        let pause = startedAt.duration(to: .now)
        guard pause > .microseconds(4 * Int(LiveBackend.quietMicroseconds)) else { return false }
        let longer = min(pause * 2, .milliseconds(20))
        usleep(UInt32(longer / .microseconds(1)))
        return poll(&polled, nfds_t(polled.count), 0) > 0
    }

    @discardableResult
    private func runAppTurn() -> Int {
        discardEndedProcess()
        guard let app, !isSuspended else { return 0 }
        var count = 0
        recordingFailure {
            count = try app.turn()
            if count > 0 { mayHaveNewFiles = true }
        }
        discardEndedProcess()
        return count
    }

    private func recordingFailure(_ work: () throws -> Void) {
        do { try work() } catch { failure = failure ?? "the live arm failed: \(error)" }
    }

    // MARK: - Between world and app

    /// Delivers the world's output to the app up to the first marker. The rest waits until the app has
    /// processed the events before the marker.
    private func deliverWorldOutput() {
        discardEndedProcess()
        pendingOutput += world.takeExternalInputs()
        while let first = pendingOutput.first {
            if first.process == world.view().process {
                guard case .event(let event) = first.what else { return }
                take(event)
            }
            pendingOutput.removeFirst()
        }
    }

    /// Lets the world perform the action of the first marker's trigger.
    private func passMarker() {
        guard case .marker(let number)? = pendingOutput.first?.what else { return }
        pendingOutput.removeFirst()
        world.markerReached(number)
    }

    private func take(_ event: AppHost.Event) {
        switch event {
        case .launched(let launch): start(launch)
        case .transfer(let id, let event):
            if case .failed = event, let url = adapter.unansweredURL(id) { failedURLs.append(url) }
            adapter.send(id, event)
        case .connection(let id, let event): pages.take(event, on: id, port: world.view().port ?? 0)
        case .upstream(let id, let event): remoteSockets.take(event, of: id)
        case .listener(.lost): app?.loseSockets()
        case .suspended:
            app?.enqueue(event)
            runTurnsBeforeSuspension()
            isSuspended = true
        case .resumed:
            isSuspended = false
            app?.enqueue(event)
        case .listener, .again, .timer, .synced: break
        default: if let app { app.enqueue(event) } else { eventsBeforeLaunch.append(event) }
        }
        hasActivity = true
    }

    /// The process can release its resources before it is suspended, and its syncs end.
    private func runTurnsBeforeSuspension() {
        for _ in 0..<LiveBackend.maxTurnsBeforeSuspension { runAppTurn() }
        let startedAt = Date()
        while failure == nil, app?.isSyncing == true, !isLate(since: startedAt) {
            _ = waitForSockets()
            runAppTurn()
        }
    }

    private func start(_ launch: AppHost.Launch) {
        recordingFailure {
            try folder.install(world.packageFiles())
            let disk = try PosixDisk(data: folder.path + "/data", package: folder.path + "/package")
            app = try SteppedApp(
                disk, launch, eventsBeforeLaunch: eventsBeforeLaunch, clock: clock,
                observe: { [unowned self] in observe($0) },
                received: { [unowned self] in receivedBytes[$0, default: 0] += $1 },
                remoteRoot: { [unowned self] id in
                    var root: RemoteRoot?
                    recordingFailure { root = try remoteSockets.root(for: id) }
                    return root
                })
            eventsBeforeLaunch = []
        }
    }

    /// Drops the app without an event to it when the world has ended its process.
    private func discardEndedProcess() {
        guard (world.view().process ?? 0) != process else { return }
        notifyBeforeEnd()
        process = world.view().process ?? 0
        isSuspended = false
        eventsBeforeLaunch = []
        guard app != nil else { return }
        app = nil
        receivedBytes = [:]
        requests = RequestOrder()
        failedURLs = []
        pendingOutput.removeAll { $0.process != process }
        pages.closeAll()
        remoteSockets.closeAll()
        adapter.dropAll()
        hasActivity = true
        mayHaveNewFiles = true
    }

    /// A user's swipe ends the process when the app has handled that it is no longer active.
    private func notifyBeforeEnd() {
        pendingOutput += world.takeExternalInputs()
        let isNotified = pendingOutput.contains { $0.process == process && $0.what == .event(.inactive) }
        guard isNotified, let app, !isSuspended else { return }
        app.enqueue(.inactive)
        recordingFailure { _ = try app.turn() }
    }

    /// Forwards an effect of the app to the world, unless the app's own sockets, timers or disk carry it out.
    private func observe(_ effect: AppHost.Effect) {
        guard world.view().process == process else { return }
        switch effect {
        case .fetch(let id, let request):
            requests.send(id, request)
            failedURLs.removeAll { $0 == request.url }
        case .cancelFetch(let id): requests.cancel(id)
        case .again, .sync, .setTimer, .cancelTimer, .verifySignatures, .send, .close, .authenticated,
            .setReadInterest:
            break
        case .upstream(let id, let call): remoteSockets.observe(call, of: id, &world)
        default: world.performExternalEffect(effect)
        }
    }

    // MARK: - Port of the origin

    /// - Returns: number of events.
    private func handlePortEvents() -> Int {
        var events: [HTTPPort.Event] = []
        recordingFailure { events = try port.wait(.zero) }
        for event in events {
            switch event {
            case .disconnected(let connection):
                if requests.isWaiting(connection) { passRequests(overtaking: true) }
                adapter.disconnected(connection, &world)
            case .request(let request):
                requests.arrive(request, url: root + (request.head.path?.text ?? ""))
                passRequests()
            }
        }
        return events.count
    }

    /// - Parameter overtakes: whether requests do not wait for earlier ones.
    /// - Returns: number of requests that the world got.
    @discardableResult
    private func passRequests(overtaking overtakes: Bool = false) -> Int {
        var count = 0
        while let next = requests.next(overtakes: overtakes) {
            count += 1
            let failed = failedURLs
            _ = adapter.receive(
                next.request, &world, known: { _ in next.known }, isRepetition: { failed.contains($0) })
        }
        return count
    }
}
