import Authoring
import Core
import Foundation
import Oracle
import Reporting
import Runner
import ScenarioLanguage
import Search

/// The arguments of `otalab run`, checked completely before anything runs.
struct RunCall: Sendable {
    let selection: Selection
    var options = ScenarioSuite.Options()
    let seeds: ClosedRange<UInt64>
    let outputs: [(format: ReportFormat, path: String)]
    let output: TextOutput
    /// The limit for one scenario, with its text: `60s`.
    let wallLimit: (seconds: TimeInterval, text: String)?
    /// Whether everything runs in this process, without workers.
    let isInProcess: Bool
    /// Results of scenarios that passed with the first seed, for the reports; nil: they are kept in memory.
    let passed: ResultSpool?
    /// Number of scenarios without a good verdict after which the run ends; nil for no limit.
    let failLimit: Int?

    init(_ arguments: Arguments) throws {
        let first = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        seeds = try RunCall.seeds(arguments.text("--seeds")) ?? first...first
        if arguments.has("--seeds"), arguments.has("--seed") {
            throw UsageError(message: "--seed and --seeds exclude each other", help: "write one of them")
        }
        outputs = try RunCall.outputs(arguments.texts("--output"), flag: "-o")
        let usesStandardOutput = outputs.contains { $0.path == "-" }
        output = TextOutput(
            stream: usesStandardOutput ? STDERR_FILENO : STDOUT_FILENO, isASCII: arguments.has("--ascii"))
        wallLimit = try RunCall.wallLimit(arguments)
        isInProcess = arguments.has("--in-process") || arguments.has("--subject")
        failLimit = try RunCall.failLimit(arguments)
        if let jobs = try arguments.number("--jobs", in: 1...256) { options.jobs = Int(jobs) }
        options.commandLine = arguments.canonical
        let isSilent = arguments.has("--digests") || (arguments.has("--no-report") && outputs.isEmpty)
        if isSilent { options.moments = .none }
        options.condensesPassed = isSilent && (arguments.has("--quiet") || arguments.has("--digests"))
        passed = isSilent ? nil : ResultSpool(leavesOutTimes: Publisher.leavesOutTimes(arguments))
        if isSilent || passed != nil {
            options.keep = { [passed] in RunCall.kept($0, of: $1, passed, isSilent: isSilent) }
        }
        options.recordsCoverage = !isSilent || CoverageCall.isIn(arguments)
        options.checksDeterminism = arguments.has("--check-determinism")
        options.checksTransformations = arguments.has("--metamorphic")
        options.maxEvents = try arguments.number("--max-events", in: 1...1_000_000_000).map { Int($0) }
        options.maxVirtualTime = try RunCall.time(arguments, "--max-virtual-time")
        let shard = try ShardCall(arguments, of: .scenario)
        (options.shard, options.shardCosts) = (shard?.shard, shard?.costs)
        let paths = arguments.has("--subject") ? SubjectCall.paths(arguments) : nil
        var selection = try Selection(arguments, paths: paths)
        selection.releaseManyTexts()
        self.selection = selection
        options.profiles = selection.profiles
        if let subject = try SubjectCall(arguments) { try subject.apply(to: &options, selection, arguments) }
        options.chooses = { [selection] in selection.holds($0) }
    }

    /// What is kept in memory of a result until the reports are written.
    private static func kept(
        _ result: ScenarioResult, of count: Int, _ passed: ResultSpool?, isSilent: Bool
    ) -> ScenarioResult {
        // The page of a small run shows the timelines of all scenarios.
        guard result.verdict == .passed, isSilent || count > HTMLReport.maxTracedScenarios,
            passed?.add(result) ?? isSilent
        else { return result }
        return result.condensed(keepsSteps: !isSilent && count <= HTMLReport.maxScenariosWithSteps)
    }

    private static func keptOfLaterSeed(_ result: ScenarioResult) -> ScenarioResult {
        result.verdict.isGood ? result.condensed(keepsSteps: false) : result
    }

    /// Whether the selection has scenarios, all of them in other shards.
    var isInAnotherShard: Bool {
        selection.files.contains { file in selection.read(file).scenarios.contains { selection.holds($0) } }
    }

    // MARK: - Values

    private static func seeds(_ text: String?) throws(UsageError) -> ClosedRange<UInt64>? {
        guard let text else { return nil }
        let sides = text.components(separatedBy: "..")
        guard sides.count == 2, let first = UInt64(sides[0]), let last = UInt64(sides[1]), first <= last,
            last - first < 1_000_000
        else {
            throw UsageError(
                message: "--seeds can't be '\(text)'", help: "write A..B: 1..100, a million at most")
        }
        return first...last
    }

    /// The time of `--wall-limit` in seconds, and as the call gives it.
    static func wallLimit(_ arguments: Arguments) throws -> (seconds: TimeInterval, text: String)? {
        try time(arguments, "--wall-limit").map {
            (TimeInterval($0.microseconds) / 1e6, arguments.text("--wall-limit") ?? "")
        }
    }

    /// The number of `--fail-fast`, 1 where it has none; nil without the flag.
    static func failLimit(_ arguments: Arguments) throws -> Int? {
        let limit = try arguments.number("--fail-fast", in: 1...1_000_000)
        return arguments.has("--fail-fast") ? Int(limit ?? 1) : nil
    }

    /// The longest time for one world of a search, if the call gives none.
    static let wallLimitOfWorlds = (seconds: TimeInterval(60), text: "60s")

    static func time(_ arguments: Arguments, _ flag: String) throws(UsageError) -> TimeSpan? {
        guard let text = arguments.text(flag) else { return nil }
        let units: [(String, Int64)] = [
            ("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000),
        ]
        for (unit, factor) in units where text.hasSuffix(unit) {
            guard let count = Int64(text.dropLast(unit.count)), count > 0, count < 1_000_000 else {
                continue
            }
            return TimeSpan(microseconds: count * factor)
        }
        throw UsageError(message: "\(flag) can't be '\(text)'", help: "write a time: 500ms, 60s, 10m or 24h")
    }

    /// Parses values of the form `FORMAT=PATH`.
    static func outputs(
        _ texts: [String], flag: String
    ) throws(UsageError) -> [(format: ReportFormat, path: String)] {
        var outputs: [(format: ReportFormat, path: String)] = []
        let names = ReportFormat.all.map(\.name)
        for text in texts {
            guard let equal = text.firstIndex(of: "="), text.index(after: equal) < text.endIndex else {
                throw UsageError(
                    message: "\(flag) can't be '\(text)'",
                    help:
                        "write FORMAT=PATH: \(flag) junit=out.xml; formats: \(names.joined(separator: ", "))")
            }
            let name = String(text[..<equal])
            guard let format = ReportFormat.named(name) else {
                let near = name.lowercased() == "markdown" ? "md" : Nearest.to(name, among: names)
                throw UsageError(
                    message: "there is no format '\(name)'",
                    help: near.map { "did you mean '\($0)'?" } ?? "formats: \(names.joined(separator: ", "))")
            }
            outputs.append((format, String(text[text.index(after: equal)...])))
        }
        guard outputs.count(where: { $0.path == "-" }) < 2 else {
            throw UsageError(
                message: "two formats go to standard output", help: "give one of them a file")
        }
        return outputs
    }

    // MARK: - The run

    private enum End: Sendable {
        case done(RunResults)
        case interrupted
        /// The index of a scenario over the wall limit among those that are run.
        case hung(Int)
    }

    /// Ctrl-C ends a run at once; the results so far are reported. A scenario over the wall limit is ended
    /// alone if it has a separate process; in this process it ends the run.
    func results(_ style: RunWatch.Style) async throws -> RunResults {
        // Before the first worker starts, because children inherit it: a terminal sends Ctrl-C to all of
        // them.
        signal(SIGINT, SIG_IGN)
        let pool = isInProcess ? nil : try WorkerPool(options, limit: options.jobs, wallLimit: wallLimit)
        let watch = RunWatch(style, wallLimit: isInProcess ? wallLimit?.seconds : nil, failLimit: failLimit)
        let (ends, signalEnd) = AsyncStream.makeStream(of: End.self)
        let task = Task.detached { signalEnd.yield(.done(await all(watch, pool))) }
        watch.onStop { task.cancel() }
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { signalEnd.yield(.interrupted) }
        source.resume()
        let timer = DispatchSource.makeTimerSource(queue: .global())
        if wallLimit != nil, isInProcess {
            timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
            timer.setEventHandler { if let index = watch.overdue() { signalEnd.yield(.hung(index)) } }
        }
        timer.resume()
        var end = End.interrupted
        for await first in ends {
            end = first
            break
        }
        watch.end()
        timer.cancel()
        source.cancel()
        signal(SIGINT, SIG_DFL)
        task.cancel()
        pool?.stop()
        switch end {
        case .done(let results): return results
        case .interrupted: return finished(watch.partial(.interrupted))
        case .hung(let index):
            return finished(watch.partial(.wallLimit, hung: (index, wallLimit?.text ?? "")))
        }
    }

    private func all(_ watch: RunWatch, _ pool: WorkerPool?) async -> RunResults {
        var runs = FoldedRuns()
        for seed in seeds {
            var options = options
            options.seed = seed
            // Of a later seed only what did not pass is reported.
            if runs.count > 0 { options.keep = { result, _ in RunCall.keptOfLaterSeed(result) } }
            options.progress = { watch.take($0) }
            if let pool {
                options.makeRun = { await pool.result(of: $0) }
                // A run that is to end at a failure begins no other before it knows the result; and with one
                // worker the runs follow each other in their order, which two tasks would not keep.
                options.runsAhead = failLimit == nil && options.jobs > 1 ? 1 : 0
            }
            if seeds.count > 1 { watch.next("  seed \(seed)", after: runs) }
            var run = await ScenarioSuite.run(selection.files, options)
            // Only an interrupted run is partial; --fail-fast ends it as requested.
            run.isPartial = false
            run.endedEarly(.failFast)
            runs.add(run)
            if Task.isCancelled { break }
        }
        return finished(runs)
    }

    /// The runs as one result for each scenario, with the seeds that were not run.
    private func finished(_ runs: FoldedRuns) -> RunResults {
        guard var results = runs.results(countsSeeds: seeds.count > 1) else { return empty }
        if seeds.count > 1, runs.completeCount < seeds.count {
            results.seedsNotRun = SeedRange(
                first: seeds.lowerBound + UInt64(runs.completeCount), last: seeds.upperBound)
        }
        return results
    }

    private var empty: RunResults {
        var results = RunResults(
            toolVersion: ToolVersion.current, commandLine: options.commandLine, seed: seeds.lowerBound)
        results.isPartial = true
        return results
    }
}
