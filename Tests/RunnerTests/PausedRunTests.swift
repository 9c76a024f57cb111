import Core
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Runs from the end of a common beginning")
struct PausedRunTests {
    private static let steps = [
        #"{ deploy: "v1" }"#, "{ launch: true }", #"{ settle: true }"#,
        #"{ fault: { reset: "after 50%" }, path: "/app.js", as: "cut" }"#,
        #"{ kill: "crash", when: { asked: "/app.js" } }"#, #"{ deploy: "v2" }"#, "{ check: true }",
        #"{ wait: "10s" }"#, "{ heal: true }",
        "{ repeat: 2, steps: [{ relaunch: true }, { settle: true }] }",
        #"{ expect: { running: "v2" }, within: "10m" }"#,
    ]

    private func plan(_ steps: [String]) throws -> RunPlan {
        try SmallScenario.plan(SmallScenario.text(steps.joined(separator: ",\n")))
    }

    private var runner: ScenarioRunner {
        var runner = ScenarioRunner()
        runner.recordsCoverage = true
        return runner
    }

    @Test("From each of its steps, a run has the result that it has from its beginning")
    func same() throws {
        let plan = try plan(PausedRunTests.steps)
        let whole = runner.run(plan)
        #expect(whole.verdict == .passed && whole.events > 300)
        for count in 1...PausedRunTests.steps.count {
            let paused = try #require(runner.paused(plan, after: count), "\(count)")
            #expect(runner.run(plan, from: paused) == whole, "\(count)")
        }
    }

    @Test("Other steps after the same ones: none changes what the others begin with")
    func others() throws {
        let first = Array(PausedRunTests.steps.prefix(6))
        let paused = try #require(runner.paused(try plan(PausedRunTests.steps), after: first.count))
        var digests: Set<UInt64> = []
        for last in [#"{ wait: "1h" }"#, #"{ kill: "battery" }"#, "{ relaunch: true }", #"{ wait: "1h" }"#] {
            let plan = try plan(first + [last])
            let whole = runner.run(plan)
            #expect(runner.run(plan, from: paused) == whole, "\(last)")
            digests.insert(whole.digest)
        }
        #expect(digests.count == 3)
    }

    @Test("A scenario that begins in another way is not continued")
    func different() throws {
        let paused = try #require(runner.paused(try plan(PausedRunTests.steps), after: 3))
        #expect(runner.run(try plan(Array(PausedRunTests.steps.prefix(2))), from: paused) == nil)
        var other = PausedRunTests.steps
        other[1] = #"{ wait: "1s" }"#
        #expect(runner.run(try plan(other), from: paused) == nil)
        var seeded = try plan(PausedRunTests.steps)
        seeded.seed += 1
        #expect(runner.run(seeded, from: paused) == nil)
    }

    @Test("A run that is over before, and steps that there are not")
    func none() throws {
        let failing = [#"{ expect: { running: "v1" } }"#, #"{ wait: "1s" }"#]
        #expect(runner.paused(try plan(failing), after: 1) == nil)
        let plan = try plan(PausedRunTests.steps)
        #expect(runner.paused(plan, after: 0) == nil)
        #expect(runner.paused(plan, after: PausedRunTests.steps.count + 1) == nil)
    }

    @Test("A missed trigger is a failure of a scenario, unless it is tolerated")
    func missedTriggers() throws {
        let plan = try plan(["{ launch: true }", #"{ kill: "crash", when: { asked: "/app.js" } }"#])
        #expect(runner.run(plan).failures.map(\.kind) == [.trigger])
        var tolerant = runner
        tolerant.toleratesMissedTriggers = true
        let result = tolerant.run(plan)
        #expect(result.verdict == .passed)
        #expect(result.steps.map(\.outcome) == [.done, .notReached])
    }
}
