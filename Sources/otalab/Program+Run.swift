import Core
import Foundation
import Reporting
import Runner

extension Verb {
    static let run = Verb(
        name: "run", arguments: "[PATH[:LINE] | ID]…",
        summary: "run scenarios and report (default: all in Scenarios/)",
        options: Option.selection + [
            .failed, .shard, .jobs, .seed,
            Option(
                "--seeds", value: "A..B", changesResult: true,
                "each scenario for each of these seeds; tells the first that fails and counts"),
            Option(
                "--fail-fast", value: "N", canStandAlone: true,
                "stop after the first scenario that does not pass, or after so many"),
            Option(
                "--check-determinism", changesResult: true, "run each scenario twice and compare the digests"),
            Option(
                "--max-events", value: "N", changesResult: true,
                "a scenario with more events is inconclusive"),
            Option(
                "--max-virtual-time", value: "TIME", changesResult: true,
                "a scenario that takes longer (24h, 90s) is inconclusive"),
            Option(
                "--wall-limit", value: "TIME",
                "end a scenario that needs longer (60s): an error of the run, never a verdict on the app"),
            .output, .reportDir,
            Option(
                "--live", changesResult: true,
                "each in the world and over real sockets and a real disk; tells where the two differ"),
            Option(
                "--in-process",
                "everything in this process, for a debugger: a scenario that crashes it ends the run"),
            Option("--no-report", "write no reports"),
            Option("--no-ci", "no annotations and summary on GitHub, no hint on GitLab"),
            Option("--digests", "print name and digest of each scenario, nothing else"),
            Option("--allow-empty", "exit 0 when nothing was selected"),
            Option("--quiet", short: "-q", "only what went wrong, and the verdict"),
            Option("--verbose", short: "-v", "digest and events of each scenario too"),
            .noProgress,
            .color, .ascii, .noTimings,
        ]
    ) { program in try await program.run() }
}

extension Program {
    func run() async throws -> ExitCode {
        if arguments.has("--live") { return try runLive() }
        let call = try RunCall(arguments)
        let paint = try paint(call.human.stream)
        let detail: TerminalReport.Detail =
            arguments.has("--quiet") ? .quiet : (arguments.has("--verbose") ? .all : .normal)
        let publisher = Publisher(arguments, call)
        let report = TerminalReport(
            paint: paint, detail: detail, showsWall: !arguments.has("--no-timings"),
            width: Output.columns(call.human.stream), fold: publisher.fold)
        let isList = arguments.has("--digests")
        let look = RunWatch.Look(
            human: call.human, report: report,
            listsScenarios: detail != .quiet && !isList && call.seeds.count == 1,
            showsProgress: !isList && arguments.showsProgress)
        if !isList { publisher.guardCommands() }
        let results = try await call.results(look)
        if isList {
            for scenario in results.scenarios where !scenario.endedFromOutside {
                Output.result("\(Hex.text(scenario.digest)) \(scenario.name)\n")
            }
            tellEnded(results)
            return results.exitCode
        }
        var codes = [results.exitCode]
        if results.exitCode == .nothingSelected {
            codes = [empty(call)]
        } else if detail != .quiet, call.seeds.count > 1 {
            call.human.tell(report.opening(results))
            for scenario in results.scenarios { call.human.tell(report.line(scenario) + "\n") }
        }
        let page = publisher.publish(results)
        call.human.tell(report.closing(results, report: page))
        publisher.annotate(results, page)
        publisher.tellFaults()
        if !publisher.faults.isEmpty { codes.append(.reportNotWritten) }
        tellEnded(results)
        return ExitCode.first(of: codes)
    }

    /// Scenarios that were ended from outside: errors of the run, beside its verdict.
    private func tellEnded(_ results: RunResults) {
        for scenario in results.scenarios where scenario.endedFromOutside {
            guard let failure = scenario.failures.first else { continue }
            let isOver = failure.kind == .wallLimit
            let limit = arguments.text("--wall-limit") ?? ""
            let what = isOver ? "has run for more than \(limit) of wall time and was ended" : ""
            Output.error(
                "error: \(scenario.name)\(isOver ? " \(what)" : ": \(failure.headline)")\n"
                    + (failure.help.map { "  = help: \($0)\n" } ?? ""))
        }
    }

    /// Nothing to run can be what was asked for.
    private func empty(_ call: RunCall) -> ExitCode {
        if arguments.has("--allow-empty") { return .passed }
        if let failed = call.selection.failed, failed.isEmpty {
            let gone =
                call.selection.gone.isEmpty
                ? "" : " that is still there; gone: \(call.selection.gone.joined(separator: ", "))"
            Output.error("nothing failed in the last run\(gone)\n")
            return .passed
        }
        if call.options.shard != nil, call.isInAnotherShard {
            Output.error("nothing of the selection is in this shard\n")
            return .passed
        }
        Output.error(call.selection.emptiness())
        return .nothingSelected
    }
}
