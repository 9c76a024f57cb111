import Core
import ScenarioLanguage

/// A template for a new scenario: it is valid, it passes, and its comments say what to change.
package struct ScenarioTemplate: Hashable, Sendable {
    package var name: String
    package var summary: String
    private var body: String

    package static let all = [plain, rollback, blacklist, powerLoss, bug]

    package static func named(_ name: String) -> ScenarioTemplate? { all.first { $0.name == name } }

    /// The text of the scenario file.
    /// - Parameter title: the scenario's title; nil for that of the template.
    package func text(title: String?) -> String {
        do throws(JSONFault) {
            return String(
                decoding: try SourceFormatter.format(Array(body.utf8), title: title), as: UTF8.self)
        } catch {
            return body
        }
    }

    private static let versions = """
          versions: {
            v1: { files: { "index.html": "2 KB", "app.js": "40 KB" } },
        """

    package static let plain = ScenarioTemplate(
        name: "plain", summary: "an update that works",
        body: """
            {
              schema: 1,
              title: "A new version is fetched in the background and shown at the next launch",
              app: { id: "com.example.shop", embeds: "v1" },
            \(versions)
                v2: { from: "v1", changes: ["app.js"] },
              },
              steps: [
                { launch: true },
                { expect: { running: "v1", page: "ready" }, within: "5s" },
                { deploy: "v2" },
                { check: true },
                { expect: { running: "v1", pending: "v2" }, within: "10s" },
                { relaunch: true },
                { expect: { running: "v2", confirmed: true }, within: "10s" },
              ],
            }

            """)

    package static let rollback = ScenarioTemplate(
        name: "rollback", summary: "a version whose start fails, and the rollback",
        body: """
            {
              schema: 1,
              title: "A version that fails to start is rolled back at once, and the user has the old one",
              covers: ["R3"],
              app: { id: "com.example.shop", embeds: "v1" },
            \(versions)
                // How it fails: "hangs", { throws: "after 1s" }, { dies: "process", after: "2s" }, …
                v2: { from: "v1", changes: ["app.js"], startup: { throws: "after 1s" } },
              },
              steps: [
                { launch: true },
                { deploy: "v2" },
                { check: true },
                { expect: { pending: "v2" }, within: "10s" },
                { relaunch: true },
                { expect: { running: "v1", page: "ready", starts: { v2: { failed: 1 } } }, within: "10s" },
                { expect: { blacklist: [] }, because: "a version has a second chance" },
              ],
            }

            """)

    package static let blacklist = ScenarioTemplate(
        name: "blacklist", summary: "a version that fails twice and is blacklisted",
        body: """
            {
              schema: 1,
              title: "A version that failed twice is blacklisted and never shown again",
              covers: ["R3", "R5"],
              app: { id: "com.example.shop", embeds: "v1" },
            \(versions)
                v2: { from: "v1", changes: ["app.js"], startup: { throws: "after 1s" } },
              },
              steps: [
                { launch: true },
                { deploy: "v2" },
                { check: true },
                { expect: { pending: "v2" }, within: "10s" },
                { relaunch: true },
                { expect: { running: "v1", page: "ready" }, within: "10s" },
                { wait: "1s" },
                { relaunch: true },
                { expect: { running: "v1", blame: { v2: { cause: "start-failed-by-page", count: 1 } } }, within: "20s" },
                { never: { running: "v2" }, because: "it is on the blacklist" },
                { check: true },
                { wait: "30s" },
                { expect: { requests: { manifest: 1, files: 0 } }, since: "check", because: "it is not fetched again" },
                { relaunch: true },
                { wait: "30s" },
              ],
            }

            """)

    package static let powerLoss = ScenarioTemplate(
        name: "power-loss", summary: "a power cut during a download",
        body: """
            {
              schema: 1,
              title: "A power cut during a download costs nothing but the rest of the download",
              covers: ["R1", "U2"],
              app: { id: "com.example.shop", embeds: "v1" },
            \(versions)
                v2: { from: "v1", files: { "app.js": "600 KB" } },
              },
              steps: [
                { launch: true },
                { expect: { running: "v1", page: "ready" }, within: "5s" },
                { deploy: "v2" },
                // When: { stored: "60%", of: "/app.js" }, { pending: "v2" }, { started: "v2" }, …
                { powerCut: true, when: { stored: "60%", of: "/app.js" } },
                { check: true },
                { expect: { process: "gone" }, within: "30s" },
                { launch: true },
                { expect: { running: "v1", page: "ready" }, within: "5s" },
                { expect: { pending: "v2" }, within: "1m" },
                { relaunch: true },
                { expect: { running: "v2", confirmed: true }, within: "10s" },
              ],
            }

            """)

    package static let bug = ScenarioTemplate(
        name: "bug", summary: "a bug report, as a scenario that reproduces it",
        body: """
            // From a report to a scenario: 1. what was installed and published, 2. what happened, in order,
            // 3. what was seen, 4. what should have been seen. While the bug exists, 4 fails: declare that
            // with xfail, and the run reports when the bug is fixed.
            {
              schema: 1,
              title: "What should have happened, in one sentence",
              issue: "https://example.com/issues/1",
              tags: ["bug"],
              // xfail: "not fixed yet",
              // The device of the report: "ios-17", "android-14", "android-8-go", or your own in profiles/.
              device: "plain",
              // 1. What was installed and published.
              app: { id: "com.example.shop", embeds: "v1" },
            \(versions)
                v2: { from: "v1", changes: ["app.js"] },
              },
              steps: [
                // 2. What happened.
                { launch: true },
                { deploy: "v2" },
                { fault: { reset: "after 60%" }, path: "/app.js", times: 1 },
                { check: true },
                // 3. What was seen: the log of the report, if there is one.
                { expect: { log: { has: ["transfer-failed"] } }, within: "10s", since: "start" },
                // 4. What should have been seen.
                { expect: { pending: "v2" }, within: "1m", because: "a connection that breaks once is no reason to give up" },
                { never: { blacklist: { has: ["v2"] } }, because: "a broken connection is not the version's fault" },
                { relaunch: true },
                { expect: { running: "v2", confirmed: true }, within: "10s" },
              ],
            }

            """)
}
