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
    var folder: String
    var profiles: ProfileSet
    var isTimed: Bool
    /// What is known before the findings are run.
    var results: RunResults
    /// Runs the file of a finding; nil: worker processes with the project's own updater do.
    var makeRun: (@Sendable (PlannedRun) async -> ScenarioResult)?

    private static let formats = ["html", "junit", "json"]
    /// Seed with which the files of findings are run: the one that `otalab run FILE` has.
    static let seedOfFiles: UInt64 = 1

    init(
        _ search: SearchSummary, _ arguments: Arguments, folder: String, profiles: ProfileSet, seed: UInt64,
        isTimed: Bool
    ) {
        (self.folder, self.profiles, self.isTimed) = (folder, profiles, isTimed)
        results = RunResults(
            toolVersion: ToolVersion.current, commandLine: arguments.canonical, seed: seed)
        results.search = search
    }

    /// Writes `report.html`, `junit.xml` and `results.json` to the folder.
    /// - Parameter failures: of each finding, for a file whose run alone does not show it.
    /// - Returns: the path of the page; nil without findings.
    func write(_ failures: [Failure], jobs: Int) async throws -> String? {
        guard let search = results.search else { return nil }
        var results = results
        if search.findings.isEmpty {
            results.scenarios = [search.passedResult]
        } else {
            results.scenarios = try await run(search, failures, jobs: jobs)
        }
        results.selected = results.scenarios.count
        results.coverage = RuleCoverage.table(of: results.scenarios)
        if !isTimed {
            (results.startedAt, results.wall) = (0, WallTimes())
            results.search?.costs = []
            for index in results.scenarios.indices { results.scenarios[index].wall = WallTimes() }
        }
        try SearchReport.write(results, to: folder)
        return search.findings.isEmpty ? nil : "\(folder)/report.html"
    }

    static func write(_ results: RunResults, to folder: String) throws(ReportError) {
        for format in ReportFormat.all where formats.contains(format.name) {
            guard let file = format.file else { continue }
            try ReportFolder.write(results, as: format, to: "\(folder)/\(file)")
        }
    }

    /// Removes the folders of the findings of an older report.
    static func removeFindings(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where Int(name) != nil {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    private func run(
        _ search: SearchSummary, _ failures: [Failure], jobs: Int
    ) async throws -> [ScenarioResult] {
        var options = ScenarioSuite.Options()
        options.profiles = profiles
        (options.jobs, options.seed) = (jobs, SearchReport.seedOfFiles)
        let pool = makeRun == nil ? try WorkerPool(options, limit: jobs, wallLimit: (60, "60s")) : nil
        options.makeRun = makeRun
        if let pool { options.makeRun = { await pool.result(of: $0) } }
        let files = search.findings.map { "\(folder)/\($0.file)" }
        var scenarios = await ScenarioSuite.run(files.map { ScenarioFile.read($0) }, options).scenarios
        pool?.stop()
        for index in scenarios.indices {
            guard let finding = files.firstIndex(of: scenarios[index].file) else { continue }
            scenarios[index].notes.append(RunNote(.search, search.note(on: search.findings[finding])))
            if scenarios[index].verdict == .passed {
                scenarios[index].verdict = .failed
                scenarios[index].failures = [failures[finding].of(files[finding])]
            }
        }
        return scenarios
    }
}

extension Failure {
    /// The failure of another run of the file, with the command that repeats it where one does.
    fileprivate func of(_ file: String) -> Failure {
        var failure = self
        failure.location = nil
        let flag = kind == .metamorphic ? " --metamorphic" : ""
        failure.reproduction = "otalab run \(ShellWord.quoted(file))\(flag)"
        return failure
    }
}
