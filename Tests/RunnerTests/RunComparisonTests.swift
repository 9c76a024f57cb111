import Core
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Two runs compared: where they part, what was known, what differs in the end")
struct RunComparisonTests {
    private func recorded(
        _ steps: String = SmallScenario.plain, v2: String = "", seed: UInt64 = 1
    ) throws -> RecordedRun {
        let plan = try SmallScenario.plan(SmallScenario.text(steps, v2: v2))
        return try #require(
            RecordedRun.all(of: plan.scenario, seed: seed, profiles: [.plain]).first)
    }

    @Test("Equal runs are equal, to the last field of the last event")
    func equal() throws {
        let (one, other) = (try recorded(), try recorded())
        #expect(try #require(one.events).count > 100 && one.events == other.events)
        #expect(one.result.timelineLeftOut == 0 && !one.result.moments.isEmpty)
        let comparison = RunComparison(one, other, ignoresSecrets: false)
        #expect(comparison.isEqual && comparison.isContentKnown && comparison.timeline == nil)
    }

    @Test("An answer with another version's id: the event, the parts of it that differ, and the state")
    func content() throws {
        let one = try recorded(v2: #", id: "build-1""#)
        let other = try recorded(v2: #", id: "build-2""#)
        let comparison = RunComparison(one, other, ignoresSecrets: false)
        #expect(!comparison.isEqual)
        let content = try #require(comparison.content)
        #expect(content.one?.fields.first?.value == "fact answerHead" && content.isOfOneKind)
        // Another body has another tag.
        #expect(
            content.fields.map(\.name) == ["answerHead.offered", "answerHead.3.tag"], "\(content.fields)")
        #expect(content.fields.first?.one == "build-1" && content.fields.first?.other == "build-2")
        #expect(content.before.count == 4)
        #expect(content.before.last == one.events?[content.equalCount - 1])
    }

    @Test("A step more: the entries before with their causes, the state of each side, what differs then")
    func timeline() throws {
        let more = SmallScenario.plain.replacing("{ relaunch: true }", with: "{ background: true }")
        let comparison = RunComparison(try recorded(), try recorded(more), ignoresSecrets: false)
        let timeline = try #require(comparison.timeline)
        #expect(timeline.before.count == 6 && timeline.before.contains { $0.cause != nil })
        #expect(timeline.one.first?.text == "is no longer active", "\(timeline.one)")
        #expect(timeline.other.first?.text == "goes to the background", "\(timeline.other)")
        #expect(timeline.state.contains { $0.name == "pending" && $0.value == "v2" })
        let app = try #require(timeline.stateAfter.first { $0.name == "app" })
        #expect((app.one, app.other) == ("in front", "in the background"))
        #expect(comparison.end.contains { $0.name == "to content" }, "\(comparison.end)")
    }

    @Test("Two seeds: what every seed draws is not compared; what the run does with it is")
    func seeds() throws {
        let (one, other) = (try recorded(seed: 1), try recorded(seed: 2))
        #expect(one.events != other.events)
        #expect(RunComparison(one, other, ignoresSecrets: true).isEqual)
        let plain = RunComparison(one, other, ignoresSecrets: false)
        #expect(plain.content != nil && plain.timeline != nil)
    }

    @Test("A run that is over earlier; reports without contents; a digest alone")
    func others() throws {
        let one = try recorded()
        var other = one
        other.events?.removeLast()
        let shorter = RunComparison(one, other, ignoresSecrets: false)
        #expect(shorter.content?.other == nil && shorter.content?.one == one.events?.last)
        other.events = nil
        #expect(RunComparison(one, other, ignoresSecrets: false).isEqual)
        other.result.digest ^= 1
        let digest = RunComparison(one, other, ignoresSecrets: false)
        #expect(!digest.isEqual && digest.differsInDigestAlone && !digest.isContentKnown)
    }

    @Test("Timelines that a report has cut are compared up to the cut, which is said")
    func cut() throws {
        let whole = try recorded().result
        let count = whole.timeline.count
        var cut = whole
        cut.timeline.removeSubrange(10..<(count - 10))
        cut.timelineLeftOut = count - 20
        var other = RecordedRun(result: cut)
        other.result.timeline[15].text += " of the other"
        let one = RecordedRun(result: cut)
        let timeline = try #require(RunComparison(one, other, ignoresSecrets: false).timeline)
        #expect(timeline.equalCount == 10 && timeline.one.isEmpty)
        #expect(timeline.leftOut == TimelineDifference.LeftOut(one: count - 20, other: count - 20))
    }

    @Test("Sets of runs: by name, in order, with those that only one side has")
    func sets() throws {
        let run = try recorded()
        func named(_ name: String, _ verdict: Verdict = .passed) -> RecordedRun {
            var run = run
            run.result.name = name
            run.result.verdict = verdict
            return run
        }
        let one = [named("a"), named("b"), named("only one")]
        let other = [named("only other"), named("b", .failed), named("a")]
        let comparison = SetComparison(one, other, ignoresSecrets: false)
        #expect(comparison.runs.map(\.name) == ["a", "b"] && comparison.different.map(\.name) == ["b"])
        #expect(comparison.onlyOne == ["only one"] && comparison.onlyOther == ["only other"])
        #expect(!comparison.isEqual && SetComparison(one, one, ignoresSecrets: false).isEqual)
    }
}
