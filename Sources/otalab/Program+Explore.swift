import Core
import Foundation
import Reporting
import Runner
import Search

extension Verb {
    static let explore = Verb(
        name: "explore", arguments: "[PATH[:LINE]…]",
        summary: "run worlds that nobody wrote, or scenarios with random steps between theirs, until Ctrl-C",
        options: [
            Option("--runs", value: "N", "end after this number of worlds"),
            Option("--for", value: "TIME", "end after this time: 30s, 10m, 8h"),
            Option(
                "--fail-fast", value: "N", valueIsOptional: true,
                "end after the first kind of finding, or after the N-th"),
            Option(
                "--seed", value: "N", changesResult: true,
                "the seed of the first world; the others have the seeds after it (default 1)"),
            Option("--no-shrink", "do not make what is found smaller, which takes up to 500 runs"),
            .jobs,
            Option("--shard", value: "I/N", offer: .choices(["auto"]), "only this share of the worlds"),
            .wallLimitOfWorld,
            Option(
                "--report-dir", value: "DIR", offer: .folders, "folder for explore/ (default Reports)"),
            .coverage, .requireCoverage, .noProgress, .noTimings,
        ] + SubjectCall.ofSearch
    ) { program in try await program.explore() }
}

extension Program {
    /// `otalab explore`: prints each kind of failure when it is first found, in the order of the seeds, and
    /// at the end how many worlds were run. Exits with 1 if something was found.
    func explore() async throws -> ExitCode {
        let seeds = ExplorationSeeds(
            first: try arguments.number("--seed", in: 0...UInt64.max) ?? 1,
            count: try arguments.number("--runs", in: 1...1_000_000_000),
            shard: try arguments.text("--shard").map {
                try Shard(option: $0, environment: Output.variable)
            })
        let folder = "explore/\(seeds.first)"
        signal(SIGINT, SIG_IGN)
        if let call = try SubjectCall(arguments) {
            return try await Exploration(arguments, try worlds(of: call, seeds), folder: folder).run()
        }
        let call = try BasisCall(arguments)
        let jobs =
            try arguments.number("--jobs", in: 1...256).map { Int($0) }
            ?? ProcessInfo.processInfo.activeProcessorCount
        let wallLimit = try RunCall.wallLimit(arguments) ?? RunCall.wallLimitOfWorlds
        var options = ScenarioSuite.Options.ofSearch(call.profiles)
        let pool = try WorkerPool(options, limit: jobs, wallLimit: wallLimit)
        options.checksTransformations = true
        let worlds = OwnWorlds(
            pool: pool, poolWithChanges: try WorkerPool(options, limit: jobs, wallLimit: wallLimit),
            seeds: seeds, jobs: jobs, profiles: call.profiles, bases: call.bases, wallLimit: wallLimit.text)
        return try await Exploration(arguments, worlds, folder: folder).run()
    }

    /// The drawn worlds of somebody else's updater.
    private func worlds(of call: SubjectCall, _ seeds: ExplorationSeeds) throws -> SubjectWorlds {
        try SubjectCall.refuse(["--coverage", "--require-coverage", "--wall-limit"], arguments)
        if let path = arguments.paths.first {
            throw UsageError(
                message: "explore --subject draws its worlds, and takes no scenario: '\(path)'",
                help: "leave it out; 'otalab sweep --subject' disturbs scenarios")
        }
        let profiles = ProfileSet(folders: ProfileFolder.find([], []))
        let run = try call.searchRun(profiles)
        guard !OutsideUpdater(run.description).dialects.isEmpty else {
            throw InvalidAdapter(text: "error: the adapter reads no dialect in which a world can be drawn")
        }
        return SubjectWorlds(
            run: run, worlds: .drawn, seeds: seeds, jobs: try SubjectCall.jobs(arguments), profiles: profiles)
    }
}
