import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// Runs one plan in a world of its own and writes down what became of it.
package struct ScenarioRunner: Sendable {
    package var profiles: [DeviceProfile]
    /// The most entries that a timeline keeps; the first ones and the last ones. 0 tells none.
    package var timelineLimit = 400
    /// What was on the device is written down from moment to moment (``ScenarioResult/moments``); costs time.
    package var tellsMoments = false
    /// What goes into the digest is kept, so that two runs can be laid side by side; costs memory.
    var keepsTrace = false
    /// Of a run that is made again.
    package var probe: Probe?
    /// The most moments that a result keeps.
    package static let mostMoments = 600

    package init(profiles: [DeviceProfile] = [.plain]) { self.profiles = profiles }

    /// What all runs of one scenario share: its world before anything has happened, its versions with their
    /// bytes among it, and what stored contents have been seen to say.
    package struct Prepared: Sendable {
        package var setup: WorldSetup
        package let fresh: World
        package let rows: [StepResult]
        package let readings: StoredContentCache

        package var library: Library { fresh.library }
    }

    package func prepare(_ scenario: Scenario) throws(ScenarioFault) -> Prepared {
        let compiler = ScenarioCompiler(scenario: scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: 0)
        do throws(SetupError) {
            return Prepared(
                setup: setup, fresh: try World(setup), rows: StepResult.rows(of: scenario),
                readings: StoredContentCache(dialect: setup.app.dialect))
        } catch {
            throw ScenarioFault(error, in: scenario)
        }
    }

    /// - Parameter prepared: of the same scenario, where several of its runs are made.
    package func run(_ plan: RunPlan, _ prepared: Prepared? = nil) -> ScenarioResult {
        tell(plan, prepared).result
    }

    /// - Returns: with it the expectation that failed, for a second look.
    package func tell(_ plan: RunPlan, _ prepared: Prepared?) -> (result: ScenarioResult, missed: Probe?) {
        var trace: [DigestedEvent] = []
        return tell(plan, prepared, trace: &trace)
    }

    /// - Parameter trace: what went into the digest, where ``keepsTrace``.
    package func tell(_ plan: RunPlan, _ prepared: Prepared?, trace: inout [DigestedEvent]) -> (
        result: ScenarioResult, missed: Probe?
    ) {
        var result = ScenarioRunner.blank(plan)
        if let reason = plan.scenario.skip?.value {
            result.verdict = .skipped
            result.reason = reason
            return (result, nil)
        }
        var missed: Probe?
        do throws(ScenarioFault) {
            var ready: Prepared
            if let prepared { ready = prepared } else { ready = try prepare(plan.scenario) }
            ready.setup.seed = plan.worldSeed
            var world = World(like: ready.fresh, seed: plan.worldSeed)
            world.isRecording = true
            world.isTracing = keepsTrace
            let hasCrash = plan.scenario.steps.contains { $0.verb == .crash }
            let told = run(
                plan, ready, on: world, checkers: hasCrash ? CheckerList.crashing : CheckerList.all
            ) { if hasCrash { $0.crashes() } }
            missed = told.run.missed
            trace = told.run.backend.digestedEvents
            result = told.result
        } catch {
            result.verdict = .invalid
            result.diagnostics.append(DiagnosticResult(error.diagnostic(in: plan.scenario)))
            result.line = result.diagnostics.first?.place.line ?? 1
        }
        return (result, missed)
    }

    /// The whole scenario on a backend on which nothing has happened yet.
    /// - Parameter prepare: changes the run before it begins.
    package func run<RunBackend: Backend>(
        _ plan: RunPlan, _ ready: Prepared, on backend: RunBackend,
        checkers: [any Checker] = CheckerList.all,
        prepare: (inout ScenarioRun<RunBackend>) -> Void = { _ in }
    ) -> (result: ScenarioResult, run: ScenarioRun<RunBackend>) {
        var result = ScenarioRunner.blank(plan)
        var run = ScenarioRun(
            plan: plan, setup: ready.setup, backend: backend, checkers: CheckerList(checkers),
            rows: ready.rows, readings: ready.readings)
        if tellsMoments { run.beginChronicles() }
        run.probe = probe
        prepare(&run)
        run.run()
        finish(&result, run)
        return (result, run)
    }

    static func blank(_ plan: RunPlan) -> ScenarioResult {
        let scenario = plan.scenario
        var result = ScenarioResult(
            id: scenario.id, name: plan.name, file: scenario.source.path, title: scenario.title.value)
        result.caseName = scenario.caseName?.value
        result.covers = scenario.covers.map(\.value)
        result.tags = scenario.tags.map(\.value)
        result.issue = scenario.issue?.value
        let devices = scenario.devices.map { "\($0.name.value): \($0.profile.value)" }
        result.device = devices.isEmpty ? scenario.device.value : devices.joined(separator: ", ")
        result.seed = plan.worldSeed
        if let span = scenario.caseName?.span {
            result.line = scenario.source.position(of: span.start).line
        }
        return result
    }

    // MARK: - What became of it

    private func finish<RunBackend>(_ result: inout ScenarioResult, _ run: ScenarioRun<RunBackend>) {
        let facts = run.backend.trace
        result.steps = run.rows
        result.virtualDuration = run.backend.now - .zero
        result.events = run.backend.eventCount
        result.digest = run.backend.digest
        let failures = run.failures + ScenarioRunner.bounds(facts, run)
        // What the device did not come to in the end is mostly a consequence of the others.
        result.failures = failures.filter { $0.kind != .liveness } + failures.filter { $0.kind == .liveness }
        let times = TimesReader.read(facts, devices: run.deviceCount)
        result.times = times.times
        result.switches = times.switches
        result.rescues = times.rescues
        result.starts = (0..<run.deviceCount).reduce(0) { $0 + run.watch(of: $1).observed.starts.count }
        result.notes = ScenarioRunner.notes(facts, run)
        let entries = timeline(&result, run)
        judge(&result, run)
        explain(&result.failures, run, entries)
        if tellsMoments {
            result.moments = run.moments.folded(
                to: ScenarioRunner.mostMoments, keeping: result.timeline.map(\.number))
        }
        if result.verdict != .passed {
            result.source = String(decoding: run.plan.scenario.source.bytes, as: UTF8.self)
        }
        if let line = result.failures.first?.place?.line { result.line = line }
    }

    private func judge<RunBackend>(_ result: inout ScenarioResult, _ run: ScenarioRun<RunBackend>) {
        let reason = run.plan.scenario.xfail
        if let exhausted = run.exhausted, result.failures.isEmpty {
            result.verdict = .inconclusive
            var failure = Failure(
                kind: .bound, headline: "The story did not end: \(exhausted.text)", at: run.backend.now)
            failure.step = result.steps.last { $0.startedAt != nil }?.index
            failure.place = failure.step.flatMap { number in
                NumberedStep.all(of: run.plan.scenario).first { $0.number == number }
                    .map { SourcePlace($0.step.verbSpan, in: run.plan.scenario.source) }
            }
            if case .limit = exhausted {
                failure.help = "raise it in the file: limits: { events: 5000000, virtualTime: \"72h\" }"
            }
            failure.reproduction = Reproduction.command(run.plan)
            result.failures = [failure]
            return
        }
        guard let reason else {
            result.verdict = result.failures.isEmpty ? .passed : .failed
            return
        }
        result.reason = reason.value
        if !result.failures.isEmpty {
            result.verdict = .expectedFailure
            return
        }
        result.verdict = .unexpectedPass
        var failure = Failure(
            kind: .unexpectedPass, headline: "Expected to fail, and passed: \(reason.value)",
            at: run.backend.now)
        failure.place = SourcePlace(reason.span, in: run.plan.scenario.source)
        failure.help = "remove xfail: what it waited for holds"
        failure.reproduction = Reproduction.command(run.plan)
        result.failures = [failure]
    }

    /// One `handle` that did more than a bounded step may, told once.
    private static func bounds<RunBackend>(_ facts: [TraceEvent], _ run: ScenarioRun<RunBackend>) -> [Failure]
    {
        for (place, fact) in facts.enumerated() {
            let text: String
            switch fact.kind {
            case .boundExceeded(let counts): text = "\(counts)"
            case .callsOnStoppedDisk(let count): text = "\(count) calls on a stopped disk"
            default: continue
            }
            var failure = Failure(
                kind: .boundedStep, headline: "One step of the app did too much: \(text)", at: fact.at)
            failure.step = run.step(ofPlace: place)
            failure.reproduction = Reproduction.command(run.plan)
            return [failure]
        }
        return []
    }

    /// Faults that the world said had begun and that struck nothing: of the network those that no request
    /// met, of the device those that made no difference to a call. Steps whose trigger never came in a story
    /// that ended early, and steps that met no app.
    private static func notes<RunBackend>(_ facts: [TraceEvent], _ run: ScenarioRun<RunBackend>) -> [RunNote]
    {
        var notes: [RunNote] = []
        var begun: [String] = []
        var applied: [String] = []
        for fact in facts {
            if case .faultBegan(let id) = fact.kind { begun.append(id) }
            if case .faultApplied(let id) = fact.kind { applied.append(id) }
        }
        for numbered in begun.isEmpty ? [] : NumberedStep.all(of: run.plan.scenario) {
            guard case .fault(let spec) = numbered.step.action else { continue }
            let id = numbered.faultName
            guard begun.contains(id) else { continue }
            let isApplied: Bool
            switch spec.kind.domain {
            case .request: isApplied = applied.contains(id)
            case .disk, .port:
                isApplied = run.backend.appliedDeviceFaults.contains(id)
            case .network: isApplied = true
            }
            if !isApplied { notes.append(RunNote(.fault, run.rows[numbered.number].text)) }
        }
        notes += brokenRaces(facts, run)
        if run.crash.isWaiting { notes.append(RunNote(.crash, "its crash never came")) }
        return notes + run.missedTriggers + run.idleSteps
    }

    /// Steps whose order of events did not come about: given up, or cut off by the story's end.
    private static func brokenRaces<RunBackend>(_ facts: [TraceEvent], _ run: ScenarioRun<RunBackend>)
        -> [RunNote]
    {
        var steps: [Int] = []
        var raced = 0
        for fact in facts {
            if case .raced = fact.kind { raced += 1 }
            if case .raceGivenUp(let step) = fact.kind, !steps.contains(step) { steps.append(step) }
        }
        let begun = run.plan.orders.filter { run.rows[$0.step].startedAt != nil }
        if steps.isEmpty, raced < begun.reduce(0, { $0 + $1.events.count }), let last = begun.last {
            steps.append(last.step)
        }
        return steps.filter(run.rows.indices.contains)
            .map { RunNote(.order, "its order never came about: \(run.rows[$0].text)") }
    }

    /// Each fault of the story in its own words, without the brackets.
    private static func faults<RunBackend>(_ run: ScenarioRun<RunBackend>) -> [(name: String, text: String)] {
        NumberedStep.all(of: run.plan.scenario).compactMap { numbered in
            guard case .fault = numbered.step.action else { return nil }
            var text = run.rows[numbered.number].text[...]
            if text.hasPrefix("{ "), text.hasSuffix(" }") { text = text.dropFirst(2).dropLast(2) }
            if text.hasPrefix("fault: ") { text = text.dropFirst(7) }
            return (numbered.faultName, String(text))
        }
    }

    /// - Returns: all entries, those that the result has no room for too.
    private func timeline<RunBackend>(_ result: inout ScenarioResult, _ run: ScenarioRun<RunBackend>)
        -> [TimelineEntry]
    {
        if timelineLimit == 0 { return [] }
        var teller = run.teller
        let facts = run.backend.trace
        teller.causes = Causes(facts)
        teller.faults = ScenarioRunner.faults(run)
        var entries: [TimelineEntry] = []
        var begins = run.stepBegins[...]
        var step: Int?
        for (place, fact) in facts.enumerated() {
            while let next = begins.first, next.place <= place {
                step = next.step
                begins.removeFirst()
            }
            if let entry = teller.entry(fact, step: step) { entries.append(entry) }
        }
        teller.causes.relink(&entries, facts)
        let all = entries
        let excess = entries.count - timelineLimit
        if excess > 0 {
            let head = timelineLimit / 2
            entries.removeSubrange(head..<(head + excess))
            result.timelineLeftOut = excess
        }
        result.timeline = entries
        return all
    }
}

extension NumberedStep {
    /// The name that a world knows the step's fault by.
    var faultName: String { step.name?.value ?? World.faultName(ofStep: number) }
}
