import Backend
import Core
import Oracle
import Runner
import ScenarioLanguage
import Updater
import World

/// A step of the world in which the app performed disk operations: the world before it, and its cause.
package struct CrashMoment: Sendable {
    package enum Cause: Sendable {
        case event
        /// An action on a device of the world, not always the one that is crashed.
        case action(StepAction)
    }

    package var before: ObservedWorld
    package var cause: Cause
    /// Number of disk operations in the step.
    package var operations: Int
    /// Number of operations before it, in the whole scenario or in the recovery.
    package var operationIndex: Int
    /// The step from which a scenario counts operations.
    package var origin: CrashSite.Origin
    /// Number of operations between the origin and this step.
    package var operationsBefore: Int

    /// The world, run again up to the n-th operation as the last one; nil if it did not stop there.
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

/// The backend of a scenario run that records every moment at which one device can be crashed.
///
/// It observes the world with separate checkers, because the run's checkers judge the run. It records nothing
/// after the last step, where liveness is verified.
struct CrashProbe: Backend {
    private var main: ObservedWorld
    private(set) var moments: [CrashMoment] = []
    private var begun: [(verb: Verb, count: Int)] = []
    private var origin = CrashSite.Origin.step(.launch, nth: 1)
    private var operationsAtOrigin = 0
    private var window: Window
    /// Whether a step is for the device that is crashed: it has no `on`, or names this device.
    private let isForDevice: @Sendable (Step) -> Bool

    /// When moments are recorded.
    private enum Window {
        case always
        case never
        /// `crashPoints: "this step"`: until the next step that performs something.
        case thisStep
        /// `crashPoints: "first launch"`, before the launch.
        case beforeLaunch
        /// `crashPoints: "first launch"`, until the page is confirmed.
        case launch(since: Instant)
    }

    static let longestRecovery = TimeSpan.seconds(60)

    init(
        _ main: ObservedWorld, hasWindows: Bool,
        isForDevice: @escaping @Sendable (Step) -> Bool = { _ in true }
    ) {
        self.main = main
        self.isForDevice = isForDevice
        window = hasWindows ? .never : .always
        // Observes what installing the app caused.
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

    private mutating func record(_ before: ObservedWorld?, _ cause: CrashMoment.Cause, _ operations: Int) {
        let since = operations - operationsAtOrigin
        let count = main.diskOperations - operations
        guard let before, count > 0 else { return }
        // Computes the digest once, on one thread, before forks share the cached value.
        _ = before.crashDigest
        moments.append(
            CrashMoment(
                before: before.forked, cause: cause, operations: count, operationIndex: operations,
                origin: origin,
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
        if case .beforeLaunch = window, isForDevice(step), step.verb == .launch || step.verb == .relaunch {
            window = .launch(since: main.world.now)
        }
    }

    mutating func perform(_ action: StepAction) {
        if action.trigger == nil, action.step < 0 { window = .never }
        guard action.trigger == nil else { return main.world.perform(action) }
        let before = isOpen ? main : nil
        let operations = main.diskOperations
        main.world.perform(action)
        record(before, .action(action), operations)
        main.catchUp()
    }

    mutating func advance(to end: Instant) -> StepOutcome {
        let before = isOpen ? main : nil
        let operations = main.diskOperations
        let outcome = main.world.advance(to: end)
        record(before, .event, operations)
        main.catchUp()
        if outcome == .reachedEnd { main.observer.timePassed(to: main.world.now) }
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

extension Verb {
    /// Steps in which only time passes, or which only structure a scenario.
    static let untimed: [Verb] = [.wait, .settle, .expect, .always, .never, .mark, .repeat, .gap, .crash]
}
