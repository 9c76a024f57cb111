import Backend
import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Authoring
@testable import Runner

/// A real world in which one part is broken on purpose: facts that are dropped, doubled or exchanged on
/// their way to the checkers, or a hand that reaches into the disk between two events.
struct SabotagedBackend: Backend {
    var world: World
    /// What the checkers get to see of a fact.
    var shown: @Sendable (TraceEvent) -> [TraceEvent.Kind]
    /// After each event.
    var hand: @Sendable (inout World, inout Int) -> Void

    private(set) var trace: [TraceEvent] = []
    private var seen = 0
    /// The hand's own memory.
    private var memory = 0

    init(
        _ world: World, shown: @escaping @Sendable (TraceEvent) -> [TraceEvent.Kind] = { [$0.kind] },
        hand: @escaping @Sendable (inout World, inout Int) -> Void = { _, _ in }
    ) {
        self.world = world
        self.shown = shown
        self.hand = hand
    }

    private mutating func catchUp() {
        hand(&world, &memory)
        for fact in world.trace[seen...] {
            for kind in shown(fact) {
                var copy = fact
                copy.kind = kind
                copy.number = trace.count + 1
                trace.append(copy)
            }
        }
        seen = world.trace.count
    }

    var now: Instant { world.now }
    var isSettled: Bool { world.isSettled }
    var armedActions: [ArmedAction] { world.armedActions }
    var appliedDeviceFaults: [String] { world.appliedDeviceFaults }
    var digest: UInt64 { world.digest }
    var eventCount: Int { world.eventCount }

    mutating func perform(_ action: StepAction) {
        world.perform(action)
        if action.trigger == nil { catchUp() }
    }

    mutating func disarm() { world.disarm() }

    mutating func advance(to end: Instant) -> StepOutcome {
        let outcome = world.advance(to: end)
        catchUp()
        return outcome
    }

    func view(of device: Int) -> DeviceView { world.view(of: device) }
    func running(on device: Int) -> String? { world.running(on: device) }
    func webStorage(of device: Int) -> (cookies: [String], keys: [String]) { world.webStorage(of: device) }
    func diskRevision(of device: Int) -> Int? { world.diskRevision(of: device) }
    func disk(of device: Int) -> SimulatedDisk? { world.disk(of: device) }
    func key(ofVersion index: Int) -> VersionKey? { world.key(ofVersion: index) }
    func files(ofVersion index: Int) -> [PublishedFile] { world.files(ofVersion: index) }
}

/// One story for all sabotage: an update, taken at the next launch, confirmed.
enum SmallStory {
    static let plain = """
        { launch: true },
        { deploy: "v2" }, { check: true },
        { expect: { pending: "v2" }, within: "10s" },
        { relaunch: true },
        { wait: "30s" },
        """

    static func text(_ steps: String, v2: String = "", head: String = "") -> String {
        """
        {
          schema: 1, title: "A small story", \(head)
          app: { id: "com.example.shop", embeds: "v1" },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
            v2: { from: "v1", changes: ["app.js"]\(v2) },
            v3: { from: "v2", changes: ["app.js"] },
          },
          steps: [ \(steps) ],
        }
        """
    }

    static func plan(_ text: String) throws -> RunPlan {
        let reading = ScenarioReader.read(path: "Scenarios/small.json5", bytes: Array(text.utf8))
        #expect(reading.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        return try #require(reading.scenarios.flatMap { RunPlan.plans(for: $0, seed: 7) }.first)
    }

    /// Runs a story in a sabotaged world; gives the failures.
    static func run(
        _ text: String, changeWorld: (inout WorldSetup) -> Void = { _ in }, begin: [Action] = [],
        shown: @escaping @Sendable (TraceEvent) -> [TraceEvent.Kind] = { [$0.kind] },
        hand: @escaping @Sendable (inout World, inout Int) -> Void = { _, _ in }
    ) throws -> [Failure] {
        let plan = try plan(text)
        let compiler = ScenarioCompiler(
            scenario: plan.scenario, profiles: [.plain], readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var changed = setup
        changeWorld(&changed)
        var world = try World(changed)
        world.isRecording = true
        for action in begin { world.perform(action, step: 0) }
        var run = ScenarioRun(
            plan: plan, setup: setup, backend: SabotagedBackend(world, shown: shown, hand: hand))
        run.run()
        return run.failures
    }

    /// With a hand that reaches into the world after each event; its number is its own memory.
    static func runWithHand(
        _ text: String, _ hand: @escaping @Sendable (inout World, inout Int) -> Void
    ) throws -> [Failure] {
        try run(text, hand: hand)
    }

    static func rules(_ failures: [Failure]) -> [String] { failures.compactMap(\.rule) }
}
