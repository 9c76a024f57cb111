import AppHost
import Core
import DeviceShell
import HTTP1
import Live
import Runner
import ScenarioLanguage
import Updater
import World

/// A scenario's origin on a real port, in real time, for any updater on any device.
///
/// Guarantees
/// - The origin of a simulated world answers, with its versions, manifest dialect, conditional requests and
///   ranges, faults and link. There is no second implementation of any of them.
/// - The scenario's steps for the origin are performed at their times after the start (``OriginTimeline``),
///   divided by the speed; with `isByHand`, only on request.
/// - HTTP requests under `/__otalab/` control it (``OriginControl``).
///
/// What a socket can't show is approximated (``approximations``). Deliberately not here: https, and the
/// scenario's devices; their steps only appear in the log.
package final class ServedOrigin {
    /// How the scenario's time runs.
    package struct Options: Sendable {
        /// Seconds of the scenario for each second of the wall clock.
        package var speed: Int64 = 1
        /// Whether steps are performed only on request.
        package var isByHand = false

        package init() {}
    }

    package let port: HTTPPort
    package let timeline: OriginTimeline
    let options: Options
    /// Receives each log line at the time of its event.
    private let log: (String) -> Void
    var world: World
    private var adapter: OriginAdapter
    var requestLog = RequestLog()
    /// Index of the next step in ``OriginTimeline/steps``.
    private(set) var nextStep = 0
    /// Number of requests whose steps were performed.
    var stepRequestCount = 0
    private let clock = MonotonicClock()
    private let startedAt: Instant
    private let stopFlag = StopFlag()

    /// - Parameter port: a port that is bound already, because the root URL of the timeline contains its
    ///   number.
    package init(
        _ timeline: OriginTimeline, _ port: HTTPPort, _ options: Options = Options(),
        log: @escaping (String) -> Void
    ) {
        self.timeline = timeline
        self.port = port
        self.options = options
        self.log = log
        world = timeline.world
        _ = world.takeExternalInputs()
        world.dropTrace()
        adapter = OriginAdapter(port)
        startedAt = clock.now
    }

    /// Path from which the scenario's app fetches its manifest.
    package var manifestPath: String { world.setup.app.dialect.originPath }

    /// Text printed at the start: what is served at which address, and the commands.
    /// - Parameters:
    ///   - base: scheme and authority.
    ///   - isOpen: whether other machines can connect.
    package func introduction(_ base: String, isOpen: Bool) -> String {
        let scenario = timeline.scenario
        var lines = [
            "\(scenario.name): \(scenario.title.value)", "app       \(scenario.app.id.value)",
            "manifest  \(base)\(manifestPath)",
        ]
        if isOpen { lines.append("open      to whoever reaches this machine, its controls too") }
        let steps = timeline.steps.filter { $0.operation != .device }
        if let last = steps.last {
            let when =
                options.isByHand ? "by hand" : "the last \((Instant.zero + last.at).clock) after the start"
            lines.append("steps     \(steps.count) for the origin, \(when)")
        }
        if options.speed > 1 {
            lines.append("speed     \(options.speed) seconds of the scenario each second")
        }
        lines.append("what a socket can't show:")
        lines += ServedOrigin.approximations.map { "  " + $0 }
        if let startups = ServedOrigin.startups(of: scenario) { lines.append("  " + startups) }
        return lines.joined(separator: "\n") + "\n\n" + OriginControl.guide(base) + "\n"
    }

    /// Failures that a socket can't show, each with what is done instead.
    package static let approximations = [
        "refuse, dns failure, untrusted certificate, offline: the connection is accepted, and reset at once",
        "connect time-out: the connection is accepted, and nothing is said for the app's time to connect",
    ]

    /// What becomes of start-ups that the scenario describes; nil if all of its versions start normally.
    package static func startups(of scenario: Scenario) -> String? {
        let names = scenario.versions.filter { version in
            let startup = version.startup
            return startup.behaviour != .normal || startup.first != nil || !startup.onNative.isEmpty
                || startup.needs != nil
        }.map(\.name.value)
        if names.isEmpty { return nil }
        return "start-ups (\(names.joined(separator: ", "))): the files are served, and an app starts them as"
            + " its own page does; nothing hangs, throws or dies"
    }

    /// A function for other threads that ends ``run()`` after the current turn of the loop.
    package func stopper() -> @Sendable () -> Void {
        let flag = stopFlag
        let wakeUp = port.wakeUp
        return {
            flag.raise()
            wakeUp.signal()
        }
    }

    /// Serves until the function of ``stopper()`` is called.
    package func run() throws(PortError) {
        while !stopFlag.isRaised {
            let now = scenarioTime
            performDueSteps(now)
            runWorld(until: now)
            for event in try port.wait(timeUntilNextEvent) { take(event) }
            adapter.pauseSlowReaders(&world)
        }
        port.closeAll()
    }

    // MARK: - Time

    /// Time that the world should have reached by now.
    private var scenarioTime: Instant {
        .zero + TimeSpan(microseconds: (clock.now - startedAt).microseconds &* options.speed)
    }

    /// Wall-clock time until the next event of the world or the next step; nil when there is none.
    private var timeUntilNextEvent: TimeSpan? {
        var next = world.nextEventTime
        if !options.isByHand, timeline.steps.indices.contains(nextStep) {
            let due = Instant.zero + timeline.steps[nextStep].at
            next = min(next ?? due, due)
        }
        // Rounded up, or the loop would spin through the last millisecond.
        return next.map {
            TimeSpan(microseconds: max(($0 - scenarioTime).microseconds, 0) / options.speed + 1)
        }
    }

    /// Runs the world from event to event, because on a fast line all that it sends until then could be more
    /// than the clients have read, or the machine can make in that time.
    private func runWorld(until end: Instant) {
        while let next = world.nextEventTime, next <= end {
            let result = world.run(until: next)
            deliverWorldOutput()
            adapter.pauseSlowReaders(&world)
            guard case .happened = result else { break }
        }
        _ = world.run(until: end)
        deliverWorldOutput()
        adapter.pauseSlowReaders(&world)
    }

    // MARK: - Steps

    private func performDueSteps(_ now: Instant) {
        if options.isByHand { return }
        while timeline.steps.indices.contains(nextStep), .zero + timeline.steps[nextStep].at <= now {
            runWorld(until: .zero + timeline.steps[nextStep].at)
            performNext()
        }
    }

    /// Performs the scenario's next step now.
    func performNext() {
        let step = timeline.steps[nextStep]
        nextStep += 1
        perform(step, "step \(step.ordinal)")
    }

    func perform(_ step: TimelineStep, _ name: String) {
        switch step.operation {
        case .origin(let namedActions):
            log("\(world.now.clock)  \(name): \(step.text)")
            for namedAction in namedActions { world.perform(namedAction, step: step.ordinal - 1) }
        case .triggered(let scheduled):
            log("\(world.now.clock)  \(name) waits for its trigger: \(step.text)")
            for action in scheduled { world.schedule(action) }
        case .device: log("\(world.now.clock)  \(name) is the device's: \(step.text)")
        }
        deliverWorldOutput()
    }

    func perform(_ action: Action, _ text: String) {
        log("\(world.now.clock)  by hand: \(text)")
        world.perform(action)
        deliverWorldOutput()
    }

    // MARK: - Between port and world

    private func take(_ event: HTTPPort.Event) {
        runWorld(until: scenarioTime)
        switch event {
        case .disconnected(let connection): adapter.disconnected(connection, &world)
        case .request(let request):
            let path = request.head.path?.text ?? "*"
            if path == OriginControl.root || path.hasPrefix(OriginControl.root + "/") {
                let answer = OriginControl(self).answer(request)
                adapter.answer(answer.status, request, fields: answer.fields, body: answer.body)
            } else if let id = adapter.receive(request, &world) {
                requestLog.begin(
                    id, peer: request.peer, method: request.head.method.name, target: path, at: world.now)
            }
        }
        deliverWorldOutput()
    }

    /// Delivers the world's output to the port, and its trace events to the logs.
    private func deliverWorldOutput() {
        while true {
            let outputs = world.takeExternalInputs()
            if outputs.isEmpty { break }
            for output in outputs {
                switch output.what {
                case .event(.transfer(let id, let event)): adapter.send(id, event)
                case .marker(let number): world.markerReached(number)
                case .event: break
                }
            }
        }
        for event in world.trace {
            if case .actionDidNothing(let reason) = event.kind {
                log("\(event.at.clock)  nothing done: \(reason)")
            }
            if let entry = requestLog.record(event, world.library) { log(entry.line) }
        }
        world.dropTrace()
    }
}
