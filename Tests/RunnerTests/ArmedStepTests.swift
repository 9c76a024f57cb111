import Core
import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Steps with a trigger: they happen during the scenario, or fail it")
struct ArmedStepTests {
    private func run(_ steps: String, head: String = "") throws -> ScenarioResult {
        ScenarioRunner().run(try SmallScenario.plan(SmallScenario.text(steps, head: head)))
    }

    private let gone = #"liveness: "none", because: "only the steps are looked at","#

    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures/armed").standardized

    private static func fixture(_ name: String) throws -> ScenarioReading {
        let path = fixtures.appendingPathComponent(name + ".json5")
        return ScenarioReader.read(path: name + ".json5", bytes: Array(try Data(contentsOf: path)))
    }

    @Test(
        "A step whose trigger comes only after the end of the scenario fails, named with its trigger",
        arguments: [
            (
                "kill-that-never-fires", 3, "{ confirmed: \"v2\" }",
                #"{ kill: "user", when: { confirmed: "v2" } } never happened: its 'when' did not come before the scenario ended"#,
                "running v1, confirmed, pending v2"
            ),
            (
                "launch-behind-armed-kill", 4, "{ stored: \"50%\", of: \"/app.js\" }",
                #"{ kill: "user", when: { stored: "50%", of: "/app.js" } } never happened: its 'when' did not come before the scenario ended"#,
                "nothing of /app.js arrived"
            ),
        ])
    func fixtures(_ name: String, step: Int, caret: String, headline: String, found: String) throws {
        let scenario = try #require(try Self.fixture(name).scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        let result = ScenarioRunner().run(plan)
        #expect(result.verdict == .failed)
        #expect(result.failures.map(\.kind) == [.trigger])
        let failure = try #require(result.failures.first)
        #expect(failure.headline == headline)
        #expect(failure.step == step && failure.lists.actual == [found])
        let place = try #require(failure.location)
        let line = Array(place.text)
        #expect(String(line[(place.column - 1)..<(place.column - 1 + place.length)]) == caret)
        #expect(result.steps[step].outcome == .failed && result.steps[step].startedAt == nil)
        // Disarmed: the rounds after the last step end well, with no kill by the user out of turn.
        #expect(result.steps.filter { $0.outcome != .done }.count == 1)
    }

    @Test("lint warns of a launch that does not wait for an armed kill")
    func warning() throws {
        let found = ScenarioWarnings.check(try Self.fixture("launch-behind-armed-kill"))
        #expect(found.map(\.code) == [.earlyLaunch])
        #expect(ScenarioWarnings.check(try Self.fixture("kill-that-never-fires")) == [])
    }

    @Test("A launch of the app that is in the foreground changes nothing and is reported")
    func launchInFront() throws {
        let result = try run(
            #"{ launch: true }, { wait: "1s" }, { launch: true }, { background: true }, { launch: true },"#,
            head: gone)
        #expect(
            result.faultsNeverApplied
                == ["step 3 changed nothing: the app was in front already: { launch: true }"])
    }

    @Test("A step with a trigger begins when it happens")
    func times() throws {
        let result = try run(
            #"""
            { launch: true }, { deploy: "v2", after: "3s" }, { check: true, at: "4s" },
            { background: true, after: { pending: "v2" } },
            { wait: "20s" },
            """#, head: gone)
        #expect(result.failures == [])
        #expect(result.steps.map(\.outcome) == [.done, .done, .done, .done, .done])
        #expect(result.steps[1].startedAt == .zero + .seconds(3))
        #expect(result.steps[2].startedAt == .zero + .seconds(4))
        let last = try #require(result.steps[3].startedAt)
        #expect(last > .zero + .seconds(4) && last < .zero + .seconds(20))
        #expect(result.steps[3].endedAt == last)
    }

    @Test("An action whose trigger is what ends the scenario still happens")
    func atTheEnd() throws {
        let result = try run(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true },
            { deploy: "v3", after: { pending: "v2" } },
            { expect: { pending: "v2" }, within: "10s" },
            """#)
        #expect(result.failures == [])
        #expect(result.steps[3].outcome == .done && result.steps[3].startedAt != nil)
    }

    @Test(
        "What did happen of the trigger is reported",
        arguments: [
            (#"when: { asked: "/app.js", nth: 3 }"#, "1 of 3 such requests"),
            (#"when: { stored: "100%", of: "/index.html" }"#, "nothing of /index.html arrived"),
            (#"when: { fetched: "/index.html" }"#, "no whole answer for /index.html arrived"),
            (#"when: { running: "v2" }"#, "running v1, confirmed, pending v2"),
            (#"after: "1h""#, "it was due at 1:00:00.000"),
            (#"at: "61s""#, "it was due at 0:01:01.000"),
        ])
    func reach(_ trigger: String, _ found: String) throws {
        let result = try run(
            #"{ launch: true }, { kill: "system", \#(trigger) }, { deploy: "v2" }, { check: true }, { wait: "10s" },"#,
            head: gone)
        #expect(result.failures.map(\.kind) == [.trigger])
        #expect(result.failures.first?.lists.actual == [found])
    }

    @Test("Of a repeated step the times are counted; a fault is a step, too")
    func repeated() throws {
        let result = try run(
            #"""
            { launch: true },
            { repeat: 3, steps: [ { push: true, after: "2s" }, { wait: "1500ms" } ] },
            { fault: { status: 500 }, when: { pending: "v3" } },
            """#, head: gone)
        #expect(result.failures.map(\.step) == [2, 4])
        #expect(result.failures[0].headline.contains("happened 2 of 3 times: its 'after' did not come"))
        #expect(result.steps[2].startedAt == .zero + .seconds(2))
        #expect(result.steps[2].endedAt == .zero + .milliseconds(3_500))
    }

    @Test("A scenario that ends early reports it besides its failure; xfail waits for it like for any other")
    func early() throws {
        let early = try run(
            #"{ launch: true }, { kill: "system", when: { pending: "v3" } }, { deploy: "v2" }, { expect: { pending: "v2" } },"#,
            head: gone)
        #expect(early.failures.map(\.kind) == [.expectation])
        #expect(early.steps.map(\.outcome) == [.done, .notReached, .done, .failed])
        #expect(
            early.faultsNeverApplied == [
                #"step 2 never happened: its trigger never came: { kill: "system", when: { pending: "v3" } }"#
            ])
        let expected = try run(
            #"{ launch: true }, { kill: "system", when: { pending: "v3" } }, { wait: "1s" },"#,
            head: gone + #"xfail: "it never comes","#)
        #expect(expected.verdict == .expectedFailure)
    }
}
