import Core
import Foundation
import Reporting
import Runner

extension Verb {
    static let run = Verb(
        name: "run", arguments: "[PATH[:LINE] | ID]…",
        summary: "run scenarios and report (default: all in Scenarios/)",
        options: Option.selection + [
            .failed, .shard, .shardCosts, .jobs, .seed,
            Option(
                "--seeds", value: "A..B", changesResult: true,
                "run each scenario for each of these seeds; reports the first that fails, and counts"),
            Option(
                "--fail-fast", value: "N", valueIsOptional: true,
                "stop after the first scenario that does not pass, or after the N-th"),
            Option(
                "--check-determinism", changesResult: true, "run each scenario twice and compare the digests"),
            .metamorphic,
            Option(
                "--max-events", value: "N", changesResult: true,
                "a scenario with more than N events is inconclusive"),
            Option(
                "--max-virtual-time", value: "TIME", changesResult: true,
                "a scenario that takes longer (24h, 90s) is inconclusive"),
            Option(
                "--wall-limit", value: "TIME",
                "end a scenario that takes longer (60s): an error of the run, never a verdict on the app"),
            .output, .reportDir,
            Option(
                "--live", changesResult: true,
                "run each in the world and on real sockets and a real disk; reports where the two differ"),
        ] + SubjectCall.flags + [
            Option(
                "--in-process",
                "run everything in this process, for a debugger: a scenario that crashes it ends the run"),
            Option("--no-report", "write no reports"),
            .coverage, .requireCoverage,
            Option("--no-ci", "no annotations or summary on GitHub, no hint on GitLab"),
            Option("--digests", "print only the digest and name of each scenario"),
            Option("--allow-empty", "exit 0 when nothing was selected"),
            Option("--quiet", short: "-q", "print only failures and the verdict"),
            Option("--verbose", short: "-v", "also print digest and number of events of each scenario"),
            Option(
                "--timelines", short: "-vv",
                "also print the timeline of each scenario, of those that passed too"),
            .noProgress,
            .color, .ascii, .noTimings,
        ]
    ) { program in try await program.run() }
}

extension Program {
    func run() async throws -> ExitCode {
        if arguments.has("--live") {
            try SubjectCall.refuseLive(arguments)
            return try runLive()
        }
        let call = try RunCall(arguments)
        let coverage = try CoverageCall(arguments)
        let paint = try paint(call.output.stream)
        let detail = self.detail
        let publisher = Publisher(arguments, call)
        let report = TerminalReport(
            paint: paint, detail: detail, showsWall: !arguments.has("--no-timings"),
            width: Output.columns(call.output.stream), fold: publisher.fold)
        let isList = arguments.has("--digests")
        let style = RunWatch.Style(
            output: call.output, report: report,
            listsScenarios: detail != .quiet && !isList && call.seeds.count == 1,
            showsProgress: !isList && arguments.showsProgress)
        if !isList { publisher.guardCommands() }
        let results = try await call.results(style)
        if isList {
            for scenario in results.scenarios where !scenario.endedFromOutside {
                Output.result("\(Hex.text(scenario.digest)) \(scenario.name)\n")
            }
            printTerminated(results)
            return results.exitCode
        }
        var codes = [results.exitCode]
        if results.exitCode == .nothingSelected {
            codes = [empty(call)]
        } else if let subject = results.subject, results.scenarios.allSatisfy({ $0.verdict == .skipped }) {
            Output.error(
                "nothing could be judged of \(subject): each scenario was skipped, with its reason\n")
            codes.append(.inconclusive)
        } else if detail != .quiet, call.seeds.count > 1 {
            call.output.write(report.opening(results))
            for scenario in results.scenarios { call.output.write(report.line(scenario) + "\n") }
        }
        let page = publisher.publish(results)
        call.output.write(report.closing(results, report: page))
        if arguments.has("--metamorphic"), !arguments.has("--no-report") {
            let folder = arguments.text("--report-dir") ?? "Reports"
            let changed = ChangedScenarios(options: call.options, folder: folder)
                .write(results, call.selection.files)
            call.output.write(changed.lines.joined())
            for fault in changed.faults {
                Output.notWritten(fault)
                codes.append(.reportNotWritten)
            }
        }
        publisher.annotate(results, page)
        publisher.printFaults()
        if !publisher.faults.isEmpty { codes.append(.reportNotWritten) }
        // An interrupted run has not reached what it would have.
        if !results.isIncomplete { codes += coverage.end(CoverageTable(results.cells)) }
        printTerminated(results)
        return ExitCode.first(of: codes)
    }

    private var detail: TerminalReport.Detail {
        if arguments.has("--quiet") { return .quiet }
        if arguments.has("--timelines") { return .timelines }
        return arguments.has("--verbose") ? .all : .normal
    }

    /// Prints the scenarios whose process was ended: errors of the run, besides its verdict.
    private func printTerminated(_ results: RunResults) {
        for scenario in results.scenarios where scenario.endedFromOutside {
            guard let failure = scenario.failures.first else { continue }
            let isOver = failure.kind == .wallLimit
            let limit = arguments.text("--wall-limit") ?? ""
            let headline = isOver ? "has run for more than \(limit) of wall time and was ended" : ""
            Output.error(
                "error: \(scenario.name)\(isOver ? " \(headline)" : ": \(failure.headline)")\n"
                    + (failure.help.map { "  = help: \($0)\n" } ?? ""))
        }
    }

    /// The exit code if nothing was selected; 0 if the flags allow an empty selection.
    private func empty(_ call: RunCall) -> ExitCode {
        if arguments.has("--allow-empty") { return .passed }
        if let failed = call.selection.failed, failed.isEmpty {
            let missing =
                call.selection.deleted.isEmpty
                ? "" : " that still exists; deleted: \(call.selection.deleted.joined(separator: ", "))"
            Output.error("nothing failed in the last run\(missing)\n")
            return .passed
        }
        if call.options.shard != nil, call.isInAnotherShard {
            Output.error("this shard has none of the selected scenarios\n")
            return .passed
        }
        Output.error(call.selection.reasonForEmptiness())
        return .nothingSelected
    }
}
