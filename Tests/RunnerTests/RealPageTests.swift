import Foundation
import ScenarioLanguage
import Testing

@testable import Runner

/// Pages written as the documentation recommends.
@Suite("Real builds, their pages and the app's scripts")
struct RealPageTests {
    /// Runs a scenario whose builds, by the names of their folders, have these files.
    private func run(_ story: String, _ builds: [String: [String: String]]) throws -> ScenarioResult {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "otalab-pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, files) in builds {
            let build = folder.appending(path: name)
            try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
            for (file, text) in files { try Data(text.utf8).write(to: build.appending(path: file)) }
        }
        let path = folder.appending(path: "story.json5").path
        let text = """
            { schema: 1, title: "A real build", app: { id: "com.example.shop", embeds: "v1" }, \(story) }
            """
        let reading = ScenarioFile(path: path, bytes: Array(text.utf8)).read(devices: ["plain"])
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        return ScenarioRunner().run(plan)
    }

    @Test(
        "a page that asks for the app's own script starts and is updated, over what the world serves",
        arguments: ["otalab.js", "cordova.js"])
    func scripts(name: String) throws {
        let page = "<!doctype html><script src=\"/\(name)\"></script><script src=\"app.js\"></script>"
        let result = try run(
            """
            versions: { v1: { folder: "one" }, v2: { folder: "two" } },
            steps: [
              { launch: true }, { deploy: "v2" }, { check: true },
              { expect: { pending: "v2" }, within: "10s" }, { relaunch: true },
              { expect: { running: "v2", page: "ready", confirmed: true }, within: "10s" },
            ],
            """,
            [
                "one": ["index.html": page, "app.js": "otalab.ready()"],
                "two": ["index.html": page, "app.js": "otalab.ready() // two"],
            ])
        #expect(result.verdict == .passed, "\(result.failures.map(\.headline))")
    }

    @Test("a cause is reported before what did not happen because of it")
    func order() throws {
        let result = try run(
            "versions: { v1: { folder: \"one\" } }, steps: [ { launch: true }, { wait: \"1s\" } ]",
            ["one": ["index.html": "<!doctype html><script src=\"/gone.js\"></script>"]])
        #expect(result.failures.map(\.kind) == [.invariant, .liveness])
    }
}
