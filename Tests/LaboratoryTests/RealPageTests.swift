import Foundation
import ScenarioLanguage
import Testing

@testable import Laboratory

/// Pages as the documentation tells people to write them.
@Suite("Real builds whose pages use the app's scripts")
struct RealPageTests {
    @Test(
        "a page that asks for the app's own script starts and is updated, over what the world serves",
        arguments: ["otalab.js", "cordova.js"])
    func scripts(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "otalab-pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for version in ["one", "two"] {
            let build = folder.appending(path: version)
            try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
            let page = "<!doctype html><script src=\"/\(name)\"></script><script src=\"app.js\"></script>"
            try Data((page + version).utf8).write(to: build.appending(path: "index.html"))
            try Data("otalab.ready() // \(version)".utf8).write(to: build.appending(path: "app.js"))
        }
        let text = """
            {
              schema: 1, title: "A real build", app: { id: "com.example.shop", embeds: "v1" },
              versions: { v1: { folder: "one" }, v2: { folder: "two" } },
              steps: [
                { launch: true }, { deploy: "v2" }, { check: true },
                { expect: { pending: "v2" }, within: "10s" }, { relaunch: true },
                { expect: { running: "v2", page: "ready", confirmed: true }, within: "10s" },
              ],
            }
            """
        let path = folder.appending(path: "story.json5").path
        let reading = ScenarioFile(path: path, bytes: Array(text.utf8)).read(devices: ["plain"])
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(StoryPlan.plans(for: scenario, seed: 1).first)
        let result = StoryRunner().run(plan)
        #expect(result.verdict == .passed, "\(result.failures.map(\.headline))")
    }
}
