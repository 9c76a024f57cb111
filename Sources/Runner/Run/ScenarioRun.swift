import Backend
import AppHost
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// Runs one scenario on a backend: performs its steps in order, lets time pass only where a step says so,
/// evaluates the checkers after every event, and checks liveness at the end.
///
/// Guarantees: an equal plan on an equal backend gives an equal result. A run always ends, because events,
/// virtual time and the rounds of liveness are limited. A failed expectation ends the run, because later
/// steps build on it; a broken invariant does not.
package struct ScenarioRun<RunBackend: Backend> {
    package private(set) var plan: RunPlan
    package private(set) var formatter: TraceEventFormatter
    package var backend: RunBackend
    /// Observer of the first device, which in most scenarios is the only one.
    package var observer: RunObserver
    /// Observers of the second device and those after it.
    package var otherObservers: [RunObserver] = []

    /// Start of the last action, from which counters count where a step has no `since`.
    package var sinceAction = TracePosition()
    package var sinceVerb: [(verb: Verb, position: TracePosition)] = []
    package var sinceMark: [(name: String, position: TracePosition)] = []
    package var sinceStep: [(name: String, position: TracePosition)] = []
    /// `always` and `never` steps reached so far.
    package var activeInvariants: [ActiveInvariant] = []
    /// Names of the scenario's files by content digest; built at the first use.
    package var contents: StoredNames?
    /// In a second run: evaluates the expectation that failed in the first.
    package var wrongSinceTracker: WrongSinceTracker?
    package var failedExpectation: FailedExpectation?
    /// Which expectations say something about what the backend shows.
    package var judgement = Judgement()
    /// Whether expectations wait for what they expect and never fail (``MetamorphicCheck``).
    var expectationsOnlyWait = false
    /// Whether a step whose trigger never came is no failure.
    var toleratesMissedTriggers = false
    /// Index of the first trace event of each step; step nil: after the last step.
    package var stepStarts: [(index: Int, step: Int?)] = []

    package var stepResults: [StepResult] = []
    /// Notes about steps that changed nothing (``idleness(of:on:)``).
    package var idleSteps: [RunNote] = []
    /// Current rounds of the `repeat` steps being performed, the outermost first.
    package private(set) var rounds: [(ordinal: Int, count: Int)] = []
    package var found: [FoundFailure] = []
    package var isOver = false
    /// Whether the action of a step is being performed, so that what happens is the scenario's own doing.
    package private(set) var isActing = false
    package var crash = CrashArming()
    /// Called before each step. The search over crash points records here which step begins.
    package var willBegin: ((Step, inout ScenarioRun) -> Void)?
    /// Called after an action, and after an event that stopped a disk (``enableCrashSteps()``).
    package var didStop: ((inout ScenarioRun) -> Void)?
    /// Number of trace events that the observers have processed.
    private var observedEvents = 0
    private var performed = 0
    private let maxTime: TimeSpan?
    /// Limit of performed steps, with repeated steps counted each time.
    package static var maxSteps: Int { 200_000 }
    /// Reason why the run is inconclusive.
    package var exhausted: Exhaustion?

    /// - Parameters:
    ///   - stepResults: initial results of the plan's steps, if they are known already.
    ///   - readings: contents that other runs of the same scenario have read.
    package init(
        plan: RunPlan, setup: WorldSetup, backend: RunBackend, checkers: CheckerList = CheckerList(),
        stepResults: [StepResult]? = nil, readings: StoredContentCache? = nil
    ) {
        let readings = readings ?? StoredContentCache(dialect: setup.app.dialect)
        self.plan = plan
        self.backend = backend
        maxTime = plan.scenario.limits.virtualTime?.value
        let names = VersionNames(setup.versions) { backend.key(ofVersion: $0) }
        formatter = TraceEventFormatter(names: names, edges: setup.origin.edges)
        formatter.devices = plan.scenario.devices.map(\.name.value)
        func observer(_ device: Int, _ profile: DeviceProfile) -> RunObserver {
            let observed = ObservedState(
                app: setup.app, versions: setup.versions, profile: profile, names: names)
            return RunObserver(
                observed: observed, checkers: checkers, origin: setup.origin, device: device,
                hasOthers: setup.devices.count > 1, readings: readings)
        }
        self.observer = observer(0, setup.devices.first ?? .plain)
        otherObservers = setup.devices.enumerated().dropFirst().map { observer($0, $1) }
        self.stepResults = stepResults ?? StepResult.initial(of: plan.scenario)
    }

    // MARK: - The scenario

    package mutating func run() {
        runSteps()
        finish()
    }

    /// What follows the last step: the rounds of liveness, and what the checkers have found.
    mutating func finish() {
        disarm()
        if !isOver, case .expected = plan.scenario.liveness {
            checkLiveness()
            checkRest()
        }
        for device in 0..<deviceCount {
            for finding in observer(of: device).checkers.findings { fail(finding, on: device) }
        }
    }

    package var deviceCount: Int { otherObservers.count + 1 }

    package func observer(of device: Int) -> RunObserver {
        device == 0 ? observer : otherObservers[device - 1]
    }

    /// Index of the device that a step names; else 0.
    package func device(of step: Step) -> Int {
        guard let name = step.device?.value else { return 0 }
        return plan.scenario.devices.firstIndex { $0.name.value == name } ?? 0
    }

    /// After an action or an event.
    package mutating func catchUp() {
        updateObservers()
        if !activeInvariants.isEmpty { checkActiveInvariants() }
        if wrongSinceTracker != nil { updateWrongSince() }
    }

    /// Brings the observers of the devices up to date that something has happened to.
    /// - Parameter isOfAll: whether the other observers process the events about other devices too.
    package mutating func updateObservers(ofAll isOfAll: Bool = false) {
        let first = observedEvents
        observedEvents = backend.trace.count
        // A timeline is recorded after each event, whatever it is about.
        guard !isOfAll, !otherObservers.isEmpty, observer.timeline == nil,
            let concerned = concernedDevices(from: first)
        else {
            observer.catchUp(backend)
            for index in otherObservers.indices { otherObservers[index].catchUp(backend) }
            return
        }
        for device in concerned {
            if device == 0 {
                observer.catchUp(backend, from: first)
            } else {
                otherObservers[device - 1].catchUp(backend, from: first)
            }
        }
    }

    /// The devices that the events since an index are about, or whose disks may have changed; nil: any.
    private mutating func concernedDevices(from first: Int) -> [Int]? {
        guard var devices = backend.takeTouchedDevices(), first <= observedEvents else { return nil }
        for event in backend.trace[first...] {
            if event.device < 0 { return nil }
            if !devices.contains(event.device) { devices.append(event.device) }
        }
        return devices
    }

    /// For runs whose processes are cut off; see ``RunObserver/endsAtAnyOperation``.
    package mutating func readRecordsAtProcessEnd() {
        observer.endsAtAnyOperation = true
        for index in otherObservers.indices { otherObservers[index].endsAtAnyOperation = true }
    }

    package mutating func replaceObserver(with other: RunObserver) {
        if other.device == 0 { observer = other } else { otherObservers[other.device - 1] = other }
    }

    private mutating func timePassed() {
        // After a crash and its recovery, only the observer of that device has seen all events.
        if isOver { return }
        observer.timePassed(to: backend.now)
        for index in otherObservers.indices { otherObservers[index].timePassed(to: backend.now) }
    }

    /// Performs the steps, without liveness after them.
    /// - Parameter count: number of the first ones that are performed, those inside a `repeat` not counted.
    package mutating func runSteps(first count: Int = .max) {
        catchUp()
        perform(Array(NumberedStep.tree(of: plan.scenario).prefix(count)))
    }

    /// Performs the other steps of a scenario that has the same first ones.
    mutating func runSteps(of plan: RunPlan, after count: Int) {
        let left = Array(NumberedStep.tree(of: plan.scenario).dropFirst(count))
        let others = StepResult.initial(of: plan.scenario).dropFirst(left.first?.index ?? stepResults.count)
        stepResults = Array(stepResults.prefix(others.startIndex)) + others
        self.plan = plan
        perform(left)
    }

    private mutating func perform(_ steps: [NumberedStep]) {
        for numbered in steps {
            if isOver { return }
            perform(numbered)
        }
    }

    private mutating func perform(_ numbered: NumberedStep) {
        let step = numbered.step
        performed += 1
        if performed > ScenarioRun.maxSteps {
            return giveUp(.steps(ScenarioRun.maxSteps))
        }
        let start = backend.now
        if stepResults[numbered.index].startedAt == nil { stepResults[numbered.index].startedAt = start }
        stepStarts.append((backend.trace.count, numbered.index))
        let failed = found.count
        let begin = currentPosition
        // The steps inside a repeat can count from it.
        if step.verb == .repeat { setSince(step, begin) }
        willBegin?(step, &self)
        switch step.action {
        case .wait(let span): pass(until: start + span.value)
        case .settle: settle()
        case .expect(let spec): expect(spec, numbered)
        case .always(let spec): activate(spec, isNever: false, numbered)
        case .never(let spec): activate(spec, isNever: true, numbered)
        case .mark(let name): ScenarioRun.set(&sinceMark, name.value, currentPosition)
        case .repeat(let spec): `repeat`(spec, numbered)
        case .gap: break
        default: act(numbered)
        }
        if !step.verb.acts, step.verb != .repeat { setSince(step, begin) }
        stepResults[numbered.index].endedAt = backend.now
        let isFailed = found[failed...].contains { $0.failure.step == numbered.index }
        let isUnjudged = judgement.lastUnjudged == numbered.index
        stepResults[numbered.index].outcome = isFailed ? .failed : isUnjudged ? .notJudged : .done
        timePassed()
        if let maxTime, backend.now - .zero > maxTime, !isOver {
            giveUp(.virtualTime(maxTime))
        }
    }

    private mutating func act(_ numbered: NumberedStep) {
        let step = numbered.step
        sinceAction = currentPosition
        setSince(step, sinceAction)
        let device = device(of: step)
        var order = plan.orders.first { $0.step == numbered.index }?.events ?? []
        let why = step.trigger == nil ? idleness(of: step, on: device) : nil
        if let why { noteIdleStep(numbered.index, why) }
        isActing = true
        defer { isActing = false }
        for namedAction in step.namedActions {
            backend.perform(
                StepAction(
                    namedAction, trigger: step.trigger, step: numbered.index, device: device, order: order))
            // A step has one race, however many actions it has.
            order = []
            catchUp()
            didStop?(&self)
            if isOver { return }
        }
        if why == nil, step.trigger == nil { noteIdleActions(of: numbered, since: sinceAction.index) }
    }

    package var currentPosition: TracePosition { TracePosition(index: backend.trace.count, at: backend.now) }

    /// From here on, counters can count from this step: by its verb, and by its name.
    private mutating func setSince(_ step: Step, _ position: TracePosition) {
        sinceVerb.removeAll { $0.verb == step.verb }
        sinceVerb.append((step.verb, position))
        if let name = step.name?.value { ScenarioRun.set(&sinceStep, name, position) }
    }

    private static func set(
        _ list: inout [(name: String, position: TracePosition)], _ name: String, _ position: TracePosition
    ) {
        list.removeAll { $0.name == name }
        list.append((name, position))
    }

    private mutating func `repeat`(_ spec: RepeatSpec, _ numbered: NumberedStep) {
        let count = max(0, spec.count.value)
        for number in 0..<count {
            let start = backend.now
            rounds.append((number + 1, count))
            perform(numbered.inner)
            rounds.removeLast()
            if isOver { return }
            if let every = spec.every?.value, backend.now < start + every { pass(until: start + every) }
        }
    }

    // MARK: - Time

    /// Performs all events up to and at that instant.
    package mutating func pass(until end: Instant) { _ = pass(until: end) { _ in false } }

    /// Performs events until `isEnough` returns true after one of them.
    /// - Returns: whether `isEnough` returned true.
    package mutating func pass(until end: Instant, _ isEnough: (inout ScenarioRun) -> Bool) -> Bool {
        while !isOver {
            switch backend.advance(to: end) {
            case .event: break
            case .diskStopped:
                didStop?(&self)
                if isOver { return false }
            case .reachedEnd:
                catchUp()
                timePassed()
                return false
            case .exhausted(let reason):
                catchUp()
                if !isOver { giveUp(reason) }
                return false
            }
            catchUp()
            if isOver { return false }
            if isEnough(&self) { return true }
        }
        return false
    }

    /// Performs events until only idle timers are left, for a day at most; in real time for less.
    private mutating func settle() {
        if backend.isSettled { return }
        let limit = backend.settleLimit
        let isSettled = pass(until: backend.now + limit) { $0.backend.isSettled }
        if !isSettled, !isOver, !backend.isSettled { giveUp(.unsettled(after: limit)) }
    }

    package mutating func giveUp(_ reason: Exhaustion) {
        exhausted = reason
        isOver = true
    }
}

/// A position in the trace: the index of the next event, and the time.
package struct TracePosition: Hashable, Sendable {
    package var index = 0
    package var at = Instant.zero
}

extension StepResult {
    /// One result for each step, all not reached.
    package static func initial(of scenario: Scenario) -> [StepResult] {
        let file = scenario.source
        return NumberedStep.all(of: scenario).map { numbered in
            StepResult(
                index: numbered.index, line: file.position(of: numbered.step.span.start).line,
                text: scenario.text(of: numbered.step))
        }
    }
}
