/// Reason why results can't be merged.
package struct MergeError: Error, Hashable, Sendable {
    package var message: String
    package var help: String
}

extension RunResults {
    /// Merges the shards of one run. The results equal those of the whole run except for wall times.
    ///
    /// - Parameter shards: results with the path that they were read from, in any order.
    package static func merged(_ shards: [(path: String, results: RunResults)]) throws(MergeError)
        -> RunResults
    {
        guard let first = shards.first else {
            throw MergeError(message: "there is nothing to merge", help: "name the folders of the shards")
        }
        for other in shards.dropFirst() { try checkSameRun(first, other) }
        try checkComplete(shards)
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

    private static func checkSameRun(
        _ first: (path: String, results: RunResults), _ other: (path: String, results: RunResults)
    ) throws(MergeError) {
        let one = first.results
        let two = other.results
        func differ(_ what: String, _ left: String, _ right: String) -> MergeError {
            MergeError(
                message: "\(what): \(left) in \(first.path), \(right) in \(other.path)",
                help: "merge shards of one run: the same program, files, flags and seed")
        }
        if one.toolVersion != two.toolVersion {
            throw differ("not the same version of otalab", one.toolVersion, two.toolVersion)
        }
        if one.seed != two.seed || one.lastSeed != two.lastSeed {
            throw differ("not the same seed", one.seedText, two.seedText)
        }
        if one.scenarioSetDigest != two.scenarioSetDigest {
            throw MergeError(
                message: "the scenario files of \(first.path) and \(other.path) are not the same",
                help: "run all shards from one commit, with the same paths")
        }
        if one.selected != two.selected {
            throw differ("not the same selection", "\(one.selected) results", "\(two.selected)")
        }
        if one.commandLine != two.commandLine {
            throw differ(
                "not the same call", one.commandLine.joined(separator: " "),
                two.commandLine.joined(separator: " "))
        }
        if one.shard?.count != two.shard?.count {
            throw differ("not the same number of shards", one.shardText, two.shardText)
        }
    }

    private static func checkComplete(_ shards: [(path: String, results: RunResults)]) throws(MergeError) {
        guard let count = shards[0].results.shard?.count else {
            if shards.count == 1 { return }
            throw MergeError(
                message: "\(shards[0].path) is a whole run, not a shard",
                help: "merge the folders of one run with --shard 1/N … N/N")
        }
        for number in 1...max(1, count) {
            let found = shards.filter { $0.results.shard?.ordinal == number }
            if found.isEmpty {
                throw MergeError(
                    message: "shard \(number)/\(count) is missing",
                    help: "name the folders of all \(count) shards")
            }
            if found.count > 1 {
                throw MergeError(
                    message: "shard \(number)/\(count) is there twice: \(found[0].path), \(found[1].path)",
                    help: "name each shard once")
            }
        }
    }

    private static func checkUnique(_ scenarios: [ScenarioResult]) throws(MergeError) {
        for (one, two) in zip(scenarios, scenarios.dropFirst()) where one.selectionIndex == two.selectionIndex
        {
            throw MergeError(
                message: "two shards tell of the same place: \(one.name), \(two.name)",
                help: "a results.json was changed, or is of another selection")
        }
    }

    package var shardText: String { shard.map { "\($0.ordinal)/\($0.count)" } ?? "a whole run" }

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
