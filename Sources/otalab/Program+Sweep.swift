import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

extension Verb {
    static let sweep = Verb(
        name: "sweep", arguments: "[PATH[:LINE]…]",
        summary: "run every scenario again with each disturbance, at moments that differ",
        options: Option.selection + [
            .jobs, .seed,
            Option(
                "--cells", changesResult: true,
                "the first, middle and last moment of each cell: disturbance, what was under way, kind of request"
                    + " (default)"),
            Option(
                "--files-per-cell", value: "N", changesResult: true,
                "each cell in N of the files that have it, which --seed chooses (default: in all of them)"),
            Option(
                "--every", value: "N", changesResult: true,
                "every N-th moment at which a disturbance can matter"),
            Option("--all", changesResult: true, "every such moment"),
            Option(
                "--pairs", value: "N", changesResult: true,
                "N runs of each scenario with a second disturbance after the first"),
            .metamorphic, .shardOfSearch, .shardCosts,
            .wallLimitOfWorld,
            Option(
                "--resume", value: "FILE", offer: .files,
                "keep in FILE which scenario files are swept; the same call continues a sweep that was stopped"
            ),
            Option("--in-process", "run everything in this process, for a debugger"),
            Option(
                "--report-dir", value: "DIR", offer: .folders,
                "folder for sweep/ with the scenarios of findings (default Reports)"),
            Option("--no-report", "write no scenarios of findings"),
            Option("--no-shrink", "do not make what is found smaller, which takes up to 500 runs"),
            .coverage, .requireCoverage, .noProgress, .noTimings,
        ] + SubjectCall.ofSearch
    ) { program in try await program.sweep() }
}

extension Program {
    /// The run that the flags ask for, still without profiles.
    private func sweepRun(_ filesPerCell: UInt64?) throws -> SweepRun {
        var sweep = SweepRun()
        if let jobs = try arguments.number("--jobs", in: 1...256) { sweep.jobs = Int(jobs) }
        let every = try arguments.number("--every", in: 1...1_000_000)
        let levels = [every != nil, arguments.has("--all"), arguments.has("--cells")].filter(\.self)
        if levels.count > 1 {
            throw UsageError(
                message: "--cells, --every and --all exclude each other", help: "give one of them")
        }
        if filesPerCell != nil, every != nil || arguments.has("--all") {
            throw UsageError(
                message: "--files-per-cell chooses among the cells of --cells",
                help: "leave out --every and --all, or --files-per-cell")
        }
        if let every { sweep.level = .every(Int(every)) }
        if let pairs = try arguments.number("--pairs", in: 1...1_000_000) { sweep.pairs = Int(pairs) }
        if arguments.has("--all") { sweep.level = .every(1) }
        return sweep
    }

    /// `otalab sweep`: prints one line for each scenario and device and each new kind of finding, then the
    /// sum. Ctrl-C ends the search; what was found by then is printed and written.
    func sweep() async throws -> ExitCode {
        if let call = try SubjectCall(arguments) { return try await sweep(of: call) }
        let seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        let filesPerCell = try arguments.number("--files-per-cell", in: 1...1_000_000)
        var sweep = try sweepRun(filesPerCell)
        let selection = try Selection(arguments)
        sweep.profiles = selection.profiles.profiles
        if arguments.has("--metamorphic") {
            sweep.metamorphic = MetamorphicCheck(ScenarioRunner(profiles: sweep.profiles))
        }
        let chosen = try CrashSelection(selection, arguments, seed: seed)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        let wallLimit = try RunCall.wallLimit(arguments) ?? RunCall.wallLimitOfWorlds
        let pool =
            try arguments.has("--in-process")
            ? nil
            : WorkerPool(
                .ofSearch(selection.profiles), limit: sweep.jobs,
                wallLimit: wallLimit)
        let resume = try arguments.text("--resume").map {
            try ResumeFile(
                $0, sweep.settings(seed: seed, filesPerCell: filesPerCell, selection.profiles),
                profiles: selection.profiles.names)
        }
        if let resume, resume.count > 0 {
            Output.error(
                "note: \(Quoting.count(resume.count, "scenario file")) of an earlier call in \(resume.path)\n"
            )
        }
        let reporter = try SweepReporter(arguments, profiles: selection.profiles, chosen, pool)
        let search = Task.detached { [sweep] in
            if let pool {
                var workers = SweepWorkers(
                    pool: pool, sweep: sweep, profiles: selection.profiles.names, wallLimit: wallLimit.text,
                    resume: resume, tried: { reporter.tried(in: $0) })
                if let filesPerCell {
                    let files = await workers.cells(of: chosen.plans)
                    workers.share = CellShare(files, filesPerCell: Int(filesPerCell), seed: seed)
                }
                await workers.run(chosen.own) { await reporter.ended($0) }
            } else {
                var sweep = sweep
                sweep.advance = { reporter.advanced($0, $1) }
                let share = filesPerCell.map {
                    CellShare(sweep.cells(of: chosen.plans), filesPerCell: Int($0), seed: seed)
                }
                await sweep.run(chosen.own, resume, share) { await reporter.ended($0) }
            }
        }
        StopSignals.onFirst {
            reporter.interrupt()
            search.cancel()
            // Not here: the handler's thread must not wait for the pool.
            if let pool { Thread.detachNewThread { pool.stop() } }
        }
        await search.value
        if !arguments.has("--no-shrink") { await reporter.shrinkFindings(jobs: sweep.jobs) }
        pool?.stop()
        for omitted in chosen.leftOut { Output.result("left out: \(omitted.name): \(omitted.reason)\n") }
        try await reporter.writeReport(arguments, seed: seed, jobs: sweep.jobs)
        var codes = reporter.end()
        if let fault = resume?.fault {
            Output.notWritten(fault)
            codes.append(.reportNotWritten)
        }
        return ExitCode.first(of: codes)
    }
}

extension SweepRun {
    /// What reports of this sweep have in common, for a ``ResumeFile``.
    fileprivate func settings(
        seed: UInt64, filesPerCell: UInt64?, _ profiles: ProfileSet
    ) -> [ResumeFile.Setting] {
        let level =
            switch level {
            case .every(let step): "--every \(step)"
            case .cells: "--cells" + (filesPerCell.map { " --files-per-cell \($0)" } ?? "")
            }
        return [
            ResumeFile.Setting(name: "level", value: level),
            ResumeFile.Setting(name: "--pairs", value: "\(pairs)"),
            ResumeFile.Setting(name: "--metamorphic", value: metamorphic == nil ? "off" : "on"),
            ResumeFile.Setting(name: "--seed", value: "\(seed)"),
        ] + ResumeFile.programAndProfiles(profiles)
    }

    /// The cells of each file.
    fileprivate func cells(of plans: [RunPlan]) -> [(path: String, cells: Set<UInt64>)] {
        SweepRun.files(of: plans).map { ($0[0].scenario.source.path, cells(ofFile: $0)) }
    }

    /// Sweeps the scenario files in this process, but for those that were swept before.
    /// - Parameters:
    ///   - share: the cells that each file tries; nil: all that it has.
    ///   - ended: called for each report, in order.
    fileprivate func run(
        _ plans: [RunPlan], _ resume: ResumeFile?, _ share: CellShare?, _ ended: (SweepReport) async -> Void
    ) async {
        var sweep = self
        for file in SweepRun.files(of: plans) where !Task.isCancelled {
            sweep.onlyCells = share.flatMap { $0[file[0].scenario.source.path] }
            if let known = resume?.reports(of: file, sweep.onlyCells) {
                for report in known { await ended(report) }
                continue
            }
            let reports = await sweep.run(file)
            // One that was stopped lacks some.
            if !Task.isCancelled { resume?.add(reports, of: file, sweep.onlyCells) }
            for report in reports { await ended(report) }
        }
    }
}
