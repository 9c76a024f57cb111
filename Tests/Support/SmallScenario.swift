import Backend
import Runner
import ScenarioLanguage

/// The scenario that most fixtures use: an update that is activated at the next launch and confirmed.
package enum SmallScenario {
    package static let plain = """
        { launch: true },
        { deploy: "v2" }, { check: true },
        { expect: { pending: "v2" }, within: "10s" },
        { relaunch: true },
        { wait: "30s" },
        """

    /// A scenario file with these steps.
    package static func text(_ steps: String, v2: String = "", head: String = "") -> String {
        """
        {
          schema: 1, title: "A small story", \(head)
          app: { id: "com.example.shop", embeds: "v1" },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
            v2: { from: "v1", changes: ["app.js"]\(v2) },
            v3: { from: "v2", changes: ["app.js"] },
          },
          steps: [ \(steps) ],
        }
        """
    }

    /// The text of a fixture is not a valid scenario.
    package struct InvalidScenario: Error {
        package var messages: [String]
    }

    package static func plan(_ text: String, profiles: [DeviceProfile] = [.plain]) throws -> RunPlan {
        let reading = ScenarioReader.read(
            path: "Scenarios/small.json5", bytes: Array(text.utf8), devices: profiles.map(\.name))
        let errors = reading.diagnostics.filter { $0.severity == .error }.map(\.message)
        guard errors.isEmpty, let plan = reading.scenarios.flatMap({ RunPlan.plans(for: $0, seed: 7) }).first
        else { throw InvalidScenario(messages: errors) }
        return plan
    }
}
