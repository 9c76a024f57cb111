import Foundation
import Runner
import ScenarioLanguage
import Search
import Synchronization

extension Verb {
    static let shrink = Verb(
        name: "shrink", arguments: "PATH[:LINE]",
        summary: "write the smallest scenario that fails in the same way",
        options: [
            Option("--case", value: "NAME", "the case to shrink (default: the first that fails)"),
            Option(
                "--passes-in", value: "PROGRAM", offer: .files,
                "keep only what passes in this otalab, of a build without the defect"),
            Option("--runs", value: "N", "runs at most (default \(Shrinker.standardRuns))"),
            Option(
                "--out", value: "FILE", offer: .files,
                "the file to write, - for standard output (default: NAME-shrunk.json5 beside it)"),
            .metamorphic, .seed, .jobs,
            Option("--in-process", "run everything in this process, for a debugger"),
            .noProgress, .noTimings,
        ]
    ) { program in try await program.shrink() }
}

extension Program {
    /// `otalab shrink FILE`: writes the smaller scenario and prints how small it is. Ctrl-C ends the search;
    /// the smallest scenario so far is written.
    func shrink() async throws -> ExitCode {
        let call = try ShrinkCall(arguments)
        let reading = read(call.file, call.options.profiles)
        if let error = call.file.error {
            Output.error("error: \(call.file.path): \(error)\n")
            return .invalid
        }
        if reading.hasErrors {
            Output.error(DiagnosticRenderer.render(reading.diagnostics) + "\n")
            return .invalid
        }
        let scenarios = try call.chosen(from: reading)
        signal(SIGINT, SIG_IGN)
        var options = call.options
        let pool =
            arguments.has("--in-process")
            ? nil : try WorkerPool(options, limit: options.jobs, wallLimit: ShrinkCall.wallLimit)
        defer { pool?.stop() }
        if let pool { options.makeRun = { await pool.result(of: $0) } }
        let line = ShrinkProgress(isShown: arguments.showsProgress)
        var shrinker = Shrinker(path: call.path ?? call.standardPath, trial: try trial(call, options))
        shrinker.maxRuns = call.runs
        shrinker.jobs = options.jobs
        shrinker.devices = options.profiles.names
        shrinker.progress = { line.draw(runs: $0, steps: $1) }
        let task = Task.detached { [shrinker] in
            for scenario in scenarios {
                if let shrunk = await shrinker.shrink(scenario) { return ShrunkScenario?.some(shrunk) }
            }
            return nil
        }
        StopSignals.onFirst { task.cancel() }
        let shrunk = await task.value
        line.erase()
        guard let shrunk else {
            if task.isCancelled { return .interrupted }
            if let other = arguments.text("--passes-in") {
                throw UsageError(
                    message: "\(call.file.path) passes, or fails in \(other) too: there is nothing to shrink",
                    help: "name a scenario that fails here and passes there, perhaps with --seed N")
            }
            let flags = "--seed N" + (call.options.checksTransformations ? "" : " or --metamorphic")
            throw UsageError(
                message: "\(call.file.path) passes: there is nothing to shrink",
                help: "name a scenario that fails, perhaps with \(flags)")
        }
        let code = call.write(shrunk, showsWall: !arguments.has("--no-timings"))
        return ExitCode.first(of: task.isCancelled ? [code, .interrupted] : [code])
    }
}

extension Program {
    /// How a candidate is run. One that fails in a program without the defect, too, has lost what its failure
    /// is about.
    private func trial(_ call: ShrinkCall, _ options: ScenarioSuite.Options) throws -> Shrinker.Trial {
        let here = Shrinker.trial(options)
        guard let program = arguments.text("--passes-in") else { return here }
        let other = try PassingProgram(
            program, beside: call.path ?? call.standardPath, seed: options.seed)
        return { scenario in
            let found = await here(scenario)
            if found.isEmpty { return [] }
            do {
                return try await other.passes(scenario) ? found : []
            } catch {
                // A candidate that can't be written or run shows nothing.
                return []
            }
        }
    }
}

/// The progress line of a search for a smaller scenario.
private final class ShrinkProgress: Sendable {
    private let line: Mutex<ProgressLine>

    init(isShown: Bool) { line = Mutex(ProgressLine(isShown: isShown)) }

    func draw(runs: Int, steps: Int) {
        line.withLock { $0.draw("  \(Quoting.count(steps, "step")) after \(Quoting.count(runs, "run"))") }
    }

    func erase() { line.withLock { $0.erase() } }
}
