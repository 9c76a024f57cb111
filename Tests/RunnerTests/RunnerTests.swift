import Core
import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("The runner: time, counters, triggers, bounds, verdicts")
struct RunnerTests {
    private func run(_ steps: String, v2: String = "", head: String = "") throws -> ScenarioResult {
        ScenarioRunner().run(try SmallScenario.plan(SmallScenario.text(steps, v2: v2, head: head)))
    }

    private let gone = #"liveness: "none", because: "only the steps are looked at","#

    @Test("A scenario that holds passes, with its steps, times and digest")
    func passes() throws {
        let result = try run(SmallScenario.plain)
        #expect(result.verdict == .passed)
        #expect(result.steps.count == 6)
        #expect(result.steps.allSatisfy { $0.outcome == .done })
        #expect(result.virtualDuration >= .seconds(30))
        #expect(result.digest != 0)
        #expect(result.times.launches.count == 2)
        #expect(result.times.white == .zero)
        #expect(result.switches == 1)
    }

    @Test("Only wait, settle and expect let time pass")
    func timeStandsStill() throws {
        let result = try run(
            #"{ launch: true }, { deploy: "v2" }, { check: true }, { mark: "m" }, { expect: { process: "alive" } },"#,
            head: gone)
        #expect(result.verdict == .passed)
        #expect(result.virtualDuration == .zero)
        let waits = try run(#"{ launch: true }, { wait: "90s" }, { settle: true },"#, head: gone)
        #expect(waits.virtualDuration >= .seconds(90))
    }

    @Test(
        "A failure names step, position, expected and actual, since when, and the last events with causes"
    )
    func failure() throws {
        let result = try run(
            #"""
            { launch: true },
            { deploy: "v2" }, { check: true },
            { expect: { pending: "v2", running: "v2" }, within: "10s", because: "it was deployed" },
            """#, head: gone)
        #expect(result.verdict == .failed)
        let failure = try #require(result.failures.first)
        #expect(failure.kind == .expectation)
        #expect(failure.step == 3)
        #expect(failure.lists.expected == ["running v2"])
        #expect(failure.lists.actual == ["running v1"])
        #expect(failure.because == "it was deployed")
        #expect(failure.waitedFrom == .zero)
        #expect(failure.waitedTo == Instant(microseconds: 10_000_000))
        let since = try #require(failure.wrongSince)
        #expect(since > .zero && since < .zero + .seconds(1))
        let place = try #require(failure.location)
        #expect(place.text.contains("running: \"v2\""))
        #expect(place.line == result.line)
        let caret = Array(place.text.unicodeScalars)[(place.column - 1)..<(place.column - 1 + place.length)]
        #expect(String(String.UnicodeScalarView(caret)) == "\"v2\"")
        #expect(failure.lastEvents.contains { $0.text.contains("became-pending v2") })
        #expect(!failure.lastEvents.contains { $0.text.contains("gets /") })
        #expect(failure.eventsSoFar > failure.lastEvents.count)
        #expect(failure.lists.parts == ["running"])
        #expect(failure.lastEvents.contains { $0.cause != nil })
        #expect(failure.reproduction == "otalab run Scenarios/small.json5 --seed 7")
        #expect(result.steps[3].outcome == .failed)
    }

    @Test("A failed expectation ends the scenario: later steps are not reached")
    func ends() throws {
        let result = try run(
            #"{ launch: true }, { expect: { process: "gone" } }, { wait: "1s" },"#, head: gone)
        #expect(result.steps.map(\.outcome) == [.done, .failed, .notReached])
    }

    @Test("throughout looks at every event, and only while its condition is true")
    func throughout() throws {
        let broken = try run(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: null }, throughout: "10s" },
            """#, head: gone)
        #expect(broken.verdict == .failed)
        let limited = try run(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: null }, throughout: "10s", while: "the device is offline" },
            """#, head: gone)
        #expect(limited.verdict == .passed)
    }

    @Test("Counters run since the last action, a verb, a mark, or the start")
    func counters() throws {
        let result = try run(
            #"""
            { launch: true }, { wait: "5s" },
            { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { expect: { requests: { manifest: { atLeast: 1 }, "/app.js": 1 } } },
            { expect: { fetched: ["/app.js"], bytes: { atLeast: "3 KB" } } },
            { mark: "here" },
            { expect: { requests: { manifest: 0, files: 0 } }, since: "here" },
            { background: true },
            { expect: { requests: { manifest: 0 }, fetched: { files: 0 } } },
            { expect: { requests: { files: 1 } }, since: "check" },
            { expect: { requests: { manifest: { atLeast: 2 } } }, since: "start" },
            """#, head: gone)
        #expect(result.failures == [])
    }

    @Test("Triggers are data: an action waits for its event")
    func triggers() throws {
        let result = try run(
            #"""
            { launch: true }, { deploy: "v2" },
            { kill: "system", when: { asked: "/app.js" } },
            { check: true }, { expect: { process: "gone" }, within: "10s" },
            """#, head: gone)
        #expect(result.failures == [])
    }

    @Test("A fault that met nothing is reported, and is no failure")
    func unusedFault() throws {
        let result = try run(
            #"{ launch: true }, { fault: { status: 500 }, path: "/app.js" }, { wait: "1s" },"#, head: gone)
        #expect(result.verdict == .passed)
        #expect(result.faultsNeverApplied.count == 1)
    }

    @Test("repeat opens its rounds, every so often at least")
    func repeats() throws {
        let result = try run(
            #"{ launch: true }, { repeat: 5, every: "1m", steps: [ { check: true }, { wait: "2s" } ] },"#,
            head: gone)
        #expect(result.verdict == .passed)
        #expect(result.virtualDuration == .minutes(5))
        #expect(result.steps.map(\.index) == [0, 1, 2, 3])
    }

    @Test("A scenario beyond its limits is inconclusive, and reports where it was")
    func limits() throws {
        let events = try run(
            #"{ launch: true }, { wait: "1h" },"#, head: "limits: { events: 20 }," + gone)
        #expect(events.verdict == .inconclusive)
        #expect(events.failures.first?.kind == .bound)
        #expect(events.failures.first?.step == 1)
        let waiting = try run(
            #"{ launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "1h" },"#,
            head: "limits: { events: 20 }," + gone)
        #expect(waiting.verdict == .inconclusive)
        let time = try run(
            #"{ launch: true }, { repeat: 1000, steps: [ { wait: "1h" } ] },"#,
            head: #"limits: { virtualTime: "2h" },"# + gone)
        #expect(time.verdict == .inconclusive)
        #expect(time.virtualDuration <= .hours(3))
        let endless = try run(
            #"{ launch: true }, { repeat: 10000, steps: [ { repeat: 10000, steps: [ { mark: "m" } ] } ] },"#,
            head: gone)
        #expect(endless.verdict == .inconclusive)
    }

    @Test("xfail turns a failure into an expected one, and a pass into a failure; skip is not run")
    func expectedFailures() throws {
        let failing = #"{ launch: true }, { expect: { process: "gone" } },"#
        let expected = try run(failing, head: #"xfail: "BUG-12","# + gone)
        #expect(expected.verdict == .expectedFailure)
        #expect(expected.reason == "BUG-12")
        let passing = try run(#"{ launch: true },"#, head: #"xfail: "BUG-12","# + gone)
        #expect(passing.verdict == .unexpectedPass)
        #expect(passing.failures.first?.kind == .unexpectedPass)
        let skipped = try run(failing, head: #"skip: "not now","# + gone)
        #expect(skipped.verdict == .skipped)
        #expect(skipped.events == 0)
    }

    @Test("Equal plans give equal results; another seed another world seed")
    func deterministic() throws {
        let plan = try SmallScenario.plan(SmallScenario.text(SmallScenario.plain))
        #expect(ScenarioRunner().run(plan) == ScenarioRunner().run(plan))
        var other = plan
        other.seed = 8
        #expect(other.worldSeed != plan.worldSeed)
    }

    @Test("anyOrder gives one plan for each order, in the order of the file first")
    func orders() throws {
        let text = SmallScenario.text(
            #"{ launch: true }, { page: "reload", anyOrder: ["navigation starts", "index requested"] },"#)
        let reading = ScenarioReader.read(path: "a.json5", bytes: Array(text.utf8))
        let scenario = try #require(reading.scenarios.first)
        let plans = RunPlan.plans(for: scenario, seed: 1)
        #expect(plans.map(\.name) == ["a {order 1}", "a {order 2}"])
        #expect(plans.first?.orders.first?.events == [.navigationStarts, .indexRequested])
        #expect(RunPlan.permutations(of: [1, 2, 3]).count == 6)
    }
}
