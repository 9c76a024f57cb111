import Reporting
import Runner
import ScenarioLanguage
import Search

extension Verb {
    static let crashpoints = Verb(
        name: "crashpoints", arguments: "[PATH[:LINE]…]",
        summary: "run every scenario again with a kill and a power cut at each disk operation",
        options: Option.selection + [
            .jobs, .seed,
            Option(
                "--depth", value: "N", changesResult: true,
                "1: single crashes; 2: a second crash in the recovery too (default)"),
            Option(
                "--second", value: "N", changesResult: true,
                "first crashes of a scenario that are followed by second ones, spread evenly, or all (default)"
            ),
            Option(
                "--outcomes", value: "N", changesResult: true,
                "outcomes at each operation: the kill, one power cut of each class, then others, or all"
                    + " (default \(CrashLimits.classes): each class)"),
            Option(
                "--every", value: "N", changesResult: true,
                "only every N-th operation of a scenario and of a recovery; the others are counted"),
            .shardOfSearch, .shardCosts,
            Option(
                "--report-dir", value: "DIR", offer: .folders,
                "folder for crashpoints/results.json and the scenarios of failures (default Reports)"),
            Option("--no-report", "write no results and no scenarios of failures"),
            .noProgress, .noTimings,
        ] + SubjectCall.ofSearch
    ) { program in
        if let call = try SubjectCall(program.arguments) { return try await program.crashPoints(of: call) }
        return try await program.crashPoints()
    }
}

extension Program {
    /// `otalab crashpoints`: prints one line for each scenario and device, then the sum, then what was left
    /// out with its reason. Ctrl-C ends the search; what was found by then is printed.
    func crashPoints() async throws -> ExitCode {
        var search = CrashPointsRun()
        let seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        if let jobs = try arguments.number("--jobs", in: 1...256) { search.jobs = Int(jobs) }
        if let depth = try arguments.number("--depth", in: 1...2) { search.limits.depth = Int(depth) }
        search.limits.second = try arguments.limit("--second", search.limits.second, in: 0...1_000_000)
        search.limits.outcomes = try arguments.limit("--outcomes", search.limits.outcomes, in: 1...1_000_000)
        if let every = try arguments.number("--every", in: 1...1_000_000) {
            search.limits.every = Int(every)
        }
        let selection = try Selection(arguments)
        search.profiles = selection.profiles.profiles
        let chosen = try CrashSelection(selection, arguments, seed: seed)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        if chosen.plans.isEmpty {
            printLeftOut(chosen)
            return nothingSearched(chosen)
        }
        let reporter = CrashProgressReporter(arguments, scenarioCount: chosen.own.count)
        let reports = await interruptible(search, chosen.own, reporter)
        let sum = reporter.end(leftOut: chosen.leftOut.count)
        printLeftOut(chosen)
        var codes: [ExitCode] = []
        if sum.failures > 0 { codes.append(.failed) }
        if reporter.isInterrupted { codes.append(.interrupted) }
        if chosen.hasInvalid || reports.contains(where: { $0.problem != nil }) { codes.append(.invalid) }
        let isKept = arguments.has("--no-report") || keep(sum, reporter, chosen, seed)
        if reporter.hasWriteFailure || !isKept { codes.append(.reportNotWritten) }
        if !reporter.isInterrupted { codes += printEmpty(chosen, reports) }
        return ExitCode.first(of: codes)
    }

    private func interruptible(
        _ search: CrashPointsRun, _ plans: [RunPlan], _ reporter: CrashProgressReporter
    ) async -> [CrashReport] {
        var search = search
        search.advance = { reporter.advanced($0, $1) }
        search.progress = { reporter.ended($0) }
        let task = Task.detached { [search] in await search.run(plans) }
        StopSignals.onFirst {
            reporter.interrupt()
            task.cancel()
        }
        return await task.value
    }

    private func printLeftOut(_ chosen: CrashSelection) {
        for omitted in chosen.leftOut { Output.result("left out: \(omitted.name): \(omitted.reason)\n") }
    }

    /// Prints no table if no scenario is left, because "0 points, no failure" would read like a result.
    private func nothingSearched(_ chosen: CrashSelection) -> ExitCode {
        var codes = printEmpty(chosen, [])
        if chosen.hasInvalid { codes.append(.invalid) }
        return ExitCode.first(of: codes.isEmpty ? [.nothingSelected] : codes)
    }

    private func printEmpty(_ chosen: CrashSelection, _ reports: [CrashReport]) -> [ExitCode] {
        chosen.empty(reports).map { fault in
            Output.error("error: \(fault.message)\n  = help: \(fault.help)\n")
            return .nothingSelected
        }
    }

    private func keep(
        _ sum: CrashTally, _ reporter: CrashProgressReporter, _ chosen: CrashSelection, _ seed: UInt64
    ) -> Bool {
        var results = CrashResults()
        results.toolVersion = ToolVersion.current
        results.commandLine = arguments.canonical
        results.seed = seed
        results.scenarioSetDigest = chosen.digest
        results.shard = chosen.shard
        results.isPartial = reporter.isInterrupted
        results.hasInvalidFiles = chosen.hasInvalid
        results.all = sum
        results.scenarios = reporter.results.map {
            CrashResults.SearchedScenario(
                $0.report, ordinal: chosen.ordinal(of: $0.report.plan), files: $0.files)
        }
        results.skipped = chosen.leftOut.map { CrashResults.SkippedScenario($0.name, $0.reason) }
        do throws(ReportError) {
            try ReportFolder.write(CrashResultsJSON.bytes(results), to: reporter.folder + "/results.json")
            return true
        } catch {
            Output.error("error: the results could not be written to \(error.path): \(error.why)\n")
            return false
        }
    }
}
