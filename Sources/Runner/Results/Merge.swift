/// Why results can't be put together.
package struct MergeFault: Error, Hashable, Sendable {
    package var message: String
    package var help: String
}

extension RunResults {
    /// The shards of one run as that run would have told them, but for wall times.
    ///
    /// - Parameter shards: with the place they came from, in any order.
    package static func merged(_ shards: [(place: String, results: RunResults)]) throws(MergeFault)
        -> RunResults
    {
        guard let first = shards.first else {
            throw MergeFault(message: "there is nothing to merge", help: "name the folders of the shards")
        }
        for other in shards.dropFirst() { try belong(first, other) }
        try complete(shards)
        var all = first.results
        all.shard = nil
        all.scenarios = shards.flatMap(\.results.scenarios).sorted { $0.place < $1.place }
        try once(all.scenarios)
        all.isPartial = shards.contains { $0.results.isPartial }
        all.notRun = shards.flatMap(\.results.notRun).sorted { $0.place < $1.place }
        all.seedsNotRun = first.results.seedsNotRun
        for shard in shards.dropFirst() {
            all.seedsNotRun = SeedRange.joined(all.seedsNotRun, shard.results.seedsNotRun)
        }
        // What a shard left out, it names: no result is missing without a word.
        guard all.scenarios.count + all.notRun.count == all.selected else {
            let named = all.notRun.isEmpty ? "" : ", \(all.notRun.count) are named as not run"
            throw MergeFault(
                message: "\(all.scenarios.count) results of \(all.selected) are there\(named)",
                help: "a results.json was changed, or is of another selection or an older otalab")
        }
        all.coverage = RuleCoverage.table(of: all.scenarios)
        all.startedAt = shards.map(\.results.startedAt).min() ?? 0
        all.wall = WallTimes(microseconds: shards.map(\.results.wall.microseconds).max() ?? 0)
        return all
    }

    private static func belong(
        _ first: (place: String, results: RunResults), _ other: (place: String, results: RunResults)
    ) throws(MergeFault) {
        let one = first.results
        let two = other.results
        func differ(_ what: String, _ left: String, _ right: String) -> MergeFault {
            MergeFault(
                message: "\(what): \(left) in \(first.place), \(right) in \(other.place)",
                help: "merge shards of one run: the same program, files, flags and seed")
        }
        if one.toolVersion != two.toolVersion {
            throw differ("not the same version of otalab", one.toolVersion, two.toolVersion)
        }
        if one.seed != two.seed || one.lastSeed != two.lastSeed {
            throw differ("not the same seed", one.seedText, two.seedText)
        }
        if one.scenarioSetDigest != two.scenarioSetDigest {
            throw MergeFault(
                message: "the scenario files of \(first.place) and \(other.place) are not the same",
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

    private static func complete(_ shards: [(place: String, results: RunResults)]) throws(MergeFault) {
        guard let count = shards[0].results.shard?.count else {
            if shards.count == 1 { return }
            throw MergeFault(
                message: "\(shards[0].place) is a whole run, not a shard",
                help: "merge the folders of one run with --shard 1/N … N/N")
        }
        for number in 1...max(1, count) {
            let found = shards.filter { $0.results.shard?.number == number }
            if found.isEmpty {
                throw MergeFault(
                    message: "shard \(number)/\(count) is missing",
                    help: "name the folders of all \(count) shards")
            }
            if found.count > 1 {
                throw MergeFault(
                    message: "shard \(number)/\(count) is there twice: \(found[0].place), \(found[1].place)",
                    help: "name each shard once")
            }
        }
    }

    private static func once(_ scenarios: [ScenarioResult]) throws(MergeFault) {
        for (one, two) in zip(scenarios, scenarios.dropFirst()) where one.place == two.place {
            throw MergeFault(
                message: "two shards tell of the same place: \(one.name), \(two.name)",
                help: "a results.json was changed, or is of another selection")
        }
    }

    package var shardText: String { shard.map { "\($0.number)/\($0.count)" } ?? "a whole run" }

    /// `1`, `1..20`.
    package var seedText: String { lastSeed.map { "\(seed)..\($0)" } ?? "\(seed)" }
}

extension SeedRange {
    /// From the first to the last of both.
    static func joined(_ one: SeedRange?, _ two: SeedRange?) -> SeedRange? {
        guard let one, let two else { return one ?? two }
        return SeedRange(first: min(one.first, two.first), last: max(one.last, two.last))
    }
}

extension RunResults {
    /// `shard 2/3 in shards/2 was interrupted, 5 not run`: the parts of a merge that are not whole, by name.
    package static func incompleteParts(_ shards: [(place: String, results: RunResults)]) -> [String] {
        shards.filter(\.results.isIncomplete).map { place, results in
            let what = results.isPartial ? "was interrupted" : "ended early"
            return "\(results.shard == nil ? "" : "shard ")\(results.shardText) in \(place) \(what)"
                + ", \(results.notRun.count) not run"
        }
    }
}
