import Core
import Foundation
import ScenarioLanguage
import Updater
import World

/// Runs all scenarios of a set of files and gathers their results.
///
/// Guarantees: a result is a function of scenario, seed and program; one invalid file never hides the others.
package enum ScenarioSuite {
    package struct Options: Sendable {
        package var seed: UInt64 = 42
        /// Number of scenarios that run at the same time; the results don't depend on it.
        package var jobs = ProcessInfo.processInfo.activeProcessorCount
        package var commandLine: [String] = []
        /// Name and version of somebody else's updater that is run; nil: the project's own.
        package var subject: String?
        /// The devices that scenarios can name.
        package var profiles = ProfileSet()
        /// Whether every scenario is run twice and the digests are compared.
        package var checksDeterminism = false
        /// Whether every run is performed again with changes that must not matter (``MetamorphicCheck``).
        package var checksTransformations = false
        /// Whether a failure is explained by events and device states; a search over many runs needs none.
        package var explains = true
        /// Whether only a summary of a run that passes is wanted (``ScenarioResult/condensed(keepsSteps:)``,
        /// without steps): its timeline is not made, and none of it is sent by a worker.
        package var condensesPassed = false
        /// Whether it is counted what the runs reach (``RunResults/cells``).
        package var recordsCoverage = false
        /// Runs whose results have the device's states (``ScenarioResult/moments``). Each of them is
        /// performed a second time; the others cost nothing more.
        package var moments = Traces.failed
        /// Filter of the scenarios; nil: all. Files that can't be read are always reported.
        package var chooses: (@Sendable (Scenario) -> Bool)?
        /// Part of the selected scenarios that is run; nil: all.
        package var shard: Shard?
        /// What the scenarios cost by id, which balances the shards; nil: a hash of the id decides.
        package var shardCosts: ShardCosts?
        /// Limits in addition to those of the scenario; the smaller one counts.
        package var maxEvents: Int?
        package var maxVirtualTime: TimeSpan?
        /// Performs a planned run elsewhere, such as in a worker process; nil: in this process. Called from
        /// many tasks, at most ``jobs`` and ``runsAhead`` at a time.
        package var makeRun: (@Sendable (PlannedRun) async -> ScenarioResult)?
        /// Runs that are handed to ``makeRun`` beyond ``jobs``, so that a worker has its next one at once,
        /// and not only when its last result has been read.
        package var runsAhead = 0
        /// What is kept of a result until all runs have ended, from the result and the number of results to
        /// expect; nil: all of it. Called once for each result.
        package var keep: (@Sendable (ScenarioResult, Int) -> ScenarioResult)?
        /// Receives the progress; called from many threads.
        package var progress: (@Sendable (Progress) -> Void)?

        package init() {}
    }

    /// Runs whose traces a report shows.
    package enum Traces: String, Hashable, Sendable, CaseIterable {
        case none
        /// All runs that did not simply pass (``Verdict/needsTrace``).
        case failed
        case all
    }

    /// Progress of a run of the suite.
    package enum Progress: Sendable {
        /// The number of results to expect. The frame has everything but them, and lists all as not run.
        case selected(Int, frame: RunResults)
        /// Index among the expected results, from 0.
        case began(Int, name: String)
        /// With what is kept of the result.
        case ended(Int, ScenarioResult, kept: KeptResult)
    }

    /// What is kept of a result until the end of the run, in one copy for all who hold it.
    package final class KeptResult: Sendable {
        package let result: ScenarioResult

        package init(_ result: ScenarioResult) { self.result = result }
    }

    /// Reads all files, runs their scenarios, and gathers the results in the order of the files.
    /// A file that can't be read or is invalid is a result too; the others still run.
    package static func run(_ files: [ScenarioFile], _ options: Options = Options()) async -> RunResults {
        let started = Date()
        let selection = SuiteSelection(files, options)
        var selected = selection.runs
        if let shard = options.shard {
            let own = shard.ids(among: selected.map(\.notRun.id), options.shardCosts)
            selected.removeAll { !own.contains($0.notRun.id) }
        }
        var all = frame(files, selection, options, started: started)
        all.notRun = selected.map(\.notRun)
        options.progress?(.selected(selected.count, frame: all))
        let (results, cells) = await run(selected, SlotReader(files, options), options)
        all.cells = cells.entries
        all.scenarios = results.compactMap { $0?.result }
        all.notRun = zip(all.notRun, results).filter { $0.1 == nil }.map { $0.0 }
        all.coverage = RuleCoverage.table(of: all.scenarios)
        all.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(started) * 1_000_000))
        all.isPartial = Task.isCancelled
        return all
    }

    /// Results without scenarios.
    private static func frame(
        _ files: [ScenarioFile], _ selection: SuiteSelection, _ options: Options, started: Date
    ) -> RunResults {
        var all = RunResults(
            toolVersion: ToolVersion.current, commandLine: options.commandLine, seed: options.seed)
        all.scenarioSetDigest = digest(options.profiles.files + files, included: selection.included)
        all.selected = selection.runs.count
        all.shard = options.shard
        all.subject = options.subject
        all.startedAt = Int64(started.timeIntervalSince1970)
        return all
    }

    /// The digest of the paths and bytes of files (``RunResults/scenarioSetDigest``).
    package static func digest(_ files: [ScenarioFile], included: [SourceFile]) -> UInt64 {
        var digest = RollingDigest()
        for file in files {
            digest.mix(bytes: file.path.utf8)
            digest.mix(bytes: file.withBytes().bytes)
        }
        for file in included {
            digest.mix(bytes: file.path.utf8)
            digest.mix(bytes: file.bytes)
        }
        return digest.value
    }

    /// A run to perform, or a result that needs no run.
    package enum Slot: Sendable {
        case plan(RunPlan, ScenarioRunner.Prepared?, [DiagnosticResult])
        case result(ScenarioResult)

        package var id: String {
            switch self {
            case .plan(let plan, _, _): plan.scenario.id
            case .result(let result): result.id
            }
        }

        package var name: String {
            switch self {
            case .plan(let plan, _, _): plan.name
            case .result(let result): result.name
            }
        }

        /// An empty result.
        var unrun: ScenarioResult {
            switch self {
            case .plan(let plan, _, _): ScenarioRunner.blank(plan)
            case .result(let result): result
            }
        }
    }

    /// The runs of a file, or the result that says what is wrong with it.
    /// - Parameter isPreparing: whether a scenario of several runs is prepared for them.
    static func read(_ file: ScenarioFile, _ options: Options, isPreparing: Bool) -> [Slot] {
        let file = file.withBytes()
        if let error = file.error {
            return [.result(invalid(file, [.unreadable(file.path, error)]))]
        }
        let reading = file.read(devices: options.profiles.names)
        let diagnostics = reading.diagnostics.map { DiagnosticResult($0) }
        if reading.hasErrors || reading.scenarios.isEmpty { return [.result(invalid(file, diagnostics))] }
        var selected = reading.scenarios(atLine: file.line)
        if let chooses = options.chooses { selected.removeAll { !chooses($0) } }
        return selected.flatMap { scenario in
            let scenario = bounded(scenario, options)
            let plans = RunPlan.plans(for: scenario, seed: options.seed)
            let isShared = isPreparing && plans.count > 1 && options.makeRun == nil
            let prepared = isShared ? prepare(scenario, options) : nil
            return plans.map { Slot.plan($0, prepared, diagnostics) }
        }
    }

    package static func bounded(_ scenario: Scenario, _ options: Options) -> Scenario {
        var scenario = scenario
        if let most = options.maxEvents, scenario.limits.events.map({ $0.value > most }) ?? true {
            scenario.limits.events = Spanned(most, scenario.title.span)
        }
        if let most = options.maxVirtualTime, scenario.limits.virtualTime.map({ $0.value > most }) ?? true {
            scenario.limits.virtualTime = Spanned(most, scenario.title.span)
        }
        return scenario
    }

    /// Prepares a scenario for several runs. Nil if it is invalid; each run then reports why.
    static func prepare(_ scenario: Scenario, _ options: Options) -> ScenarioRunner.Prepared? {
        do throws(ScenarioFault) {
            return try ScenarioRunner(profiles: options.profiles.profiles).prepare(scenario)
        } catch {
            return nil
        }
    }

    static func invalid(_ file: ScenarioFile, _ diagnostics: [DiagnosticResult]) -> ScenarioResult {
        let name = ScenarioReader.id(of: file.path)
        var result = ScenarioResult(id: name, name: name, file: file.path, title: "(file)")
        result.verdict = .invalid
        result.diagnostics = diagnostics
        result.line = diagnostics.first { $0.isError }?.location.line ?? 1
        return result
    }

    // MARK: - Workers

    /// Performs all runs; nil for one that was not begun because the task was cancelled.
    private static func run(
        _ selected: [SelectedRun], _ reader: SlotReader, _ options: Options
    ) async -> (results: [KeptResult?], cells: CoverageTable) {
        var cells = CoverageTable()
        var results = [KeptResult?](repeating: nil, count: selected.count)
        await withTaskGroup(of: (Int, ScenarioResult).self) { group in
            var next = 0
            func addOne() {
                guard next < selected.count, !Task.isCancelled else { return }
                let resultIndex = next
                let run = selected[resultIndex]
                next += 1
                group.addTask {
                    options.progress?(.began(resultIndex, name: run.notRun.name))
                    var result = await performed(reader.slot(of: run), options)
                    result.selectionIndex = run.notRun.selectionIndex
                    result.shareTexts(of: run.notRun)
                    return (resultIndex, result)
                }
            }
            for _ in 0..<max(1, options.jobs) + options.runsAhead { addOne() }
            for await (index, var result) in group {
                cells.add(result.cells)
                result.cells = CoverageTable()
                let kept = KeptResult(options.keep?(result, selected.count) ?? result)
                results[index] = kept
                options.progress?(.ended(index, result, kept: kept))
                addOne()
            }
        }
        return (results, cells)
    }

    /// Performs a run here or through ``Options/makeRun``.
    private static func performed(_ slot: Slot, _ options: Options) async -> ScenarioResult {
        guard let makeRun = options.makeRun, case .plan(let plan, _, let diagnostics) = slot else {
            return result(of: slot, options)
        }
        let start = Date()
        var result = await makeRun(PlannedRun(plan))
        if result.endedFromOutside {
            // The process ended before it could report diagnostics or wall time.
            result.diagnostics = diagnostics
            result.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(start) * 1_000_000))
        }
        return result
    }

    /// The result of one plan with the limits of the options, performed here or through
    /// ``Options/makeRun``.
    package static func result(of plan: RunPlan, _ options: Options) async -> ScenarioResult {
        var plan = plan
        plan.scenario = bounded(plan.scenario, options)
        return await performed(.plan(plan, nil, []), options)
    }

    package static func result(of slot: Slot, _ options: Options) -> ScenarioResult {
        switch slot {
        case .result(let result): return result
        case .plan(let plan, let prepared, let diagnostics):
            let start = Date()
            var runner = ScenarioRunner(profiles: options.profiles.profiles)
            runner.keepsDigestedEvents = options.checksDeterminism
            runner.recordsCoverage = options.recordsCoverage
            if !options.explains { runner.timelineLimit = 0 }
            runner.tracesPassed = !options.condensesPassed
            var trace: [DigestedEvent] = []
            var (result, failedExpectation) = runner.runOnce(plan, prepared, trace: &trace)
            if options.checksDeterminism { DeterminismCheck.compare(&result, trace, plan, runner) }
            runner.keepsDigestedEvents = false
            if options.checksTransformations { MetamorphicCheck(runner).check(&result, plan) }
            let recordsMoments =
                options.moments == .all || (options.moments == .failed && result.verdict.needsTrace)
            if options.explains {
                runner.rerunForExplanation(
                    &result, failedExpectation, plan, prepared, recordsMoments: recordsMoments)
            }
            result.diagnostics = diagnostics + result.diagnostics
            result.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(start) * 1_000_000))
            let isCondensed = options.condensesPassed && result.verdict == .passed
            return isCondensed ? result.condensed(keepsSteps: false) : result
        }
    }
}
