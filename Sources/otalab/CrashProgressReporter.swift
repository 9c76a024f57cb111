import Foundation
import Reporting
import Runner
import Search

/// Tells what a search over crash points finds while it goes on: a row for each story as it ends, beneath
/// it each finding, with the scenario file that shows it again, and on a terminal how far the search is.
///
/// VerificationSummary: what goes to standard output depends on the results alone, but for times; a search
/// that is called off has written the files of all that it has told. Called from any thread.
final class CrashProgressReporter: @unchecked Sendable {
    /// Where scenarios and results go.
    let folder: String
    private let keepsFiles: Bool
    private let isTimed: Bool
    private let stories: Int

    struct Told {
        var report: CrashReport
        /// Of its findings, in their order; empty where no file could be written.
        var commands: [String]
    }

    private let lock = NSLock()
    private var line: ProgressLine
    private let began = Date()
    private let processorBegan = ElapsedTime.processorSeconds
    private let clock = ElapsedTime()
    private var told: [Told] = []
    private var hasFailed = false
    private var isStopped = false

    init(_ arguments: Arguments, stories: Int) {
        folder = (arguments.text("--report-dir") ?? "Reports") + "/crashpoints"
        keepsFiles = !arguments.has("--no-report")
        isTimed = !arguments.has("--no-timings")
        line = ProgressLine(isShown: arguments.showsProgress)
        self.stories = stories
        Output.result(CrashTable.head)
    }

    var results: [Told] { lock.withLock { told } }

    /// Stories; one with several devices ends on each of them.
    private var done: Int { Set(told.map(\.report.plan.name)).count }

    /// A scenario's file could not be written.
    var isUnwritten: Bool { lock.withLock { hasFailed } }

    var isInterrupted: Bool { lock.withLock { isStopped } }

    /// The story that is being searched ends with what it has.
    func interrupt() {
        lock.withLock { isStopped = true }
    }

    func advanced(_ story: String, _ advance: CrashAdvance) {
        lock.withLock { line.draw("  \(done)/\(stories)  \(story)  \(advance.text)") }
    }

    func ended(_ report: CrashReport) {
        lock.withLock {
            line.erase()
            let span = clock.lap()
            Output.result(CrashTable.row(report.name, report.tally, report.problem, isTimed ? span : nil))
            Output.result(CrashTable.classes(report.tally))
            let commands = report.findings.enumerated().map { tell($1, number: $0 + 1, of: report) }
            told.append(Told(report: report, commands: commands))
            if !report.findings.isEmpty { Output.result("\n") }
        }
    }

    /// The sum, and of several stories once more what was found.
    func end(leftOut: Int) -> CrashTally {
        lock.withLock {
            line.erase()
            let sum = told.reduce(CrashTally()) { $0 + $1.report.tally }
            let span = isTimed ? Int64(Date().timeIntervalSince(began) * 1_000_000) : nil
            let processor = isTimed ? ElapsedTime.processorSeconds - processorBegan : nil
            Output.result(CrashTable.row(CrashTable.all, sum, nil, span))
            Output.result(CrashTable.classes(sum))
            Output.result(CrashTable.summary(sum, span, processor, leftOut))
            if told.count > 1 { Output.result(CrashTable.found(told)) }
            if isStopped { Output.result(CrashTable.interrupted(done, of: stories)) }
            return sum
        }
    }

    /// - Returns: the command that shows it again; empty without a file.
    private func tell(_ finding: CrashFinding, number: Int, of report: CrashReport) -> String {
        var text = "\nFAIL \(report.name)   [\(finding.rule)] \(finding.headline)\n"
        for place in finding.places { text += "  crash     \(place)\n" }
        text += "  expected  \(finding.expected)\n  actual    \(finding.actual)\n"
        var command = ""
        if keepsFiles {
            let path = "\(folder)/\(CrashTable.fileName(report.name))-\(number).json5"
            do throws(ReportError) {
                try ReportFolder.write(Array(report.scenario(of: finding).utf8), to: path)
                command = report.command(path: path)
                text += "  repro     \(command)\n"
            } catch {
                hasFailed = true
                text += "  the scenario could not be written to \(error.path): \(error.why)\n"
            }
        }
        Output.result(text)
        return command
    }
}

extension CrashAdvance {
    fileprivate var text: String {
        switch self {
        case .first(let done, let all): "first crashes: \(done) of \(all) moments"
        case .second(let done, let all): "second crashes: after \(done) of \(all) first ones"
        }
    }
}
