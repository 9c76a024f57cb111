import Core
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Oracle
@testable import Runner

@Suite("Liveness requires the version that the rules determine, and accepts several where they don't")
struct ExpectedVersionTests {
    /// Versions that are acceptable after these steps.
    private func expected(
        _ steps: String, app: String = #"embeds: "v1""#, v2: String = "", changed: String = "app.js",
        head: String = ""
    ) throws -> [String] {
        let text = """
            {
              schema: 1, title: "Offers", \(head)
              app: { id: "com.example.shop", checks: "manual", \(app) },
              versions: {
                v1: { files: { "index.html": "1 KB", "app.js": "3 KB", "data.json": "1 KB" } },
                v2: { from: "v1", changes: ["\(changed)"]\(v2) },
                v3: { from: "v2", changes: ["app.js"] },
              },
              steps: [ { launch: true }, { wait: "1s" }, \(steps) { wait: "1s" } ],
            }
            """
        let plan = try SmallScenario.plan(text)
        let compiler = ScenarioCompiler(
            scenario: plan.scenario, profiles: [.plain], readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var world = try World(setup)
        world.isRecording = true
        var run = ScenarioRun(plan: plan, setup: setup, backend: world)
        run.runSteps()
        #expect(run.found.map(\.failure.headline) == [])
        return run.observer.expectedVersions
    }

    @Test("One version is required where all edges offer it with its files")
    func offered() throws {
        #expect(try expected("") == ["v1"])
        #expect(try expected(#"{ deploy: "v2" },"#) == ["v2"])
        #expect(
            try expected(#"{ deploy: "v2", parts: "files" }, { deploy: "v2", parts: "manifest" },"#) == ["v2"]
        )
        #expect(try expected(#"{ deploy: "v2" }, { recall: "v2" },"#) == ["v1"])
        #expect(try expected(#"{ deploy: "v2" },"#, v2: #", startup: "hangs""#) == ["v1"])
        #expect(try expected(#"{ deploy: "v2" }, { deploy: "embedded" },"#) == ["v1"])
    }

    @Test("An order to run an embedded version that no start confirms requires no other one")
    func embeddedThatFails() throws {
        let embeds = #"embeds: "v2""#
        let steps = #"{ deploy: "v1" }, { check: true }, { wait: "5s" }, { relaunch: true }, { wait: "5s" },"#
        let startup = #", startup: { throws: "after 3s" }"#
        #expect(try expected(steps, app: embeds, v2: startup) == ["v1"])
        #expect(try expected(steps + #"{ deploy: "embedded" },"#, app: embeds, v2: startup) == [])
    }

    @Test("A manifest without its files may change nothing")
    func withoutFiles() throws {
        #expect(try expected(#"{ deploy: "v2", parts: "manifest" },"#) == ["v2", "v1"])
    }

    @Test("A manifest that can't state a recall goes on offering the version")
    func unstatedRecall() throws {
        let meteor = #"embeds: "v1", manifest: "meteor""#
        #expect(try expected(#"{ deploy: "v2" }, { recall: "v2" },"#, app: meteor) == ["v2"])
    }

    @Test("An app that does not ask the origin can't get what it offers", arguments: ["page", "never"])
    func notAsking(_ updates: String) throws {
        #expect(try expected(#"{ deploy: "v2" }, { set: { updates: "\#(updates)" } },"#) == ["v2", "v1"])
    }

    @Test("An offer below the new package's version is ignored (U8)")
    func olderThanPackage() throws {
        let builds = #"builds: { "1.0": { embeds: "v1" }, "1.1": { embeds: "v3" } }, installed: "1.0""#
        #expect(try expected(#"{ storeUpdate: "1.1" }, { launch: true },"#, app: builds) == ["v1", "v3"])
        #expect(
            try expected(#"{ deploy: "v2" }, { storeUpdate: "1.1" }, { launch: true },"#, app: builds) == [
                "v2"
            ])
    }

    @Test(
        "If the server confirms, a version is good once it was loaded and lived for 5 s",
        arguments: [
            ("hangs", true), ("throws", true), ("dies", false),
        ])
    func confirmedByServer(_ startup: String, _ isRequired: Bool) throws {
        let app = #"embeds: "v1", confirm: "loaded""#
        #expect(
            try expected(#"{ deploy: "v2" },"#, app: app, v2: #", startup: "\#(startup)""#)
                == (isRequired ? ["v2"] : ["v1"]))
    }

    @Test("Blame needs two failures, or six starts without a confirmation that could become durable")
    func blame() throws {
        var start = StartTrace(key: Stage.v2, process: 1, at: .zero, load: Stage.token(1))
        start.signalledAt = Instant.zero + .seconds(1)
        var stage = Stage([])
        stage.observed.starts = [start]
        #expect(BlameEvidence("v2", stage.observed).unconfirmed == 0)
        stage.observed.starts[0].diedAt = Instant.zero + .seconds(2)
        #expect(BlameEvidence("v2", stage.observed).unconfirmed == 1)
        stage.observed.starts[0].end = .confirmed
        #expect(BlameEvidence("v2", stage.observed).unconfirmed == 0)
    }

    @Test("Recalls add up, and count where the device can read them")
    func recalls() throws {
        let both = #"{ deploy: "v2" }, { recall: "v2" }, { recall: "v3" },"#
        #expect(try expected(both) == ["v1"])
        let builds =
            #"builds: { "1.0": { embeds: "v1", native: "A" }, "1.1": { embeds: "v1", native: "B" } }"#
        let unread =
            #"{ deploy: "v3" }, { check: true }, { wait: "9s" }, { relaunch: true }, { wait: "9s" }, "#
            + #"{ deploy: "v2" }, { recall: "v3" },"#
        #expect(try expected(unread, app: builds, v2: #", native: "B""#) == ["v3", "v1"])
    }

    @Test("The server confirms a page with a style sheet and a font", arguments: ["called", "loaded"])
    func styleSheet(_ confirm: String) throws {
        let text = """
            {
              schema: 1, title: "Style", app: { embeds: "v1", confirm: "\(confirm)", checks: "manual" },
              versions: {
                v1: { files: { "index.html": "1 KB", "a.css": "3 KB", "b.woff2": "2 KB" } },
                v2: { from: "v1", changes: ["a.css"] },
              },
              steps: [
                { launch: true }, { deploy: "v2" }, { check: true }, { wait: "9s" }, { relaunch: true },
                { wait: "9s" },
              ],
            }
            """
        #expect(try SmallScenario.run(text) == [])
    }

    // MARK: - What can't be required

    private static let take = #"{ check: true }, { wait: "9s" }, { relaunch: true }, { wait: "9s" },"#

    @Test("A frontend manifest states no native range, so its version is taken; others are refused")
    func unstatedNative() throws {
        for (dialect, versions) in [("frontend with hashes", ["v2"]), ("own", ["v1"]), ("meteor", ["v1"])] {
            let app =
                #"manifest: "\#(dialect)", "#
                + #"builds: { "1.0": { embeds: "v1", native: "A" }, "1.1": { embeds: "v1", native: "B" } }"#
            #expect(try expected(#"{ deploy: "v2" },"#, app: app, v2: #", native: "B""#) == versions)
        }
    }

    @Test("An embedded version that does not fit its own build is started, but not taken as an offer")
    func embeddedOutsideRange() throws {
        let app =
            #"builds: { "1.0": { embeds: "v2", native: "A" }, "1.1": { embeds: "v1", native: "B" } }, "#
            + #"installed: "1.0""#
        let native = #", native: "B""#
        #expect(try expected("", app: app, v2: native) == ["v2"])
        let other = #"{ deploy: "v1" }, "# + ExpectedVersionTests.take + #"{ deploy: "v2" },"#
        #expect(try expected(other, app: app, v2: native) == ["v1"])
        #expect(try expected(other, app: app) == ["v2"])
    }

    @Test("A version whose page can't be told from another's may start as that one does")
    func sameBytes() throws {
        let steps = #"{ deploy: "v2" },"# + ExpectedVersionTests.take
        let hangs = #", startup: "hangs""#
        #expect(try expected(steps, v2: hangs) == ["v1"])
        #expect(try expected(steps, v2: hangs, changed: "data.json") == ["v2", "v1"])
        #expect(try expected(steps, changed: "data.json") == ["v2"])
    }

    @Test("Recovery takes no version that can't read the data of a confirmed one")
    func dataSchema() throws {
        let recalled = #"{ deploy: "v2" },"# + ExpectedVersionTests.take + #"{ recall: "v2" },"#
        #expect(try expected(recalled) == ["v1"])
        #expect(try expected(recalled, v2: ", dataSchema: 2") == [])
        let untaken = #"{ deploy: "v2" }, { recall: "v2" },"#
        #expect(try expected(untaken, v2: ", dataSchema: 2") == ["v1"])
    }

    @Test("An origin that wants the app to wait can require nothing until the app has run for so long")
    func retryAfter() throws {
        let busy =
            #"{ fault: { status: 503, headers: { "Retry-After": "600" } }, path: "manifest", times: 1 }, "#
            + #"{ deploy: "v2" }, { check: true }, { wait: "5m" },"#
        #expect(try expected(busy) == ["v2", "v1"])
        #expect(
            try expected(busy + #"{ recall: "v1" }, { recall: "v2" },"#) == ["v2", "v1"],
            "it can't know of a recall")
        #expect(try expected(busy + #"{ kill: "user" }, { wait: "5m" },"#) == ["v2", "v1"])
        #expect(try expected(busy + #"{ wait: "5m" },"#) == ["v2"])
    }

    @Test("A damaged record loses all versions but the embedded one")
    func lostRecord() throws {
        let damage =
            #"{ deploy: "v1" }, { check: true }, { wait: "9s" }, { deploy: "v2" }, { kill: "user" }, "#
        let flip = #"{ disk: { file: "records", do: { flip: "1 byte" } } },"#
        let hangs = #", startup: "hangs""#
        #expect(try expected(damage, app: "", v2: hangs) == ["v1"])
        #expect(try expected(damage + flip, app: "", v2: hangs) == [])
        #expect(try expected(damage + flip, v2: hangs) == ["v1"])
    }

    @Test("Without an order a version that ends its process may never be left")
    func shortLives() throws {
        let steps = #"{ deploy: "v2" },"# + ExpectedVersionTests.take + #"{ deploy: "v1" },"#
        let dies = #", startup: { dies: "process", after: "30s" }"#
        let meteor = #"embeds: "v1", confirm: "loaded", manifest: "meteor""#
        #expect(try expected(steps, app: meteor, v2: dies) == ["v1", "v2"])
        #expect(try expected(steps, app: meteor) == ["v1"])
        #expect(try expected(steps, app: #"embeds: "v1", confirm: "loaded""#, v2: dies) == ["v1"])
    }

    @Test("Without hashes a version may consist of another one's files: it runs all the same")
    func withoutHashes() throws {
        let text = """
            {
              schema: 1, title: "Files of another version",
              app: { embeds: "v1", manifest: "frontend", checks: "manual" },
              versions: {
                v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
                v2: { from: "v1", changes: ["index.html", "app.js"] },
              },
              steps: [
                { launch: true }, { deploy: "v2", parts: "manifest" }, { check: true },
                { expect: { pending: "v2" }, within: "9s" },
                { relaunch: true },
                { expect: { running: "v1", started: { has: ["v2"] } }, within: "9s" },
                { deploy: "v2" },
              ],
            }
            """
        #expect(try SmallScenario.run(text) == [])
    }
}
