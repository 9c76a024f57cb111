import Reporting
import Runner
import ScenarioLanguage
import Search

extension Verb {
    static let crashpoints = Verb(
        name: "crashpoints", arguments: "[PATH[:LINE]…]",
        summary: "every scenario again with a kill and a power cut at each disk operation",
        options: Option.selection + [
            .jobs, .seed,
            Option("--depth", value: "N", "1: single crashes; 2: a second one in the recovery (default)"),
            Option(
                "--second", value: "N",
                "first crashes of a story that second ones follow, spread over it, or all (default)"
            ),
            Option(
                "--outcomes", value: "N",
                "outcomes at one operation: the kill, one power cut of each class, then others, or all"
                    + " (default \(CrashLimits.classes): each class)"),
            Option(
                "--every", value: "N",
                "only each N-th operation of a story and of a recovery; the others are counted"),
            Option(
                "--report-dir", value: "DIR", offer: .folders,
                "where crashpoints/results.json and scenarios of failures go (default Reports)"),
            Option("--no-report", "write no results and no scenarios of failures"),
            .noProgress, .noTimings,
        ]
    ) { program in try await program.crashPoints() }
}

extension Program {
    /// `otalab crashpoints`: one line a scenario and device with what was found there, then the sum, then
    /// what was left out with its reason. Ctrl-C ends it; what there is by then is told.
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
        let chosen = CrashSelection(selection, arguments.paths, seed: seed)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        if chosen.plans.isEmpty {
            tellLeftOut(chosen)
            return nothingSearched(chosen)
        }
        let telling = CrashProgressReporter(arguments, stories: chosen.plans.count)
        let reports = await interruptible(search, chosen.plans, telling)
        let sum = telling.end(leftOut: chosen.leftOut.count)
        tellLeftOut(chosen)
        var codes: [ExitCode] = []
        if sum.failures > 0 { codes.append(.failed) }
        if telling.isInterrupted { codes.append(.interrupted) }
        if chosen.hasInvalid || reports.contains(where: { $0.problem != nil }) { codes.append(.invalid) }
        let isKept = arguments.has("--no-report") || keep(sum, telling, chosen.leftOut, seed)
        if telling.isUnwritten || !isKept { codes.append(.reportNotWritten) }
        if !telling.isInterrupted { codes += tellEmpty(chosen, reports) }
        return ExitCode.first(of: codes)
    }

    private func interruptible(
        _ search: CrashPointsRun, _ plans: [RunPlan], _ telling: CrashProgressReporter
    ) async -> [CrashReport] {
        var search = search
        search.advance = { telling.advanced($0, $1) }
        search.progress = { telling.ended($0) }
        let task = Task.detached { [search] in await search.run(plans) }
        StopSignals.onFirst {
            telling.interrupt()
            task.cancel()
        }
        return await task.value
    }

    private func tellLeftOut(_ chosen: CrashSelection) {
        for story in chosen.leftOut { Output.result("left out: \(story.name): \(story.reason)\n") }
    }

    /// A call that leaves no story has no figures to tell: "0 points, no failure" would read like a result.
    private func nothingSearched(_ chosen: CrashSelection) -> ExitCode {
        var codes = tellEmpty(chosen, [])
        if chosen.hasInvalid { codes.append(.invalid) }
        return ExitCode.first(of: codes.isEmpty ? [.nothingSelected] : codes)
    }

    private func tellEmpty(_ chosen: CrashSelection, _ reports: [CrashReport]) -> [ExitCode] {
        chosen.empty(reports).map { fault in
            Output.error("error: \(fault.message)\n  = help: \(fault.help)\n")
            return .nothingSelected
        }
    }

    private func keep(
        _ sum: CrashTally, _ telling: CrashProgressReporter, _ leftOut: [CrashSelection.LeftOut],
        _ seed: UInt64
    ) -> Bool {
        var results = CrashResults()
        results.toolVersion = Laboratory.version
        results.commandLine = arguments.canonical
        results.seed = seed
        results.isPartial = telling.isInterrupted
        results.all = sum
        results.stories = telling.results.map { CrashResults.Story($0.report, commands: $0.commands) }
        results.leftOut = leftOut.map { CrashResults.LeftOut($0.name, $0.reason) }
        do throws(ReportError) {
            try ReportFolder.write(CrashResultsJSON.bytes(results), to: telling.folder + "/results.json")
            return true
        } catch {
            Output.error("error: the results could not be written to \(error.path): \(error.why)\n")
            return false
        }
    }
}
