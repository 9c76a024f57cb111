extension RunResults {
    /// Results, each with the path that it was read from.
    package typealias Shards = [(path: String, results: RunResults)]

    /// Merges the shards of one run. The results equal those of the whole run except for wall times.
    ///
    /// - Parameter shards: results with the path that they were read from, in any order.
    package static func merged(_ shards: Shards) throws(MergeError) -> RunResults {
        guard let first = shards.first else {
            throw MergeError(message: "there is nothing to merge", help: "name the folders of the shards")
        }
        for other in shards.dropFirst() { try checkSameRun(first, other) }
        try ShardCheck.complete(shards)
        var all = first.results
        all.shard = nil
        all.scenarios = shards.flatMap(\.results.scenarios).sorted { $0.selectionIndex < $1.selectionIndex }
        try checkUnique(all.scenarios)
        all.isPartial = shards.contains { $0.results.isPartial }
        all.notRun = shards.flatMap(\.results.notRun).sorted { $0.selectionIndex < $1.selectionIndex }
        all.seedsNotRun = first.results.seedsNotRun
        for shard in shards.dropFirst() {
            all.seedsNotRun = SeedRange.joined(all.seedsNotRun, shard.results.seedsNotRun)
        }
        // A shard names what it did not run, so each selected scenario is in one of the two lists.
        guard all.scenarios.count + all.notRun.count == all.selected else {
            let named = all.notRun.isEmpty ? "" : ", \(all.notRun.count) are named as not run"
            throw MergeError(
                message: "\(all.scenarios.count) results of \(all.selected) are there\(named)",
                help: "a results.json was changed, or is of another selection or an older otalab")
        }
        all.coverage = RuleCoverage.table(of: all.scenarios)
        all.cells = CoverageTable(shards.flatMap(\.results.cells)).entries
        all.startedAt = shards.map(\.results.startedAt).min() ?? 0
        all.wall = WallTimes(microseconds: shards.map(\.results.wall.microseconds).max() ?? 0)
        return all
    }

    private static func checkSameRun(_ first: Shards.Element, _ other: Shards.Element) throws(MergeError) {
        let one = first.results
        let two = other.results
        try ShardCheck.sameProgram(first, other)
        if one.seed != two.seed || one.lastSeed != two.lastSeed {
            throw ShardCheck.fault(
                "not the same seed", (first.path, one.seedText), (other.path, two.seedText))
        }
        if one.subject != two.subject {
            throw ShardCheck.fault(
                "not the same updater", (first.path, one.subject ?? "the project's own"),
                (other.path, two.subject ?? "the project's own"))
        }
        try ShardCheck.sameFiles(first, other)
        if one.selected != two.selected {
            throw ShardCheck.fault(
                "not the same selection", (first.path, "\(one.selected) results"),
                (other.path, "\(two.selected)"))
        }
        try ShardCheck.sameCall(first, other)
        try ShardCheck.sameCount(first, other)
    }

    private static func checkUnique(_ scenarios: [ScenarioResult]) throws(MergeError) {
        for (one, two) in zip(scenarios, scenarios.dropFirst()) where one.selectionIndex == two.selectionIndex
        {
            throw MergeError(
                message: "two shards tell of the same place: \(one.name), \(two.name)",
                help: "a results.json was changed, or is of another selection")
        }
    }

    /// `1`, `1..20`.
    package var seedText: String { lastSeed.map { "\(seed)..\($0)" } ?? "\(seed)" }
}

extension SeedRange {
    /// The range from the first to the last seed of both.
    static func joined(_ one: SeedRange?, _ two: SeedRange?) -> SeedRange? {
        guard let one, let two else { return one ?? two }
        return SeedRange(first: min(one.first, two.first), last: max(one.last, two.last))
    }
}

extension RunResults {
    /// One line for each incomplete shard: `shard 2/3 in shards/2 was interrupted, 5 not run`.
    package static func incompleteParts(_ shards: [(path: String, results: RunResults)]) -> [String] {
        shards.filter(\.results.isIncomplete).map { path, results in
            let what = results.isPartial ? "was interrupted" : "ended early"
            return "\(results.shard == nil ? "" : "shard ")\(results.shardText) in \(path) \(what)"
                + ", \(results.notRun.count) not run"
        }
    }
}
