import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// Runs one plan in a separate world and makes its result.
package struct ScenarioRunner: Sendable {
    package var profiles: [DeviceProfile]
    /// Limit of the entries of a timeline; the first and the last ones are kept. 0: no timeline.
    package var timelineLimit = 400
    /// Whether a run that passes has a timeline too.
    package var tracesPassed = true
    /// Whether device states are recorded (``ScenarioResult/moments``); costs time.
    package var recordsMoments = false
    /// Whether it is counted what the run reaches (``ScenarioResult/cells``).
    package var recordsCoverage = false
    /// Whether the events of the digest are kept, so that two runs can be compared; costs memory.
    var keepsDigestedEvents = false
    /// Whether a step whose trigger never came is no failure: its ``StepResult/outcome`` says so.
    package var toleratesMissedTriggers = false
    /// In a second run: the expectation that failed in the first.
    package var trackedExpectation: FailedExpectation?
    /// Limit of the moments that a result keeps.
    package static let maxMoments = 600

    package init(profiles: [DeviceProfile] = [.plain]) { self.profiles = profiles }

    /// What all runs of one scenario share: its initial world, with the bytes of all versions, and the stored
    /// contents that have been read.
    package struct Prepared: Sendable {
        package var setup: WorldSetup
        package let fresh: World
        package let stepResults: [StepResult]
        package let readings: StoredContentCache

        package var library: VersionLibrary { fresh.library }
    }

    /// - Parameter last: another scenario, mostly a case of the same file, whose world this one shares if
    ///   nothing in it differs.
    package func prepare(_ scenario: Scenario, after last: Prepared? = nil) throws(ScenarioFault)
        -> Prepared
    {
        let compiler = ScenarioCompiler(scenario: scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: 0)
        let stepResults = StepResult.initial(of: scenario)
        if let last, last.setup == setup {
            return Prepared(
                setup: setup, fresh: last.fresh, stepResults: stepResults, readings: last.readings)
        }
        let dialect = setup.app.dialect
        let readings = last.flatMap { $0.setup.app.dialect == dialect ? $0.readings : nil }
        do throws(SetupError) {
            return Prepared(
                setup: setup, fresh: try World(setup), stepResults: stepResults,
                readings: readings ?? StoredContentCache(dialect: dialect))
        } catch {
            throw ScenarioFault(error, in: scenario)
        }
    }

    /// The mistake for which a run refuses the scenario, if the reader can't see it: a real build that is not
    /// there, a route or a size that no manifest can state.
    package func fault(of scenario: Scenario) -> ScenarioFault? {
        do throws(ScenarioFault) {
            let compiler = ScenarioCompiler(
                scenario: scenario, profiles: profiles, readFolder: BuildFolder.read)
            let setup = try compiler.setup(seed: 0)
            do throws(SetupError) {
                try setup.validate()
                return nil
            } catch {
                return ScenarioFault(error, in: scenario)
            }
        } catch {
            return error
        }
    }

    /// - Parameter prepared: the same scenario, prepared; for several runs of it.
    package func run(_ plan: RunPlan, _ prepared: Prepared? = nil) -> ScenarioResult {
        runOnce(plan, prepared).result
    }

    /// - Returns: the result, and the expectation that failed, for
    ///   ``rerunForExplanation(_:_:_:_:recordsMoments:)``.
    package func runOnce(_ plan: RunPlan, _ prepared: Prepared?) -> (
        result: ScenarioResult, failedExpectation: FailedExpectation?
    ) {
        var trace: [DigestedEvent] = []
        return runOnce(plan, prepared, trace: &trace)
    }

    /// - Parameter trace: set to the events of the digest if ``keepsDigestedEvents``.
    package func runOnce(_ plan: RunPlan, _ prepared: Prepared?, trace: inout [DigestedEvent]) -> (
        result: ScenarioResult, failedExpectation: FailedExpectation?
    ) {
        var result = ScenarioRunner.blank(plan)
        if let reason = plan.scenario.skip?.value {
            result.verdict = .skipped
            result.reason = reason
            return (result, nil)
        }
        var failedExpectation: FailedExpectation?
        do throws(ScenarioFault) {
            let ready = if let prepared { prepared } else { try prepare(plan.scenario) }
            let hasCrash = plan.scenario.steps.contains { $0.verb == .crash }
            let finished = run(
                plan, ready, on: world(of: plan, ready),
                checkers: hasCrash ? CheckerList.crashing : CheckerList.all
            ) { if hasCrash { $0.enableCrashSteps() } }
            failedExpectation = finished.run.failedExpectation
            trace = finished.run.backend.digestedEvents
            result = finished.result
        } catch {
            result.verdict = .invalid
            result.diagnostics.append(DiagnosticResult(error.diagnostic(in: plan.scenario)))
            result.line = result.diagnostics.first?.location.line ?? 1
        }
        return (result, failedExpectation)
    }

    /// The world of a run in which nothing has happened yet.
    func world(of plan: RunPlan, _ ready: Prepared) -> World {
        var world = World(like: ready.fresh, seed: plan.worldSeed)
        world.isRecording = true
        world.isTracing = keepsDigestedEvents
        return world
    }

    /// Runs the whole scenario on a new backend.
    /// - Parameter prepare: changes the run before it begins.
    package func run<RunBackend: Backend>(
        _ plan: RunPlan, _ ready: Prepared, on backend: RunBackend,
        checkers: [any Checker] = CheckerList.all,
        prepare: (inout ScenarioRun<RunBackend>) -> Void = { _ in }
    ) -> (result: ScenarioResult, run: ScenarioRun<RunBackend>) {
        var run = begun(plan, ready, on: backend, checkers: checkers)
        prepare(&run)
        run.run()
        return (result(of: run, ready), run)
    }

    /// A run before its first step.
    func begun<RunBackend: Backend>(
        _ plan: RunPlan, _ ready: Prepared, on backend: RunBackend,
        checkers: [any Checker] = CheckerList.all
    ) -> ScenarioRun<RunBackend> {
        var run = ScenarioRun(
            plan: plan, setup: ready.setup, backend: backend, checkers: CheckerList(checkers),
            stepResults: ready.stepResults, readings: ready.readings)
        if recordsMoments { run.startDeviceTimelines() }
        run.wrongSinceTracker = trackedExpectation.map { WrongSinceTracker($0) }
        run.toleratesMissedTriggers = toleratesMissedTriggers
        return run
    }

    /// The result of a run that has ended.
    func result<RunBackend>(of run: ScenarioRun<RunBackend>, _ ready: Prepared) -> ScenarioResult {
        var result = ScenarioRunner.blank(run.plan)
        finish(&result, run, time: ready.setup.origin.epoch + (run.backend.now - .zero))
        return result
    }

    package static func blank(_ plan: RunPlan) -> ScenarioResult {
        let scenario = plan.scenario
        var result = ScenarioResult(
            id: scenario.id, name: plan.name, file: scenario.source.path, title: scenario.title.value)
        result.caseName = scenario.caseName?.value
        result.covers = scenario.covers.map(\.value)
        result.tags = scenario.tags.map(\.value)
        result.issue = scenario.issue?.value
        let devices = scenario.devices.map { "\($0.name.value): \($0.profile.value)" }
        result.device = devices.isEmpty ? scenario.device.value : devices.joined(separator: ", ")
        let changes = scenario.deviceChanges.keys
        if !changes.isEmpty { result.device += " except " + changes.joined(separator: ", ") }
        result.seed = plan.worldSeed
        if let span = scenario.caseName?.span {
            result.line = scenario.source.position(of: span.start).line
        }
        return result
    }

    // MARK: - The result

    /// - Parameter time: the origin's time at the end.
    private func finish<RunBackend>(
        _ result: inout ScenarioResult, _ run: ScenarioRun<RunBackend>, time: OriginTime
    ) {
        let events = run.backend.trace
        result.steps = run.stepResults
        result.virtualDuration = run.backend.now - .zero
        result.events = run.backend.eventCount
        result.digest = run.backend.digest
        let found = run.found + ScenarioRunner.bounds(events, run).map { FoundFailure($0) }
        // A failure of liveness is last, because it is mostly a consequence of the others.
        let isLast = { (found: FoundFailure) in found.failure.kind == .liveness }
        let failures = found.filter { !isLast($0) } + found.filter(isLast)
        result.failures = failures.map(\.failure)
        if recordsCoverage {
            var reader = CoverageReader(devices: run.deviceCount, faults: run.plan.namedFaults)
            reader.observe(events)
            result.cells = reader.table
            for device in 0..<run.deviceCount {
                result.cells.add(run.observer(of: device).checkers.decisions)
            }
            result.discoveries = reader.discoveries.map { found in
                CoverageDiscovery(key: found.key, step: run.step(atEventIndex: found.event))
            }
        }
        let times = TimesReader.read(events, devices: run.deviceCount)
        result.times = times.times
        result.switches = times.switches
        result.rescues = times.rescues
        result.starts = (0..<run.deviceCount).reduce(0) { $0 + run.observer(of: $1).observed.starts.count }
        result.running = run.runningVersions(at: time)
        result.notes = ScenarioRunner.notes(events, run)
        setVerdict(&result, run)
        let entries = tracesPassed || result.verdict != .passed ? timeline(&result, run) : []
        // The verdict adds a failure where the run found none.
        let all = failures.isEmpty ? result.failures.map { FoundFailure($0) } : failures
        result.failures = explained(all, run, entries)
        if recordsMoments {
            result.moments = run.moments.folded(
                to: ScenarioRunner.maxMoments, keeping: result.timeline.map(\.ordinal))
        }
        if result.verdict != .passed {
            result.source = String(decoding: run.plan.scenario.source.bytes, as: UTF8.self)
        }
        if let line = result.failures.first?.location?.line { result.line = line }
    }

    private func setVerdict<RunBackend>(_ result: inout ScenarioResult, _ run: ScenarioRun<RunBackend>) {
        let reason = run.plan.scenario.xfail
        if let exhausted = run.exhausted, result.failures.isEmpty {
            // A device that is busy without end drains its battery, whatever limits a file has.
            result.verdict = exhausted.isBusyLoop ? .failed : .inconclusive
            var failure = Failure(
                kind: .bound, headline: "The scenario did not end: \(exhausted.text)", at: run.backend.now)
            failure.step = result.steps.last { $0.startedAt != nil }?.index
            failure.location = failure.step.flatMap { index in
                NumberedStep.all(of: run.plan.scenario).first { $0.index == index }
                    .map { FileLocation($0.step.verbSpan, in: run.plan.scenario.source) }
            }
            let flag = RunLimit(exhausted, in: run.plan.scenario)?.flag
            failure.help = exhausted.help(flag: flag)
            failure.reproduction = Reproduction.command(run.plan) + (flag.map { " \($0)" } ?? "")
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
        failure.location = FileLocation(reason.span, in: run.plan.scenario.source)
        failure.help = "remove xfail: what it waited for holds"
        failure.reproduction = Reproduction.command(run.plan)
        result.failures = [failure]
    }

    /// A failure for the first `handle` call that exceeded the limits of a bounded step.
    private static func bounds<RunBackend>(_ events: [TraceEvent], _ run: ScenarioRun<RunBackend>)
        -> [Failure]
    {
        for (index, event) in events.enumerated() {
            let text: String
            let help: String
            switch event.kind {
            case .boundExceeded(let counts):
                text = "\(counts)"
                help =
                    "a step may make \(StepCounts.maxOthers) calls to the disk and read"
                    + " \(StepCounts.maxBytesRead >> 10) KiB, without a sync: the app must leave the rest to"
                    + " later steps"
            case .callsOnStoppedDisk(let count):
                text = "\(count) calls on a stopped disk"
                help = "every call fails from the stop on: the app must give up instead of trying for ever"
            default: continue
            }
            var failure = Failure(
                kind: .boundedStep, headline: "One step of the app did too much: \(text)", at: event.at)
            failure.step = run.step(atEventIndex: index)
            failure.help = help
            if case .boundExceeded = event.kind { failure.identity.pattern = "step" }
            failure.wrongSince = event.at
            failure.wrongSinceEvent = event.ordinal
            failure.reproduction = Reproduction.command(run.plan)
            return [failure]
        }
        return []
    }

    /// Notes about faults that began and were never applied, about steps whose trigger never fired in a run
    /// that ended early, and about steps that changed nothing. A request fault is applied when it meets a
    /// request, a disk or port fault when it changes the result of a call.
    private static func notes<RunBackend>(_ events: [TraceEvent], _ run: ScenarioRun<RunBackend>) -> [RunNote]
    {
        var notes: [RunNote] = []
        var begun: [String] = []
        var applied: [String] = []
        for event in events {
            if case .faultBegan(let id, _, _, _, _) = event.kind { begun.append(id) }
            if case .faultApplied(let id) = event.kind { applied.append(id) }
        }
        for numbered in begun.isEmpty ? [] : NumberedStep.all(of: run.plan.scenario) {
            guard case .fault(let spec) = numbered.step.action else { continue }
            let id = numbered.faultName
            guard begun.contains(id) else { continue }
            let isApplied: Bool
            switch spec.kind.domain {
            case .request: isApplied = applied.contains(id)
            case .disk, .port, .timers:
                isApplied = run.backend.appliedDeviceFaults.contains(id)
            case .network: isApplied = true
            }
            if !isApplied { notes.append(RunNote(.fault, run.stepResults[numbered.index].text)) }
        }
        notes += brokenRaces(events, run)
        if run.crash.isWaiting { notes.append(RunNote(.crash, "its crash never came")) }
        if let note = run.judgement.note { notes.append(note) }
        return notes + run.missedTriggers + run.idleSteps + run.idleArmedSteps
    }

    /// Notes about steps whose order of events was not reached: the race was given up, or the run ended.
    private static func brokenRaces<RunBackend>(_ events: [TraceEvent], _ run: ScenarioRun<RunBackend>)
        -> [RunNote]
    {
        var steps: [Int] = []
        var raced = 0
        for event in events {
            if case .raced = event.kind { raced += 1 }
            if case .raceGivenUp(let step) = event.kind, !steps.contains(step) { steps.append(step) }
        }
        let begun = run.plan.orders.filter { run.stepResults[$0.step].startedAt != nil }
        if steps.isEmpty, raced < begun.reduce(0, { $0 + $1.events.count }), let last = begun.last {
            steps.append(last.step)
        }
        return steps.filter(run.stepResults.indices.contains)
            .map { RunNote(.order, "its order never came about: \(run.stepResults[$0].text)") }
    }

    /// Text of each fault in the scenario file, without brackets.
    private static func faults<RunBackend>(_ run: ScenarioRun<RunBackend>) -> [(name: String, text: String)] {
        NumberedStep.all(of: run.plan.scenario).compactMap { numbered in
            guard case .fault = numbered.step.action else { return nil }
            var text = run.stepResults[numbered.index].text[...]
            if text.hasPrefix("{ "), text.hasSuffix(" }") { text = text.dropFirst(2).dropLast(2) }
            if text.hasPrefix("fault: ") { text = text.dropFirst(7) }
            return (numbered.faultName, String(text))
        }
    }

    /// - Returns: all entries, also those beyond ``timelineLimit``.
    private func timeline<RunBackend>(_ result: inout ScenarioResult, _ run: ScenarioRun<RunBackend>)
        -> [TimelineEntry]
    {
        if timelineLimit == 0 { return [] }
        var formatter = run.formatter
        let events = run.backend.trace
        formatter.causes = Causes(events)
        formatter.faults = ScenarioRunner.faults(run)
        var entries: [TimelineEntry] = []
        var starts = run.stepStarts[...]
        var step: Int?
        for (index, event) in events.enumerated() {
            while let next = starts.first, next.index <= index {
                step = next.step
                starts.removeFirst()
            }
            if let entry = formatter.entry(event, step: step) { entries.append(entry) }
        }
        formatter.causes.relink(&entries, events)
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
    /// Name of the step's fault in the world.
    var faultName: String { step.name?.value ?? World.faultName(ofStep: index) }
}
