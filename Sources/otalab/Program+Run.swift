import Core
import Foundation
import Laboratory
import Reporting

extension Verb {
    static let run = Verb(
        name: "run", arguments: "[PATH[:LINE]…]",
        summary: "run scenarios and report (default: all in Scenarios/)",
        options: Option.selection + [
            .jobs, .seed,
            Option("--fail-fast", "stop after the first scenario that does not pass"),
            Option("--check-determinism", "run each scenario twice and compare the digests"),
            Option(
                "--report-dir", value: "DIR", offer: .folders, "where reports go (default Reports)"),
            Option("--no-report", "write no reports"),
            Option("--digests", "print name and digest of each scenario, nothing else"),
            Option("--allow-empty", "exit 0 when nothing was selected"),
            Option("--quiet", short: "-q", "only what went wrong, and the verdict"),
            Option("--verbose", short: "-v", "digest and events of each scenario too"),
            .color, .noTimings,
        ]
    ) { program in try await program.run() }
}

extension Program {
    func run() async throws -> ExitCode {
        let paint = try paint()
        var options = Laboratory.Options()
        options.seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        if let jobs = try arguments.number("--jobs", in: 1...256) { options.jobs = Int(jobs) }
        options.commandLine = ["otalab"] + CommandLine.arguments.dropFirst()
        options.checksDeterminism = arguments.has("--check-determinism")
        let found = try found()
        options.profiles = found.profiles
        let files = selected(found)
        let results = await results(files, options)
        if arguments.has("--digests") {
            for scenario in results.scenarios {
                Output.result("\(Hex.text(scenario.digest)) \(scenario.name)\n")
            }
            return results.exitCode
        }
        var codes = [results.exitCode]
        if results.exitCode == .nothingSelected {
            if arguments.has("--allow-empty") { codes = [] }
            Output.error("error: no scenario was selected\n  = help: 'otalab list' shows what there is\n")
        }
        var page: String?
        var fault: ReportError?
        if !arguments.has("--no-report") {
            let folder = arguments.text("--report-dir") ?? "Reports"
            do throws(ReportError) {
                page = try ReportFolder(folder).write(results)
            } catch {
                fault = error
                codes.append(.reportNotWritten)
            }
        }
        let detail: TerminalReport.Detail =
            arguments.has("--quiet") ? .quiet : (arguments.has("--verbose") ? .all : .normal)
        let report = TerminalReport(paint: paint, detail: detail, showsWall: !arguments.has("--no-timings"))
        Output.result(report.text(results, report: page))
        if let fault {
            Output.error(
                "error: the report could not be written to \(fault.place): \(fault.why)\n"
                    + "  = help: choose another folder with --report-dir, or --no-report\n")
        }
        return ExitCode.first(of: codes)
    }

    /// Ctrl-C and `--fail-fast` end the run; what there is by then is reported.
    private func results(_ files: [ScenarioFile], _ options: Laboratory.Options) async -> RunResults {
        let stop = Stop()
        var options = options
        let failsFast = arguments.has("--fail-fast")
        options.progress = { result in if failsFast, !result.verdict.isGood { stop.now(byUser: false) } }
        let final = options
        let task = Task { await Laboratory.run(files, final) }
        stop.set(task)
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { stop.now(byUser: true) }
        source.resume()
        var results = await task.value
        source.cancel()
        results.isPartial = stop.isByUser
        results.scenarios.removeAll { !isMeant($0) }
        results.coverage = RuleCoverage.table(of: results.scenarios)
        return results
    }
}

/// Ends a run once, from any thread.
final class Stop: @unchecked Sendable {
    private let lock = NSLock()
    private var task: Task<RunResults, Never>?
    private var isAsked = false
    private var byUser = false

    var isByUser: Bool { lock.withLock { byUser } }

    func set(_ task: Task<RunResults, Never>) {
        lock.withLock {
            self.task = task
            if isAsked { task.cancel() }
        }
    }

    func now(byUser: Bool) {
        lock.withLock {
            isAsked = true
            self.byUser = self.byUser || byUser
            task?.cancel()
        }
    }
}
