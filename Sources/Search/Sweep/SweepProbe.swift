import Backend
import Core
import Oracle
import Runner
import ScenarioLanguage
import Updater
import World

/// The backend of a scenario run that records what a sweep needs: the schedule, and at each instant what was
/// under way and what came next. In a second run it keeps copies of the world at the chosen instants.
///
/// Instants are the times at which nothing is left to happen, because a scenario can't name a moment between
/// two events of one instant.
struct SweepProbe: Backend {
    /// An instant at which a disturbance can come, one microsecond after it.
    struct Point: Sendable {
        var at: Instant
        var circumstance: Circumstance
        /// Whether something happened at it.
        var isChanged: Bool
        /// What the next event did.
        var next: Set<SweepDisturbance.Occasion> = []
        /// Kind of the request that the next event sent.
        var request: String?
    }

    private var main: ObservedWorld
    private(set) var schedule = SweepSchedule()
    private(set) var points: [Point] = []
    /// Times of the points of which copies are kept, in order, and the copies.
    private let chosen: [Instant]
    private(set) var moments: [(at: Instant, world: ObservedWorld, entry: Int)] = []
    private var tracker: CircumstanceTracker
    private var tracked = 0
    private var changes = -1
    private var isOver = false

    init(_ main: ObservedWorld, chosen: [Instant]) {
        self.main = main
        self.chosen = chosen
        tracker = CircumstanceTracker(device: main.device)
        self.main.catchUp()
    }

    var findings: [CheckerList.Finding] { main.findings }
    var decisions: [DecisionCount] { main.observer.checkers.decisions }

    private mutating func follow() {
        main.catchUp()
        for event in main.world.trace[tracked...] {
            tracker.observe(event)
            guard !points.isEmpty, event.device == main.device else { continue }
            switch event.kind {
            case .requestSent(let request):
                points[points.count - 1].next.insert(.request)
                points[points.count - 1].request = request.kind.name
            case .forwarded: points[points.count - 1].next.insert(.forwarded)
            default: break
            }
        }
        tracked = main.world.trace.count
    }

    /// Called before time passes: nothing more happens at this instant.
    private mutating func note(until end: Instant) {
        let soon = main.world.now + .microseconds(1)
        guard !isOver, min(main.world.nextEventTime ?? end, end) > soon else { return }
        if points.last?.at == main.world.now { points.removeLast() }
        points.append(
            Point(
                at: main.world.now, circumstance: tracker.current,
                isChanged: main.observer.changes != changes))
        changes = main.observer.changes
        if moments.last?.at == main.world.now { moments.removeLast() }
        if moments.count < chosen.count, chosen[moments.count] == main.world.now {
            var fork = main.forked
            fork.dropCounts()
            moments.append((main.world.now, fork, schedule.entries.count))
        }
    }

    // MARK: - Backend

    mutating func begin(_ step: Step) { schedule.begin(step, at: main.world.now) }

    mutating func perform(_ action: StepAction) {
        schedule.add(action, at: main.world.now)
        main.world.perform(action)
        follow()
    }

    mutating func advance(to end: Instant) -> StepOutcome {
        note(until: end)
        let operations = main.diskOperations
        let outcome = main.world.advance(to: end)
        if main.diskOperations > operations, !points.isEmpty {
            points[points.count - 1].next.insert(.diskCalls)
        }
        follow()
        if outcome == .reachedEnd { main.observer.timePassed(to: main.world.now) }
        if !isOver { schedule.pass(to: main.world.now) }
        return outcome
    }

    mutating func disarm() {
        isOver = true
        main.world.disarm()
    }

    var now: Instant { main.world.now }
    var isSettled: Bool { main.world.isSettled }
    var armedActions: [ArmedAction] { main.world.armedActions }
    var trace: [TraceEvent] { main.world.trace }
    var digest: UInt64 { main.world.digest }
    var eventCount: Int { main.world.eventCount }
    func view(of device: Int) -> DeviceView { main.world.view(of: device) }
    func running(on device: Int) -> String? { main.world.running(on: device) }
    func diskRevision(of device: Int) -> Int? { main.world.diskRevision(of: device) }
    func withDisk<Result>(of device: Int, _ body: (SimulatedDisk) -> Result) -> Result? {
        main.world.withDisk(of: device, body)
    }
    var appliedDeviceFaults: [String] { main.world.appliedDeviceFaults }
    func webStorage(of device: Int) -> (cookies: [String], keys: [String]) {
        main.world.webStorage(of: device)
    }
    func key(ofVersion index: Int) -> VersionKey? { main.world.key(ofVersion: index) }
    func files(ofVersion index: Int) -> [PublishedFile] { main.world.files(ofVersion: index) }
}

extension OriginRequest.Kind {
    /// What is requested, without the route.
    fileprivate var name: String {
        switch self {
        case .manifest: "manifest"
        case .file: "file"
        case .outcomes: "outcomes"
        }
    }
}
