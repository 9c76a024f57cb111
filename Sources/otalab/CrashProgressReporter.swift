import Foundation
import Reporting
import Runner
import Search

/// Prints what a crash-point search finds while it runs: a table line for each scenario as it ends, below it
/// each finding with the scenario file that reproduces it, and on a terminal the progress of the search.
///
/// Guarantees: standard output depends on the results alone, except for times. A cancelled search has written
/// the files of all findings that it printed. Thread-safe.
final class CrashProgressReporter: @unchecked Sendable {
    /// The folder for scenario files and results.
    let folder: String
    private let keepsFiles: Bool
    private let isTimed: Bool
    private let scenarioCount: Int

    struct FinishedReport {
        var report: CrashReport
        /// The file of each finding, in the same order; nil if it could not be written.
        var files: [CrashFile?]
    }

    private let lock = NSLock()
    private var line: ProgressLine
    private let began = Date()
    private let processorBegan = ElapsedTime.processorSeconds
    private let clock = ElapsedTime()
    private var finished: [FinishedReport] = []
    private var writeFailed = false
    private var wasInterrupted = false

    init(_ arguments: Arguments, scenarioCount: Int) {
        folder = (arguments.text("--report-dir") ?? "Reports") + "/crashpoints"
        keepsFiles = !arguments.has("--no-report")
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        self.scenarioCount = scenarioCount
        Output.result(CrashTable.head)
    }

    var results: [FinishedReport] { lock.withLock { finished } }

    /// Number of scenarios with at least one report; a scenario with several devices has one for each.
    private var finishedScenarioCount: Int { Set(finished.map(\.report.plan.name)).count }

    /// Whether a scenario file could not be written.
    var hasWriteFailure: Bool { lock.withLock { writeFailed } }

    var isInterrupted: Bool { lock.withLock { wasInterrupted } }

    /// Marks the search as interrupted; the current scenario ends with the findings it has.
    func interrupt() {
        lock.withLock { wasInterrupted = true }
    }

    func advanced(_ scenario: String, _ advance: CrashAdvance) {
        lock.withLock {
            line.draw("  \(finishedScenarioCount)/\(scenarioCount)  \(scenario)  \(advance.text)")
        }
    }

    func ended(_ report: CrashReport) {
        lock.withLock {
            line.erase()
            let span = clock.lap()
            Output.result(CrashTable.line(report.name, report.tally, report.problem, isTimed ? span : nil))
            Output.result(CrashTable.classes(report.tally))
            let files = report.findings.enumerated().map { print($1, ordinal: $0 + 1, of: report) }
            finished.append(FinishedReport(report: report, files: files))
            if !report.findings.isEmpty { Output.result("\n") }
        }
    }

    /// Prints the sum, and after several scenarios all findings once more.
    func end(leftOut: Int) -> CrashTally {
        lock.withLock {
            line.erase()
            let sum = finished.reduce(CrashTally()) { $0 + $1.report.tally }
            let span = isTimed ? Int64(Date().timeIntervalSince(began) * 1_000_000) : nil
            let processor = isTimed ? ElapsedTime.processorSeconds - processorBegan : nil
            Output.result(CrashTable.line(CrashTable.all, sum, nil, span))
            Output.result(CrashTable.classes(sum))
            Output.result(CrashTable.summary(sum, span, processor, leftOut))
            if finished.count > 1 {
                Output.result(
                    CrashTable.found(
                        finished.map {
                            CrashResults.SearchedScenario($0.report, ordinal: 1, files: $0.files)
                        }))
            }
            if wasInterrupted {
                Output.result(CrashTable.interrupted(finishedScenarioCount, of: scenarioCount))
            }
            return sum
        }
    }

    /// - Returns: the file that reproduces the finding; nil if none was written.
    private func print(_ finding: CrashFinding, ordinal: Int, of report: CrashReport) -> CrashFile? {
        var text = "\nFAIL \(report.name)   [\(finding.rule)] \(finding.headline)\n"
        for crash in finding.crashes { text += "  crash     \(crash)\n" }
        text += "  expected  \(finding.expected)\n  actual    \(finding.actual)\n"
        var written: CrashFile?
        if keepsFiles {
            let name = "\(CrashTable.fileName(report.name))-\(ordinal).json5"
            let file = CrashFile(name, in: folder, seed: report.plan.seed)
            do throws(ReportError) {
                try ReportFolder.write(Array(report.scenario(of: finding).utf8), to: "\(folder)/\(name)")
                written = file
                text += "  repro     \(file.command)\n"
            } catch {
                writeFailed = true
                text += "  the scenario could not be written to \(error.path): \(error.why)\n"
            }
        }
        Output.result(text)
        return written
    }
}

extension CrashAdvance {
    /// The progress as a person reads it.
    fileprivate var text: String {
        switch self {
        case .first(let done, let all): "first crashes: \(done) of \(all) moments"
        case .second(let done, let all): "second crashes: after \(done) of \(all) first ones"
        }
    }
}
