import Backend
import Core
import TestSupport
import Testing
import Updater
import World

@testable import Runner
@testable import ScenarioLanguage

/// Which events are about a part of an expectation.
@Suite("Parts of an expectation")
struct ExpectationPartTests {
    private func request(_ kind: OriginRequest.Kind) -> TraceEvent.Kind {
        .requestSent(
            RequestEvent(
                transfer: TransferID(1), kind: kind, url: "/", version: nil, edge: 0, from: nil,
                isConditional: false))
    }

    private let page = TraceEvent.Kind.navigation(.first, .reload, name: nil)

    @Test("A number of requests is about these requests alone, and about transfers without an answer")
    func requests() {
        let kinds: [OriginRequest.Kind] = [
            .manifest, .outcomes, .file("/"), .file("/app.js"), .file("/12.js"),
        ]
        let meant: [(ExpectationPart.RequestKind, [Bool])] = [
            (.all, [true, true, true, true, true]), (.manifest, [true, false, false, false, false]),
            (.outcomes, [false, true, false, false, false]), (.files, [false, false, true, true, true]),
            (.route("/app.js"), [false, false, false, true, false]),
            (.route("/{hash}.js"), [false, false, false, true, true]),
            (.resumed, [false, false, true, true, true]), (.conditional, [true, true, true, true, true]),
        ]
        for (kind, expected) in meant {
            let part = ExpectationPart.requests(kind)
            #expect(kinds.map { part.concerns(request($0)) } == expected, "\(kind)")
            #expect(part.concerns(.transferCancelled(TransferID(1), bytes: 0)), "\(kind)")
            #expect(!part.concerns(page), "\(kind)")
        }
    }

    @Test("Answers are those of the local server to the page, for what the scenario names")
    func answers() {
        let span = SourceSpan(start: 0, end: 0)
        var wanted = AnswersExpectation(
            asked: Spanned(.route("/app.js"), span), count: Bounds(atLeast: 1, span: span), span: span)
        func asked(_ target: String, _ destination: PageRequest.Destination) -> TraceEvent.Kind {
            .pageRequested(
                PageRequest(webView: .first, load: nil, target: target, destination: destination))
        }
        let events = [
            asked("/app.js?a=b", .script), asked("/app.css", .style), request(.file("/app.js")),
        ]
        #expect(events.map(ExpectationPart.answers(wanted).concerns) == [true, false, false])
        wanted.asked = Spanned(.kind(.style), span)
        #expect(events.map(ExpectationPart.answers(wanted).concerns) == [false, true, false])
        wanted.asked = nil
        #expect(events.map(ExpectationPart.answers(wanted).concerns) == [true, true, false])
    }

    @Test("Values name versions as the scenario language writes them")
    func versions() {
        let values: [(ExpectationPart, String, String?)] = [
            (.running, "v2", "v2"), (.blacklist, "1.2.3+4", "1.2.3+4"), (.storedFiles, "v2:/a:b.js", "v2"),
            (.outcomes, "taken v2", "v2"), (.messages, "newVersionReady v2", "v2"),
            (.replies, "switchToPendingVersion v2 #7", "v2"), (.messages, "progress", nil),
            (.log, "launched", nil), (.fetched, "/v2/app.js", nil), (.cookies, "v2", nil),
        ]
        for (part, value, version) in values { #expect(part.version(in: value) == version, "\(value)") }
    }

    @Test("What must never hold is explained by events about all parts of it")
    func never() throws {
        let plan = try SmallScenario.plan(
            SmallScenario.text(
                #"{ never: { lastKnownGood: "v1", log: { has: ["launched"] } } }, { launch: true }, { wait: "9s" },"#
            ))
        var run = ScenarioRun(
            plan: plan, setup: try ScenarioRunner().prepare(plan.scenario).setup,
            backend: try World(ScenarioRunner().prepare(plan.scenario).setup))
        run.runSteps()
        let found = try #require(run.found.first)
        #expect(found.failure.differences.map(\.scope) == [.never])
        #expect(found.subject == FailureSubject(parts: [.lastKnownGood, .log], versions: ["v1"]))
    }
}
