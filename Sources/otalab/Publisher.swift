import Authoring
import Foundation
import Reporting
import Runner

/// Writes the output of a run: the report folder, single formats, what a CI shows.
///
/// Guarantees: if one output can't be written, the others are written all the same, and every failure is
/// reported.
final class Publisher {
    private let arguments: Arguments
    private let outputs: [(format: ReportFormat, path: String)]
    private let output: TextOutput
    /// Results of scenarios that passed, of which the run's results have only a summary.
    private let passed: ResultSpool?
    /// Random, so that the author of a scenario can't guess it.
    private let token = UUID().uuidString
    private(set) var faults: [ReportError] = []

    init(_ arguments: Arguments, _ call: RunCall) {
        passed = call.passed
        self.arguments = arguments
        outputs = call.outputs
        output = call.output
    }

    /// - Returns: the path of the HTML page; nil if no report was written.
    func publish(_ results: RunResults) -> String? {
        let published = stable(results)
        for output in outputs { write(published, as: output.format, to: output.path) }
        var page: String?
        // A shard without scenarios is reported too, because the others could not be merged without it.
        if !arguments.has("--no-report"), results.selected > 0 {
            let folder = arguments.text("--report-dir") ?? "Reports"
            do throws(ReportError) {
                page = try ReportFolder(folder).write(
                    published, passed: passed, startedAt: results.startedAt)
            } catch {
                faults.append(error)
            }
        }
        if isOnGitHub, let path = Output.variable("GITHUB_STEP_SUMMARY"), !path.isEmpty {
            append(published, to: path)
        }
        return page
    }

    /// The results without times if the call or `SOURCE_DATE_EPOCH` requests it, so that equal runs write
    /// equal bytes.
    private func stable(_ results: RunResults) -> RunResults {
        guard Publisher.leavesOutTimes(arguments) else { return results }
        var published = results
        published.startedAt = Publisher.epoch ?? 0
        published.wall = WallTimes()
        for index in published.scenarios.indices { published.scenarios[index].wall = WallTimes() }
        return published
    }

    /// Whether reports have no times, because the call or `SOURCE_DATE_EPOCH` requests it.
    static func leavesOutTimes(_ arguments: Arguments) -> Bool {
        arguments.has("--no-timings") || epoch != nil
    }

    static var epoch: Int64? { Output.variable("SOURCE_DATE_EPOCH").flatMap { Int64($0) } }

    private func write(_ results: RunResults, as format: ReportFormat, to path: String) {
        if path == "-" {
            var bytes: [UInt8] = []
            do throws(ReportError) {
                try format.write(results, passed: passed) { bytes += $0 }
            } catch {
                faults.append(error)
            }
            let why = Output.write(String(decoding: bytes, as: UTF8.self), to: STDOUT_FILENO)
            if let why { faults.append(ReportError(path: "standard output", why: why)) }
            return
        }
        do throws(ReportError) {
            try ReportFolder.write(results, passed: passed, as: format, to: path)
        } catch {
            faults.append(error)
        }
    }

    // MARK: - What a CI shows

    /// Folds each failure in GitHub's log.
    var fold: TerminalReport.Fold? { isOnGitHub ? GitHubAnnotations.group(token: token) : nil }

    private var isOnGitHub: Bool {
        !arguments.has("--no-ci") && Output.variable("GITHUB_ACTIONS") == "true"
    }

    /// Stops workflow commands on GitHub until ``annotate(_:_:)``, so that a scenario's text can't issue one.
    func guardCommands() {
        guard isOnGitHub else { return }
        output.write("::stop-commands::\(token)\n")
    }

    /// - Parameter page: the path of the HTML page.
    func annotate(_ results: RunResults, _ page: String?) {
        if isOnGitHub {
            output.write("::\(token)::\n" + GitHubAnnotations.text(results))
        } else if !arguments.has("--no-ci"), Output.variable("GITLAB_CI") == "true", let page {
            let folder = page.dropLast("/latest/report.html".count)
            output.write("Keep \(folder)/ as an artifact, with reports: junit: \(folder)/*/junit.xml\n")
        }
    }

    /// Appends, because GitHub's file may hold what earlier commands of the step wrote.
    private func append(_ results: RunResults, to path: String) {
        guard let file = fopen(path, "a") else {
            faults.append(ReportError(path: path, why: String(cString: strerror(errno))))
            return
        }
        let bytes = Array(MarkdownSummary.text(results).utf8)
        let count = fwrite(bytes, 1, bytes.count, file)
        let isComplete = count == bytes.count && fclose(file) == 0
        if !isComplete { faults.append(ReportError(path: path, why: String(cString: strerror(errno)))) }
    }

    func printFaults() {
        for fault in faults {
            Output.error(
                "error: the report could not be written to \(fault.path): \(fault.why)\n"
                    + "  = help: choose another folder with --report-dir, or --no-report\n")
        }
    }
}
