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
        var shrunk: ShrunkScenario?
    }

    private let folder: String
    private let keepsFiles: Bool
    private let isTimed: Bool
    private let profiles: ProfileSet
    private let coverage: CoverageCall
    private let planCount: Int
    private let lock = NSLock()
    private var line: ProgressLine
    private var sum = SweepTally()
    private var cells = CoverageTable()
    private var swept = 0
    private var problems = 0
    private var found: [(key: FailureSignature, Found)] = []
    private var writeFault: ReportError?
    private var wasInterrupted = false
    private let began = Date()
    private let clock = ElapsedTime()

    init(_ arguments: Arguments, profiles: ProfileSet, plans: Int) throws {
        coverage = try CoverageCall(arguments)
        folder = (arguments.text("--report-dir") ?? "Reports") + "/sweep"
        keepsFiles = !arguments.has("--no-report")
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        self.profiles = profiles
        planCount = plans
    }

    /// The plans of whole files, so that the cases of a file stay together.
    static func share(_ plans: [RunPlan], _ shard: Shard?) -> [RunPlan] {
        guard let shard else { return plans }
        var files: [String] = []
        return plans.filter { plan in
            let path = plan.scenario.source.path
            if files.last != path { files.append(path) }
            return (files.count - 1) % shard.count == shard.ordinal - 1
        }
    }

    func interrupt() { lock.withLock { wasInterrupted = true } }

    func advanced(_ scenario: String, _ advance: CrashAdvance) {
        guard case .first(let done, let all) = advance else { return }
        lock.withLock { line.draw("  \(swept)/\(planCount)  \(scenario)  \(done) of \(all) moments") }
    }

    func ended(_ report: SweepReport) {
        let results = report.findings.map { result(of: $0) }
        lock.withLock {
            line.erase()
            swept += 1
            sum = sum + report.tally
            cells.add(report.cells)
            if let problem = report.problem {
                problems += 1
                Output.result("\(report.name): left out: \(problem)\n")
                return
            }
            let time = isTimed ? String(format: "  %.1f s", Double(clock.lap()) / 1e6) : ""
            Output.result(
                "\(report.name)  \(report.tally.cells) cells  \(report.tally.worlds) worlds of "
                    + "\(report.tally.points) points"
                    + (report.tally.failures > 0 ? "  \(report.tally.failures) failed" : "") + time + "\n")
            for (finding, result) in zip(report.findings, results) { add(finding, result, report) }
        }
    }

    private func result(of finding: SweepReport.Finding) -> ScenarioResult {
        var runner = ScenarioRunner(profiles: profiles.profiles)
        runner.timelineLimit = 0
        let text = ScenarioPrinter.text(of: finding.scenario)
        let reading = ScenarioReader.read(
            path: finding.scenario.source.path, bytes: Array(text.utf8), devices: profiles.names)
        guard let scenario = reading.scenarios.first else {
            var invalid = ScenarioResult(id: "", name: "", file: "", title: "")
            invalid.verdict = .invalid
            return invalid
        }
        return runner.run(RunPlan.plans(for: scenario, seed: 1)[0])
    }

    private func add(_ finding: SweepReport.Finding, _ result: ScenarioResult, _ report: SweepReport) {
        let versions = report.plan.scenario.versions.map(\.name.value)
        var key: FailureSignature
        if let failure = result.failures.first {
            key = FailureSignature(failure, versions: versions)
        } else {
            let verdict = finding.verdict
            key = FailureSignature(
                Failure(kind: .invariant, headline: verdict.headline, at: .zero), versions: versions)
            (key.rule, key.pattern) = (verdict.rule, verdict.rule == "liveness" ? "" : verdict.headline)
        }
        (key.course, key.headline) = ([], "")
        if let known = found.firstIndex(where: { $0.key == key }) {
            found[known].1.count += 1
            return
        }
        found.append((key, Found(report: report, finding: finding, result: result)))
        let number = found.count
        let path = "\(folder)/\(number)/first.json5"
        write(ScenarioPrinter.text(of: finding.scenario), to: path)
        var text = "\n\(number)  [\(finding.verdict.rule)] \(finding.verdict.headline)\n"
        text +=
            "   \(finding.site.disturbance.name) at \(finding.site.at.clock), \(finding.site.circumstance.rawValue)\n"
        text += "   expected  \(finding.verdict.expected)\n   actual    \(finding.verdict.actual)\n"
        if result.failures.isEmpty {
            text += "   shows only when the device is used further than `otalab run` does\n"
        }
        if keepsFiles { text += "   otalab run \(ShellWord.quoted(path))\n" }
        Output.result(text + "\n")
    }

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
        var options = ScenarioSuite.Options()
        options.profiles = profiles
        options.explains = false
        options.moments = .none
        for index in found.indices where !found[index].1.result.failures.isEmpty && keepsFiles {
            if lock.withLock({ wasInterrupted }) { return }
            let path = "\(folder)/\(index + 1)/shrunk.json5"
            var shrinker = Shrinker(path: path, trial: Shrinker.trial(options))
            (shrinker.jobs, shrinker.devices) = (jobs, profiles.names)
            guard let small = await shrinker.shrink(found[index].1.finding.scenario) else { continue }
            found[index].1.shrunk = small
            write(small.text, to: path)
        }
    }

    /// Writes the report of the findings in the formats of a run.
    /// - Parameter arguments: of the call.
    func writeReport(_ arguments: Arguments, jobs: Int) async throws {
        guard keepsFiles, writeFault == nil else { return }
        let report = SearchReport(
            verb: "sweep", summary: "\(Quoting.count(sum.worlds, "disturbed world")) of \(swept) scenarios",
            folder: folder, cells: cells, profiles: profiles, commandLine: arguments.canonical, seed: 1,
            isTimed: isTimed)
        let findings = found.enumerated().map { index, entry in
            let (found, verdict) = (entry.1, entry.1.finding.verdict)
            var failure = Failure(kind: .invariant, headline: verdict.headline, at: found.finding.site.at)
            failure.rule = verdict.rule
            failure.differences = [Difference(expected: verdict.expected, actual: verdict.actual)]
            return SearchReport.Finding(
                file: "\(folder)/\(index + 1)/\(found.shrunk == nil ? "first" : "shrunk").json5",
                note: "found \(Quoting.count(found.count, "time")), first by "
                    + "\(found.finding.site.disturbance.name) in \(found.report.name)",
                failure: failure)
        }
        do {
            if let page = try await report.write(findings, jobs: jobs) { Output.result("Report: \(page)\n") }
        } catch let fault as ReportError {
            writeFault = fault
        }
    }

    func end() -> [ExitCode] {
        lock.withLock {
            line.erase()
            for (index, entry) in found.enumerated() {
                let found = entry.1
                Output.result(
                    "\(index + 1)  [\(found.finding.verdict.rule)] \(found.finding.verdict.headline): "
                        + "\(Quoting.count(found.count, "time"))\n")
                guard let small = found.shrunk else { continue }
                Output.result(
                    "   \(small.summary(showsWall: isTimed)): \(folder)/\(index + 1)/shrunk.json5\n")
            }
            let span = -began.timeIntervalSinceNow
            let share = sum.points > 0 ? 100 * Double(sum.tried) / Double(sum.points) : 0
            Output.result(
                "\(swept) scenarios, \(sum.cells) cells, \(sum.worlds) worlds"
                    + String(format: " (%.1f %% of %d points)", share, sum.points)
                    + ", \(sum.withoutEffect) without effect, \(sum.unfinished) at a limit, "
                    + "\(sum.failures) failed in \(found.count) ways, \(problems) scenarios left out"
                    + (isTimed
                        ? String(
                            format: ", %.1f s, %.0f worlds/s", span, Double(sum.worlds) / max(span, 0.001))
                        : "")
                    + "\n")
            Output.result(CoverageSummary(cells).text + "\n")
            // A search that was ended has not reached what it would have.
            var codes = wasInterrupted ? [] : coverage.end(cells)
            if sum.failures > 0 { codes.append(.failed) }
            if wasInterrupted { codes.append(.interrupted) }
            if let writeFault {
                Output.error("error: \(writeFault.path) could not be written: \(writeFault.why)\n")
                codes.append(.reportNotWritten)
            }
            return codes
        }
    }
}
