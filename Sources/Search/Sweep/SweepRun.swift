import Backend
import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage
import World

/// Runs scenarios again with one disturbance each time, or with two (``SweepPairs``), on all cores; the
/// result does not depend on the number of cores.
///
/// Expectations are off in a disturbed run, because a disturbance rightly changes what they expect; all rules
/// are on, and so is liveness. Deliberately not here: crashes at each disk operation (``CrashPointsRun``),
/// and a page that reads slowly.
package struct SweepRun: Sendable {
    package var level = SweepLevel.cells
    /// Of the cells of a file only those with these ids are tried (``CellShare``); nil: all.
    package var onlyCells: Set<UInt64>?
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    package var profiles: [DeviceProfile] = [.plain]
    package var checkers: [any Checker] = CheckerList.all
    /// Maximum number of findings kept for a scenario; all are counted.
    package var findings = 8
    /// Runs with two disturbances that are tried for each scenario and device.
    package var pairs = 0
    /// Performs disturbed worlds again with changes that must not matter (``SweepComparison``); nil: that is
    /// left out.
    package var metamorphic: MetamorphicCheck?
    /// Called with the name of the run before a disturbed world of it begins and before it goes on; false
    /// leaves it out. In the last call before this process dies is the world that was its end, if ``jobs``
    /// is 1.
    package var willTry: (@Sendable (_ run: String, [SweepSite]) -> Bool)?
    /// For tests of the laboratory: damages the device before the scenario begins.
    package var prepare: @Sendable (inout World) -> Void = { _ in }
    /// Called several times during a scenario, with its name and the share that is done.
    package var advance: @Sendable (_ scenario: String, CrashAdvance) -> Void = { _, _ in }

    package init() {}

    /// One report for each device of each scenario, in order.
    package func run(_ plans: [RunPlan]) async -> [SweepReport] {
        var reports: [SweepReport] = []
        for file in SweepRun.files(of: plans) { reports += await run(file: file) }
        return reports
    }

    /// The plans of each file; those of a file follow each other.
    package static func files(of plans: [RunPlan]) -> [[RunPlan]] {
        var files: [[RunPlan]] = []
        for plan in plans {
            if files.last?.last?.scenario.source.path == plan.scenario.source.path {
                files[files.count - 1].append(plan)
            } else {
                files.append([plan])
            }
        }
        return files
    }

    /// Ids of all cells of the scenarios of one file; one that can't be swept has none.
    package func cells(ofFile plans: [RunPlan]) -> Set<UInt64> {
        var known: Set<SweepCell> = []
        for plan in plans {
            let disturbances = SweepDisturbances.valid(in: plan.scenario, profiles: profiles.map(\.name))
            for device in 0..<max(1, plan.scenario.devices.count) {
                guard let base = try? run(plan, device, chosen: []), base.problem == nil else { continue }
                _ = SweepChoice(base.probe.points, disturbances, .cells, phase: 0, known: &known)
            }
        }
        return Set(known.map(\.id))
    }

    /// Sweeps the scenarios of one file. A cell is tried in the first of its cases that has it.
    private func run(file plans: [RunPlan]) async -> [SweepReport] {
        var reports: [SweepReport] = []
        var known: Set<SweepCell> = []
        for plan in plans {
            let disturbances = SweepDisturbances.valid(in: plan.scenario, profiles: profiles.map(\.name))
            for device in 0..<max(1, plan.scenario.devices.count) {
                if Task.isCancelled { return reports }
                let begun = ContinuousClock.now
                var report = await sweep(plan, device, disturbances, &known)
                report.wall = begun.duration(to: .now)
                reports.append(report)
            }
        }
        return reports
    }

    private func sweep(
        _ plan: RunPlan, _ device: Int, _ disturbances: [SweepDisturbance], _ known: inout Set<SweepCell>
    ) async -> SweepReport {
        var report = SweepReport(plan: plan, device: device)
        do throws(ScenarioFault) {
            let base = try run(plan, device, chosen: [])
            if let problem = base.problem {
                report.problem = problem
                return report
            }
            let choice = SweepChoice(
                base.probe.points, disturbances, level,
                phase: Int(FNV1a32.hash(of: report.name) % 1_000), only: onlyCells, known: &known)
            let points = base.probe.points
            let copies = try run(plan, device, chosen: choice.instants.map { points[$0.point].at }).probe
                .moments
            let moments = zip(choice.instants, copies).map { instant, copy in
                Sweep.Moment(
                    world: copy.world, at: copy.at + .microseconds(1),
                    circumstance: points[instant.point].circumstance, entry: copy.entry,
                    disturbances: instant.disturbances)
            }
            var kind = Sweep(
                disturbances: disturbances, schedule: base.probe.schedule, recovery: Recovery(of: plan))
            kind.willTry = watch(report.name)
            var limits = CrashLimits()
            (limits.depth, limits.findings) = (1, findings)
            var search = DisturbanceSearch(kind, limits: limits, jobs: jobs)
            if willTry != nil { search.slice = 1 }
            search.advance = { [advance, name = report.name] in advance(name, $0) }
            await search.search(moments)
            report.tally = SweepTally(choice, search.tally)
            report.cells = kind.coverage.table
            report.findings = search.findings.compactMap { finding in
                guard let site = finding.sites.first else { return nil }
                let later = finding.verdict.isOfFurtherUse ? Recovery.furtherUse : []
                let scenario = plan.disturbed(site, in: kind.schedule, then: later, on: report.device)
                return SweepReport.Finding(finding.verdict, at: [site], scenario)
            }
            if pairs > 0 {
                let tried = moments.flatMap { moment in
                    moment.disturbances.map {
                        SweepSite(
                            disturbance: disturbances[$0], at: moment.at, circumstance: moment.circumstance)
                    }
                }
                let both = SweepPairs(
                    run: self, plan: plan, device: device, deviceName: report.device,
                    disturbances: disturbances)
                await both.add(to: &report, after: tried, in: kind.schedule)
            }
            if let metamorphic, device == 0 {
                let comparison = SweepComparison(
                    check: metamorphic, plan: plan, disturbances: disturbances,
                    profiles: profiles.map(\.name), jobs: jobs, mostFindings: 2 * findings)
                await comparison.add(to: &report)
            }
        } catch {
            report.problem = error.message
        }
        return report
    }

    /// ``willTry`` for the worlds of a run.
    func watch(_ run: String) -> (@Sendable ([SweepSite]) -> Bool)? {
        guard let willTry else { return nil }
        return { sites in willTry(run, sites) }
    }

    /// Runs the scenario without a disturbance, and keeps copies of the world at the chosen instants.
    func run(
        _ plan: RunPlan, _ device: Int, chosen: [Instant]
    ) throws(ScenarioFault) -> (probe: SweepProbe, problem: String?) {
        let compiler = ScenarioCompiler(
            scenario: plan.scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var world: World
        do throws(SetupError) {
            world = try World(setup)
        } catch {
            throw ScenarioFault(error, in: plan.scenario)
        }
        world.isRecording = true
        prepare(&world)
        let observed = ObservedState(
            app: setup.app, versions: setup.versions,
            profile: setup.devices.indices.contains(device) ? setup.devices[device] : .plain,
            names: VersionNames(setup.versions) { world.key(ofVersion: $0) })
        let watch = RunObserver(
            observed: observed, checkers: CheckerList(checkers), origin: setup.origin, device: device,
            hasOthers: setup.devices.count > 1)
        var observedWorld = ObservedWorld(world: world, observer: watch, endsAtAnyOperation: false)
        observedWorld.coverage = CoverageReader(
            devices: max(1, setup.devices.count), faults: plan.namedFaults)
        let probe = SweepProbe(observedWorld, chosen: chosen)
        var run = ScenarioRun(plan: plan, setup: setup, backend: probe, checkers: CheckerList([]))
        run.willBegin = { step, run in run.backend.begin(step) }
        run.runSteps()
        run.backend.disarm()
        let failure = run.backend.findings.first?.violation.headline ?? run.found.first?.failure.headline
        let problem = failure.map { "fails without a disturbance: \($0)" } ?? run.exhausted?.text
        return (run.backend, problem)
    }
}

extension SweepTally {
    mutating func add(_ tally: CrashTally) {
        withoutEffect += tally.pointsLeftOut
        worlds += tally.launched
        used += tally.used
        unfinished += tally.unfinished
        failures += tally.failures
    }

    fileprivate init(_ choice: SweepChoice, _ tally: CrashTally) {
        self.init()
        cells = choice.cells
        points = choice.candidates
        tried = choice.tried
        add(tally)
    }
}

extension SweepDisturbances {
    /// The disturbances that are valid steps of a scenario.
    static func valid(in scenario: Scenario, profiles: [String]) -> [SweepDisturbance] {
        var left = all(for: scenario)
        var head = ScenarioPrinter.tree(of: scenario).pairs.filter { $0.key != "steps" && $0.key != "covers" }
        head = head.filter { $0.key != "cases" && $0.key != "xfail" }
        while !left.isEmpty {
            var text = "{\n"
            for pair in head { text += "\(pair.key): \(pair.value.line),\n" }
            text += "steps: [\n"
            for disturbance in left {
                let steps = disturbance.steps.map { ScenarioPrinter.value(of: $0.action).line }
                text += steps.joined(separator: ",") + ",\n"
            }
            text += "]}\n"
            let reading = ScenarioReader.read(
                path: scenario.source.path, bytes: Array(text.utf8), devices: profiles)
            let wrong = Set(
                reading.diagnostics.filter { $0.severity == .error }.map {
                    $0.file.position(of: $0.span.start).line - head.count - 3
                })
            if wrong.isEmpty { return left }
            let valid = left.enumerated().filter { !wrong.contains($0.offset) }.map(\.element)
            if valid.count == left.count { return [] }
            left = valid
        }
        return []
    }
}
