import Core
import Foundation
import ScenarioLanguage
import Updater
import World

extension Laboratory {
    /// How a run is made.
    package struct Options: Sendable {
        package var seed: UInt64 = 42
        /// Scenarios that run at the same time; the results don't depend on it.
        package var jobs = ProcessInfo.processInfo.activeProcessorCount
        package var commandLine: [String] = []
        /// The devices that scenarios can name.
        package var profiles = ProfileSet()
        /// Runs every scenario twice and compares the digests.
        package var checksDeterminism = false
        /// Which runs are told with what was on the device from moment to moment. Such a run is made a second
        /// time; the others pay nothing.
        package var moments = Traces.failed
        /// Which scenarios of the files are meant; nil means all. Files that can't be read always are.
        package var chooses: (@Sendable (Scenario) -> Bool)?
        /// Only this part of what is meant.
        package var shard: Shard?
        /// Bounds on top of those of the scenario; the smaller one counts.
        package var maxEvents: Int?
        package var maxVirtualTime: TimeSpan?
        /// Makes a planned run in place of this process, which then neither prepares nor makes any; nil: runs
        /// are made here. Called from many tasks, at most ``jobs`` at a time.
        package var makeRun: (@Sendable (PlannedRun) async -> ScenarioResult)?
        /// Called from many threads.
        package var progress: (@Sendable (Progress) -> Void)?

        package init() {}
    }

    /// Which runs' traces are meant.
    package enum Traces: String, Hashable, Sendable, CaseIterable {
        case none
        /// All that did not simply pass.
        case failed
        case all
    }

    /// What a run tells while it goes on.
    package enum Progress: Sendable {
        /// So many results are to come; the frame has everything but them, and says that none was run.
        case selected(Int, frame: RunResults)
        /// By its number among those that are to come, from 0.
        case began(Int, name: String)
        case ended(Int, ScenarioResult)
    }

    /// Reads all files, runs what is in them, and gathers the results in the order of the files.
    /// A file that can't be read, or says what can't be, is a result too; the others still run.
    package static func run(_ files: [ScenarioFile], _ options: Options = Options()) async -> RunResults {
        let started = Date()
        let slots = slots(of: files, options)
        var meant: [(place: Int, slot: Slot)] = slots.enumerated().map { ($0.offset, $0.element) }
        if let shard = options.shard { meant.removeAll { !shard.holds(id: $0.slot.id) } }
        var all = frame(files, slots, options, started: started)
        all.notRun = meant.map { NotRun($0.slot.unrun, place: $0.place) }
        options.progress?(.selected(meant.count, frame: all))
        let results = await run(meant, options)
        all.scenarios = results.compactMap { $0 }
        all.notRun = zip(all.notRun, results).filter { $0.1 == nil }.map { $0.0 }
        all.coverage = RuleCoverage.table(of: all.scenarios)
        all.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(started) * 1_000_000))
        all.isPartial = Task.isCancelled
        return all
    }

    /// Results without scenarios.
    private static func frame(
        _ files: [ScenarioFile], _ slots: [Slot], _ options: Options, started: Date
    ) -> RunResults {
        var all = RunResults(toolVersion: version, commandLine: options.commandLine, seed: options.seed)
        var digest = RollingDigest()
        for file in options.profiles.files + files {
            for byte in file.path.utf8 { digest.mix(UInt64(byte)) }
            for byte in file.bytes { digest.mix(UInt64(byte)) }
        }
        for used in used(slots) {
            for byte in used.path.utf8 { digest.mix(UInt64(byte)) }
            for byte in used.bytes { digest.mix(UInt64(byte)) }
        }
        all.scenarioSetDigest = digest.value
        all.selected = slots.count
        all.shard = options.shard
        all.startedAt = Int64(started.timeIntervalSince1970)
        return all
    }

    /// What is to be run, each name once: a report could not tell two apart.
    private static func slots(of files: [ScenarioFile], _ options: Options) -> [Slot] {
        var slots: [Slot] = options.profiles.results.map { .result($0) }
        var owners: [String: ScenarioFile] = [:]
        for file in files {
            for slot in read(file, options) {
                guard let owner = owners[slot.name] else {
                    owners[slot.name] = file
                    slots.append(slot)
                    continue
                }
                if owner.path == file.path { continue }
                let place = SourcePlace(file: file.path, line: 1, column: 1, length: 1, text: "")
                let again = DiagnosticResult(
                    code: DiagnosticCode.duplicateName.rawValue, isError: true,
                    message: "the scenario '\(slot.name)' is also in \(owner.path)", label: "",
                    place: place, help: "give one of them another id")
                slots.append(.result(invalid(file, [again])))
            }
        }
        return slots
    }

    /// A run to be made, or a result that stands already.
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

        /// A result without anything found.
        var unrun: ScenarioResult {
            switch self {
            case .plan(let plan, _, _): ScenarioRunner.blank(plan)
            case .result(let result): result
            }
        }
    }

    /// Files that the scenarios use, each once: they decide what was run as much as the scenarios do.
    private static func used(_ slots: [Slot]) -> [SourceFile] {
        var files: [SourceFile] = []
        for case .plan(let plan, _, _) in slots {
            for part in plan.scenario.source.included
            where !files.contains(where: { $0.path == part.file.path }) {
                files.append(part.file)
            }
        }
        return files
    }

    package static func read(_ file: ScenarioFile, _ options: Options) -> [Slot] {
        if let error = file.error {
            return [.result(invalid(file, [.unreadable(file.path, error)]))]
        }
        let reading = file.read(devices: options.profiles.names)
        let diagnostics = reading.diagnostics.map { DiagnosticResult($0) }
        if reading.hasErrors || reading.scenarios.isEmpty { return [.result(invalid(file, diagnostics))] }
        var meant = reading.meant(file.line)
        if let chooses = options.chooses { meant.removeAll { !chooses($0) } }
        return meant.flatMap { scenario in
            let scenario = bounded(scenario, options)
            let plans = RunPlan.plans(for: scenario, seed: options.seed)
            let prepared = plans.count > 1 && options.makeRun == nil ? prepare(scenario, options) : nil
            return plans.map { Slot.plan($0, prepared, diagnostics) }
        }
    }

    static func bounded(_ scenario: Scenario, _ options: Options) -> Scenario {
        var scenario = scenario
        if let most = options.maxEvents, scenario.limits.events.map({ $0.value > most }) ?? true {
            scenario.limits.events = Spanned(most, scenario.title.span)
        }
        if let most = options.maxVirtualTime, scenario.limits.virtualTime.map({ $0.value > most }) ?? true {
            scenario.limits.virtualTime = Spanned(most, scenario.title.span)
        }
        return scenario
    }

    /// For a scenario of several runs. What is wrong with it each run tells by itself.
    static func prepare(_ scenario: Scenario, _ options: Options) -> ScenarioRunner.Prepared? {
        do throws(ScenarioFault) {
            return try ScenarioRunner(profiles: options.profiles.profiles).prepare(scenario)
        } catch {
            return nil
        }
    }

    private static func invalid(_ file: ScenarioFile, _ diagnostics: [DiagnosticResult]) -> ScenarioResult {
        let name = ScenarioReader.id(of: file.path)
        var result = ScenarioResult(id: name, name: name, file: file.path, title: "(file)")
        result.verdict = .invalid
        result.diagnostics = diagnostics
        result.line = diagnostics.first { $0.isError }?.place.line ?? 1
        return result
    }

    // MARK: - Workers

    /// Nil for a run that was not begun, since the task was cancelled before.
    private static func run(
        _ slots: [(place: Int, slot: Slot)], _ options: Options
    ) async -> [ScenarioResult?] {
        var results = [ScenarioResult?](repeating: nil, count: slots.count)
        await withTaskGroup(of: (Int, ScenarioResult).self) { group in
            var next = 0
            func addOne() {
                guard next < slots.count, !Task.isCancelled else { return }
                let number = next
                let (place, slot) = slots[number]
                next += 1
                group.addTask {
                    options.progress?(.began(number, name: slot.name))
                    var result = await made(slot, options)
                    result.place = place
                    return (number, result)
                }
            }
            for _ in 0..<max(1, options.jobs) { addOne() }
            for await (number, result) in group {
                results[number] = result
                options.progress?(.ended(number, result))
                addOne()
            }
        }
        return results
    }

    /// Here, or where runs are made in place of this process.
    private static func made(_ slot: Slot, _ options: Options) async -> ScenarioResult {
        guard let makeRun = options.makeRun, case .plan(let plan, _, let diagnostics) = slot else {
            return result(of: slot, options)
        }
        let began = Date()
        var result = await makeRun(PlannedRun(plan))
        if result.endedFromOutside {
            // It has come neither to say what is odd in its file nor how long it took.
            result.diagnostics = diagnostics
            result.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(began) * 1_000_000))
        }
        return result
    }

    package static func result(of slot: Slot, _ options: Options) -> ScenarioResult {
        switch slot {
        case .result(let result): return result
        case .plan(let plan, let prepared, let diagnostics):
            let began = Date()
            var runner = ScenarioRunner(profiles: options.profiles.profiles)
            runner.keepsTrace = options.checksDeterminism
            var trace: [DigestedEvent] = []
            var (result, missed) = runner.tell(plan, prepared, trace: &trace)
            if options.checksDeterminism { DeterminismCheck.compare(&result, trace, plan, runner) }
            runner.keepsTrace = false
            let wants = options.moments == .all || (options.moments == .failed && result.verdict.needsTrace)
            runner.lookAgain(&result, missed, plan, prepared, tellsMoments: wants)
            result.diagnostics = diagnostics + result.diagnostics
            result.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(began) * 1_000_000))
            return result
        }
    }
}
