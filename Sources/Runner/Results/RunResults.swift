/// All results of one run; every report is written from it.
///
/// Equal for equal scenarios, seed and program, whatever the number of workers, except for the wall-clock
/// times, which are separate fields (``startedAt``, ``wall`` here and in each scenario).
package struct RunResults: Hashable, Sendable {
    package var toolVersion: String
    /// Arguments without flags that never change a result.
    package var commandLine: [String]
    /// Seed; the first one if there are several.
    package var seed: UInt64
    /// Last seed if there are several.
    package var lastSeed: UInt64?
    /// Name and version of somebody else's updater that was run, as its adapter states them; nil: the
    /// project's own.
    package var subject: String?
    /// Digest of the bytes of all scenario files in their order, independent of the selection.
    package var scenarioSetDigest: UInt64
    /// Number of results of the whole selection, all shards together.
    package var selected: Int
    /// Shard of the selection that was run; nil: all of it.
    package var shard: Shard?
    /// Results in the order of the files, their cases and orders.
    package var scenarios: [ScenarioResult]
    /// Coverage in the order of <doc:Rules>.
    package var coverage: [RuleCoverage]
    /// What a search tried and found; nil for a run. ``scenarios`` are then the smallest files of its
    /// findings.
    package var search: SearchSummary?
    /// What all runs together have reached; empty if that was not recorded.
    package var cells: [CoverageCount] = []
    /// Selected scenarios that were not run because the run ended early, in the order of the files. With
    /// several seeds: scenarios that were run for none of them.
    package var notRun: [NotRun]
    /// Requested seeds that were not run for all scenarios because the run ended early.
    package var seedsNotRun: SeedRange?
    /// Whether the run was interrupted, so that results are missing.
    package var isPartial: Bool
    /// Start by the wall clock, in seconds since 1970-01-01T00:00:00Z.
    package var startedAt: Int64
    package var wall: WallTimes

    package init(toolVersion: String, commandLine: [String], seed: UInt64) {
        self.toolVersion = toolVersion
        self.commandLine = commandLine
        self.seed = seed
        scenarioSetDigest = 0
        selected = 0
        scenarios = []
        coverage = []
        notRun = []
        isPartial = false
        startedAt = 0
        wall = WallTimes()
    }

    package func count(_ verdict: Verdict) -> Int {
        scenarios.reduce(0) { $1.verdict == verdict ? $0 + 1 : $0 }
    }

    /// Exit code from the verdicts; the program adds that a report could not be written.
    package var exitCode: ExitCode {
        var codes = scenarios.map(\.exitCode)
        if isPartial { codes.append(.interrupted) }
        return scenarios.isEmpty && !isPartial ? .nothingSelected : ExitCode.first(of: codes)
    }
}

extension RuleCoverage {
    /// The table rules × scenarios, each rule of <doc:Rules> once.
    package static func table(of scenarios: [ScenarioResult]) -> [RuleCoverage] {
        Rule.all.map { rule in
            let entries = scenarios.filter { $0.covers.contains { RuleID.covers($0, rule.id) } }
                .map { Entry(name: $0.name, verdict: $0.verdict) }
            let clauses = rule.clauses.map { clause in
                RuleCoverage.ClauseEntry(
                    id: clause.id, text: clause.text,
                    scenarios: scenarios.filter { $0.covers.contains(clause.id) }.map(\.name),
                    test: clause.test)
            }
            return RuleCoverage(
                rule: rule.id, title: rule.title, isInvariant: rule.isInvariant, scenarios: entries,
                clauses: clauses)
        }
    }
}
