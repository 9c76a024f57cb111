import Core
import Foundation
import Reporting
import Runner
import Search

extension Verb {
    static let explore = Verb(
        name: "explore", arguments: "[PATH[:LINE]…]",
        summary: "run worlds that nobody wrote, or properties with random steps in their gaps, until Ctrl-C",
        options: [
            Option("--runs", value: "N", "end after this number of worlds"),
            Option("--for", value: "TIME", "end after this time: 30s, 10m, 8h"),
            Option(
                "--fail-fast", value: "N", valueIsOptional: true,
                "end after the first kind of finding, or after the N-th"),
            Option(
                "--seed", value: "N", changesResult: true,
                "the seed of the first world; the others have the seeds after it (default 1)"),
            .jobs,
            Option("--shard", value: "I/N", offer: .choices(["auto"]), "only this share of the worlds"),
            .wallLimitOfWorld,
            Option(
                "--report-dir", value: "DIR", offer: .folders, "folder for explore/ (default Reports)"),
            .coverage, .requireCoverage, .noProgress, .noTimings,
        ]
    ) { program in try await program.explore() }
}

extension Program {
    /// `otalab explore`: prints each kind of failure when it is first found, in the order of the seeds, and
    /// at the end how many worlds were run. Exits with 1 if something was found.
    func explore() async throws -> ExitCode {
        let search = try Exploration(arguments)
        return try await search.run()
    }
}
