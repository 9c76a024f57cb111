import Core
import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Runner

/// What makes a failure understandable: since when, what led to it, what was on the device.
@Suite("What explains a failure")
struct ExplanationTests {
    private let gone = #"liveness: "none", because: "only the steps are looked at","#

    private func plan(_ steps: String, v2: String = "") throws -> RunPlan {
        try SmallScenario.plan(SmallScenario.text(steps, v2: v2, head: gone))
    }

    /// As a run of the program makes it.
    private func result(_ steps: String, v2: String = "", moments: Bool = true) throws -> ScenarioResult {
        let plan = try plan(steps, v2: v2)
        let runner = ScenarioRunner()
        var (result, missed) = runner.runOnce(plan, nil)
        runner.rerunForExplanation(&result, missed, plan, nil, recordsMoments: moments)
        return result
    }

    @Test("an expectation about one moment reports since when it was wrong, and with which event")
    func since() throws {
        let result = try result(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true }, { wait: "60s" },
            { expect: { pending: null } },
            """#)
        let failure = try #require(result.failures.first)
        let event = try #require(result.timeline.first { $0.ordinal == failure.wrongSinceEvent })
        #expect(event.text.contains("v2") && event.lane == .updater)
        #expect(failure.wrongSince == event.at && event.at < .zero + .seconds(5))
        #expect(failure.lastEvents.contains(event))
        #expect(!failure.wasNeverRight)
    }

    @Test("a request without a response is among what led to it; no entry shows the session's key")
    func unanswered() throws {
        let result = try result(
            #"""
            { launch: true }, { expect: { running: "v1", confirmed: true }, within: "5s" }, { deploy: "v2" },
            { fault: { slow: "answers", by: "1h" } }, { check: true },
            { expect: { pending: "v2" }, within: "10s" },
            """#)
        let failure = try #require(result.failures.first)
        #expect(
            failure.lastEvents.contains { $0.text.hasPrefix("asks for the manifest") },
            "\(failure.lastEvents.map(\.text))")
        #expect(result.timeline.contains { $0.text == "asks for /" })
        for entry in result.timeline { #expect(!entry.text.contains("otalab-"), "\(entry.text)") }
    }

    @Test("what was never right says so, and names no event")
    func never() throws {
        let result = try result(
            #"{ launch: true }, { wait: "5s" }, { expect: { log: { has: ["no-space"] } }, since: "start" },"#)
        let failure = try #require(result.failures.first)
        #expect(failure.wasNeverRight && failure.wrongSinceEvent == nil && failure.wrongSince == .zero)
    }

    @Test("counters are evaluated from where they begin")
    func counted() throws {
        let result = try result(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true }, { wait: "30s" },
            { expect: { requests: { manifest: 0 } }, since: "check" },
            """#)
        let failure = try #require(result.failures.first)
        let event = try #require(result.timeline.first { $0.ordinal == failure.wrongSinceEvent })
        #expect(event.text.hasPrefix("asks for the manifest"))
    }

    @Test("of several phones too, what was right before the failed step began to count can be asked")
    func several() throws {
        let phones = #"devices: { one: "plain", two: "plain" },"#
        let steps = #"""
            { launch: true, on: "one" }, { launch: true, on: "two" }, { deploy: "v2" }, { wait: "5s" },
            { check: true, on: "two" }, { expect: { running: "v2" }, within: "1s", on: "two" },
            """#
        let plan = try SmallScenario.plan(SmallScenario.text(steps, head: gone + phones))
        let runner = ScenarioRunner()
        var (result, missed) = runner.runOnce(plan, nil)
        runner.rerunForExplanation(&result, missed, plan, nil, recordsMoments: true)
        #expect(result.failures.first?.wasNeverRight == true)
    }

    @Test("a second look changes nothing but what it adds")
    func sameRun() throws {
        let steps =
            #"{ launch: true }, { deploy: "v2" }, { check: true }, { wait: "9s" }, { expect: { pending: null } },"#
        let plan = try plan(steps)
        let runner = ScenarioRunner()
        let (first, missed) = runner.runOnce(plan, nil)
        var second = first
        runner.rerunForExplanation(&second, missed, plan, nil, recordsMoments: true)
        #expect(first.moments.isEmpty && !second.moments.isEmpty)
        #expect(second.digest == first.digest && second.timeline == first.timeline)
        second.moments = []
        second.failures[0].wrongSince = first.failures[0].wrongSince
        second.failures[0].wrongSinceEvent = first.failures[0].wrongSinceEvent
        second.failures[0].lastEvents = first.failures[0].lastEvents
        #expect(second == first)
    }

    @Test("events of other things are left out: a page that fetches its pictures explains no blacklist")
    func relevance() throws {
        let result = try result(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true }, { wait: "9s" }, { relaunch: true }, { wait: "60s" },
            { expect: { running: "v2" } },
            """#, v2: #", startup: "hangs""#)
        let failure = try #require(result.failures.first)
        #expect(failure.lastEvents.count <= Relevance.maxEvents)
        #expect(failure.lastEvents.contains { $0.text.contains("start-failed-by-clock v2") })
        #expect(!failure.lastEvents.contains { $0.text.hasPrefix("gets /app.js") })
        #expect(failure.lastEvents.map(\.ordinal) == failure.lastEvents.map(\.ordinal).sorted())
        let known = result.timeline.map(\.ordinal)
        #expect(result.timeline.allSatisfy { entry in entry.cause.map(known.contains) ?? true })
    }

    @Test("moments put together are what the disk and the screen were, at any of them")
    func moments() throws {
        let result = try result(
            #"""
            { launch: true }, { deploy: "v2" }, { check: true }, { wait: "9s" }, { relaunch: true }, { wait: "9s" },
            { expect: { running: "v1" } },
            """#)
        func state(at instant: Instant) -> [String: String] {
            var state: [String: String] = [:]
            for moment in result.moments where moment.at <= instant {
                for change in moment.changes {
                    state["\(change.part.rawValue) \(change.name)"] = change.value
                }
            }
            return state
        }
        let pending = try #require(result.timeline.first { $0.text.contains("became-pending v2") })
        let before = state(at: Instant(microseconds: pending.at.microseconds - 100_000))
        #expect(before["record pending"] == nil && before["screen page"] == "v1, ready")
        let between = state(at: .zero + .seconds(8))
        #expect(between["record pending"] == "v2" && between["record current"] == "v1")
        #expect(between["screen page"] == "v1, ready")
        #expect(between.contains { $0.key.hasPrefix("disk blobs/") && $0.value.contains("/app.js of v2") })
        let after = state(at: .zero + .seconds(18))
        #expect(after["record current"] == "v2" && after["record pending"] == nil)
        #expect(after["screen page"] == "v2, ready" && after["record last known good"] == "v2")
        // The notes of starts are not synced on purpose (R2).
        let others = after.filter { !$0.key.hasSuffix(" starts") }
        #expect(!others.values.contains { $0.contains("not synced") })
        #expect(result.moments.map(\.at) == result.moments.map(\.at).sorted())
    }

    @Test("folding moments keeps what was there in the end, and the moments that entries stand at")
    func folding() {
        let moments = (1...100).map { number in
            DeviceMoment(
                lastEvent: number, at: Instant(microseconds: Int64(number)),
                changes: [
                    DeviceMoment.Change(.disk, "a\(number % 7)", number % 3 == 0 ? nil : "\(number)"),
                    DeviceMoment.Change(.record, "generation", "\(number)"),
                ])
        }
        func end(_ moments: [DeviceMoment], at number: Int) -> [DeviceMoment.Change] {
            moments.filter { $0.lastEvent <= number }
                .reduce(DeviceMoment(lastEvent: 0, at: .zero, changes: [])) { $0.joined(with: $1) }.changes
                .filter { $0.value != nil }
        }
        let folded = moments.folded(to: 30, keeping: [10, 50, 90])
        #expect(folded.count == 30)
        for number in [10, 50, 90, 100] {
            #expect(end(folded, at: number) == end(moments, at: number), "\(number)")
        }
    }

    @Test("an owed version points at the step that deployed it")
    func liveness() throws {
        let plan = try plan(#"{ launch: true }, { deploy: "v2" }, { wait: "1s" },"#)
        let world = try World(ScenarioRunner().prepare(plan.scenario).setup)
        var run = ScenarioRun(
            plan: plan, setup: try ScenarioRunner().prepare(plan.scenario).setup, backend: world)
        run.backend.isRecording = true
        run.runSteps()
        var failure = Failure(
            kind: .liveness, headline: "The device did not come to run and confirm v2", at: run.backend.now)
        failure.differences = [
            Difference(
                expected: "running v2, confirmed, within 8 rounds of use", actual: "running v1, confirmed")
        ]
        let found = FoundFailure(failure, about: FailureSubject(versions: ["v2", "v1"]))
        let entries = run.backend.trace.compactMap { run.formatter.entry($0, step: nil) }
        let failures = ScenarioRunner().explained([found], run, entries)
        #expect(failures[0].step == 1 && failures[0].location?.text.contains("deploy") == true)
        #expect(failures[0].lastEvents.contains { $0.text.hasPrefix("deploys v2") })
    }
}
