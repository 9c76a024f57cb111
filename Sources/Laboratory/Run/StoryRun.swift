import AppHost
import Core
import ScenarioLanguage
import Updater
import World

/// Runs one story in surroundings: its steps in their order, time only where a step lets it pass, the
/// checkers after every event, liveness at the end.
///
/// Promises: equal plan and surroundings give an equal result; a story always ends (bounds of events and
/// virtual time, a limit on what liveness may take). A failed expectation ends the story, because what
/// follows rests on it; a broken invariant does not.
struct StoryRun<Place: Surroundings> {
    let plan: StoryPlan
    let teller: FactTeller
    var world: Place
    var watch: StoryWatch

    /// From where counters count: places in `world.facts`.
    var sinceAction = 0
    var sinceVerb: [(verb: Verb, place: Int)] = []
    var sinceMark: [(name: String, place: Int)] = []
    var sinceStep: [(name: String, place: Int)] = []
    /// Which step's time it was, from each fact on.
    var stepBegins: [(place: Int, step: Int?)] = []

    var rows: [StepResult] = []
    var failures: [Failure] = []
    var isOver = false
    var crash = CrashArming()
    private var performed = 0
    private let mostTime: TimeSpan?
    /// A story of more steps than that, repeats opened, is none.
    static var mostSteps: Int { 200_000 }
    /// Why the run is inconclusive.
    var exhausted: String?

    /// - Parameter rows: of the plan's steps, where they are known already.
    init(
        plan: StoryPlan, setup: WorldSetup, world: Place, checkers: CheckerList = CheckerList(),
        rows: [StepResult]? = nil
    ) {
        self.plan = plan
        self.world = world
        mostTime = plan.scenario.limits.virtualTime?.value
        let names = VersionNames(setup.versions) { world.key(ofVersion: $0) }
        teller = FactTeller(names: names, edges: setup.origin.edges)
        let scene = Scene(
            app: setup.app, versions: setup.versions, profile: setup.devices.first ?? .plain, names: names)
        watch = StoryWatch(scene: scene, checkers: checkers, edges: setup.origin.edges.count)
        self.rows = rows ?? StepResult.rows(of: plan.scenario)
    }

    // MARK: - The story

    mutating func run() {
        tellSteps()
        if !isOver, case .expected = plan.scenario.liveness { liveness() }
        for finding in watch.checkers.findings { fail(finding) }
    }

    /// The steps alone, without liveness after them.
    mutating func tellSteps() {
        watch.catchUp(world)
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
        if performed > StoryRun.mostSteps { return giveUp("more than \(StoryRun.mostSteps) steps") }
        let begun = world.now
        if rows[numbered.number].startedAt == nil { rows[numbered.number].startedAt = begun }
        stepBegins.append((world.facts.count, numbered.number))
        let failed = failures.count
        world.begin(step)
        arm(step)
        switch step.action {
        case .wait(let span): pass(until: begun + span.value)
        case .settle: settle()
        case .expect(let spec): expect(spec, numbered)
        case .mark(let name): StoryRun.set(&sinceMark, name.value, world.facts.count)
        case .repeat(let spec): `repeat`(spec, numbered)
        default: act(numbered)
        }
        rows[numbered.number].endedAt = world.now
        rows[numbered.number].outcome = failures.count > failed ? .failed : .done
        watch.timePassed(to: world.now)
        if let mostTime, world.now - .zero > mostTime, !isOver {
            giveUp("the limit of \(mostTime.shown) of virtual time was reached")
        }
    }

    private mutating func act(_ numbered: NumberedStep) {
        let step = numbered.step
        sinceAction = world.facts.count
        sinceVerb.removeAll { $0.verb == step.verb }
        sinceVerb.append((step.verb, sinceAction))
        if let name = step.name?.value { StoryRun.set(&sinceStep, name, world.facts.count) }
        var order = plan.orders.first { $0.step == numbered.number }?.events ?? []
        for action in StoryActions.actions(of: step, number: numbered.number, in: plan.scenario) {
            if case .set(let change) = action { watch.apply(change) }
            if let trigger = step.trigger {
                world.schedule(
                    Scheduled(StoryActions.trigger(trigger), action, step: numbered.number))
            } else {
                world.perform(action, step: numbered.number, order: order)
                // One race, whatever the number of actions.
                order = []
            }
            watch.catchUp(world)
            crashIfStopped()
            if isOver { return }
        }
    }

    private static func set(_ list: inout [(name: String, place: Int)], _ name: String, _ place: Int) {
        list.removeAll { $0.name == name }
        list.append((name, place))
    }

    private mutating func `repeat`(_ spec: RepeatSpec, _ numbered: NumberedStep) {
        for _ in 0..<max(0, spec.count.value) {
            let begun = world.now
            perform(numbered.inner)
            if isOver { return }
            if let every = spec.every?.value, world.now < begun + every { pass(until: begun + every) }
        }
    }

    // MARK: - Time

    /// Lets events happen up to and at that instant.
    mutating func pass(until end: Instant) { _ = pass(until: end) { _ in false } }

    /// Stops early, and says so, when `isEnough` after an event.
    mutating func pass(until end: Instant, _ isEnough: (inout StoryRun) -> Bool) -> Bool {
        while !isOver {
            guard let next = world.nextEventTime, next <= end else { break }
            switch world.next() {
            case .event: break
            case .diskStopped:
                crashIfStopped()
                if isOver { return false }
            case .nothingLeft:
                finish(at: end)
                return false
            case .exhausted(let reason):
                watch.catchUp(world)
                giveUp(reason)
                return false
            }
            watch.catchUp(world)
            if isEnough(&self) { return true }
        }
        if !isOver { finish(at: end) }
        return false
    }

    private mutating func finish(at end: Instant) {
        world.pass(to: end)
        watch.catchUp(world)
        watch.timePassed(to: world.now)
    }

    /// Until nothing is left but idle timers; a day at most.
    private mutating func settle() {
        if world.isSettled { return }
        let isSettled = pass(until: world.now + .days(1)) { $0.world.isSettled }
        if !isSettled, !isOver, !world.isSettled { giveUp("the world did not settle within a day") }
    }

    mutating func giveUp(_ reason: String) {
        exhausted = reason
        isOver = true
    }
}

extension StepResult {
    /// One for each step, before anything has happened.
    static func rows(of scenario: Scenario) -> [StepResult] {
        let file = scenario.source
        return NumberedStep.all(of: scenario).map { numbered in
            let words = file.text(of: numbered.step.span).split {
                $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r"
            }
            return StepResult(
                index: numbered.number, line: file.position(of: numbered.step.span.start).line,
                text: words.joined(separator: " "))
        }
    }
}
