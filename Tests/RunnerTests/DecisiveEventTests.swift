import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner

@Suite("The decisive event of a failure is shown, and the time since when it was wrong is that event's")
struct DecisiveEventTests {
    private static func failure(_ row: DecisiveEventTable.Row) throws -> (Failure, ScenarioResult) {
        let text = """
            {
              schema: 1, title: "A failing scenario", liveness: "none", because: "it fails before",
              \(row.app)
              versions: {
                v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
                v2: { from: "v1", changes: ["app.js"]\(row.v2) },
                v3: { from: "v2", changes: ["app.js"] },
              },
              steps: [ \(row.start.rawValue) \(row.steps) ],
            }
            """
        let plan = try SmallScenario.plan(text)
        let runner = ScenarioRunner()
        var (result, expectation) = runner.runOnce(plan, nil)
        runner.rerunForExplanation(&result, expectation, plan, nil, recordsMoments: false)
        return (try #require(result.failures.first), result)
    }

    @Test("A failure shows what led to it", arguments: DecisiveEventTable.all)
    func shown(_ row: DecisiveEventTable.Row) throws {
        let (failure, result) = try Self.failure(row)
        let texts = failure.lastEvents.map(\.text)
        #expect(texts.contains { $0.contains(row.shown) }, "\(texts)")
        #expect(failure.lastEvents.count <= Relevance.maxEvents)
        let events = failure.lastEvents + result.timeline
        let event = events.first { $0.ordinal == failure.wrongSinceEvent }
        switch row.since {
        case .always: #expect(failure.wasNeverRight && failure.wrongSinceEvent == nil)
        case .event(let text):
            #expect(event?.text.contains(text) == true, "\(event?.text ?? "none")")
            #expect(failure.wrongSince == event?.at)
        case .unstated: break
        }
    }

    @Test("The table has enough failures of each kind")
    func size() {
        #expect(DecisiveEventTable.all.count >= 40)
        let isStated = DecisiveEventTable.all.filter { row in
            if case .unstated = row.since { false } else { true }
        }
        #expect(isStated.count >= 40)
    }

    @Test("Of events that repeat, the first and the last are shown")
    func repeated() throws {
        let row = DecisiveEventTable.Row(
            "", app: #"app: { id: "com.example.shop" },"#, from: .nothing,
            #"""
            { fault: { slow: "answers", by: "300ms" } }, { deploy: "v2" }, { launch: true },
            { wait: "20s" }, { expect: { screen: "loading" } },
            """#, shows: "", since: .unstated)
        let (failure, _) = try Self.failure(row)
        let progress = failure.lastEvents.filter { $0.text.hasPrefix("screen: loading, ") }
        #expect(progress.count <= 2, "\(failure.lastEvents.map(\.text))")
    }

    @Test("A broken rule is wrong since its event; its help names the rule")
    func steps() throws {
        let row = DecisiveEventTable.Row(
            "", from: .launched,
            #"{ wait: "1s" }, { always: { running: "v1" } }, { kill: "crash" }, { wait: "1s" }"#,
            shows: "process ends: crash", since: .event("process ends: crash"))
        let (failure, result) = try Self.failure(row)
        #expect(failure.lastEvents.contains { $0.text == row.shown })
        #expect(result.timeline.first { $0.ordinal == failure.wrongSinceEvent }?.text == row.shown)
    }
}
