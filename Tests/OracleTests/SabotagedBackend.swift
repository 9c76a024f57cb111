import Backend
import Core
import ScenarioLanguage
import TestSupport
import Updater
import World

@testable import Runner

/// A real world in which one part is broken on purpose: trace events are dropped, doubled or replaced before
/// the checkers receive them, or the world is changed between two events.
struct SabotagedBackend: Backend {
    var world: World
    /// Maps a trace event to those that the checkers receive.
    var shown: @Sendable (TraceEvent) -> [TraceEvent.Kind]
    /// Changes the world after each event.
    var tamper: @Sendable (inout World, inout Int) -> Void

    private(set) var trace: [TraceEvent] = []
    private var seen = 0
    /// Memory of ``tamper``.
    private var memory = 0

    init(
        _ world: World, shown: @escaping @Sendable (TraceEvent) -> [TraceEvent.Kind] = { [$0.kind] },
        tamper: @escaping @Sendable (inout World, inout Int) -> Void = { _, _ in }
    ) {
        self.world = world
        self.shown = shown
        self.tamper = tamper
    }

    private mutating func catchUp() {
        tamper(&world, &memory)
        for event in world.trace[seen...] {
            for kind in shown(event) {
                var copy = event
                copy.kind = kind
                copy.ordinal = trace.count + 1
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
    func withDisk<Result>(of device: Int, _ body: (SimulatedDisk) -> Result) -> Result? {
        world.withDisk(of: device, body)
    }
    func key(ofVersion index: Int) -> VersionKey? { world.key(ofVersion: index) }
    func files(ofVersion index: Int) -> [PublishedFile] { world.files(ofVersion: index) }
}

extension SmallScenario {
    /// Runs a scenario in a sabotaged world.
    /// - Returns: The failures.
    static func run(
        _ text: String, changeWorld: (inout WorldSetup) -> Void = { _ in }, begin: [Action] = [],
        shown: @escaping @Sendable (TraceEvent) -> [TraceEvent.Kind] = { [$0.kind] },
        tamper: @escaping @Sendable (inout World, inout Int) -> Void = { _, _ in }
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
            plan: plan, setup: setup, backend: SabotagedBackend(world, shown: shown, tamper: tamper))
        run.run()
        return run.failures
    }

    /// Runs a scenario in a world that a closure changes after each event; the number is the closure's
    /// memory.
    static func runTampering(
        _ text: String, _ tamper: @escaping @Sendable (inout World, inout Int) -> Void
    ) throws -> [Failure] {
        try run(text, tamper: tamper)
    }

    static func rules(_ failures: [Failure]) -> [String] { failures.compactMap(\.rule) }
}
