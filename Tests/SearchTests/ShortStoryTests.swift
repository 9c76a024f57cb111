import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Search

@Suite("Short worlds that nobody wrote")
struct ShortStoryTests {
    private static let names: WorldNames = {
        var names = WorldNames()
        names.versions = ["v1", "v2"]
        names.routes = ["/index.html", "/app.js"]
        names.builds = ["1.0", "1.1"]
        return names
    }()

    private static let head = """
        app: { builds: { "1.0": { embeds: "v1" }, "1.1": { embeds: "v1" } } },
        versions: {
          v1: { files: { "/index.html": "1 KB", "/app.js": "1 KB" } },
          v2: { from: "v1", changes: ["/app.js"] },
        },
        """

    private func errors(in steps: [PrintedValue]) -> [String] {
        let lines = steps.map { $0.line + "," }.joined(separator: "\n")
        let text = "{ schema: 1, title: \"A short world\",\n\(ShortStoryTests.head)\nsteps: [\n\(lines)\n] }"
        let reading = ScenarioReader.read(path: "x.json5", bytes: Array(text.utf8), devices: ["plain"])
        return reading.diagnostics.filter { $0.severity == .error }.map(\.message)
    }

    @Test("The steps of each situation are valid together", arguments: Situation.allCases)
    func situations(_ situation: Situation) {
        for seed in UInt64(0)..<40 {
            var chance = Chance(seed: seed)
            let steps = situation.steps(&chance, ShortStoryTests.names)
            #expect(errors(in: steps + [["settle": true]]) == [], "seed \(seed)")
            for page in situation.pages {
                #expect(errors(in: steps + [["page": .text(page), "calls": "holdOff"]]) == [], "\(page)")
            }
        }
    }

    @Test("What follows is valid after an app in use", arguments: Sequel.allCases)
    func sequels(_ sequel: Sequel) {
        for seed in UInt64(0)..<40 {
            var chance = Chance(seed: seed)
            var steps = Situation.secondDocument.steps(&chance, ShortStoryTests.names)
            steps += [["fault": "refuse"]] + sequel.steps(&chance, ShortStoryTests.names)
            #expect(errors(in: steps) == [], "seed \(seed)")
        }
    }

    @Test("Three worlds of four are short, and their steps are drawn from all words")
    func share() {
        let worlds = (UInt64(0)..<600).compactMap { DrawnWorld(seed: $0, profiles: ["plain"]) }
        #expect(worlds.count == 600)
        // Only a short world begins with a launch whose page load has this name.
        let short = worlds.count { $0.text.contains("as: \"\(Situation.firstPage)\"") }
        #expect((330...480).contains(short), "\(short)")
    }
}
