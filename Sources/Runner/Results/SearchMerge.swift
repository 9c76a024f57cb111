import ScenarioLanguage

/// The parts of one search, joined: shards, and ranges of seeds.
///
/// Guarantees: equal findings of several parts are one, with its file from the part that found it first;
/// shards of a sweep give what the whole sweep gives. Worlds of an exploration are counted as if its shards
/// had run in step, and its ranges of seeds one after the other. Deliberately not here: files. The caller
/// copies those of the findings (``copies``).
package struct SearchMerge {
    package typealias Part = RunResults.Shards.Element

    package private(set) var results: RunResults
    /// For each finding, the folder in which its part has its files, and the folder in that of the report.
    package private(set) var copies: [(from: String, to: String)] = []
    /// Seeds between those of the parts.
    package private(set) var seedsBetween: [SeedRange] = []

    /// Whether one of the parts is of a search.
    package static func applies(to parts: [Part]) -> Bool { parts.contains { $0.results.search != nil } }

    /// - Parameters:
    ///   - parts: results with the folder that they were read from, in any order.
    ///   - folder: of the merged report.
    package init(_ parts: [Part], to folder: String) throws(MergeError) {
        let ordered = try SearchMerge.ordered(parts)
        results = ordered[0].results
        var search = ordered[0].search
        search.seeds = []
        search.counts = SearchCounts(ordered.flatMap(\.search.counts.entries))
        search.hasInvalidFiles = ordered.contains { $0.search.hasInvalidFiles }
        search.costs = ordered.flatMap(\.search.costs)
        let ranges = ordered.flatMap(\.search.seeds).sorted { ($0.first, $0.last) < ($1.first, $1.last) }
        for range in ranges { add(range, to: &search) }
        let found = SearchMerge.joined(ordered)
        search.findings = found.map(\.finding)
        results.shard = nil
        results.scenarios = []
        for index in found.indices {
            try add(found[index], at: index, to: &search, ordered[found[index].part], folder)
        }
        if found.isEmpty { results.scenarios = [search.passedResult] }
        for index in results.scenarios.indices { results.scenarios[index].selectionIndex = index }
        results.selected = results.scenarios.count
        results.search = search
        results.isPartial = ordered.contains { $0.results.isPartial }
        results.coverage = RuleCoverage.table(of: results.scenarios)
        results.cells = CoverageTable(ordered.flatMap(\.results.cells)).entries
        results.startedAt = ordered.map(\.results.startedAt).min() ?? 0
        results.wall = WallTimes(microseconds: ordered.reduce(0) { $0 + $1.results.wall.microseconds })
    }

    // MARK: - Parts

    /// A part with its position among the others.
    private struct OrderedPart {
        var path: String
        var results: RunResults
        var search: SearchSummary
        /// Worlds of the parts with smaller seeds.
        var worldsBefore = 0
        /// Worlds of each shard of the same seeds.
        var worldsOfShards: [Int] = []

        /// The ordinal among the worlds of the whole search.
        func ordinal(_ own: Int) -> Int {
            guard search.kind == .explore else { return own }
            let shard = (results.shard?.ordinal ?? 1) - 1
            return worldsBefore
                + worldsOfShards.enumerated().reduce(0) { sum, other in
                    sum + min(other.element, other.offset <= shard ? own : own - 1)
                }
        }
    }

    /// The parts by their seeds and shards.
    private static func ordered(_ parts: [Part]) throws(MergeError) -> [OrderedPart] {
        guard let first = parts.first else {
            throw MergeError(message: "there is nothing to merge", help: "name the folders of the parts")
        }
        for other in parts.dropFirst() { try checkSameSearch(first, other) }
        // A sweep has no seeds of worlds: all its parts are one group.
        var groups: [(seeds: SeedRange?, parts: [Part])] = []
        for part in parts {
            let seeds = part.results.search?.seeds
            if let index = groups.firstIndex(where: { $0.seeds?.first == seeds?.first?.first }) {
                try checkNotTwice(groups[index].parts[0], part)
                groups[index].parts.append(part)
            } else {
                groups.append((seeds?.first, [part]))
            }
        }
        groups.sort { ($0.seeds?.first ?? 0) < ($1.seeds?.first ?? 0) }
        var ordered: [OrderedPart] = []
        var worlds = 0
        for group in groups {
            try ShardCheck.complete(group.parts)
            let shards = group.parts.sorted {
                ($0.results.shard?.ordinal ?? 1) < ($1.results.shard?.ordinal ?? 1)
            }
            let counts = shards.map { $0.results.search?.counts[.worlds] ?? 0 }
            for shard in shards {
                guard let search = shard.results.search else { continue }
                ordered.append(
                    OrderedPart(
                        path: shard.path, results: shard.results, search: search, worldsBefore: worlds,
                        worldsOfShards: counts))
            }
            worlds += counts.reduce(0, +)
        }
        try checkApart(ordered)
        return ordered
    }

    private static func checkSameSearch(_ first: Part, _ other: Part) throws(MergeError) {
        let kinds = [first, other].map { $0.results.search?.kind.rawValue ?? "run" }
        if kinds[0] != kinds[1] {
            throw MergeError(
                message: "\(first.path) is of '\(kinds[0])', \(other.path) of '\(kinds[1])'",
                help: "merge the parts of one search")
        }
        try ShardCheck.sameProgram(first, other)
        try ShardCheck.sameFiles(first, other)
        // Parts of an exploration differ in their seeds and their numbers of worlds.
        if first.results.search?.kind == .sweep { try ShardCheck.sameCall(first, other) }
    }

    private static func checkNotTwice(_ one: Part, _ two: Part) throws(MergeError) {
        guard two.results.search?.kind == .explore, one.results.shard == nil || two.results.shard == nil
        else { return try ShardCheck.sameCount(one, two) }
        throw MergeError(
            message: "both \(one.path) and \(two.path) have the worlds from seed \(two.results.seed)",
            help: "name each part once, and give each its own seeds or its own shard")
    }

    /// Checks that no seed is in two ranges of different parts.
    private static func checkApart(_ parts: [OrderedPart]) throws(MergeError) {
        for (index, one) in parts.enumerated() {
            for two in parts[(index + 1)...]
            where two.search.seeds.first?.first != one.search.seeds.first?.first {
                for (left, right) in one.search.seeds.flatMap({ left in two.search.seeds.map { (left, $0) } })
                where left.first <= right.last && right.first <= left.last {
                    throw MergeError(
                        message:
                            "the seeds \(left.text) of \(one.path) and \(right.text) of \(two.path) overlap",
                        help: "give each part its own seeds: --seed 1 --runs 1000, --seed 1001 --runs 1000")
                }
            }
        }
    }

    /// Adds a range behind the others, or to the last one.
    private mutating func add(_ range: SeedRange, to search: inout SearchSummary) {
        guard let last = search.seeds.last else { return search.seeds = [range] }
        // Ranges of the same seeds are those of shards.
        if range.first <= last.last || range.first - 1 == last.last {
            search.seeds[search.seeds.count - 1].last = max(last.last, range.last)
            return
        }
        seedsBetween.append(SeedRange(first: last.last + 1, last: range.first - 1))
        search.seeds.append(range)
    }

    // MARK: - Findings

    private struct JoinedFinding {
        var finding: SearchFinding
        /// Index of the part that found it first.
        var part: Int
    }

    /// Each kind of failure once, in the order in which they were first found.
    private static func joined(_ parts: [OrderedPart]) -> [JoinedFinding] {
        var all: [JoinedFinding] = []
        for (index, part) in parts.enumerated() {
            for found in part.search.findings {
                let finding = SearchFinding(
                    key: found.key, headline: found.headline, file: found.file, count: found.count,
                    earliest: found.earliest.map { .init(ordinal: part.ordinal($0.ordinal), $0.text) })
                guard let known = all.firstIndex(where: { $0.finding.key == finding.key }) else {
                    all.append(JoinedFinding(finding: finding, part: index))
                    continue
                }
                let isEarlier =
                    finding.first.map(\.ordinal) ?? .max < all[known].finding.first.map(\.ordinal) ?? .max
                var both = isEarlier ? finding : all[known].finding
                both.add(isEarlier ? all[known].finding : finding)
                all[known] = JoinedFinding(finding: both, part: isEarlier ? index : all[known].part)
            }
        }
        // Stable: a part has those of one scenario in their order.
        return all.enumerated().sorted {
            ($0.element.finding.first?.ordinal ?? 0, $0.offset)
                < ($1.element.finding.first?.ordinal ?? 0, $1.offset)
        }.map(\.element)
    }

    /// Adds the results of a finding's file, which gets its place in the folder of the merged report.
    private mutating func add(
        _ joined: JoinedFinding, at index: Int, to search: inout SearchSummary, _ part: OrderedPart,
        _ folder: String
    ) throws(MergeError) {
        let file = joined.finding.file
        let own = part.results.scenarios.filter { $0.file.hasSuffix("/" + file) }
        guard let slash = file.lastIndex(of: "/"), !own.isEmpty else {
            throw MergeError(
                message: "\(part.path) has no result of its finding \(file)",
                help: "its results.json was changed, or is of an older otalab")
        }
        let moved = "\(index + 1)\(file[slash...])"
        search.findings[index].file = moved
        copies.append(("\(part.path)/\(file[..<slash])", "\(index + 1)"))
        for result in own {
            var result = result.moved(to: "\(folder)/\(moved)")
            result.notes.removeAll { $0.kind == .search }
            result.notes.append(RunNote(.search, search.note(on: search.findings[index])))
            results.scenarios.append(result)
        }
    }
}

extension SeedRange {
    package var text: String { first == last ? "\(first)" : "\(first)..\(last)" }
}
