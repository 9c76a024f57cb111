/// What became of one scenario for each of several seeds.
package struct SeedSummary: Hashable, Sendable {
    package var run: Int
    package var passed: Int
    /// In rising order.
    package var failing: [UInt64]

    package init() {
        run = 0
        passed = 0
        failing = []
    }
}

/// Seeds in a row, both ends included.
package struct SeedRange: Hashable, Sendable {
    package var first: UInt64
    package var last: UInt64

    package init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}

extension RunResults {
    /// One result for each scenario, from runs of the same selection with rising seeds: that of the first
    /// seed that did not pass, else that of the first seed, and a count.
    package static func folded(_ runs: [RunResults]) -> RunResults? {
        guard var all = runs.first else { return nil }
        for place in all.scenarios.indices {
            let name = all.scenarios[place].name
            var summary = SeedSummary()
            var told: ScenarioResult?
            for run in runs {
                guard
                    let result = place < run.scenarios.count && run.scenarios[place].name == name
                        ? run.scenarios[place] : run.scenarios.first(where: { $0.name == name })
                else { continue }
                summary.run += 1
                if result.verdict.isGood {
                    summary.passed += 1
                } else {
                    summary.failing.append(run.seed)
                    if told == nil { told = result }
                }
            }
            let wall = runs.reduce(0) {
                $0 + (place < $1.scenarios.count ? $1.scenarios[place].wall.microseconds : 0)
            }
            if let told { all.scenarios[place] = told }
            all.scenarios[place].seeds = summary
            all.scenarios[place].wall = WallTimes(microseconds: wall)
        }
        all.lastSeed = runs.last?.seed
        all.isPartial = runs.contains { $0.isPartial }
        all.wall = WallTimes(microseconds: runs.reduce(0) { $0 + $1.wall.microseconds })
        all.coverage = RuleCoverage.table(of: all.scenarios)
        return all
    }
}
