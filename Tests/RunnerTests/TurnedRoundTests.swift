import Foundation
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner

/// An expectation counts once it has been seen to fail: each element inverts one expectation of a scenario.
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
        TurnedRound(views, #"side: "v2" }"#, #"side: "v1" }"#),
        TurnedRound(views, #"side: null, "side again": "v2""#, #"side: null, "side again": "v3""#),
        TurnedRound(views, #"main: "v2", side: null"#, #"main: "v2", side: "v2""#),
        TurnedRound(
            views, #""main on v3": "v3", "side again": "v2""#, #""main on v3": "v3", "side again": "v3""#),
        TurnedRound(views, #"stored: ["v2", "v3", "v4"]"#, #"stored: ["v3", "v4"]"#),
        TurnedRound(views, "status: 200, count: 1", "status: 404, count: 1"),
        TurnedRound(views, #""side on v4": null }, reloads: 0"#, #""side on v4": "v4" }, reloads: 0"#),
        TurnedRound(views, "reloads: 0", "reloads: 1"),
        TurnedRound(views, #"whiteTime: "0s""#, #"whiteTime: { atLeast: "1ms" }"#),
        TurnedRound(views, #"stored: ["v3", "v4"] }"#, #"stored: ["v2", "v3", "v4"] }"#),
        TurnedRound(user, #"pending: null, requests: { manifest: 1, files: 0 }"#, #"pending: "v2""#),
        TurnedRound(user, "manifest: 1, files: 0", "manifest: 1, files: 1"),
        TurnedRound(user, #"fetched: ["/app.js"] }"#, #"fetched: ["/index.html"] }"#),
        TurnedRound(user, #"has: ["pending-dropped"]"#, #"hasNot: ["pending-dropped"]"#),
        TurnedRound(user, #"{ running: "v1", page: "ready" }"#, #"{ running: "v2", page: "ready" }"#),
        TurnedRound(user, "fetched: [] }", #"fetched: ["/app.js"] }"#),
        TurnedRound(user, #"page: "ready", pending: null"#, #"page: "ready", pending: "v2""#),
        TurnedRound(user, #"fetched: ["/logo.png"]"#, #"fetched: ["/logo.png", "/app.js"]"#),
        TurnedRound(user, #"hasNot: ["v2"]"#, #"has: ["v2"]"#),
    ]

    private static let user = "updating/meant-for-another-user"
    private static let hashes = "updating/frontend-with-hashes"
    private static let bare = "updating/frontend-bare"
    private static let views = "serving/two-web-views"

    func text() throws -> String {
        let root = URL(fileURLWithPath: Profiles.folder).deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(scenario + ".json5"), encoding: .utf8)
    }

    func results(_ text: String) throws -> [ScenarioResult] {
        let reading = ScenarioReader.read(
            path: "Scenarios/\(scenario).json5", bytes: Array(text.utf8), devices: Profiles.all.names)
        #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
        let plans = reading.scenarios.flatMap { RunPlan.plans(for: $0, seed: 1) }
        return plans.map { ScenarioRunner(profiles: Profiles.all.profiles).run($0) }
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
            #expect(result.failures.first?.location?.line == line)
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
