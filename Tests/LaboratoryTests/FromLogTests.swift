import Core
import Foundation
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Laboratory

/// Stories of the library are told, their devices write error reports, and each report is turned into a
/// scenario that has never seen the story. Then its log must be the same.
@Suite("From an error report to a scenario that writes the same report", .serialized)
struct FromLogTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let profiles = ProfileSet(
        folders: [root.appendingPathComponent("Scenarios/profiles").path]
    ).profiles

    typealias Mark = LogSearch.Mark

    /// The report that the story's device would send at its end; nil: no process is there to write one.
    private static func report(_ path: String, _ bytes: [UInt8], seed: UInt64 = 1) throws -> String? {
        let reading = ScenarioFile(path: path, bytes: bytes).read(devices: profiles.map(\.name))
        let errors = reading.diagnostics.filter { $0.severity == .error }.map(\.message)
        #expect(errors == [], "\(path)")
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(StoryPlan.plans(for: scenario, seed: seed).first)
        let compiler = StoryCompiler(scenario: scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var world = try World(setup)
        world.isRecording = true
        var run = StoryRun(plan: plan, setup: setup, world: world, checkers: CheckerList([]))
        run.tellSteps()
        return run.world.errorReport()
    }

    private static func marks(_ report: String) throws -> [Mark] {
        LogSearch.marks(try #require(ErrorReport(text: report)))
    }

    private struct Outcome {
        var made: LogScenario
        var isEqual: Bool
        /// What is to be told is told as it is.
        var isHonest: Bool
    }

    private static func turnRound(_ name: String) throws -> Outcome? {
        let path = "Scenarios/\(name).json5"
        let bytes = [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
        guard let report = try report(path, bytes) else { return nil }
        let made = try LogScenario.make(Array(report.utf8), id: "from-report", profiles: profiles)
        let again = try #require(try Self.report("Scenarios/from-report.json5", Array(made.text.utf8)))
        let isEqual = try marks(report) == marks(again)
        let claims = made.told == made.entries && !made.missing.contains { $0.contains("went with") }
        // The last look waits for what is still on its way, and may bring more.
        let isHonest = !claims || (try marks(again).starts(with: marks(report)))
        return Outcome(made: made, isEqual: isEqual, isHonest: isHonest)
    }

    /// Stories whose report brings the whole sequence of causes back.
    static let whole = ["updating/plain-at-next-launch"]

    @Test("the new run's report has the same sequence of causes", arguments: whole)
    func wholeStories(name: String) throws {
        let outcome = try #require(try Self.turnRound(name))
        #expect(outcome.isEqual, "\(outcome.made.text)")
        #expect(outcome.made.told == outcome.made.entries)
    }

    /// `OTALAB_ALL_REPORTS=1`: every story of the library, with what came of it.
    @Test(
        "all stories of the library",
        .enabled(if: ProcessInfo.processInfo.environment["OTALAB_ALL_REPORTS"] == "1"))
    func library() throws {
        let names =
            FileManager.default.enumerator(atPath: Self.root.path + "/Scenarios")?
            .compactMap { $0 as? String }.sorted() ?? []
        for file in names where file.hasSuffix(".json5") {
            if file.hasPrefix("profiles/") || file.hasPrefix("shared/") || file.contains("two-phones") {
                continue
            }
            let name = String(file.dropLast(6))
            let began = Date()
            guard let outcome = try Self.turnRound(name) else {
                print("REPORT none   \(name)")
                continue
            }
            let time = Int(Date().timeIntervalSince(began) * 1000)
            let word = outcome.isEqual ? "equal " : "part  "
            print(
                "REPORT \(word) \(name) \(outcome.made.told)/\(outcome.made.entries) \(time) ms \(outcome.made.missing.first ?? "")"
            )
            #expect(outcome.isHonest, "\(name)")
        }
    }
}
