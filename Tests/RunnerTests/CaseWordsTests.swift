import Core
import ScenarioLanguage
import Testing
import World

@testable import Runner

/// What a report says of a step whose file names a value of the case.
@Suite("Steps of a case, in its own words")
struct CaseWordsTests {
    private static let text = """
        {
          schema: 1, title: "A story of two cases", liveness: "none", because: "only the steps are looked at",
          cases: [
            { name: "refused", fault: "refuse", never: "v1" },
            { name: "cut", fault: { reset: "after 50%" }, never: "v2" },
          ],
          app: { id: "com.example.shop", embeds: "v1" },
          versions: { v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } }, v2: { from: "v1", changes: ["index.html"] } },
          steps: [
            { fault: "$fault", path: "/app.js" },
            { launch: true },
            { never: { running: "$never" } },
            { wait: "1s" },
          ],
        }
        """

    private func results() throws -> [ScenarioResult] {
        let reading = ScenarioReader.read(path: "Scenarios/cases.json5", bytes: Array(Self.text.utf8))
        #expect(reading.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        return reading.scenarios.flatMap { RunPlan.plans(for: $0, seed: 7) }.map { ScenarioRunner().run($0) }
    }

    @Test("A fault that never applied is reported with the case's value, not with the value's name")
    func faults() throws {
        #expect(
            try results().map(\.faultsNeverApplied) == [
                [#"{ fault: "refuse", path: "/app.js" }"#],
                [#"{ fault: { reset: "after 50%" }, path: "/app.js" }"#],
            ])
    }

    @Test("So are the steps, and what must never hold")
    func steps() throws {
        let results = try results()
        #expect(results.map(\.steps[2].text).first == #"{ never: { running: "v1" } }"#)
        #expect(results.map(\.steps[2].text).last == #"{ never: { running: "v2" } }"#)
        #expect(
            results[0].failures.map(\.headline)
                == [#"What must never hold came true: { running: "v1" }"#])
        #expect(results[1].verdict == .passed, "\(results[1].failures)")
    }
}
