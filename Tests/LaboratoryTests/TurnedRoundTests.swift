import Foundation
import ScenarioLanguage
import Testing

@testable import Laboratory

/// An expectation counts once it has been seen to fail: each row turns one of a scenario round.
struct TurnedRound: Sendable, CustomTestStringConvertible {
    var scenario: String
    var old: String
    var new: String

    init(_ scenario: String, _ old: String, _ new: String) {
        self.scenario = scenario
        self.old = old
        self.new = new
    }

    var testDescription: String { "\(scenario): \(new)" }

    static let all: [TurnedRound] = [
        TurnedRound(hashes, #"fetched: ["/app.js"], bytes"#, #"fetched: ["/app.js", "/logo.png"], bytes"#),
        TurnedRound(hashes, "requests: { manifest: 1 }", "requests: { manifest: 2 }"),
        TurnedRound(hashes, #"running: "v2""#, #"running: "v1""#),
        TurnedRound(hashes, #"has: ["content-mismatch"]"#, #"hasNot: ["content-mismatch"]"#),
        TurnedRound(hashes, #""/logo.png": 2"#, #""/logo.png": 1"#),
        TurnedRound(hashes, #"has: ["older-than-accepted"]"#, #"has: ["became-pending"]"#),
        TurnedRound(bare, "requests: { manifest: 2,", "requests: { manifest: 1,"),
        TurnedRound(bare, "atMost: 3", "atMost: 0"),
        TurnedRound(bare, #"has: ["manifest-changed"]"#, #"hasNot: ["manifest-changed"]"#),
        TurnedRound(bare, #"hasNot: ["v3"]"#, #"has: ["v3"]"#),
        TurnedRound(bare, #"has: ["older-than-accepted"]"#, #"hasNot: ["older-than-accepted"]"#),
    ]

    private static let hashes = "updating/frontend-with-hashes"
    private static let bare = "updating/frontend-bare"

    func text() throws -> String {
        let root = URL(fileURLWithPath: Profiles.folder).deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(scenario + ".json5"), encoding: .utf8)
    }

    func results(_ text: String) throws -> [ScenarioResult] {
        let reading = ScenarioReader.read(
            path: "Scenarios/\(scenario).json5", bytes: Array(text.utf8), devices: Profiles.all.names)
        #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
        let plans = reading.scenarios.flatMap { StoryPlan.plans(for: $0, seed: 1) }
        return plans.map { StoryRunner(profiles: Profiles.all.profiles).run($0) }
    }
}

@Suite("Expectations turned round fail, at their own line")
struct TurnedRoundTests {
    @Test("turned round", arguments: TurnedRound.all)
    func fails(_ row: TurnedRound) throws {
        let text = try row.text()
        let parts = try #require(text.components(around: row.old), "\(row.old) is not in \(row.scenario)")
        let line = parts.0.split(separator: "\n", omittingEmptySubsequences: false).count
        for result in try row.results(parts.0 + row.new + parts.1) {
            #expect(result.verdict == .failed)
            #expect(result.failures.first?.kind == .expectation)
            #expect(result.failures.first?.place?.line == line)
        }
    }

    @Test("as they are they hold", arguments: Array(Set(TurnedRound.all.map(\.scenario))).sorted())
    func holds(_ scenario: String) throws {
        let row = TurnedRound(scenario, "", "")
        for result in try row.results(row.text()) {
            #expect(result.failures.map(\.headline) == [] && result.verdict == .passed)
            #expect(result.faultsNeverApplied == [])
        }
    }
}
