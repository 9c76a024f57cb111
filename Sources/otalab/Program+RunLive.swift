import Foundation
import Live
import Runner
import Search

extension Program {
    /// Every story in both arms, one after the other, each told as soon as it is compared.
    func runLive() throws -> ExitCode {
        for flag in Program.notLive where arguments.isOfCall(flag) {
            throw UsageError(
                message: "\(flag) says nothing of a live run",
                help: "leave it out, or --live: a live run compares, and writes no reports")
        }
        let selection = try Selection(arguments)
        let human = Human(stream: STDOUT_FILENO, isPlain: arguments.has("--ascii"))
        var arms = DifferentialRun(profiles: selection.profiles)
        if let seed = try arguments.number("--seed", in: 0...UInt64.max) { arms.seed = seed }
        var counts: [DifferentialRun.Outcome.Verdict: Int] = [:]
        for file in selection.files {
            let began = Date()
            let outcomes = arms.compare(file, choosing: { selection.holds($0) }) { try LiveBackend(&$0) }
            for outcome in outcomes {
                counts[outcome.verdict, default: 0] += 1
                human.tell(Program.lines(outcome, arguments.has("--quiet")))
            }
            if arguments.has("--verbose"), !outcomes.isEmpty {
                let seconds = Int64(Date().timeIntervalSince(began) * 1_000)
                human.tell("           \(file.path) took \(seconds) ms\n")
            }
        }
        func count(_ verdict: DifferentialRun.Outcome.Verdict) -> Int { counts[verdict] ?? 0 }
        human.tell(
            "\(count(.equal)) equal in the world and over real sockets, \(count(.differs)) differ, "
                + "\(count(.skipped)) skipped, \(count(.invalid)) invalid"
                + (count(.fails) > 0 ? ", \(count(.fails)) fail in both\n" : "\n"))
        if count(.differs) + count(.fails) > 0 { return .failed }
        if count(.invalid) > 0 { return .invalid }
        return count(.equal) == 0 && !arguments.has("--allow-empty") ? .nothingSelected : .passed
    }

    private static let notLive = [
        "--shard", "--jobs", "--seeds", "--fail-fast", "--check-determinism", "--max-events",
        "--max-virtual-time", "--wall-limit", "--output", "--report-dir", "--digests",
        "--in-process",
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

    private static func lines(_ word: String, _ outcome: DifferentialRun.Outcome) -> String {
        "  \(word)  \(outcome.name)\n" + outcome.lines.map { "           \($0)\n" }.joined()
    }
}
