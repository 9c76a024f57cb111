import Core
import Foundation
import TestSupport
import Testing
import World

@testable import Oracle
@testable import Runner

@Suite("A run of files: invalid ones are results, workers change nothing, exit codes have an order")
struct LaboratoryRunTests {
    private func file(_ name: String, _ text: String) -> ScenarioFile {
        ScenarioFile(path: "Scenarios/\(name).json5", bytes: Array(text.utf8))
    }

    private var three: [ScenarioFile] {
        [
            file("a", SmallScenario.text(SmallScenario.plain)),
            file("b", "{ schema: 1, title: 'broken', stepz: [] "),
            file("c", SmallScenario.text(#"{ launch: true }, { expect: { process: "gone" } },"#)),
            file("d", SmallScenario.text(#"{ launch: true }, { deploy: "v9" },"#)),
        ]
    }

    private func run(_ files: [ScenarioFile], jobs: Int) async -> RunResults {
        var options = ScenarioSuite.Options()
        options.jobs = jobs
        var results = await ScenarioSuite.run(files, options)
        results.startedAt = 0
        results.wall = WallTimes()
        for index in results.scenarios.indices { results.scenarios[index].wall = WallTimes() }
        return results
    }

    @Test("A file that can't be read is a result with its position, and the others still run")
    func invalidFiles() async {
        let results = await run(three, jobs: 1)
        #expect(results.scenarios.map(\.verdict) == [.passed, .invalid, .failed, .invalid])
        let unknown = results.scenarios[3].diagnostics.first
        #expect(unknown?.message.contains("v9") == true)
        #expect((unknown?.location.line ?? 0) > 1)
        #expect(results.exitCode == .failed)
        let onlyInvalid = await run([three[0], three[1]], jobs: 1)
        #expect(onlyInvalid.exitCode == .invalid)
    }

    @Test("The results don't depend on the number of workers")
    func workers() async {
        let one = await run(three, jobs: 1)
        let four = await run(three, jobs: 4)
        #expect(one == four)
    }

    @Test("Of each result is kept what the caller says, in the order of the files")
    func kept() async {
        var options = ScenarioSuite.Options()
        options.jobs = 4
        options.keep = { result, count in
            count == 4 && result.verdict == .passed ? result.condensed(keepsSteps: false) : result
        }
        let whole = await run(three, jobs: 1)
        let kept = await ScenarioSuite.run(three, options)
        #expect(kept.scenarios.map(\.name) == whole.scenarios.map(\.name))
        #expect(kept.scenarios.map(\.digest) == whole.scenarios.map(\.digest))
        #expect(!whole.scenarios[0].steps.isEmpty && !whole.scenarios[0].timeline.isEmpty)
        #expect(kept.scenarios[0].steps.isEmpty && kept.scenarios[0].timeline.isEmpty)
        #expect(kept.scenarios[2].steps == whole.scenarios[2].steps)
    }

    @Test("Nothing selected is an exit code of its own, and the first of several wins")
    func exitCodes() async {
        let none = await run([], jobs: 1)
        #expect(none.exitCode == .nothingSelected)
        #expect(ExitCode.first(of: [.invalid, .failed, .reportNotWritten]) == .failed)
        #expect(ExitCode.first(of: [.inconclusive, .invalid]) == .invalid)
        #expect(ExitCode.first(of: [.failed, .nonDeterministic, .internalError]) == .internalError)
        #expect(ExitCode.first(of: []) == .passed)
        #expect(Set(ExitCode.precedence) == Set(ExitCode.allCases))
    }

    @Test("The table rules × scenarios has every rule once, and finds the holes")
    func coverage() async {
        let text = SmallScenario.text(SmallScenario.plain, head: #"covers: ["U6", "R2"],"#)
        let results = await run([file("a", text)], jobs: 1)
        #expect(results.coverage.count == Rule.all.count)
        #expect(results.coverage.first { $0.rule == "U6" }?.scenarios.map(\.name) == ["a"])
        #expect(results.coverage.first { $0.rule == "N5" }?.isHole == true)
    }

    @Test("Every checker that runs watches a rule of the book; of R3 the parking and all decisions")
    func checkerRules() {
        let rules = CheckerList.all.map(\.rule)
        #expect(
            rules.sorted() == [
                "N5", "R1", "R11", "R13", "R13", "R2", "R3", "R3", "R4", "R5", "R6", "R7", "R7", "R8", "R9",
                "S1",
                "S2",
                "S3", "S4", "S6", "S7", "S9", "T1", "T1", "T2", "T3", "T4", "U1", "U10", "U10", "U11", "U12",
                "U15",
                "U16",
                "U2", "U3", "U4", "U5", "U5", "U5", "U5", "U6", "U6", "U7", "U7", "U8", "U8", "U9", "U9",
                "U9",
            ])
        let others = rules.filter { Rule.named($0)?.isInvariant != true }
        #expect(
            others.sorted() == [
                "N5", "R11", "R13", "R13", "R3", "R3", "R9", "S3", "S6", "S7", "T2", "T3", "U10", "U10",
                "U11",
                "U12", "U15", "U3",
                "U6", "U6", "U7", "U7", "U9", "U9", "U9",
            ])
    }

    @Test("Files are found below folders, sorted, without profiles; a missing path is reported")
    func files() throws {
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("laboratory-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        for name in ["b/two", "a/one", "profiles/plain"] {
            let path = root + "/" + name + ".json5"
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: path, contents: Data("{}".utf8)))
        }
        let found = try ScenarioFile.find([root])
        #expect(found.map(\.path) == [root + "/a/one.json5", root + "/b/two.json5"])
        #expect(try ScenarioFile.find([root + "/a/one.json5:12"]).map(\.line) == [12])
        #expect(throws: MissingPath(path: root + "/c")) { try ScenarioFile.find([root + "/c"]) }
    }
}
