import Testing

@testable import Runner

@Suite("Parts of one search, merged")
struct SearchMergeTests {
    private typealias Part = SearchMerge.Part

    /// A part with findings: key, and the ordinals at which it was found.
    private func part(
        _ path: String, _ kind: SearchSummary.Kind = .explore, shard: Shard? = nil,
        seeds: ClosedRange<UInt64> = 1...10, worlds: Int = 5, found: [(key: String, ordinals: [Int])] = []
    ) -> Part {
        var search = SearchSummary(kind)
        if kind == .explore { search.seeds = [SeedRange(first: seeds.lowerBound, last: seeds.upperBound)] }
        search.counts[.worlds] = worlds
        var results = RunResults(
            toolVersion: "1", commandLine: ["otalab", kind.rawValue], seed: seeds.lowerBound)
        results.shard = shard
        results.wall = WallTimes(microseconds: 1_000)
        results.startedAt = 100
        results.cells = [CoverageCount(cell: CoverageCell.all[0], count: 2)]
        for (index, found) in found.enumerated() {
            let file = "\(index + 1)/shrunk.json5"
            search.findings.append(
                SearchFinding(
                    key: found.key, headline: "[R2] \(found.key)", file: file, count: found.ordinals.count,
                    earliest: found.ordinals.map { .init(ordinal: $0, "\(path)-\($0)") }))
            var result = ScenarioResult(
                id: "tmp/\(path)/\(index + 1)/shrunk", name: "tmp/\(path)/\(index + 1)/shrunk",
                file: "/tmp/\(path)/\(file)", title: found.key)
            result.verdict = .failed
            var failure = Failure(kind: .invariant, headline: found.key, at: .zero)
            failure.location = FileLocation(
                file: result.file, line: 1, column: 1, length: 1, text: "")
            failure.reproduction = "otalab run /tmp/\(path)/\(file) --seed 1"
            result.failures = [failure]
            result.notes = [RunNote(.search, "of the part")]
            results.scenarios.append(result)
        }
        if found.isEmpty { results.scenarios = [search.passedResult] }
        results.search = search
        return (path, results)
    }

    @Test("Equal findings of two parts are one, with its file from the part that found it first")
    func findings() throws {
        let one = part("a", shard: Shard(ordinal: 1, of: 2), worlds: 5, found: [("x", [4]), ("y", [5])])
        let two = part("b", shard: Shard(ordinal: 2, of: 2), worlds: 5, found: [("x", [1, 2]), ("z", [2])])
        let merge = try SearchMerge([two, one], to: "out")
        let search = try #require(merge.results.search)
        #expect(search.findings.map(\.key) == ["x", "z", "y"])
        #expect(search.findings.map(\.count) == [3, 1, 1])
        // The first world of the second shard is number 2 of all, its second one number 4.
        #expect(search.findings[0].earliest.map(\.ordinal) == [2, 4, 7])
        #expect(search.findings[0].earliest.map(\.text) == ["b-1", "b-2", "a-4"])
        #expect(search.findings[2].first?.ordinal == 9)
        #expect(search.findings.map(\.file) == ["1/shrunk.json5", "2/shrunk.json5", "3/shrunk.json5"])
        #expect(merge.copies.map(\.from) == ["b/1", "b/2", "a/2"])
        #expect(merge.copies.map(\.to) == ["1", "2", "3"])
        #expect(search.counts[.worlds] == 10 && search.seeds == [SeedRange(first: 1, last: 10)])
        let results = merge.results
        #expect(results.shard == nil && results.wall.microseconds == 2_000 && results.selected == 3)
        #expect(results.cells.map(\.count) == [4])
        let last = try #require(results.scenarios.last)
        #expect(last.file == "out/3/shrunk.json5" && last.id == "out/3/shrunk" && last.selectionIndex == 2)
        #expect(last.failures[0].location?.file == "out/3/shrunk.json5")
        #expect(last.failures[0].reproduction == "otalab run out/3/shrunk.json5 --seed 1")
        #expect(last.notes.map(\.text) == ["found in 1 of 10 worlds, first in number 9: a-5"])
    }

    @Test("A shard that did fewer worlds is counted with those that it did")
    func unequal() throws {
        let one = part("a", shard: Shard(ordinal: 1, of: 2), worlds: 10, found: [("x", [8])])
        let two = part("b", shard: Shard(ordinal: 2, of: 2), worlds: 2)
        let merge = try SearchMerge([one, two], to: "out")
        #expect(merge.results.search?.findings.first?.first?.ordinal == 10)
    }

    @Test("Ranges of seeds follow each other; what lies between them is reported")
    func ranges() throws {
        let parts = [
            part("c", seeds: 31...40, worlds: 7, found: [("x", [3])]), part("a", seeds: 1...10),
            part("b", seeds: 11...20, found: [("x", [5])]),
        ]
        let merge = try SearchMerge(parts, to: "out")
        let search = try #require(merge.results.search)
        #expect(search.seeds == [SeedRange(first: 1, last: 20), SeedRange(first: 31, last: 40)])
        #expect(merge.seedsBetween == [SeedRange(first: 21, last: 30)])
        #expect(search.findings[0].earliest.map(\.ordinal) == [10, 13])
        #expect(search.text == "17 worlds from seed 1")
        // What was merged is a part again.
        let again = try SearchMerge([("out", merge.results), part("d", seeds: 21...30)], to: "all")
        #expect(again.seedsBetween.isEmpty)
        #expect(again.results.search?.seeds == [SeedRange(first: 1, last: 40)])
    }

    @Test("Nothing found is one result that passed")
    func nothing() throws {
        let merge = try SearchMerge(
            [part("a", shard: Shard(ordinal: 1, of: 2)), part("b", shard: Shard(ordinal: 2, of: 2))],
            to: "out")
        #expect(merge.results.scenarios.map(\.verdict) == [.passed])
        #expect(merge.results.scenarios.map(\.title) == ["10 worlds from seed 1"])
    }

    private func fault(_ parts: [Part], _ text: String) {
        let error = #expect(throws: MergeError.self) { try SearchMerge(parts, to: "out") }
        #expect(error?.message.contains(text) == true, "\(text): \(error?.message ?? "")")
    }

    @Test("A missing, a duplicate and an unrelated part are reported by name")
    func faults() {
        let shards = (1...3).map { part("s\($0)", shard: Shard(ordinal: $0, of: 3)) }
        fault([shards[0], shards[2]], "shard 2/3 is missing")
        fault(shards + [shards[1]], "shard 2/3 is there twice: s2, s2")
        fault(
            [shards[0], shards[1], part("t", shard: Shard(ordinal: 3, of: 4))],
            "not the same number of shards")
        fault([shards[0], part("t")], "both s1 and t have the worlds from seed 1")
        fault([part("s"), part("t")], "both s and t have the worlds from seed 1")
        fault([part("s"), part("t", seeds: 10...12)], "the seeds 1..10 of s and 10..12 of t overlap")
        fault([part("s"), part("t", .sweep)], "s is of 'explore', t of 'sweep'")
        var run = part("r")
        run.results.search = nil
        fault([part("s"), run], "s is of 'explore', r of 'run'")
        var other = shards[1]
        other.results.toolVersion = "2"
        fault([shards[0], other, shards[2]], "not the same version of otalab: 1 in s1, 2 in s2")
        var files = part("t", .sweep, shard: Shard(ordinal: 2, of: 2))
        files.results.scenarioSetDigest = 1
        let sweep = part("s", .sweep, shard: Shard(ordinal: 1, of: 2))
        fault([sweep, files], "the scenario files of s and t are not the same")
        var call = part("t", .sweep, shard: Shard(ordinal: 2, of: 2))
        call.results.commandLine.append("--all")
        fault([sweep, call], "not the same call")
        fault([part("s", .sweep), part("t", .sweep)], "s is a whole run, not a shard")
        var lost = part("s", found: [("x", [1])])
        lost.results.scenarios = []
        fault([lost], "s has no result of its finding 1/shrunk.json5")
    }
}
