/// Counts over the runs of one scenario with several seeds.
package struct SeedSummary: Hashable, Sendable {
    /// Number of seeds that were run.
    package var run: Int
    package var passed: Int
    /// Seeds that did not pass, ascending.
    package var failing: [UInt64]

    package init(run: Int = 0, passed: Int = 0, failing: [UInt64] = []) {
        self.run = run
        self.passed = passed
        self.failing = failing
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

/// Runs of the same selection with ascending seeds, folded into one as they end, so that many seeds need the
/// memory of one. Each scenario gets the result of the first seed that did not pass, else that of the first
/// seed, and counts.
package struct FoldedRuns: Sendable {
    /// Number of runs.
    package private(set) var count = 0
    /// Number of runs before the first one in which scenarios are missing.
    package private(set) var completeCount = 0
    /// The first run, with the results of the first seeds that did not pass.
    private var all: RunResults?
    private var lastSeed: UInt64 = 0
    private var summaries: [SeedSummary] = []
    /// Wall-clock microseconds of each scenario.
    private var walls: [Int64] = []
    private var cells = CoverageTable()

    package init() {}

    package mutating func add(_ run: RunResults) {
        if all == nil {
            all = run
            summaries = run.scenarios.map { _ in SeedSummary() }
            walls = run.scenarios.map { _ in 0 }
        } else {
            if run.isPartial { all?.isPartial = true }
            all?.wall.microseconds += run.wall.microseconds
        }
        if completeCount == count, run.notRun.isEmpty, !run.isPartial { completeCount += 1 }
        count += 1
        lastSeed = run.seed
        cells.add(CoverageTable(run.cells))
        for index in summaries.indices { add(run, at: index) }
    }

    private mutating func add(_ run: RunResults, at index: Int) {
        if index < run.scenarios.count { walls[index] += run.scenarios[index].wall.microseconds }
        guard let name = all?.scenarios[index].name,
            let result = index < run.scenarios.count && run.scenarios[index].name == name
                ? run.scenarios[index] : run.scenarios.first(where: { $0.name == name })
        else { return }
        summaries[index].run += 1
        if result.verdict.isGood {
            summaries[index].passed += 1
            return
        }
        if summaries[index].failing.isEmpty { all?.scenarios[index] = result }
        summaries[index].failing.append(run.seed)
    }

    /// The runs as one; nil if there is none. A single run is as it was.
    /// - Parameter countsSeeds: whether one run is counted too.
    package func results(countsSeeds: Bool) -> RunResults? {
        guard countsSeeds, var all else { return all }
        all.cells = cells.entries
        for index in summaries.indices {
            all.scenarios[index].seeds = summaries[index]
            all.scenarios[index].wall = WallTimes(microseconds: walls[index])
        }
        all.lastSeed = lastSeed
        all.coverage = RuleCoverage.table(of: all.scenarios)
        return all
    }
}
