import AppHost
import Backend
import Core
import DeviceShell
import Foundation
import Live
import LocalServer
import ScenarioLanguage
import Updater
import World

/// The backend with somebody else's updater behind an adapter.
///
/// Guarantees
/// - Origin, network, page, user and triggers are those of the simulated world: the same code with the same
///   faults. What the subject sends and receives travels over sockets of this machine.
/// - The scenario's time is the wall clock's times the speed. It stands still from a launch until the subject
///   listens, so that an interpreter that takes a second to start costs the scenario nothing. What the world
///   does happens at its own time, late only if the machine is.
/// - A process of the world is one process of the adapter. It ends with SIGKILL, and is suspended with
///   SIGSTOP.
///
/// Errors: an adapter that does not answer makes the scenario inconclusive, one that breaks the protocol
/// invalid (``fault``). Deliberately not here: what is judged (``SubjectJudgement``), and what can't be done
/// to a foreign process (``SubjectSupport``): its disk fails as this machine's does.
package final class SubjectBackend: Backend, @unchecked Sendable {
    /// World whose app runs outside of it.
    var world: World
    let options: Options
    /// Port of the origin.
    let port: HTTPPort
    var adapter: OriginAdapter
    var pages: PageConnections
    var folder: SubjectFolder
    /// Port that the subject is to listen on.
    let subjectPort: UInt16
    let clock = MonotonicClock()
    let startedAt: Instant
    /// Time that processes have taken to start, by the wall clock.
    var startingTime = TimeSpan.zero
    /// When the process was started that does not listen yet; nil: none.
    var startsSince: Instant?

    /// The running process of the adapter; nil while the app does not run.
    var process: SubjectProcess?
    var session = SubjectSession()
    /// Id of the world's process that ``process`` belongs to; 0: none.
    private(set) var processOfWorld = 0
    /// When the process was started, by the wall clock.
    private var launchedAt = Instant.zero
    /// The launch, and what came before the adapter's first message.
    private var unsent: [SubjectCommand] = []
    var isListening = false
    /// Answers pages for a subject that has no server.
    var pageServer: PageServer?
    /// What a subject said that says that it listens, until something listens at its port; nil: it said
    /// nothing, or was believed.
    var announced: Announcement?

    struct Announcement {
        /// The first page; nil: the subject loads one itself.
        var start: String?
    }

    /// When the process was suspended, by the wall clock; nil: it runs.
    private(set) var suspendedAt: Instant?
    /// The first page of an app that is not in front yet.
    var firstPage: String?
    /// What the subject has told of its state in this process.
    var status = SubjectStatus()
    /// Names of the commands that a step asked for and the subject does not understand, each once.
    package private(set) var unsupportedCommands: [String] = []
    /// What the description of any process said.
    package private(set) var description: SubjectDescription?
    /// The dialogues of all processes, in order.
    private var pastDialogues: [Dialogue] = []
    var rest = RestWatch()
    /// Whether the run waits for rest; until then a subject in real time is not asked for it.
    private(set) var isRestWanted = false
    /// Whether the subject was at rest when time passed last.
    var wasSettled = false
    /// What the subject was doing when it was asked whether it is idle.
    var activity: ProcessTable.Activity?
    /// The clock of a subject that has its own; nil: it lives in real time, or is not known yet.
    var ownClock: OwnClock?

    /// The adapter's mistake; nil: none.
    package private(set) var fault: ProtocolFault?
    /// What a process that was ended had not answered; nil: nothing.
    var unansweredAtEnd: String?
    /// Why the run can't continue; nil: it can.
    var failure: String?
    /// Whether the folder is left for somebody to look at.
    package var keepsFolder = false

    /// - Parameter setup: gets the origin's root URL.
    package init(_ setup: inout WorldSetup, _ options: Options) throws {
        self.options = options
        port = try SubjectBackend.listen(at: options.ports?.origin ?? 0)
        adapter = OriginAdapter(port)
        pages = try PageConnections()
        folder = try SubjectFolder()
        try options.initialState?.write(to: folder.state)
        guard let free = options.ports?.app ?? FreePort.lasting(besides: [port.port]) else {
            throw PortError.system(EMFILE)
        }
        subjectPort = free
        setup.origin.root = "http://127.0.0.1:\(port.port)"
        let configured = setup.app.port
        setup.app.port = free
        // SIGSTOP leaves a process its sockets, whatever the device's platform does.
        for index in setup.devices.indices { setup.devices[index].socketsSurviveSuspension = true }
        world = try World(setup)
        setup.app.port = configured
        world.isRecording = true
        world.useExternalApp()
        startedAt = clock.now
    }

    /// - Parameter number: 0: any free port. Another one may be in use for a moment by the run before.
    private static func listen(at number: UInt16) throws -> HTTPPort {
        for _ in 0..<(number == 0 ? 0 : 100) {
            if let port = try? HTTPPort("127.0.0.1", port: number) { return port }
            usleep(20_000)
        }
        return try HTTPPort("127.0.0.1", port: number)
    }

    deinit {
        process?.end()
        if !keepsFolder { folder.remove() }
    }

    /// Folder with the subject's state, for a report.
    package var folderPath: String { folder.path }

    /// What adapter and laboratory said in each process, in order.
    package var dialogues: [Dialogue] { pastDialogues + (process == nil ? [] : [session.dialogue]) }

    // MARK: - Observation

    package typealias Disk = HiddenDisk

    package var now: Instant { world.now }
    package var trace: [TraceEvent] { world.trace }
    package var digest: UInt64 { world.digest }
    package var eventCount: Int { world.eventCount }
    package var isSettled: Bool {
        isRestWanted = true
        guard world.isSettled, adapter.openCount == 0 else { return false }
        guard process != nil else { return true }
        // One that is still starting may sleep, and has done nothing yet.
        guard isListening else { return false }
        if let ownClock { return ownClock.isSettled }
        return rest.isAtRest(asking: session.understands(.rest))
    }
    /// In real time two minutes of the wall clock.
    package var settleLimit: TimeSpan {
        ownClock == nil ? TimeSpan(microseconds: RestWatch.limit.microseconds &* options.speed) : .days(1)
    }
    package var armedActions: [ArmedAction] { world.armedActions }
    package var appliedDeviceFaults: [String] { world.appliedDeviceFaults }
    package func view(of device: Int) -> DeviceView { world.view(of: device) }
    package func running(on device: Int) -> String? { world.running(on: device) }
    package func key(ofVersion index: Int) -> VersionKey? { world.key(ofVersion: index) }
    package func files(ofVersion index: Int) -> [PublishedFile] { world.files(ofVersion: index) }
    package func webStorage(of device: Int) -> (cookies: [String], keys: [String]) {
        world.webStorage(of: device)
    }
    package func diskRevision(of device: Int) -> Int? { nil }
    package func withDisk<Result>(of device: Int, _ body: (HiddenDisk) -> Result) -> Result? { nil }

    package var visibility: Visibility { description.map { Visibility(told: $0) } ?? .outside }

    // MARK: - Actions and time

    package func perform(_ action: StepAction) {
        awaitAnswers()
        takeInputs()
        if action.step != StepAction.ofNoStep { options.recorder?.performed(action.step) }
        world.perform(action)
        deliverWorldOutput()
    }

    package func disarm() { world.disarm() }

    // MARK: - From the subject

    /// - Returns: whether anything arrived.
    @discardableResult
    func takeInputs() -> Bool {
        var count = takeMessages()
        count += takeRequests()
        count += takePageRequests()
        recordingFailure { count += try pages.deliver(to: &world) }
        if count > 0 { deliverWorldOutput() }
        adapter.pauseSlowReaders(&world)
        if announced != nil { checkAnnouncement() }
        if count > 0 {
            ownClock?.somethingHappened()
            wasSettled = false
        }
        // A subject with a clock of its own says itself when it rests.
        if ownClock == nil { rest.update(count > 0, process, at: clock.now) }
        if ownClock == nil, isRestWanted, isListening, rest.shouldAsk, session.understands(.rest) {
            rest.asked()
            process?.write(session.send(.rest, at: world.now, wall: clock.now))
        }
        checkPatience()
        return count > 0
    }

    private func takeRequests() -> Int {
        var events: [HTTPPort.Event] = []
        recordingFailure { events = try port.wait(.zero) }
        for event in events {
            switch event {
            case .disconnected(let connection): adapter.disconnected(connection, &world)
            case .request(let request): _ = adapter.receive(request, &world)
            }
        }
        return events.count
    }

    /// What pages request of a subject that has no server.
    private func takePageRequests() -> Int {
        guard suspendedAt == nil else { return 0 }
        var commands: [SubjectCommand] = []
        recordingFailure { commands = try pageServer?.take() ?? [] }
        for command in commands { send(command) }
        return commands.count
    }

    private func takeMessages() -> Int {
        guard let process else { return 0 }
        process.flush()
        var count = 0
        do throws(ProtocolFault) {
            while self.process === process {
                let bytes = process.read()
                if bytes.isEmpty { break }
                for received in try session.take(bytes, at: world.now) {
                    // That nothing is under way is nothing that happens.
                    if received.command != .rest { count += 1 }
                    take(received)
                }
            }
        } catch {
            refuse(error)
        }
        return count
    }

    /// Nothing that follows a mistake of the adapter can be trusted.
    func refuse(_ mistake: ProtocolFault) {
        fault = fault ?? mistake
        failure = failure ?? "the adapter is invalid: \(mistake.message)"
    }

    private func take(_ received: SubjectSession.Received) {
        if case .subject(let description) = received.message {
            self.description = description
            if description.clock == .own { ownClock = OwnClock(at: world.now) }
            if description.serves == .get {
                recordingFailure { pageServer = try PageServer(port: subjectPort) }
            }
            for command in unsent { send(command) }
            unsent = []
        }
        handle(received.message, answered: received.command)
    }

    private func checkPatience() {
        guard let process, failure == nil else { return }
        if let ending = process.exit() { return processEnded(by: ending) }
        if suspendedAt != nil { return }
        let patience = options.patience
        if session.description == nil, clock.now - launchedAt > patience {
            failure = "the adapter sent no first message within \(patience.shown)"
        } else if let open = session.oldestOpen {
            // What it has not answered it can't be expected to have done.
            let time = open.command == .rest && ownClock == nil ? max(RestWatch.limit, patience) : patience
            if clock.now - open.sentAt > time {
                failure = "the adapter did not answer '\(open.command.name)' within \(time.shown)"
            }
        } else if session.description != nil, !isListening,
            clock.now - launchedAt > patience, clock.now - launchedAt > patience * 3 || isIdle()
        {
            // One that is still at work has thrice the time: the machine may be busy.
            end(
                announced == nil
                    ? "it does not listen within \(patience.shown)"
                    : "it says that it listens, and nothing listens at OTALAB_PORT, \(subjectPort)")
        }
    }

    private func processEnded(by ending: SubjectProcess.ProcessEnding) {
        let errors = folder.lastErrors(500).trimmingCharacters(in: .whitespacesAndNewlines)
        end("it ended by itself, with \(ending.text)" + (errors.isEmpty ? "" : "; stderr: …\(errors)"))
    }

    /// Ends the app as a crash of its process, which the scenario did not ask for.
    func end(_ why: String) {
        world.processFailed(why)
        discardEndedProcess()
    }

    // MARK: - To the subject

    private func somethingHappened() {
        ownClock?.somethingHappened()
        rest.somethingHappened()
        wasSettled = false
    }

    /// Sends a command, once the adapter has described itself; one that it does not understand is not sent.
    func send(_ command: SubjectCommand) {
        guard let process else { return }
        guard session.description != nil else { return unsent.append(command) }
        guard session.understands(command) else {
            if command.isOfStep, !unsupportedCommands.contains(command.name) {
                unsupportedCommands.append(command.name)
            }
            return session.note("not sent: \(command.name)", at: world.now)
        }
        process.write(session.send(command, at: world.now, wall: clock.now))
        somethingHappened()
    }

    func deliverWorldOutput() {
        while true {
            let outputs = world.takeExternalInputs()
            notifyBeforeEnd(outputs)
            discardEndedProcess()
            if outputs.isEmpty { return }
            for output in outputs {
                switch output.what {
                case .marker(let number): world.markerReached(number)
                case .event(.transfer(let id, let event)):
                    somethingHappened()
                    adapter.send(id, event)
                case .event(.launched(let launch)): start(launch)
                case .event(.suspended): suspend()
                case .event(.resumed): resume()
                case .event(.connection(let id, let event)):
                    somethingHappened()
                    pages.take(event, on: id, port: subjectPort)
                case .event(let event): if output.process == processOfWorld { pass(event) }
                }
            }
        }
    }

    private func suspend() {
        process?.suspend()
        suspendedAt = suspendedAt ?? clock.now
    }

    /// What the subject had no time to answer while it was suspended it has as long to answer from now on.
    private func resume() {
        process?.resume()
        guard let since = suspendedAt else { return }
        suspendedAt = nil
        launchedAt = launchedAt + (clock.now - since)
        session.postpone(by: clock.now - since)
        somethingHappened()
    }

    private func start(_ launch: AppHost.Launch) {
        suspendedAt = nil
        processOfWorld = world.view().process ?? 0
        session = SubjectSession()
        status = SubjectStatus()
        isListening = false
        announced = nil
        firstPage = nil
        launchedAt = clock.now
        recordingFailure {
            try folder.install(world.subjectPackage())
            process = try SubjectProcess(
                options.command, environment: environment(launch), mark: "OTALAB_STATE",
                tracer: options.recorder?.nextTracer() ?? [], errors: folder.errors, removing: folder.path)
        }
        startsSince = clock.now
        if description?.clock == .own { ownClock = OwnClock(at: world.now) }
        unsent = [
            .launch(
                SubjectLaunch(
                    isInFront: launch.updater.inForeground, boot: launch.updater.bootID,
                    died: launch.updater.lastExit, link: launch.link, time: world.now,
                    wall: launch.wallClock?.seconds))
        ]
    }

    private func environment(_ launch: AppHost.Launch) -> [String: String] {
        let settings = launch.updater.settings
        var json = JSONWriter()
        json.beginObject()
        json.member("startupTimeout", settings.startupTimeout.microseconds / 1_000)
        json.member("confirm", settings.confirmation == .called ? "called" : "loaded")
        json.endObject()
        return [
            "OTALAB_PROTOCOL": "1", "OTALAB_STATE": folder.state, "OTALAB_PACKAGE": folder.package,
            "OTALAB_ORIGIN": manifestURL, "OTALAB_DIALECT": world.setup.app.dialect.rawValue,
            "OTALAB_APP": world.setup.app.id, "OTALAB_NATIVE": launch.updater.native.text,
            "OTALAB_PORT": "\(subjectPort)", "OTALAB_SETTINGS": String(decoding: json.bytes, as: UTF8.self),
            "OTALAB_SPEED": "\(options.speed)", "OTALAB_SEED": "\(world.setup.seed)",
        ]
    }

    private var manifestURL: String { world.setup.origin.root + world.setup.app.dialect.originPath }

    /// Whether the world has ended the process that the adapter is.
    var isProcessOver: Bool { (world.view().process ?? 0) != processOfWorld }

    /// Ends the adapter's process when the world has ended its own.
    private func discardEndedProcess() {
        guard isProcessOver, let ended = process else { return }
        noteUnanswered()
        ended.end()
        recordingFailure { try options.recorder?.ended(ended.id, folder) }
        process = nil
        pageServer = nil
        startEnded()
        pastDialogues.append(session.dialogue)
        processOfWorld = 0
        unsent = []
        pages.closeAll()
        adapter.dropAll()
        rest = RestWatch()
    }

    /// Ends the process that is recorded.
    func endRecording(_ recorder: CallRecorder) {
        guard let process else { return }
        process.end()
        recordingFailure { try recorder.ended(process.id, folder) }
    }

    private func recordingFailure(_ work: () throws -> Void) {
        do { try work() } catch {
            failure = failure ?? "the laboratory failed: \((error as? StartFault)?.why ?? "\(error)")"
        }
    }
}
