import Backend
import AppHost
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// Runs one story in surroundings: its steps in their order, time only where a step lets it pass, the
/// checkers after every event, liveness at the end.
///
/// Guarantees: equal plan and surroundings give an equal result; a story always ends (bounds of
/// events and virtual time, a limit on what liveness may take). A failed expectation ends the story, because
/// what follows rests on it; a broken invariant does not.
package struct ScenarioRun<RunBackend: Backend> {
    package let plan: RunPlan
    package private(set) var teller: TraceEventFormatter
    package var backend: RunBackend
    /// Of the first device, in most stories the only one.
    package var watch: RunObserver
    /// Of the second device and those after it.
    package var others: [RunObserver] = []

    /// From where counters count.
    package var sinceAction = Moment()
    package var sinceVerb: [(verb: Verb, moment: Moment)] = []
    package var sinceMark: [(name: String, moment: Moment)] = []
    package var sinceStep: [(name: String, moment: Moment)] = []
    package var standing: [Standing] = []
    /// Content of the scenario's files by its digest, once somebody asks.
    package var contents: StoredNames?
    /// In a run that is made again: the expectation that failed.
    package var probe: Probe?
    /// The expectation that failed.
    package var missed: Probe?
    /// Which step's time it was, from each fact on.
    package var stepBegins: [(place: Int, step: Int?)] = []

    package var rows: [StepResult] = []
    /// Steps that changed nothing, in words (``idleness(of:on:)``).
    package private(set) var idleSteps: [RunNote] = []
    /// The rounds of the `repeat` steps that are going on, the outer one first.
    package private(set) var rounds: [(number: Int, count: Int)] = []
    package var failures: [Failure] = []
    package var isOver = false
    package var crash = CrashArming()
    /// Called before a step, when nothing of it has happened. A search notes here which step begins.
    package var willBegin: ((Step, inout ScenarioRun) -> Void)?
    /// Called after an action, and after an event that stopped a disk (``crashes()``).
    package var didStop: ((inout ScenarioRun) -> Void)?
    private var performed = 0
    private let mostTime: TimeSpan?
    /// A story of more steps than that, repeats opened, is none.
    package static var mostSteps: Int { 200_000 }
    /// Why the run is inconclusive.
    package var exhausted: Exhaustion?

    /// - Parameters:
    ///   - rows: of the plan's steps, where they are known already.
    ///   - readings: of other runs of the same scenario.
    package init(
        plan: RunPlan, setup: WorldSetup, backend: RunBackend, checkers: CheckerList = CheckerList(),
        rows: [StepResult]? = nil, readings: StoredContentCache? = nil
    ) {
        let readings = readings ?? StoredContentCache(dialect: setup.app.dialect)
        self.plan = plan
        self.backend = backend
        mostTime = plan.scenario.limits.virtualTime?.value
        let names = VersionNames(setup.versions) { backend.key(ofVersion: $0) }
        teller = TraceEventFormatter(names: names, edges: setup.origin.edges)
        teller.devices = plan.scenario.devices.map(\.name.value)
        func watch(_ device: Int, _ profile: DeviceProfile) -> RunObserver {
            let observed = ObservedState(
                app: setup.app, versions: setup.versions, profile: profile, names: names)
            return RunObserver(
                observed: observed, checkers: checkers, edges: setup.origin.edges.count, device: device,
                hasOthers: setup.devices.count > 1, readings: readings)
        }
        self.watch = watch(0, setup.devices.first ?? .plain)
        others = setup.devices.enumerated().dropFirst().map { watch($0, $1) }
        self.rows = rows ?? StepResult.rows(of: plan.scenario)
    }

    // MARK: - The story

    package mutating func run() {
        tellSteps()
        disarm()
        if !isOver, case .expected = plan.scenario.liveness { liveness() }
        for device in 0..<deviceCount {
            for finding in watch(of: device).checkers.findings { fail(finding, on: device) }
        }
    }

    package var deviceCount: Int { others.count + 1 }

    package func watch(of device: Int) -> RunObserver { device == 0 ? watch : others[device - 1] }

    /// The device that a step names; else the first.
    package func device(of step: Step) -> Int {
        guard let name = step.device?.value else { return 0 }
        return plan.scenario.devices.firstIndex { $0.name.value == name } ?? 0
    }

    /// After an action or an event.
    package mutating func catchUp() {
        catchUpWatches()
        if !standing.isEmpty { checkStanding() }
        if probe != nil { ask() }
    }

    package mutating func catchUpWatches() {
        watch.catchUp(backend)
        for place in others.indices { others[place].catchUp(backend) }
    }

    /// For stories that are cut off: see ``RunObserver/hearsFromRecord``.
    package mutating func hearFromRecords() {
        watch.hearsFromRecord = true
        for place in others.indices { others[place].hearsFromRecord = true }
    }

    package mutating func replaceWatch(with other: RunObserver) {
        if other.device == 0 { watch = other } else { others[other.device - 1] = other }
    }

    private mutating func timePassed() {
        watch.timePassed(to: backend.now)
        for place in others.indices { others[place].timePassed(to: backend.now) }
    }

    /// The steps alone, without liveness after them.
    package mutating func tellSteps() {
        catchUp()
        perform(NumberedStep.tree(of: plan.scenario))
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
        if performed > ScenarioRun.mostSteps {
            return giveUp(.other("more than \(ScenarioRun.mostSteps) steps"))
        }
        let begun = backend.now
        if rows[numbered.number].startedAt == nil { rows[numbered.number].startedAt = begun }
        stepBegins.append((backend.trace.count, numbered.number))
        let failed = failures.count
        willBegin?(step, &self)
        switch step.action {
        case .wait(let span): pass(until: begun + span.value)
        case .settle: settle()
        case .expect(let spec): expect(spec, numbered)
        case .always(let spec): stand(spec, isNever: false, numbered)
        case .never(let spec): stand(spec, isNever: true, numbered)
        case .mark(let name): ScenarioRun.set(&sinceMark, name.value, moment)
        case .repeat(let spec): `repeat`(spec, numbered)
        default: act(numbered)
        }
        rows[numbered.number].endedAt = backend.now
        let isFailed = failures[failed...].contains { $0.step == numbered.number }
        rows[numbered.number].outcome = isFailed ? .failed : .done
        timePassed()
        if let mostTime, backend.now - .zero > mostTime, !isOver {
            giveUp(.limit("\(mostTime.shown) of virtual time"))
        }
    }

    private mutating func act(_ numbered: NumberedStep) {
        let step = numbered.step
        sinceAction = moment
        sinceVerb.removeAll { $0.verb == step.verb }
        sinceVerb.append((step.verb, sinceAction))
        if let name = step.name?.value { ScenarioRun.set(&sinceStep, name, moment) }
        let device = device(of: step)
        var order = plan.orders.first { $0.step == numbered.number }?.events ?? []
        if step.trigger == nil, let why = idleness(of: step, on: device) {
            let row = rows[numbered.number].text
            let note = RunNote(.step, "step \(numbered.number + 1) changed nothing: \(why): \(row)")
            if !idleSteps.contains(note) { idleSteps.append(note) }
        }
        for namedAction in step.namedActions {
            if case .set(let change) = namedAction.action { apply(change, on: device) }
            backend.perform(
                StepAction(
                    namedAction, trigger: step.trigger, step: numbered.number, device: device, order: order))
            // One race, whatever the number of actions.
            order = []
            catchUp()
            didStop?(&self)
            if isOver { return }
        }
    }

    private mutating func apply(_ change: SettingsSpec, on device: Int) {
        if device == 0 { watch.apply(change) } else { others[device - 1].apply(change) }
    }

    /// Now, as counters know it.
    package var moment: Moment { Moment(place: backend.trace.count, at: backend.now) }

    private static func set(
        _ list: inout [(name: String, moment: Moment)], _ name: String, _ moment: Moment
    ) {
        list.removeAll { $0.name == name }
        list.append((name, moment))
    }

    private mutating func `repeat`(_ spec: RepeatSpec, _ numbered: NumberedStep) {
        let count = max(0, spec.count.value)
        for number in 0..<count {
            let begun = backend.now
            rounds.append((number + 1, count))
            perform(numbered.inner)
            rounds.removeLast()
            if isOver { return }
            if let every = spec.every?.value, backend.now < begun + every { pass(until: begun + every) }
        }
    }

    // MARK: - Time

    /// Lets events happen up to and at that instant.
    package mutating func pass(until end: Instant) { _ = pass(until: end) { _ in false } }

    /// Stops early, and says so, when `isEnough` after an event.
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

    /// Until nothing is left but idle timers; a day at most.
    private mutating func settle() {
        if backend.isSettled { return }
        let isSettled = pass(until: backend.now + .days(1)) { $0.backend.isSettled }
        if !isSettled, !isOver, !backend.isSettled { giveUp(.other("the world did not settle within a day")) }
    }

    package mutating func giveUp(_ reason: Exhaustion) {
        exhausted = reason
        isOver = true
    }
}

/// A moment of the story: a place in the row of facts, and its time.
package struct Moment: Hashable, Sendable {
    package var place = 0
    package var at = Instant.zero
}

extension StepResult {
    /// One for each step, before anything has happened.
    package static func rows(of scenario: Scenario) -> [StepResult] {
        let file = scenario.source
        return NumberedStep.all(of: scenario).map { numbered in
            StepResult(
                index: numbered.number, line: file.position(of: numbered.step.span.start).line,
                text: scenario.words(of: numbered.step))
        }
    }
}
