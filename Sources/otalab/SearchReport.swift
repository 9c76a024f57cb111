import Core
import Foundation
import Reporting
import Runner
import ScenarioLanguage

/// The report of a search in the formats of a run: each finding is a result, with the events that led to it.
///
/// The smallest file of a finding is run once more, with explanations. A search without findings has one
/// result, which passed, so that a CI shows it as a test.
struct SearchReport: Sendable {
    /// A kind of failure that was found.
    struct Finding: Sendable {
        /// The file that shows it.
        var file: String
        /// How often it was found, and how early.
        var note: String
        /// What failed, for a file whose run alone does not show it.
        var failure: Failure
    }

    var verb: String
    /// What was searched, in one line.
    var summary: String
    var folder: String
    var cells: CoverageTable
    var profiles: ProfileSet
    var commandLine: [String]
    var seed: UInt64
    var isTimed: Bool

    private static let formats = ["html", "junit", "json"]

    /// Writes `report.html`, `junit.xml` and `results.json` to the folder.
    func write(_ findings: [Finding], jobs: Int) async throws -> String? {
        if findings.isEmpty {
            try write(empty)
            return nil
        }
        var options = ScenarioSuite.Options()
        options.profiles = profiles
        (options.jobs, options.seed, options.commandLine) = (jobs, seed, commandLine)
        let pool = try WorkerPool(options, limit: jobs, wallLimit: (60, "60s"))
        options.makeRun = { await pool.result(of: $0) }
        var results = await ScenarioSuite.run(findings.map { ScenarioFile.read($0.file) }, options)
        pool.stop()
        for index in results.scenarios.indices {
            let finding = findings.first { $0.file == results.scenarios[index].file }
            guard let finding else { continue }
            results.scenarios[index].notes.append(RunNote(.search, finding.note))
            if results.scenarios[index].verdict == .passed {
                results.scenarios[index].verdict = .failed
                results.scenarios[index].failures = [finding.failure]
            }
        }
        results.cells = cells.entries
        results.coverage = RuleCoverage.table(of: results.scenarios)
        return try write(results)
    }

    private var empty: RunResults {
        var results = RunResults(toolVersion: ToolVersion.current, commandLine: commandLine, seed: seed)
        results.scenarios = [ScenarioResult(id: verb, name: verb, file: "", title: summary)]
        results.selected = 1
        results.cells = cells.entries
        return results
    }

    /// - Returns: the path of the page.
    @discardableResult
    private func write(_ results: RunResults) throws(ReportError) -> String {
        var results = results
        if !isTimed {
            (results.startedAt, results.wall) = (0, WallTimes())
            for index in results.scenarios.indices { results.scenarios[index].wall = WallTimes() }
        }
        for format in ReportFormat.all where SearchReport.formats.contains(format.name) {
            guard let file = format.file else { continue }
            try ReportFolder.write(results, as: format, to: "\(folder)/\(file)")
        }
        return "\(folder)/report.html"
    }
}
