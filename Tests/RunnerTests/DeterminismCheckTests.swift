import Core
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Two runs that part: the first event that differs is named")
struct DeterminismCheckTests {
    /// An origin whose answer carries a counter: the id of v2 is another one in each run.
    private func told(_ counter: Int) throws -> (
        result: ScenarioResult, trace: [DigestedEvent], plan: RunPlan
    ) {
        let plan = try SmallScenario.plan(
            SmallScenario.text(SmallScenario.plain, v2: #", id: "build-\#(counter)""#))
        var runner = ScenarioRunner()
        runner.keepsDigestedEvents = true
        var trace: [DigestedEvent] = []
        let result = runner.runOnce(plan, nil, trace: &trace).result
        return (result, trace, plan)
    }

    @Test("An answer with a counter: event, time, and both sides where they part")
    func counter() throws {
        var first = try told(1)
        let second = try told(2)
        #expect(first.result.digest != second.result.digest)
        #expect(first.result.verdict == .passed && first.result.events == second.result.events)
        DeterminismCheck.addFailure(&first.result, first.trace, second.result, second.trace, first.plan)
        #expect(first.result.verdict == .nonDeterministic)
        let failure = try #require(first.result.failures.last)
        #expect(failure.kind == .determinism)
        let place = try #require(DigestedEvent.firstDifference(first.trace, second.trace))
        #expect(
            failure.headline == "The same scenario and seed went two ways: event \(place + 1), at "
                + "\(failure.at.clock), is the first that differs")
        // What the origin sent, not what the app made of it.
        let (left, right) = (
            try #require(failure.lists.expected.last), try #require(failure.lists.actual.last)
        )
        #expect(left.contains("fact answerHead"), "\(left)")
        #expect(left.contains("build-1") && right.contains("build-2"), "\(left)\n\(right)")
        #expect(left.utf8.count < 400)
    }

    @Test("Equal runs have equal traces, and no failure")
    func equal() throws {
        var first = try told(1)
        let second = try told(1)
        #expect(!first.trace.isEmpty && DigestedEvent.firstDifference(first.trace, second.trace) == nil)
        DeterminismCheck.addFailure(&first.result, first.trace, second.result, second.trace, first.plan)
        #expect(first.result.verdict == .passed)
    }

    @Test("A run that is over earlier, and one of the same events of which something else was made")
    func others() throws {
        let first = try told(1)
        var result = first.result
        var second = first.result
        second.digest = 1
        DeterminismCheck.addFailure(&result, first.trace, second, Array(first.trace.dropLast()), first.plan)
        #expect(result.failures.last?.lists.actual.last?.hasSuffix("nothing: that run was over") == true)
        result = first.result
        second = first.result
        second.timeline.removeLast()
        DeterminismCheck.addFailure(&result, first.trace, second, first.trace, first.plan)
        #expect(result.failures.last?.lists.actual == ["other timeline"])
    }

    @Test("Texts are cut to where they part")
    func cut() {
        let same = String(repeating: "a", count: 500)
        let (left, right) = DeterminismCheck.excerpts(same + "1" + same, same + "2" + same)
        #expect(left.contains(" … ") && left.contains("a1a") && right.contains("a2a"))
        #expect(left.count < 300)
        #expect(DeterminismCheck.excerpts("ab", "ac") == ("ab", "ac"))
    }
}
