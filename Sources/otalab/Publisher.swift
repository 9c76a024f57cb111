import Authoring
import Foundation
import Reporting
import Runner

/// Writes what a run is to leave behind: the report folder, single formats, what a CI shows.
///
/// VerificationSummary: one place that can't be written does not keep the others from being written, and all
/// are told.
final class Publisher {
    private let arguments: Arguments
    private let outputs: [(format: ReportFormat, path: String)]
    private let human: Human
    /// Not to be guessed by who writes a scenario.
    private let token = UUID().uuidString
    private(set) var faults: [ReportError] = []

    init(_ arguments: Arguments, _ call: RunCall) {
        self.arguments = arguments
        outputs = call.outputs
        human = call.human
    }

    /// - Returns: the path of the page.
    func publish(_ results: RunResults) -> String? {
        let told = stable(results)
        for output in outputs { write(output.format.bytes(told), to: output.path) }
        var page: String?
        // A shard without scenarios is told, or nobody could merge the others.
        if !arguments.has("--no-report"), results.selected > 0 {
            let folder = arguments.text("--report-dir") ?? "Reports"
            do throws(ReportError) {
                page = try ReportFolder(folder).write(told, startedAt: results.startedAt)
            } catch {
                faults.append(error)
            }
        }
        if isOnGitHub, let path = Output.variable("GITHUB_STEP_SUMMARY"), !path.isEmpty {
            append(told, to: path)
        }
        return page
    }

    /// Without times where they are not wanted, so that equal runs leave equal bytes.
    private func stable(_ results: RunResults) -> RunResults {
        let epoch = Output.variable("SOURCE_DATE_EPOCH").flatMap { Int64($0) }
        guard arguments.has("--no-timings") || epoch != nil else { return results }
        var told = results
        told.startedAt = epoch ?? 0
        told.wall = WallTimes()
        for place in told.scenarios.indices { told.scenarios[place].wall = WallTimes() }
        return told
    }

    private func write(_ bytes: [UInt8], to path: String) {
        if path == "-" {
            let why = Output.write(String(decoding: bytes, as: UTF8.self), to: STDOUT_FILENO)
            if let why { faults.append(ReportError(path: "standard output", why: why)) }
            return
        }
        do throws(ReportError) {
            try ReportFolder.write(bytes, to: path)
        } catch {
            faults.append(error)
        }
    }

    // MARK: - What a CI shows

    /// Each failure of GitHub's log can be folded.
    var fold: TerminalReport.Fold? { isOnGitHub ? GitHubAnnotations.group(token: token) : nil }

    private var isOnGitHub: Bool {
        !arguments.has("--no-ci") && Output.variable("GITHUB_ACTIONS") == "true"
    }

    /// On GitHub nothing that a scenario says is a command until ``annotate(_:_:)``.
    func guardCommands() {
        guard isOnGitHub else { return }
        human.tell("::stop-commands::\(token)\n")
    }

    /// - Parameter page: of the report.
    func annotate(_ results: RunResults, _ page: String?) {
        if isOnGitHub {
            human.tell("::\(token)::\n" + GitHubAnnotations.text(results))
        } else if !arguments.has("--no-ci"), Output.variable("GITLAB_CI") == "true", let page {
            let folder = page.dropLast("/latest/report.html".count)
            human.tell("Keep \(folder)/ as an artifact, with reports: junit: \(folder)/*/junit.xml\n")
        }
    }

    /// GitHub's file may hold what earlier commands of the step wrote.
    private func append(_ results: RunResults, to path: String) {
        guard let file = fopen(path, "a") else {
            faults.append(ReportError(path: path, why: String(cString: strerror(errno))))
            return
        }
        let bytes = Array(MarkdownSummary.text(results).utf8)
        let count = fwrite(bytes, 1, bytes.count, file)
        let isWhole = count == bytes.count && fclose(file) == 0
        if !isWhole { faults.append(ReportError(path: path, why: String(cString: strerror(errno)))) }
    }

    func tellFaults() {
        for fault in faults {
            Output.error(
                "error: the report could not be written to \(fault.path): \(fault.why)\n"
                    + "  = help: choose another folder with --report-dir, or --no-report\n")
        }
    }
}
