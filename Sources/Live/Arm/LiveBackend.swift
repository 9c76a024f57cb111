import Backend
import AppHost
import Core
import DeviceShell
import Foundation
import LocalServer
import ScenarioLanguage
import Updater
import World

/// The other arm: what a story runs in where the app is real. The real loop with its sockets and its disk,
/// the world's origin on a real port, and the world's page, which talks to the real server over real sockets.
///
/// Guarantees
/// - Origin, link, page, user and triggers are the world's: the same code with the same times. Bytes between
///   them and the app go over the loopback's TCP, through the real clients and servers at both ends.
/// - Time stands still while something is under way, and jumps to what is due next when nothing is; a story
///   of an hour takes as long as its work does.
/// - A killed process is a loop that is let go of; the next one finds the folder as it was left.
///
/// What can go wrong: sockets that don't come to rest within ``patience``, or a system without descriptors;
/// the story is inconclusive then. Deliberately not here: what a real device can't be made to do (power cuts,
/// damaged media); see ``LiveSupport``.
package final class LiveBackend: Backend, @unchecked Sendable {
    private var world: World
    private let port: HTTPPort
    private var sockets: OriginPort
    private var pages: PageSockets
    private var folder: DeviceFolder
    private let time = ManualClock()
    private var app: SteppedApp?
    /// The number of the process that ``app`` is.
    private var process = 0
    private var lines: [ConnectionID: Line] = [:]
    /// Requests that the app has sent and that have not been seen at the port.
    private var sent: [(url: String, id: TransferID, request: OriginRequest)] = []
    /// Came to a process that has not been launched.
    private var early: [AppHost.Event] = []
    /// The process is suspended: it has no turns.
    private var isStandingStill = false
    /// Handed out by the world; the first of them, if there is one, is a marker.
    private var waiting: [World.ExternalInput] = []
    /// Something went over a socket since all was quiet.
    private var isStirred = false
    private var failure: String?
    private var hasNewDisk = true

    /// The port that the build asks for, and the free one of this machine that is shown as it.
    private let wantedPort: UInt16
    private let freePort: UInt16

    private let born = Date()

    /// For the sockets to come to rest, and for the whole story, on the wall clock.
    static let patience = 10.0
    static let longest = 120.0
    /// So long nothing must come before all counts as said, in microseconds: bytes on the loopback are there
    /// when they have been sent, but for a machine under load.
    static let grace: UInt32 = 250
    /// Of a process that is about to stand still, at most.
    static let lastTurns = 8

    /// A connection of a page, as far as the world has taken its bytes.
    private struct Line {
        var pieces: [[UInt8]] = []
        var isDelivering = false
        var isOver = false
    }

    /// The world of this setup, its first device outside. Its origin is asked at a port of the loopback; the
    /// setup says which, afterwards. Its app listens at a free port, shown as the build's by ``view(of:)``.
    package init(_ setup: inout WorldSetup) throws {
        port = try HTTPPort("127.0.0.1", port: 0)
        sockets = OriginPort(port)
        pages = try PageSockets()
        folder = try DeviceFolder()
        setup.origin.root = "http://127.0.0.1:\(port.port)"
        wantedPort = setup.app.port ?? AppHost.defaultPort(ofApp: setup.app.id)
        let free = try HTTPPort("127.0.0.1", port: 0).port
        freePort = free
        let asked = setup.app.port
        setup.app.port = free
        world = try World(setup)
        setup.app.port = asked
        world.isRecording = true
        world.useExternalApp()
    }

    deinit {
        app = nil
        folder.remove()
    }

    // MARK: - What the laboratory sees

    package var now: Instant { world.now }
    package var trace: [TraceEvent] { world.trace }
    package var digest: UInt64 { world.digest }
    package var eventCount: Int { world.eventCount }
    package var isSettled: Bool { world.isSettled && sockets.openCount == 0 }
    package var armedActions: [ArmedAction] { world.armedActions }
    package var appliedDeviceFaults: [String] { world.appliedDeviceFaults }
    package func view(of device: Int) -> DeviceView {
        var view = world.view(of: device)
        if view.port == freePort { view.port = wantedPort }
        return view
    }
    package func running(on device: Int) -> String? { world.running(on: device) }
    package func key(ofVersion index: Int) -> VersionKey? { world.key(ofVersion: index) }
    package func files(ofVersion index: Int) -> [PublishedFile] { world.files(ofVersion: index) }
    package func webStorage(of device: Int) -> (cookies: [String], keys: [String]) {
        world.webStorage(of: device)
    }

    private var nextEventTime: Instant? { [world.nextEventTime, appDeadline].compactMap { $0 }.min() }

    package func diskRevision(of device: Int) -> Int? {
        if hasNewDisk {
            hasNewDisk = false
            guarded { try folder.look() }
        }
        return folder.picture.revision
    }

    package func disk(of device: Int) -> SimulatedDisk? { folder.picture }

    // MARK: - What the laboratory does

    package func perform(_ action: StepAction) {
        world.perform(action)
        settle()
    }

    package func disarm() { world.disarm() }

    package func advance(to end: Instant) -> StepOutcome {
        if Date().timeIntervalSince(born) > LiveBackend.longest {
            failure = failure ?? "the story took longer than \(Int(LiveBackend.longest)) s of the wall clock"
        }
        if let failure { return .exhausted(.other(failure)) }
        guard let next = nextEventTime, next <= end else {
            world.run(until: end)
            settle()
            return .reachedEnd
        }
        if let due = appDeadline, due == next, world.nextEventTime.map({ due < $0 }) ?? true {
            world.run(until: due)
            time.now = world.now
            turnApp()
        } else {
            let outcome = world.advance(to: end)
            if outcome != .event { return outcome }
        }
        settle()
        return failure.map { .exhausted(.other($0)) } ?? .event
    }

    // MARK: - Rest

    private var appDeadline: Instant? {
        guard let app, !isStandingStill else { return nil }
        return app.nextDeadline.map { max($0, world.now) }
    }

    /// Lets everything happen that happens without time passing: until nothing is under way on any socket.
    private func settle() {
        let began = Date()
        var restless = 0
        while failure == nil {
            time.now = world.now
            handOver()
            var count = turnApp()
            count += takeFromPort() + takeFromPages()
            if count > 0 || !world.hasNoExternalInputs {
                isStirred = true
                restless = 0
                continue
            }
            let isBusy = port.isBusy || (!isStandingStill && app?.isBusy ?? false)
            guard isStirred || isBusy || !waiting.isEmpty else { return }
            if isStirred || isBusy, waitForSockets() { continue }
            // Both ends know how many requests are open; while they disagree something is on its way, or one
            // of them has given up what the other can't know of.
            let isOnItsWay = app.map { !isStandingStill && $0.openRequests != sockets.openCount } ?? false
            guard isBusy || (isOnItsWay && restless < 200) else {
                isStirred = false
                guard !waiting.isEmpty else { return }
                passMarker()
                continue
            }
            restless += 1
            if Date().timeIntervalSince(began) > LiveBackend.patience {
                failure = "the sockets did not come to rest within \(Int(LiveBackend.patience)) s"
            }
        }
    }

    /// - Returns: whether something came.
    private func waitForSockets() -> Bool {
        var waiting = [port.poller.descriptor, pages.poller.descriptor]
        if let app, !isStandingStill { waiting.append(app.descriptor) }
        var polled = waiting.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&polled, nfds_t(polled.count), 0) > 0 { return true }
        usleep(LiveBackend.grace)
        return poll(&polled, nfds_t(polled.count), 0) > 0
    }

    @discardableResult
    private func turnApp() -> Int {
        endOfProcess()
        guard let app, !isStandingStill else { return 0 }
        var count = 0
        guarded {
            count = try app.turn()
            if count > 0 { hasNewDisk = true }
        }
        endOfProcess()
        return count
    }

    private func guarded(_ work: () throws -> Void) {
        do { try work() } catch { failure = failure ?? "the live arm failed: \(error)" }
    }

    // MARK: - Between world and app

    /// What stands behind a marker waits until the app has dealt with what stood before it.
    private func handOver() {
        endOfProcess()
        waiting += world.takeExternalInputs()
        while let first = waiting.first {
            if first.process == world.view().process {
                guard case .event(let event) = first.what else { return }
                take(event)
            }
            waiting.removeFirst()
        }
    }

    /// The action of the trigger whose marker stands first.
    private func passMarker() {
        guard case .marker(let number)? = waiting.first?.what else { return }
        waiting.removeFirst()
        world.markerReached(number)
    }

    private func take(_ event: AppHost.Event) {
        switch event {
        case .launched(let launch): start(launch)
        case .transfer(let id, let event): sockets.hand(id, event)
        case .connection(let id, let event): take(event, on: id)
        case .listener(.lost): app?.loseSockets()
        case .suspended:
            app?.tell(event)
            // It has its time to give back what it has, before it stands still.
            for _ in 0..<LiveBackend.lastTurns where turnApp() > 0 {}
            isStandingStill = true
        case .resumed:
            isStandingStill = false
            app?.tell(event)
        case .listener, .again, .timer: break
        default: if let app { app.tell(event) } else { early.append(event) }
        }
        isStirred = true
    }

    private func start(_ launch: AppHost.Launch) {
        guarded {
            try folder.install(world.packageFiles())
            let disk = try PosixDisk(data: folder.path + "/data", package: folder.path + "/package")
            app = try SteppedApp(disk, launch, early: early, clock: time) { [unowned self] effect in
                heed(effect)
            }
            early = []
        }
    }

    /// A process that the world has ended goes without a word.
    private func endOfProcess() {
        guard (world.view().process ?? 0) != process else { return }
        process = world.view().process ?? 0
        isStandingStill = false
        early = []
        guard app != nil else { return }
        app = nil
        sent = []
        waiting = []
        lines = [:]
        pages.closeAll()
        sockets.dropAll()
        isStirred = true
        hasNewDisk = true
    }

    /// What the app does by itself on its sockets and its disk is not told to the world; the rest is.
    private func heed(_ effect: AppHost.Effect) {
        guard world.view().process == process else { return }
        switch effect {
        case .fetch(let id, let request): sent.append((request.url, id, request))
        case .cancelFetch(let id): sent.removeAll { $0.id == id }
        case .again, .setTimer, .cancelTimer, .send, .close, .authenticated, .setReadInterest, .upstream:
            break
        default: world.performExternalEffect(effect)
        }
    }

    // MARK: - The origin's port

    private func takeFromPort() -> Int {
        var events: [HTTPPort.Event] = []
        guarded { events = try port.wait(.zero) }
        for event in events {
            switch event {
            case .gone(let connection): sockets.gone(connection, &world)
            case .request(let request):
                var known = sent
                _ = sockets.take(request, &world) { url in
                    guard let place = known.firstIndex(where: { $0.url == url }) else { return nil }
                    let found = known.remove(at: place)
                    return (found.id, found.request)
                }
                sent = known
            }
        }
        return events.count
    }

    // MARK: - The page's connections

    private func take(_ event: AppHost.ConnectionEvent, on id: ConnectionID) {
        switch event {
        case .opened:
            lines[id] = Line()
            pages.open(id, port: world.view().port ?? 0)
        case .received(let bytes): pages.send(bytes, on: id)
        case .sent:
            lines[id]?.isDelivering = false
            deliver(id)
        // A shell's words; a web view of the world takes an answer piece by piece, and ends both sides.
        case .progressed, .finished: break
        case .closed:
            lines[id] = nil
            pages.close(id)
        }
    }

    private func takeFromPages() -> Int {
        var events: [PageSockets.Event] = []
        guarded { events = try pages.take() }
        for event in events {
            switch event {
            case .received(let id, let bytes):
                lines[id]?.pieces.append(bytes)
                deliver(id)
            case .closed(let id):
                lines[id]?.isOver = true
                deliver(id)
            }
        }
        return events.count
    }

    /// One piece after the other, as the world's own server sends them.
    private func deliver(_ id: ConnectionID) {
        guard var line = lines[id], !line.isDelivering else { return }
        if line.pieces.isEmpty {
            if line.isOver {
                lines[id] = nil
                world.performExternalEffect(.close(id))
            }
            return
        }
        let piece = line.pieces.removeFirst()
        line.isDelivering = true
        lines[id] = line
        world.performExternalEffect(.send(id, LocalServer.Output(head: piece, body: .none)))
    }
}
