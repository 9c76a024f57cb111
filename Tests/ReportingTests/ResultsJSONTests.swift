import Core
import Foundation
import Authoring
import Runner
import Testing

@testable import Reporting

/// Every optional member once there and once not, in one run.
func fullSample() -> RunResults {
    var results = sample()
    results.seed = .max
    results.lastSeed = .max
    results.selected = 9
    results.shard = Shard(ordinal: 2, of: 3)
    results.isPartial = true
    results.startedAt = 1_795_270_000
    results.wall = WallTimes(microseconds: 1_234)
    results.scenarioSetDigest = .max
    var search = SearchSummary(.explore)
    search.seeds = [SeedRange(first: 1, last: 9), SeedRange(first: 20, last: .max)]
    for (index, name) in SearchCount.allCases.enumerated() { search.counts[name] = index + 1 }
    search.hasInvalidFiles = true
    search.findings = [
        SearchFinding(
            key: "invariant R2: x", headline: "[R2] x", file: "1/shrunk.json5", count: 3,
            earliest: [.init(ordinal: 2, "17 204/9:33")])
    ]
    results.search = search
    var rich = results.scenarios[1]
    rich.selectionIndex = 7
    rich.caseName = "a case"
    rich.tags = ["slow"]
    rich.issue = "https://example.com/1"
    rich.reason = "a reason"
    rich.device = "plain"
    rich.digest = .max
    rich.notes = [
        RunNote(.fault, "{ fault: \"refuse\" }"), RunNote(.trigger, "step 2 never happened"),
    ]
    rich.times.launches = [.seconds(1)]
    rich.times.white = .seconds(2)
    rich.times.answersIdle = AnswerTimes([.milliseconds(2)])
    rich.times.answersDuringUpdate = AnswerTimes([.milliseconds(3)])
    rich.running = [
        RunningVersion(device: "anna", version: "v2", age: .minutes(3)), RunningVersion(version: "v1"),
    ]
    rich.steps[0].startedAt = .zero
    rich.steps[0].outcome = .failed
    var seeds = SeedSummary()
    seeds.run = 2
    seeds.failing = [4]
    rich.seeds = seeds
    rich.failures[0].rule = "R5"
    rich.failures[0].round = "3 of 5"
    rich.failures[0].help = "give it time"
    rich.failures[0].wrongSince = .zero
    rich.failures[0].wrongSinceEvent = 2
    rich.failures[0].wasNeverRight = true
    rich.failures[0].differences = [
        Difference(part: "blacklist", .always, expected: "exactly v2", actual: "empty"),
        Difference(part: "running", expected: "v1", actual: "none"),
    ]
    rich.failures[0].findings = ["in step 2"]
    rich.failures[0].context = [SourceLine(line: 10, text: "{ relaunch: true },")]
    rich.failures[0].eventsSoFar = 9
    rich.source = "{ schema: 1 }"
    rich.moments = [
        DeviceMoment(
            lastEvent: 1, at: .zero,
            changes: [DeviceMoment.Change(.record, "pending", "v2"), DeviceMoment.Change(.disk, "LOCK", nil)])
    ]
    rich.failures[0].waitedFrom = .zero
    rich.failures[0].waitedTo = Instant(microseconds: 5)
    let location = FileLocation(file: "a.json5", line: 1, column: 2, length: 3, text: "{ \u{7f} \"ü\" }")
    rich.diagnostics = [
        DiagnosticResult(
            code: "E0103", isError: false, message: "unknown", label: "here", location: location,
            help: "write it",
            related: [DiagnosticResult.Related(message: "the first", location: location)])
    ]
    results.scenarios.append(rich)
    results.coverage = RuleCoverage.table(of: results.scenarios)
    let missing = ScenarioResult(id: "a/missing", name: "a/missing [1]", file: "a.json5", title: "Not run")
    results.notRun = [NotRun(missing, selectionIndex: 8, reason: .failFast)]
    results.seedsNotRun = SeedRange(first: 4, last: .max)
    return results
}

@Suite("results.json")
struct ResultsJSONTests {
    private static let schemaFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/Runner/Runner.docc/results.schema.json").standardized

    @Test("a failure's differences are the same after the lists of the file, with every scope")
    func differences() throws {
        var failure = Failure(kind: .expectation, headline: "", at: .zero)
        let differences: [[Difference]] = [
            [Difference(part: "running", expected: "v1", actual: "none")],
            [
                Difference(part: "log of v2", .always, expected: "to have x", actual: "empty"),
                Difference(part: "log", .always, expected: "always x", actual: "log"),
            ],
            [Difference(.never, expected: "{ running: \"v2\" }", actual: "it came true in step 3")],
            [Difference(expected: "always so", actual: "")],
            [],
        ]
        for differences in differences {
            failure.differences = differences
            failure.findings = ["one", "two"]
            #expect(failure.lists.differences(of: .expectation) == differences)
            #expect(failure.lists.findings == failure.findings)
        }
        failure.differences = differences[1]
        #expect(failure.lists.expected == ["always log of v2 to have x", "always log always x"])
        #expect(failure.lists.actual == ["log of v2 empty", "log log", "one", "two"])
        #expect(failure.lists.parts == ["log of v2", "log"])
        failure.kind = .invariant
        failure.differences = [Difference(expected: "never a version that is embedded", actual: "an entry")]
        #expect(failure.lists.differences(of: .invariant) == failure.differences)
    }

    @Test("what is written is read back equal, and writes the same bytes")
    func roundTrip() throws {
        for results in [sample(), fullSample(), RunResults(toolVersion: "1", commandLine: [], seed: 0)] {
            let bytes = ResultsJSON.bytes(results)
            let again = try ResultsJSON.read(bytes)
            #expect(again == results)
            #expect(ResultsJSON.bytes(again) == bytes)
        }
    }

    @Test(
        "in parts, with results that passed from a file, the bytes are the same, after one seed and after several",
        arguments: [nil, SeedSummary(run: 3, passed: 2, failing: [7])])
    func parts(seeds: SeedSummary?) throws {
        for results in [sample(), fullSample(), everyVerdict()] {
            let spool = try #require(ResultSpool(leavesOutTimes: false))
            var folded = results
            for index in folded.scenarios.indices where folded.scenarios[index].verdict == .passed {
                folded.scenarios[index].selectionIndex = index
                folded.scenarios[index].seeds = nil
                #expect(spool.add(folded.scenarios[index]))
                folded.scenarios[index].seeds = seeds
                if seeds != nil { folded.scenarios[index].wall = WallTimes(microseconds: 777) }
            }
            let whole = ResultsJSON.bytes(folded)
            for index in folded.scenarios.indices where folded.scenarios[index].verdict == .passed {
                folded.scenarios[index] = folded.scenarios[index].condensed(keepsSteps: false)
            }
            var bytes: [UInt8] = []
            try ResultsJSON.write(folded, passed: spool) { bytes += $0 }
            #expect(bytes == whole)
        }
    }

    @Test("a result sent to another process arrives equal, including wall times")
    func single() throws {
        for result in sample().scenarios + fullSample().scenarios {
            var result = result
            result.wall = WallTimes(microseconds: 12_345)
            #expect(try ResultsJSON.readResult(ResultsJSON.bytes(result)) == result)
        }
        #expect(throws: ResultsFault.self) { try ResultsJSON.readResult(Array("{}".utf8)) }
    }

    @Test("notes of results without their kinds are read: a fault's text is its step")
    func olderNotes() throws {
        let full = fullSample()
        let text = String(decoding: ResultsJSON.bytes(full), as: UTF8.self)
        let older = text.replacing(#/"notes": \[[^\]]*\],\s*/#, with: "")
        #expect(older != text && !older.contains("\"notes\""))
        let read = try ResultsJSON.read(Array(older.utf8))
        let rich = try #require(read.scenarios.last)
        #expect(rich.notes.map(\.kind) == [.fault, .other])
        #expect(rich.notes.map(\.text) == full.scenarios.last?.notes.map(\.text))
        #expect(rich.faultsNeverApplied == full.scenarios.last?.faultsNeverApplied)
    }

    @Test("every damaged member is reported with its path")
    func damage() throws {
        let text = String(decoding: ResultsJSON.bytes(fullSample()), as: UTF8.self)
        let faults: [(String, String, String)] = [
            ("\"verdict\": \"failed\"", "\"verdict\": \"fine\"", "scenarios[1].verdict"),
            ("\"kind\": \"expectation\"", "\"kind\": 3", "scenarios[1].failures[0].kind"),
            ("\"lane\": \"network\"", "\"lane\": \"moon\"", "scenarios[0].timeline[1].lane"),
            ("\"title\": \"Plain\"", "\"title\": null", "scenarios[0].title"),
            ("\"selected\": 9", "\"selected\": -9", "selected"),
            ("\"selected\": 9", "\"select\": 9", ""),
            ("\"scenarioSet\": \"ff", "\"scenarioSet\": \"xf", "scenarioSet"),
            ("\"line\": 11", "\"line\": 0", "scenarios[1].line"),
            ("otalab-results-1", "otalab-results-2", "schema"),
        ]
        for (old, new, member) in faults {
            let damaged = text.replacingOccurrences(of: old, with: new)
            #expect(damaged != text, "\(old)")
            #expect("\(old)") {
                _ = try ResultsJSON.read(Array(damaged.utf8))
            } throws: { error in
                (error as? ResultsFault)?.member == member
            }
        }
        for length in stride(from: 0, to: text.utf8.count - 1, by: 997) {
            #expect(throws: ResultsFault.self) { try ResultsJSON.read(Array(text.utf8.prefix(length))) }
        }
    }

    /// `OTALAB_WRITE_PAGES=1` writes it anew.
    @Test("the schema in the documentation is that of the writer")
    func schema() throws {
        let bytes = Data(ResultsJSON.schemaBytes)
        if ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1" {
            try bytes.write(to: ResultsJSONTests.schemaFile)
        }
        let file = try Data(contentsOf: ResultsJSONTests.schemaFile)
        #expect(file == bytes, "OTALAB_WRITE_PAGES=1 swift test --filter ResultsJSONTests")
    }

    @Test("the schema names every member that a full run writes, and calls nothing else allowed")
    func members() throws {
        let schema = try JSONReader.read(ResultsJSON.schemaBytes, dialect: .strict)
        let root = try JSONReader.read(ResultsJSON.bytes(fullSample()), dialect: .strict)
        func check(_ value: JSONNode, _ rule: JSONNode, _ way: String) {
            var rule = rule
            if let name = rule["$ref"]?.string?.split(separator: "/").last {
                rule = schema["$defs"]?[String(name)] ?? rule
            }
            for item in value.array ?? [] { rule["items"].map { check(item, $0, way + "[]") } }
            for member in value.members ?? [] {
                let inner = rule["properties"]?[member.key]
                #expect(inner != nil, "\(way).\(member.key)")
                if let inner { check(member.value, inner, way + "." + member.key) }
            }
            if value.members != nil { #expect(rule["additionalProperties"]?.bool == false, "\(way)") }
        }
        check(root, schema, "")
    }
}
