import Core
import Testing

@testable import ScenarioLanguage

@Suite("What versions inherit")
struct VersionTreeTests {
    private func read(_ versions: String, _ steps: String = "{ expect: { running: 'v0' } }")
        -> ScenarioReading
    {
        let text = """
            { schema: 1, title: "t", app: { embeds: "v0" }, versions: { \(versions) },
              steps: [ { launch: true }, \(steps) ] }
            """
        return ScenarioReader.read(path: "a.json5", bytes: Array(text.utf8))
    }

    @Test("routes of a version are those of its resolved files, whatever it adds, changes and leaves out")
    func routes() throws {
        let reading = read(
            """
            v0: { files: { "index.html": "1 KB", "b.js": "1 KB", "a.js": "1 KB" } },
            v1: { from: "v0", files: { "/c.js": "1 KB", "a.js": "2 KB" }, without: ["b.js"] },
            v2: { from: "v1", files: { "b.js": "1 KB" }, changes: ["c.js"] },
            other: { files: { "index.html": "1 KB" } },
            """)
        let scenario = try #require(reading.scenarios.first)
        var tree = VersionTree(scenario.versions)
        // The last version first: the routes of the others are computed with it, and kept.
        for index in scenario.versions.indices.reversed() {
            let name = scenario.versions[index].name.value
            #expect(tree.routes(of: index) == scenario.files(of: name).map(\.route), "\(name)")
            #expect(tree.index(of: name) == index && !tree.isInCircle(index))
        }
        #expect(tree.inherited(1) == ["/a.js", "/b.js", "/index.html"])
    }

    @Test(
        "a circle of `from` is reported for each of its versions, and for no version that only inherits from it"
    )
    func circles() {
        let reading = read(
            """
            v0: { from: "v2", files: { "index.html": "1 KB" } }, v1: { from: "v0" }, v2: { from: "v1" },
            v3: { from: "v0" }, v4: { from: "v4" },
            """)
        #expect(
            reading.diagnostics.map(\.message) == [
                "'v0' comes from itself", "'v1' comes from itself", "'v2' comes from itself",
                "'v4' comes from itself",
            ])
    }

    @Test("two thousand versions, each from the previous one, are read in a short time")
    func chain() {
        let first = "v0: { files: { \"index.html\": \"1 KB\" } }, "
        let rest = (1..<2_000).map { "v\($0): { from: \"v\($0 - 1)\" }, " }.joined()
        let begin = ContinuousClock.now
        #expect(!read(first + rest).hasErrors)
        // Two seconds without optimisation on a slow machine; a cubic algorithm takes hours.
        #expect(ContinuousClock.now - begin < .seconds(20))
    }
}
