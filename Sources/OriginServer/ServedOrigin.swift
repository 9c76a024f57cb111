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
/// - The world's own origin answers: its versions, dialect, conditions and ranges, its faults, its link.
///   There is no second model of any of it.
/// - The scenario's steps for the origin are done at their times after the start (``OriginTimeline``), times
///   the
///   speed; `isByHand` leaves them to whoever asks.
/// - Under `/__otalab/` it can be told what to do (``OriginControl``).
///
/// What a socket can't show is shown by the nearest thing (``nearest``). Deliberately not here: https, and
/// the scenario's devices: steps of theirs are told as somebody else's.
package final class ServedOrigin {
    package struct Options: Sendable {
        /// Seconds of the story for each second of the clock on the wall.
        package var speed: Int64 = 1
        /// No step comes by itself.
        package var isByHand = false

        package init() {}
    }

    package let port: HTTPPort
    package let story: OriginTimeline
    let options: Options
    /// One line each, when it happened.
    private let log: (String) -> Void
    var world: World
    private var sockets: OriginPort
    var asked = AskedLog()
    /// Of ``OriginTimeline/rows``: the next one.
    private(set) var nextRow = 0
    /// By hand, that read a step.
    var calls = 0
    private let clock = MonotonicClock()
    private let begun: Instant
    private let stopping = Flag()

    /// - Parameter port: bound already, so that the story's root names it.
    package init(
        _ story: OriginTimeline, _ port: HTTPPort, _ options: Options = Options(),
        log: @escaping (String) -> Void
    ) {
        self.story = story
        self.port = port
        self.options = options
        self.log = log
        world = story.world
        _ = world.takeExternalInputs()
        world.dropTrace()
        sockets = OriginPort(port)
        begun = clock.now
    }

    /// Where the app of the scenario would ask for its manifest, behind scheme and authority.
    package var manifestPath: String {
        story.scenario.app.manifest == .meteor ? "/__cordova/manifest.json" : "/ota/manifest.json"
    }

    /// Lines for whoever has started it: what is served where, and what it can be told.
    /// - Parameters:
    ///   - base: scheme and authority.
    ///   - isOpen: to more than this machine.
    package func introduction(_ base: String, isOpen: Bool) -> String {
        let scenario = story.scenario
        var lines = [
            "\(scenario.name): \(scenario.title.value)", "app       \(scenario.app.id.value)",
            "manifest  \(base)\(manifestPath)",
        ]
        if isOpen { lines.append("open      to whoever reaches this machine, its controls too") }
        let steps = story.rows.filter { $0.deed != .device }
        if let last = steps.last {
            let when =
                options.isByHand ? "by hand" : "the last \((Instant.zero + last.at).clock) after the start"
            lines.append("steps     \(steps.count) for the origin, \(when)")
        }
        if options.speed > 1 { lines.append("speed     \(options.speed) seconds of the story each second") }
        lines.append("what a socket can't show:")
        lines += ServedOrigin.nearest.map { "  " + $0 }
        return lines.joined(separator: "\n") + "\n\n" + OriginControl.guide(base) + "\n"
    }

    /// What can't be told over a socket, and what is done instead.
    package static let nearest = [
        "refuse, dns failure, untrusted certificate, offline: the connection is accepted, and reset at once",
        "connect time-out: the connection is accepted, and nothing is said for the app's time to connect",
    ]

    /// From another thread: ends ``run()`` after the answers that are being given at this moment.
    package func stopper() -> @Sendable () -> Void {
        let flag = stopping
        let wakeUp = port.wakeUp
        return {
            flag.raise()
            wakeUp.signal()
        }
    }

    /// Serves until it is stopped.
    package func run() throws(PortError) {
        while !stopping.isUp {
            let now = storyTime
            performDue(now)
            _ = world.run(until: now)
            handOver()
            for event in try port.wait(untilNext) { take(event) }
        }
        port.closeAll()
    }

    // MARK: - Time

    /// The world's time that should be by now.
    private var storyTime: Instant {
        .zero + TimeSpan(microseconds: (clock.now - begun).microseconds &* options.speed)
    }

    private var untilNext: TimeSpan? {
        var next = world.nextEventTime
        if !options.isByHand, story.rows.indices.contains(nextRow) {
            let due = Instant.zero + story.rows[nextRow].at
            next = min(next ?? due, due)
        }
        // Rounded up, or the loop would spin through the last millisecond.
        return next.map { TimeSpan(microseconds: max(($0 - storyTime).microseconds, 0) / options.speed + 1) }
    }

    // MARK: - Steps

    private func performDue(_ now: Instant) {
        if options.isByHand { return }
        while story.rows.indices.contains(nextRow), .zero + story.rows[nextRow].at <= now {
            _ = world.run(until: .zero + story.rows[nextRow].at)
            performNext()
        }
    }

    /// The story's next step, now.
    func performNext() {
        let row = story.rows[nextRow]
        nextRow += 1
        perform(row, "step \(row.number)")
    }

    func perform(_ row: OriginTimeline.Row, _ name: String) {
        switch row.deed {
        case .origin(let namedActions):
            log("\(world.now.clock)  \(name): \(row.text)")
            for namedAction in namedActions { world.perform(namedAction, step: row.number - 1) }
        case .triggered(let scheduled):
            log("\(world.now.clock)  \(name) waits for its trigger: \(row.text)")
            for action in scheduled { world.schedule(action) }
        case .device: log("\(world.now.clock)  \(name) is the device's: \(row.text)")
        }
        handOver()
    }

    func perform(_ action: Action, _ text: String) {
        log("\(world.now.clock)  by hand: \(text)")
        world.perform(action)
        handOver()
    }

    // MARK: - Between port and world

    private func take(_ event: HTTPPort.Event) {
        _ = world.run(until: storyTime)
        switch event {
        case .gone(let connection): sockets.gone(connection, &world)
        case .request(let request):
            let path = request.head.path?.text ?? "*"
            if path == OriginControl.root || path.hasPrefix(OriginControl.root + "/") {
                let answer = OriginControl(self).answer(request)
                sockets.answer(answer.status, request, fields: answer.fields, body: answer.body)
            } else if let id = sockets.take(request, &world) {
                asked.begin(
                    id, peer: request.peer, method: request.head.method.name, target: path, at: world.now)
            }
        }
        handOver()
    }

    /// What the world hands out goes to the sockets, what it tells into the log.
    private func handOver() {
        while true {
            let handed = world.takeExternalInputs()
            if handed.isEmpty { break }
            for one in handed {
                switch one.what {
                case .event(.transfer(let id, let event)): sockets.hand(id, event)
                case .marker(let number): world.markerReached(number)
                case .event: break
                }
            }
        }
        for fact in world.trace {
            if case .actionDidNothing(let why) = fact.kind { log("\(fact.at.clock)  nothing done: \(why)") }
            if let entry = asked.read(fact, world.library) { log(entry.line) }
        }
        world.dropTrace()
    }
}
