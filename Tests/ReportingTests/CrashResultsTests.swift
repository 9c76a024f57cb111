import Core
import Foundation
import Authoring
import Oracle
import Runner
import Search
import Testing

@testable import Reporting

@Suite("crashpoints/results.json")
struct CrashResultsTests {
    private static let schemaFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/Runner/Runner.docc/crashpoints.schema.json")
        .standardized

    private func sample() -> CrashResults {
        var results = CrashResults()
        results.toolVersion = "1.2.3"
        results.commandLine = ["crashpoints", "--depth", "1"]
        results.seed = 7
        results.all.firstPoints = 12
        results.all.states = 90
        var scenario = CrashResults.SearchedScenario()
        scenario.name = "a/b [c]"
        scenario.file = "Scenarios/a/b.json5"
        scenario.device = "tester"
        scenario.counts.exactPoints = 5
        var finding = CrashResults.Finding()
        finding.rule = "R1"
        finding.crashes = ["operation 3 of check: kill"]
        finding.command = "otalab run x.json5"
        scenario.findings = [finding, CrashResults.Finding()]
        results.scenarios = [scenario, CrashResults.SearchedScenario()]
        results.skipped = [CrashResults.SkippedScenario("x", "skipped")]
        return results
    }

    @Test("every member of the table is written, and read back equal")
    func roundTrip() throws {
        for results in [sample(), CrashResults()] {
            let text = String(decoding: CrashResultsJSON.bytes(results), as: UTF8.self)
            let mark = "\"schema\": \"\(CrashResultsJSON.schema)\","
            #expect(text.contains(mark))
            let node = try JSONReader.read(
                Array(text.replacingOccurrences(of: mark, with: "").utf8), dialect: .strict)
            #expect(try CrashShapes.search.form.read(node) == results)
        }
    }

    @Test("shards are joined in the order of the selection, with the commands of their new folder")
    func merged() throws {
        func shard(_ number: Int, _ ordinals: [Int]) -> (path: String, results: CrashResults) {
            var results = sample()
            results.shard = Shard(ordinal: number, of: 2)
            results.scenarios = ordinals.map { ordinal in
                var scenario = results.scenarios[0]
                scenario.ordinal = ordinal
                scenario.findings[0].file = "a-\(ordinal)-1.json5"
                return scenario
            }
            return ("part-\(number)", results)
        }
        let parts = [shard(2, [2, 4]), shard(1, [1, 3])]
        let all = try CrashResults.merged(parts, to: "out")
        #expect(all.scenarios.map(\.ordinal) == [1, 2, 3, 4])
        #expect(all.shard == nil && all.all.states == 180 && all.skipped.count == 1)
        #expect(all.files == (1...4).map { "a-\($0)-1.json5" })
        #expect(all.scenarios[3].findings[0].command == "otalab run out/a-4-1.json5 --seed 7")
        #expect(throws: MergeError.self) { try CrashResults.merged([parts[0]], to: "out") }
        var other = parts[1]
        other.results.commandLine = ["crashpoints", "--depth", "2"]
        let error = #expect(throws: MergeError.self) {
            try CrashResults.merged([parts[0], other], to: "out")
        }
        #expect(error?.message.hasPrefix("not the same call") == true)
    }

    @Test("each class of outcomes is in it once")
    func classes() {
        let text = String(decoding: CrashResultsJSON.bytes(CrashResults()), as: UTF8.self)
        for kind in CrashClass.allCases {
            #expect(text.components(separatedBy: "\"class\": \"\(kind.rawValue)\"").count == 2)
        }
    }

    /// `OTALAB_WRITE_PAGES=1` writes it anew.
    @Test("the schema in the documentation is that of the writer")
    func schema() throws {
        let bytes = Data(CrashResultsJSON.schemaBytes)
        if ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1" {
            try bytes.write(to: CrashResultsTests.schemaFile)
        }
        #expect(try Data(contentsOf: CrashResultsTests.schemaFile) == bytes)
    }
}
