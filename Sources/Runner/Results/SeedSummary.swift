/// Counts over the runs of one scenario with several seeds.
package struct SeedSummary: Hashable, Sendable {
    /// Number of seeds that were run.
    package var run: Int
    package var passed: Int
    /// Seeds that did not pass, ascending.
    package var failing: [UInt64]

    package init() {
        run = 0
        passed = 0
        failing = []
    }
}

/// A closed range of seeds.
package struct SeedRange: Hashable, Sendable {
    package var first: UInt64
    package var last: UInt64

    package init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}

extension RunResults {
    /// Folds runs of the same selection with ascending seeds into one. Each scenario gets the result of the
    /// first seed that did not pass, else that of the first seed, and counts.
    package static func folded(_ runs: [RunResults]) -> RunResults? {
        guard var all = runs.first else { return nil }
        for index in all.scenarios.indices {
            let name = all.scenarios[index].name
            var summary = SeedSummary()
            var firstFailing: ScenarioResult?
            for run in runs {
                guard
                    let result = index < run.scenarios.count && run.scenarios[index].name == name
                        ? run.scenarios[index] : run.scenarios.first(where: { $0.name == name })
                else { continue }
                summary.run += 1
                if result.verdict.isGood {
                    summary.passed += 1
                } else {
                    summary.failing.append(run.seed)
                    if firstFailing == nil { firstFailing = result }
                }
            }
            let wall = runs.reduce(0) {
                $0 + (index < $1.scenarios.count ? $1.scenarios[index].wall.microseconds : 0)
            }
            if let firstFailing { all.scenarios[index] = firstFailing }
            all.scenarios[index].seeds = summary
            all.scenarios[index].wall = WallTimes(microseconds: wall)
        }
        all.lastSeed = runs.last?.seed
        all.isPartial = runs.contains { $0.isPartial }
        all.wall = WallTimes(microseconds: runs.reduce(0) { $0 + $1.wall.microseconds })
        all.coverage = RuleCoverage.table(of: all.scenarios)
        return all
    }
}
