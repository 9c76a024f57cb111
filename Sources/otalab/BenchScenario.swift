import Backend
import ScenarioLanguage
import World

/// The scenarios that `otalab bench` runs, in the scenario language, so that they measure what users write.
enum BenchScenario {
    /// 60 files of 512 B, 20 changed, loss, the origin redeployed in the middle, a crash, a failed start. The
    /// page loads 12 of the 60 when it starts, as a build in chunks does.
    static let busy = update(scripts: 12)

    /// The same with a page that loads all 60, so that the server and the page do five times as much.
    static let wholePages = update(scripts: 60)

    private static func update(scripts: Int) -> String {
        let routes = (0..<60).map { $0 < scripts ? "assets/part\($0).js" : "data/part\($0).json" }
        let files = routes.map { "\"\($0)\": \"512 B\"" }.joined(separator: ", ")
        let changed = (routes.prefix(10) + routes.suffix(10)).map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            {
              schema: 1, title: "The bench's update story", liveness: "none", because: "the steps are what is measured",
              app: { embeds: "v1" },
              versions: {
                v1: { files: { "index.html": "1 KB", \(files) } },
                v2: { from: "v1", changes: [\(changed)] },
                v3: { from: "v2", changes: [\(changed)], startup: { fails: 1, how: { throws: "after 1s" } } },
              },
              steps: [
                { launch: true }, { expect: { page: "ready" }, within: "5s" },
                { deploy: "v2" },
                { fault: { reset: "after 50 B" }, path: "/assets/part3.js", times: 2 },
                { check: true },
                { deploy: "v3", when: { fetched: "/assets/part9.js" } },
                { wait: "1m" }, { check: true }, { expect: { pending: "v3" }, within: "5m" },
                { kill: "crash" }, { launch: true },
                { expect: { running: "v1", page: "ready" }, within: "30s" },
                { expect: { starts: { v3: { failed: 1 } }, pending: "v3" } },
              ],
            }
            """
    }

    /// A week in foreground with a check every hour.
    static let idle = """
        {
          schema: 1, title: "The bench's idle week", liveness: "none", because: "the week is what is measured",
          app: { embeds: "v1", checks: "manual" },
          versions: { v1: { files: { "index.html": "1 KB", "app.js": "4 KB" } } },
          steps: [
            { launch: true }, { deploy: "v1" },
            { repeat: 168, every: "1h", steps: [ { check: true }, { wait: "10s" } ] },
            { expect: { running: "v1" } },
          ],
        }
        """

    /// A world of two versions of twenty files.
    static func world() -> World? {
        let old = (0..<20).map { index in
            FileSetup(
                route: "/part\(index).js",
                content: .made(ContentKey(version: "v1", route: "/part\(index).js", size: 40_000)))
        }
        let page = FileSetup(
            route: "/index.html", content: .made(ContentKey(version: "v1", route: "/index.html", size: 2_000))
        )
        let new = (0..<20).map { index in
            FileSetup(
                route: "/part\(index).js",
                content: .made(ContentKey(version: "v2", route: "/part\(index).js", size: 40_000)))
        }
        let setup = WorldSetup(
            app: AppSetup(
                id: "com.example.shop", builds: [BuildSetup(name: "1.0", embeds: "v1")], installed: "1.0"),
            versions: [
                VersionSetup(name: "v1", files: [page] + old),
                VersionSetup(name: "v2", files: [page] + new),
            ])
        do {
            return try World(setup)
        } catch {
            return nil
        }
    }
}
