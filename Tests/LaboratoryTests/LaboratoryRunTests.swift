import Core
import Foundation
import Testing
import World

@testable import Laboratory

@Suite("A run of files: invalid ones are results, workers change nothing, exit codes have an order")
struct LaboratoryRunTests {
    private func file(_ name: String, _ text: String) -> ScenarioFile {
        ScenarioFile(path: "Scenarios/\(name).json5", bytes: Array(text.utf8))
    }

    private var three: [ScenarioFile] {
        [
            file("a", SmallStory.text(SmallStory.plain)),
            file("b", "{ schema: 1, title: 'broken', stepz: [] "),
            file("c", SmallStory.text(#"{ launch: true }, { expect: { process: "gone" } },"#)),
            file("d", SmallStory.text(#"{ launch: true }, { deploy: "v9" },"#)),
        ]
    }

    private func run(_ files: [ScenarioFile], jobs: Int) async -> RunResults {
        var options = Laboratory.Options()
        options.jobs = jobs
        var results = await Laboratory.run(files, options)
        results.startedAt = 0
        results.wall = WallTimes()
        for index in results.scenarios.indices { results.scenarios[index].wall = WallTimes() }
        return results
    }

    @Test("A file that can't be read is a result with its place, and the others still run")
    func invalidFiles() async {
        let results = await run(three, jobs: 1)
        #expect(results.scenarios.map(\.verdict) == [.passed, .invalid, .failed, .invalid])
        let unknown = results.scenarios[3].diagnostics.first
        #expect(unknown?.message.contains("v9") == true)
        #expect((unknown?.place.line ?? 0) > 1)
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
        let text = SmallStory.text(SmallStory.plain, head: #"covers: ["U6", "R2"],"#)
        let results = await run([file("a", text)], jobs: 1)
        #expect(results.coverage.count == Rule.all.count)
        #expect(results.coverage.first { $0.rule == "U6" }?.scenarios.map(\.name) == ["a"])
        #expect(results.coverage.first { $0.rule == "N5" }?.isHole == true)
    }

    @Test("Every invariant that runs is a rule of the book, each once")
    func checkerRules() {
        let rules = CheckerList.all.map(\.rule)
        #expect(
            rules.sorted() == [
                "R1", "R2", "R4", "R5", "R6", "R7", "R8", "S1", "S2", "S4", "T1", "T4", "U1", "U2", "U4",
                "U5", "U8",
            ])
        #expect(rules.allSatisfy { Rule.named($0)?.isInvariant == true })
    }

    @Test("Files are found below folders, sorted, profiles left out; a path that is not there is told")
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

@Suite("Device profiles: files with evidence for every line")
struct ProfileTests {
    private static let text = """
        { name: "small",
          platform: { is: "android", because: "a" }, bootId: { is: "not told", because: "b" },
          exits: { is: { "crash": "crash" }, because: "c" },
          backgroundBudget: { is: "20s", because: "d" }, latency: { is: "150ms", because: "e" },
          bandwidth: { is: "2 Mbit/s", because: "f" }, disk: { is: "worn phone", because: "g" },
          crashModel: { is: "journal", because: "h" }, reload: { is: "everything", because: "i" },
          tellsReload: { is: false, because: "j" },
          socketsSurviveSuspension: { is: true, because: "k" } }
        """

    @Test("A whole profile is read, with its evidence")
    func whole() throws {
        let (read, diagnostics) = ProfileReader.read(path: "p.json5", bytes: Array(Self.text.utf8))
        #expect(diagnostics == [])
        let profile = try #require(read)
        #expect(profile.platform == "android")
        #expect(!profile.tellsBootID)
        #expect(profile.record(of: .crash) == .crash)
        #expect(profile.record(of: .user) == nil)
        #expect(profile.link.bandwidth == 2_000_000)
        #expect(profile.diskProfile == .journal)
        #expect(profile.evidence.count == 11)
    }

    @Test("The profiles of the scenario folder read, and agree with those that are built in")
    func folder() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let (profiles, invalid) = Laboratory.profiles(in: root + "/Scenarios/profiles")
        #expect(invalid.flatMap(\.diagnostics).map(\.message) == [])
        for known in DeviceProfile.known {
            var read = try #require(profiles.first { $0.name == known.name })
            read.evidence = known.evidence
            #expect(read == known)
        }
        #expect(profiles.contains { $0.name == "android-8-go" })
    }

    @Test(
        "Mistakes are told with their place",
        arguments: [
            (#""a""#, #""""#, "needs a value and its evidence"),
            (#""20s""#, #""20""#, "'backgroundBudget' is a duration"),
            (#""journal""#, #""jornal""#, "'crashModel' is one of"),
            ("latency:", "latencee:", "unknown key 'latencee'"),
            (#""crash": "crash""#, #""boredom": "crash""#, "no process ends of 'boredom'"),
        ])
    func mistakes(_ old: String, _ new: String, _ message: String) throws {
        let parts = try #require(Self.text.components(around: old))
        let (profile, diagnostics) = ProfileReader.read(
            path: "p.json5", bytes: Array((parts.0 + new + parts.1).utf8))
        #expect(profile == nil)
        #expect(diagnostics.contains { $0.message.contains(message) })
    }
}
