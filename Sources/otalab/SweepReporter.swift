import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// Prints what a sweep finds while it runs, and writes the files of findings.
///
/// Promises: equal findings (rule, clause, kind of violation) are one, whatever scenarios and disturbances
/// show them; the file of each is on disk before its line is printed; standard output depends on the results
/// alone, except for times. Thread-safe.
final class SweepReporter: @unchecked Sendable {
    private struct Found {
        var report: SweepReport
        var finding: SweepReport.Finding
        /// The run of its file; it passes when only the rest of the sweep's use of the device fails.
        var result: ScenarioResult
        var count = 1
        /// The first times that it was found.
        var earliest: [SearchFinding.Occurrence] = []
        var shrunk: ShrunkScenario?

        /// A single run must show it.
        var isShrinkable: Bool { result.failures.first.map { $0.kind != .wallLimit } ?? false }
    }

    private let folder: String
    private let keepsFiles: Bool
    private let isTimed: Bool
    private let profiles: ProfileSet
    private let coverage: CoverageCall
    private let chosen: CrashSelection
    /// Where runs are performed; nil: in this process.
    private let pool: WorkerPool?
    private let lock = NSLock()
    private var line: ProgressLine
    private var sum = SweepTally()
    private var cells = CoverageTable()
    private var swept = 0
    /// Microseconds of each report, by its file.
    private var costs: [ShardCosts.Entry] = []
    /// Worlds that have begun.
    private var worlds = 0
    private var problems = 0
    private var found: [(key: FailureSignature, Found)] = []
    private var writeFault: ReportError?
    private var wasInterrupted = false
    private let began = Date()

    init(
        _ arguments: Arguments, profiles: ProfileSet, _ chosen: CrashSelection, _ pool: WorkerPool?
    ) throws {
        coverage = try CoverageCall(arguments)
        folder = (arguments.text("--report-dir") ?? "Reports") + "/sweep"
        keepsFiles = !arguments.has("--no-report")
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        self.profiles = profiles
        self.chosen = chosen
        self.pool = pool
    }

    func interrupt() { lock.withLock { wasInterrupted = true } }

    func advanced(_ scenario: String, _ advance: CrashAdvance) {
        guard case .first(let done, let all) = advance else { return }
        lock.withLock { line.draw("  \(swept)/\(chosen.own.count)  \(scenario)  \(done) of \(all) moments") }
    }

    /// A worker has begun a world of this file.
    func tried(in file: String) {
        lock.withLock {
            worlds += 1
            line.draw("  \(swept)/\(chosen.own.count)  \(worlds) worlds  \(file)")
        }
    }

    func ended(_ report: SweepReport) async {
        var results: [ScenarioResult] = []
        for finding in report.findings { results.append(await result(of: finding)) }
        lock.withLock {
            line.erase()
            swept += 1
            sum = sum + report.tally
            cells.add(report.cells)
            costs.append(
                .init(report.plan.scenario.source.path, Int64(report.wall / .microseconds(1))))
            if let problem = report.problem {
                problems += 1
                Output.result("\(report.name): left out: \(problem)\n")
            } else {
                let time = isTimed ? String(format: "  %.1f s", report.wall / .seconds(1)) : ""
                Output.result(
                    "\(report.name)  \(report.tally.cells) cells  \(report.tally.worlds) worlds of "
                        + "\(report.tally.points) points"
                        + (report.tally.failures > 0 ? "  \(report.tally.failures) failed" : "") + time + "\n"
                )
            }
            for (finding, result) in zip(report.findings, results) { add(finding, result, report) }
        }
    }

    /// The run of a finding's file; of a world that its process did not survive, its end.
    private func result(of finding: SweepReport.Finding) async -> ScenarioResult {
        var result = ScenarioResult(id: "", name: "", file: "", title: "")
        result.verdict = .invalid
        if [.workerDied, .wallLimit].contains(finding.failure.kind) {
            result.verdict = .inconclusive
            result.failures = [finding.failure]
            return result
        }
        let text = ScenarioPrinter.text(of: finding.scenario)
        let reading = ScenarioReader.read(
            path: finding.scenario.source.path, bytes: Array(text.utf8), devices: profiles.names)
        guard let scenario = reading.scenarios.first else { return result }
        let plan = RunPlan.plans(for: scenario, seed: 1)[0]
        if let pool { return await pool.result(of: PlannedRun(plan)) }
        var runner = ScenarioRunner(profiles: profiles.profiles)
        runner.timelineLimit = 0
        return runner.run(plan)
    }

    private func add(_ finding: SweepReport.Finding, _ result: ScenarioResult, _ report: SweepReport) {
        let versions = report.plan.scenario.versions.map(\.name.value)
        let failure = result.failures.first ?? finding.failure
        let key = FailureSignature(failure, versions: versions).ofAnyCourse
        let occurrence = SearchFinding.Occurrence(
            ordinal: chosen.ordinal(of: report.plan), "\(finding.cause) in \(report.name)")
        if let known = found.firstIndex(where: { $0.key == key }) {
            found[known].1.count += 1
            found[known].1.earliest.append(occurrence)
            return
        }
        found.append((key, Found(report: report, finding: finding, result: result, earliest: [occurrence])))
        let path = path(of: found.count - 1, "first")
        write(ScenarioPrinter.text(of: finding.scenario), to: path)
        var text = "\n\(found.count)  \(finding.headline)\n   \(finding.cause)\n"
        for difference in finding.failure.differences {
            text += "   expected  \(difference.expected)\n   actual    \(difference.actual)\n"
        }
        let isMetamorphic = finding.failure.kind == .metamorphic
        if result.failures.isEmpty, !isMetamorphic {
            text += "   shows only when the device is used further than `otalab run` does\n"
        }
        if keepsFiles {
            text += "   otalab run \(ShellWord.quoted(path))\(isMetamorphic ? " --metamorphic" : "")\n"
        }
        Output.result(text + "\n")
    }

    private func path(of finding: Int, _ name: String) -> String { "\(folder)/\(finding + 1)/\(name).json5" }

    private func write(_ text: String, to path: String) {
        guard keepsFiles, writeFault == nil else { return }
        do throws(ReportError) {
            try ReportFolder.write(Array(text.utf8), to: path)
        } catch {
            writeFault = error
        }
    }

    /// Makes the files of findings smaller.
    func shrinkFindings(jobs: Int) async {
        var options = ScenarioSuite.Options.ofSearch(profiles)
        if let pool { options.makeRun = { await pool.result(of: $0) } }
        for index in found.indices where found[index].1.isShrinkable && keepsFiles {
            if lock.withLock({ wasInterrupted }) { return }
            let path = path(of: index, "shrunk")
            var shrinker = Shrinker(path: path, trial: Shrinker.trial(options))
            (shrinker.jobs, shrinker.devices) = (jobs, profiles.names)
            guard let small = await shrinker.shrink(found[index].1.finding.scenario) else { continue }
            found[index].1.shrunk = small
            write(small.text, to: path)
        }
    }

    private var summary: SearchSummary {
        var summary = SearchSummary(.sweep)
        summary.counts = SearchCounts([
            .init(.scenarios, swept), .init(.scenariosLeftOut, problems), .init(.cells, sum.cells),
            .init(.points, sum.points), .init(.tried, sum.tried), .init(.withoutEffect, sum.withoutEffect),
            .init(.worlds, sum.worlds), .init(.pairs, sum.pairs), .init(.compared, sum.compared),
            .init(.unfinished, sum.unfinished), .init(.failures, sum.failures),
        ])
        summary.hasInvalidFiles = chosen.hasInvalid
        summary.costs = costs
        summary.findings = found.enumerated().map { index, entry in
            SearchFinding(
                key: entry.key.key, headline: entry.1.finding.headline,
                file: "\(index + 1)/\(entry.1.shrunk == nil ? "first" : "shrunk").json5",
                count: entry.1.count, earliest: entry.1.earliest)
        }
        return summary
    }

    /// Writes the report of the findings in the formats of a run.
    /// - Parameter arguments: of the call.
    func writeReport(_ arguments: Arguments, seed: UInt64, jobs: Int) async throws {
        guard keepsFiles, writeFault == nil else { return }
        var report = SearchReport(
            summary, arguments, folder: folder, profiles: profiles, seed: seed, isTimed: isTimed)
        report.results.scenarioSetDigest = chosen.digest
        report.results.shard = chosen.shard
        report.results.isPartial = lock.withLock { wasInterrupted }
        report.results.cells = cells.entries
        report.results.startedAt = Int64(began.timeIntervalSince1970)
        report.results.wall = WallTimes(microseconds: Int64(-began.timeIntervalSinceNow * 1e6))
        do {
            let page = try await report.write(found.map(\.1.finding.failure), jobs: jobs)
            if let page { Output.result("Report: \(page)\n") }
        } catch let fault as ReportError {
            writeFault = fault
        }
    }

    func end() -> [ExitCode] {
        lock.withLock {
            line.erase()
            let summary = summary
            for (index, finding) in summary.findings.enumerated() {
                Output.result(
                    "\(index + 1)  \(finding.headline): \(Quoting.count(finding.count, "time"))\n")
                guard let small = found[index].1.shrunk else { continue }
                Output.result("   \(small.summary(showsWall: isTimed)): \(path(of: index, "shrunk"))\n")
            }
            let text = SearchText(
                summary, cells: cells, seconds: isTimed ? -began.timeIntervalSinceNow : nil)
            Output.result(text.sum + text.coverage())
            // A search that was ended has not reached what it would have.
            var codes = wasInterrupted ? [] : coverage.end(cells)
            if sum.failures > 0 { codes.append(.failed) }
            if wasInterrupted { codes.append(.interrupted) }
            if summary.lacksScenarios { codes.append(.invalid) }
            if let writeFault {
                Output.notWritten(writeFault)
                codes.append(.reportNotWritten)
            }
            return codes
        }
    }
}

extension SweepReport.Finding {
    /// Rule and summary: `[R2] An unproven version was started …`.
    fileprivate var headline: String { (failure.rule.map { "[\($0)] " } ?? "") + failure.headline }
}
