import Core
import Oracle
import Runner
import ScenarioLanguage
import Updater
import World

/// A moment of a story at which the app worked on its disk: the world before it, and what then happened.
package struct CrashMoment: Sendable {
    package enum Cause: Sendable {
        case event
        /// To a device of the world, not always the one that is cut off.
        case action(StepAction)
    }

    package var before: ObservedWorld
    package var cause: Cause
    /// Disk operations of it.
    package var operations: Int
    /// Operations before it, of the whole story or of the recovery.
    package var number: Int
    /// From where a scenario counts operations, and how many there were since.
    package var origin: CrashPlace.Origin
    package var operationsBefore: Int

    /// The world again up to the n-th operation, which is the last one. Nil when it did not stop there.
    package func stopped(at operation: Int, writing bytes: Int? = nil) -> ObservedWorld? {
        var fork = before
        fork.stopDisk(atCall: operation, writing: bytes)
        switch cause {
        case .event: _ = fork.advance(to: fork.world.nextEventTime ?? fork.world.now)
        case .action(let action):
            fork.world.perform(action)
            fork.catchUp()
        }
        return fork.isDiskStopped ? fork : nil
    }
}

/// A world that remembers every moment at which one of its devices can be cut off.
///
/// It has its own checkers, because those of the run belong to the run. Liveness after the last step is not
/// part of the scenario, so nothing is cut off there.
struct CrashProbe: Backend {
    private var main: ObservedWorld
    private(set) var moments: [CrashMoment] = []
    private var begun: [(verb: Verb, count: Int)] = []
    private var origin = CrashPlace.Origin.step(.launch, nth: 1)
    private var operationsAtOrigin = 0
    private var window: Window
    /// A step without `on`, or with this one, happens to the device that is cut off.
    private let isMeant: @Sendable (Step) -> Bool

    /// When moments are remembered.
    private enum Window {
        case always
        case never
        /// A step asked for it: until the next step that does something.
        case thisStep
        /// From a step on; the launch comes yet.
        case beforeLaunch
        /// Until its page is confirmed.
        case launch(since: Instant)
    }

    static let longestRecovery = TimeSpan.seconds(60)

    init(
        _ main: ObservedWorld, asksForWindows: Bool,
        isMeant: @escaping @Sendable (Step) -> Bool = { _ in true }
    ) {
        self.main = main
        self.isMeant = isMeant
        window = asksForWindows ? .never : .always
        // What putting the app on the device gave.
        self.main.catchUp()
    }

    private var isOpen: Bool {
        switch window {
        case .always, .thisStep, .beforeLaunch: true
        case .never: false
        case .launch(let since):
            main.world.now - since < CrashProbe.longestRecovery && !main.reached.isConfirmed
        }
    }

    private mutating func remember(_ before: ObservedWorld?, _ cause: CrashMoment.Cause, _ operations: Int) {
        let since = operations - operationsAtOrigin
        let count = main.diskOperations - operations
        guard let before, count > 0 else { return }
        // What forks share is summed up here, on one thread, once.
        _ = before.crashDigest
        moments.append(
            CrashMoment(
                before: before.forked, cause: cause, operations: count, number: operations, origin: origin,
                operationsBefore: since))
    }

    // MARK: - Backend

    mutating func begin(_ step: Step) {
        guard step.trigger == nil, !Verb.untimed.contains(step.verb) else { return }
        let count = (begun.first { $0.verb == step.verb }?.count ?? 0) + 1
        begun.removeAll { $0.verb == step.verb }
        begun.append((step.verb, count))
        origin = .step(step.verb, nth: count)
        operationsAtOrigin = main.diskOperations
        if case .thisStep = window { window = .never }
        switch step.crashPoints?.value {
        case .thisStep?: window = .thisStep
        case .firstLaunch?: window = .beforeLaunch
        case nil: break
        }
        if case .beforeLaunch = window, isMeant(step), step.verb == .launch || step.verb == .relaunch {
            window = .launch(since: main.world.now)
        }
    }

    mutating func perform(_ action: StepAction) {
        if action.trigger == nil, action.step < 0 { window = .never }
        if case .set(let change) = action.performance.action, action.device == main.device {
            main.watch.apply(change)
        }
        guard action.trigger == nil else { return main.world.perform(action) }
        let before = isOpen ? main : nil
        let operations = main.diskOperations
        main.world.perform(action)
        remember(before, .action(action), operations)
        main.catchUp()
    }

    mutating func advance(to end: Instant) -> StepOutcome {
        let before = isOpen ? main : nil
        let operations = main.diskOperations
        let outcome = main.world.advance(to: end)
        remember(before, .event, operations)
        main.catchUp()
        if outcome == .reachedEnd { main.watch.timePassed(to: main.world.now) }
        return outcome
    }

    mutating func disarm() { main.world.disarm() }

    var now: Instant { main.world.now }
    var isSettled: Bool { main.world.isSettled }
    var armedActions: [ArmedAction] { main.world.armedActions }
    var trace: [TraceEvent] { main.world.trace }
    var digest: UInt64 { main.world.digest }
    var eventCount: Int { main.world.eventCount }
    func view(of device: Int) -> DeviceView { main.world.view(of: device) }
    func running(on device: Int) -> String? { main.world.running(on: device) }
    func diskMark(of device: Int) -> Int? { main.world.diskMark(of: device) }
    func disk(of device: Int) -> SimulatedDisk? { main.world.disk(of: device) }
    var appliedDeviceFaults: [String] { main.world.appliedDeviceFaults }
    func webStorage(of device: Int) -> (cookies: [String], keys: [String]) {
        main.world.webStorage(of: device)
    }
    func key(ofVersion index: Int) -> VersionKey? { main.world.key(ofVersion: index) }
    func files(ofVersion index: Int) -> [PublishedFile] { main.world.files(ofVersion: index) }
}

extension Verb {
    /// Steps in which time passes, or which only structure a story.
    static let untimed: [Verb] = [.wait, .settle, .expect, .always, .never, .mark, .repeat, .crash]
}
