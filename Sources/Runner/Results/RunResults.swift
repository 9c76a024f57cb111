/// Everything one run found: the one model that every report is written from.
///
/// Equal for equal scenarios, seed and program whatever the number of workers, but for the wall-clock
/// figures, which stand in fields of their own (``startedAt``, ``wall`` here and in each scenario).
package struct RunResults: Hashable, Sendable {
    package var toolVersion: String
    /// Without flags that never change a result.
    package var commandLine: [String]
    /// The first one, where there are several.
    package var seed: UInt64
    /// The last one of several.
    package var lastSeed: UInt64?
    /// Over the bytes of all scenario files in their order, whatever was selected from them.
    package var scenarioSetDigest: UInt64
    /// Results that the whole selection has, all shards together.
    package var selected: Int
    /// The part of the selection that this is; nil for all of it.
    package var shard: Shard?
    /// In the order of the files, cases and orders within them.
    package var scenarios: [ScenarioResult]
    /// In the order of the rulebook.
    package var coverage: [RuleCoverage]
    /// What was selected and not run, since the run ended before; in the order of the files. For several
    /// seeds what was run for none of them.
    package var notRun: [NotRun]
    /// Seeds that were asked for and not run, or not for all scenarios, since the run ended before.
    package var seedsNotRun: SeedRange?
    /// The run was interrupted: what there is is true but not all.
    package var isPartial: Bool
    /// Seconds since 1970-01-01T00:00:00Z by the wall clock.
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

    /// Of the verdicts alone; a report that could not be written is the program's to add.
    package var exitCode: ExitCode {
        var codes = scenarios.map(\.exitCode)
        if isPartial { codes.append(.interrupted) }
        return scenarios.isEmpty && !isPartial ? .nothingSelected : ExitCode.first(of: codes)
    }
}

extension RuleCoverage {
    /// The table rules × scenarios, each rule of the rulebook once.
    package static func table(of scenarios: [ScenarioResult]) -> [RuleCoverage] {
        Rule.all.map { rule in
            let entries = scenarios.filter { $0.covers.contains(rule.id) }
                .map { Entry(name: $0.name, verdict: $0.verdict) }
            return RuleCoverage(
                rule: rule.id, title: rule.title, isInvariant: rule.isInvariant, scenarios: entries)
        }
    }
}
