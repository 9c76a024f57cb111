import Core
import ScenarioLanguage
import World

/// A crash written out in a story (`crash` steps): armed where it says, and when it strikes the rest of the
/// story is left out and the device recovers, as in a search over crash points.
package struct CrashArming: Sendable {
    package private(set) var places: [CrashPlace] = []
    /// Which device is cut off: all places of a story are on the one that the first of them names.
    package private(set) var device = 0
    /// Steps with the verb of the first place since it was read.
    private var begun = 0
    /// It has not struck.
    package var isWaiting: Bool { !places.isEmpty }
    /// What the story expects from here on is not asked any more.
    package private(set) var hasStruck = false

    package mutating func add(_ spec: CrashSpec, on device: Int) {
        if places.isEmpty { self.device = device }
        places.append(CrashPlace(spec))
    }

    /// The place whose step begins now, if one does.
    package mutating func begins(_ step: Step) -> CrashPlace? {
        guard let first = places.first, case .step(let verb, let nth) = first.of, step.verb == verb,
            step.trigger == nil
        else { return nil }
        begun += 1
        return begun == nth ? first : nil
    }

    package mutating func takeAll() -> [CrashPlace] {
        hasStruck = true
        defer { places = [] }
        return places
    }
}

extension CrashPlace {
    package init(_ spec: CrashSpec) {
        let origin: Origin
        switch spec.of.value {
        case .verb(let verb): origin = .step(verb, nth: spec.nth)
        case .recovery: origin = .recovery
        }
        self.init(
            of: origin, operation: spec.operation.value, writes: spec.writes?.value,
            outcome: spec.outcome.value)
    }

    /// As a step says it.
    package func spec(at span: SourceSpan) -> CrashSpec {
        let origin: CrashOrigin
        var count = 1
        switch of {
        case .recovery: origin = .recovery
        case .step(let verb, let nth):
            origin = .verb(verb)
            count = nth
        }
        return CrashSpec(
            operation: Spanned(operation, span), of: Spanned(origin, span), nth: count,
            writes: writes.map { Spanned($0, span) }, outcome: Spanned(outcome, span))
    }
}

extension ScenarioRun where RunBackend == World {
    /// `crash` steps are carried out: only a simulated disk can be stopped at a call, and only a world can be
    /// brought to the state that the crash leaves.
    package mutating func crashes() {
        hearFromRecords()
        willBegin = { step, run in run.arm(step) }
        didStop = { $0.crashIfStopped() }
    }

    /// Before anything of a step happens.
    private mutating func arm(_ step: Step) {
        if case .crash(let spec) = step.action { crash.add(spec, on: device(of: step)) }
        guard let place = crash.begins(step) else { return }
        backend.stopDisk(of: crash.device, atCall: place.operation, writing: place.writes)
    }

    /// After an action or an event: the crash has struck.
    private mutating func crashIfStopped() {
        guard crash.isWaiting, !isOver, backend.isDiskStopped(of: crash.device) else { return }
        catchUpWatches()
        noteArmed()
        var device = ObservedWorld(
            world: backend, watch: watch(of: crash.device), facts: backend.trace)
        let recovery = Recovery(of: plan)
        var exhausted: String?
        let places = crash.takeAll()
        for (number, place) in places.enumerated() {
            if number > 0, !device.isDiskStopped { break }
            device.crash(place.outcome)
            recovery.begin(&device)
            if number + 1 < places.count {
                let next = places[number + 1]
                device.stopDisk(atCall: next.operation, writing: next.writes)
            }
            let end = device.world.now + Recovery.limit
            exhausted = device.pass(until: end) { recovery.isOver($0) }
        }
        var verdict = recovery.judgeLaunch(device, exhausted: exhausted)
        if verdict == nil {
            recovery.end(&device)
            verdict = recovery.judgeRest(&device)
        }
        backend = device.world
        replaceWatch(with: device.watch)
        isOver = true
        // What a checker found is told with the others of the run.
        guard let verdict, !device.findings.contains(where: { $0.rule == verdict.rule }) else {
            return
        }
        fail(verdict)
    }

    private mutating func fail(_ verdict: Recovery.Verdict) {
        let isLiveness = verdict.rule == "liveness"
        var failure = Failure(
            kind: isLiveness ? .liveness : .invariant, headline: verdict.headline, at: backend.now)
        if !isLiveness { failure.rule = verdict.rule }
        failure.place = SourcePlace(plan.scenario.title.span, in: plan.scenario.source)
        failure.expected = [verdict.expected]
        failure.actual = [verdict.actual]
        add(failure)
    }
}
