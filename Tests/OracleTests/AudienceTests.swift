import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Audiences: liveness requires a targeted version of the devices that it is meant for")
struct AudienceTests {
    /// v2 is deployed for jo after the app's only check; it is for liveness to see who must get it.
    private func text(user: String, after: String = "") -> String {
        """
        {
          schema: 1, title: "For jo", app: { embeds: "v1", user: "\(user)", checks: "manual" },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
            v2: { from: "v1", changes: ["app.js"] },
            v3: { from: "v2", changes: ["app.js"] },
          },
          steps: [
            { launch: true }, { deploy: "v2", audience: { user: "jo" } }, \(after)
            { expect: { pending: null } },
          ],
        }
        """
    }

    private func run(user: String, after: String = "") throws -> ScenarioResult {
        let text = text(user: user, after: after)
        let reading = ScenarioReader.read(path: "Scenarios/jo.json5", bytes: Array(text.utf8))
        #expect(reading.diagnostics.map(\.message) == [])
        let plan = try #require(reading.scenarios.flatMap { RunPlan.plans(for: $0, seed: 1) }.first)
        return ScenarioRunner().run(plan)
    }

    private func last(_ result: ScenarioResult) -> String? {
        result.timeline.last { $0.text.hasPrefix("status:") }?.text
    }

    @Test("jo's phone must come to run it, and does; max's stays with what all are offered")
    func liveness() throws {
        let jo = try run(user: "jo")
        #expect(jo.failures.map(\.headline) == [] && jo.switches == 1)
        let max = try run(user: "max")
        #expect(max.failures.map(\.headline) == [] && max.switches == 0)
    }

    @Test("a newer deploy for all replaces it for jo too")
    func newer() throws {
        let jo = try run(user: "jo", after: #"{ deploy: "v3" },"#)
        #expect(jo.failures.map(\.headline) == [])
        #expect(last(jo)?.contains("v3") == true)
    }

    @Test("it is required: if jo's phone can't get it, liveness fails")
    func canFail() throws {
        let fault = #"{ fault: { status: 404 }, path: "/app.js" },"#
        let healed = try run(user: "jo", after: fault)
        #expect(healed.failures.map(\.headline) == [])
        let deaf = try SmallScenario.run(
            text(user: "jo"), changeWorld: { $0.app.settings.updates = .never })
        #expect(deaf.map(\.kind) == [.liveness])
        #expect(deaf.first?.headline == "The device did not come to run and confirm v2")
    }
}
