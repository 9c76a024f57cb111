import Foundation
import Live
import Runner
import Search

extension Program {
    /// Runs every scenario on both backends, one after the other; prints each result when both have run.
    func runLive() throws -> ExitCode {
        for flag in Program.unsupportedLiveFlags where arguments.isFromCall(flag) {
            throw UsageError(
                message: "\(flag) has no meaning in a live run",
                help: "leave it out, or --live: a live run only compares, and writes no reports")
        }
        let selection = try Selection(arguments)
        let output = TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii"))
        var comparison = DifferentialRun(profiles: selection.profiles)
        if let seed = try arguments.number("--seed", in: 0...UInt64.max) { comparison.seed = seed }
        var counts: [DifferentialRun.Outcome.Verdict: Int] = [:]
        for file in selection.files {
            let began = Date()
            let outcomes = comparison.compare(file, choosing: { selection.holds($0) }) {
                try LiveBackend(&$0)
            }
            for outcome in outcomes {
                counts[outcome.verdict, default: 0] += 1
                output.write(Program.lines(outcome, arguments.has("--quiet")))
            }
            if arguments.has("--verbose"), !outcomes.isEmpty {
                let milliseconds = Int64(Date().timeIntervalSince(began) * 1_000)
                output.write("           \(file.path) took \(milliseconds) ms\n")
            }
        }
        func count(_ verdict: DifferentialRun.Outcome.Verdict) -> Int { counts[verdict] ?? 0 }
        output.write(
            "\(count(.equal)) equal in the world and over real sockets, \(count(.differs)) differ, "
                + "\(count(.skipped)) skipped, \(count(.invalid)) invalid"
                + (count(.fails) > 0 ? ", \(count(.fails)) fail in both\n" : "\n"))
        if count(.differs) + count(.fails) > 0 { return .failed }
        if count(.invalid) > 0 { return .invalid }
        return count(.equal) == 0 && !arguments.has("--allow-empty") ? .nothingSelected : .passed
    }

    private static let unsupportedLiveFlags = [
        "--shard", "--shard-costs", "--jobs", "--seeds", "--fail-fast", "--check-determinism", "--max-events",
        "--max-virtual-time", "--wall-limit", "--output", "--report-dir", "--digests",
        "--in-process", "--coverage", "--require-coverage",
    ]

    private static func lines(_ outcome: DifferentialRun.Outcome, _ isQuiet: Bool) -> String {
        switch outcome.verdict {
        case .equal:
            if isQuiet { return "" }
            return "  equal    \(outcome.name)  \(outcome.steps) steps, \(outcome.requests) requests\n"
        case .skipped: return isQuiet ? "" : "  skipped  \(outcome.name)  \(outcome.lines.joined())\n"
        case .differs: return lines("DIFFERS", outcome)
        case .fails: return lines("FAILS  ", outcome)
        case .invalid: return lines("INVALID", outcome)
        }
    }

    private static func lines(_ label: String, _ outcome: DifferentialRun.Outcome) -> String {
        "  \(label)  \(outcome.name)\n" + outcome.lines.map { "           \($0)\n" }.joined()
    }
}
