import TestSupport
import Testing

@testable import Runner

@Suite("T3: outcomes count when the origin has accepted their report")
struct AcceptedOutcomeTests {
    private func failures(_ fault: String, _ last: String) throws -> [String] {
        let text = """
            {
              schema: 1, title: "A report of outcomes", liveness: "none", because: "only the report counts",
              app: { id: "com.example.shop", embeds: "v1", checks: "manual", outcomes: true },
              versions: {
                v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
                v2: { from: "v1", changes: ["app.js"] },
              },
              steps: [
                { launch: true }, { deploy: "v2" }, { check: true },
                { expect: { pending: "v2" }, within: "10s" }, { relaunch: true },
                { expect: { running: "v2", confirmed: true }, within: "10s" },
                \(fault) { mark: "before" }, { check: true }, { wait: "5s" },
                { expect: { requests: { outcomes: { atLeast: 1 } } }, since: "before" }, \(last)
              ],
            }
            """
        return try ScenarioRunner().run(SmallScenario.plan(text)).failures.map(\.headline)
    }

    private let taken = #"["taken v2", "confirmed v2"]"#

    @Test(
        "A report that was refused, cut off or not answered has told the origin nothing",
        arguments: [
            "{ status: 503 }", "{ status: 404 }", #""refuse""#, #""reset""#,
            #"{ slow: "answers", by: "20s" }"#,
        ])
    func refused(_ fault: String) throws {
        let before = "{ fault: \(fault), path: \"outcomes\", as: \"deaf\" },"
        #expect(try failures(before, "{ expect: { outcomes: [] } },") == [])
        let accepted = """
            { heal: "deaf" }, { mark: "open" }, { check: true }, { wait: "1m" },
            { expect: { outcomes: { has: \(taken) } }, since: "before" },
            """
        #expect(try failures(before, accepted) == [])
    }

    @Test("An accepted report counts from when it was sent")
    func accepted() throws {
        #expect(try failures("", "{ expect: { outcomes: { has: \(taken) } }, since: \"before\" },") == [])
        let later = "{ mark: \"later\" }, { wait: \"5s\" }, { expect: { outcomes: [] }, since: \"later\" },"
        #expect(try failures("", later) == [])
        #expect(try failures("", "{ expect: { outcomes: [] } },").count == 1)
    }
}
