import Core
import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Runner

/// Each word of an expectation twice: where it holds the story passes, and said a little differently it
/// fails. A word that could not fail would prove nothing.
@Suite("Words of expectations hold when they are right and fail when they are wrong")
struct WordTests {
    private func run(_ steps: String, v2: String = "", head: String = "") throws -> ScenarioResult {
        ScenarioRunner().run(try SmallScenario.plan(SmallScenario.text(steps, v2: v2, head: head)))
    }

    /// What comes before, an expectation that holds, one that does not, and what its failure says.
    struct Pair: Sendable, CustomTestStringConvertible {
        var before = ""
        var right: String
        var wrong: String
        var since = ""
        var found: String
        var testDescription: String { wrong }
    }

    private static let updated = """
        { launch: true }, { wait: "5s" }, { page: "in front", stores: "cart" },
        { page: "in front", setsCookie: "theme" },
        { deploy: "v2" }, { check: true }, { wait: "10s" }, { page: "reload" }, { wait: "5s" },
        """
    private static let failed = """
        { launch: true }, { deploy: "v2" }, { check: true }, { wait: "10s" }, { relaunch: true },
        { wait: "20s" }, { relaunch: true }, { wait: "20s" },
        """

    static let pairs: [Pair] = [
        // In a list, how often counts as well.
        Pair(
            before: updated, right: #"logOf: { v2: { has: ["switched"] } }"#,
            wrong: #"logOf: { v2: { has: ["switched", "switched"] } }"#, since: #", since: "start""#,
            found: "log of v2"),
        Pair(
            before: updated, right: #"log: { has: ["switched"] }"#,
            wrong: #"log: { has: ["switched", "switched"] }"#, since: #", since: "start""#,
            found: "became-pending"),
        Pair(
            before: #"{ launch: true }, { wait: "5s" }, "#
                + #"{ native: { asks: "a" } }, { native: { asks: "a" } }, { wait: "1s" },"#,
            right: #"nativeAnswers: ["a null", "a null"]"#, wrong: #"nativeAnswers: ["a null"]"#,
            since: #", since: "start""#, found: "a null, a null"),
        Pair(
            before: updated, right: #"route: "/""#, wrong: #"route: "/cart?id=7""#, found: "route /"),
        Pair(
            before: #"{ launch: true, link: "/cart?id=7#top" }, { wait: "5s" },"#,
            right: #"route: "/cart?id=7#top""#, wrong: #"route: "/cart?id=7""#, found: "route /cart?id=7#top"),
        Pair(
            before: updated + #"{ client: { asks: "/app.js?x" } }, { wait: "1s" },"#,
            right: #"clientAnswers: { asked: "/app.js?x", status: 403, count: 1 }"#,
            wrong: "clientAnswers: { status: 200, count: 1 }", since: #", since: "client""#,
            found: "client answers with status 200 0"),
        Pair(
            before: updated, right: "forwarded: { count: 0 }",
            wrong: #"forwarded: { asked: "/api/x", method: "PUT", has: ["A"], body: "b", count: 1 }"#,
            found: "requests at the remote root with PUT for /api/x with A with this body 0"),
        Pair(
            before: updated, right: "requests: { index: 0 }", wrong: "requests: { index: 1 }",
            since: #", since: "start""#, found: "requests for the index 0"),
        Pair(
            before: updated, right: #"time: { between: ["20s", "20s"] }"#, wrong: #"time: { atMost: "19s" }"#,
            since: #", since: "start""#, found: "time 20s"),
        Pair(
            before: updated, right: #"times: { switch: { atMost: "1s" }, launch: { atMost: "1s" } }"#,
            wrong: #"times: { switch: { atLeast: "2s" } }"#, found: "time from switch to content"),
        Pair(
            before: updated, right: #"times: { launch: { atMost: "1s" } }"#,
            wrong: #"times: { rescue: { atMost: "1h" } }"#, found: "none was"),
        Pair(
            before: updated, right: #"times: { answerIdle: { atMost: "1s" } }"#,
            wrong: #"times: { answerIdle: { atMost: "1us" } }"#, found: "time to an answer, idle"),
        Pair(
            before: updated, right: #"times: { answerIdle: { atMost: "1s" } }"#,
            wrong: #"times: { answerDuringUpdate: { atMost: "1s" } }"#, found: "none was"),
        Pair(
            before: updated, right: #"storage: ["cart"]"#, wrong: #"storage: { hasNot: ["cart"] }"#,
            found: "storage cart"),
        Pair(
            before: updated, right: #"cookies: { has: ["theme"] }"#, wrong: #"cookies: { has: ["them"] }"#,
            found: "cookies "),
        Pair(
            before: updated, right: #"storedFiles: { has: ["v2:/app.js"], hasNot: ["v1:/app.js"] }"#,
            wrong: #"storedFiles: { has: ["v1:/app.js"] }"#, found: "v2:/app.js"),
        Pair(
            before: updated, right: #"logOf: { v2: { has: ["became-pending"], hasNot: ["launched"] } }"#,
            wrong: #"logOf: { v1: { has: ["became-pending"] } }"#, found: "log of v1"),
        Pair(
            before: updated, right: "requests: { all: 3, resumed: 0, conditional: 0 }",
            wrong: "requests: { all: 4 }", since: #", since: "start""#, found: "requests 3"),
        Pair(
            before: updated, right: "requests: { manifest: 2 }", wrong: "requests: { resumed: 1 }",
            since: #", since: "start""#, found: "requests for a part 0"),
        Pair(
            before: updated, right: "requests: { manifest: 2 }",
            wrong: "requests: { conditional: { atLeast: 1 } }",
            since: #", since: "start""#, found: "conditional requests 0"),
        Pair(
            before: updated,
            right: #"answers: [{ asked: "document", count: 1 }, { asked: "script", count: 1 }]"#,
            wrong: #"answers: [{ asked: "document", count: 1 }, { asked: "script", count: 0 }]"#,
            since: #", since: "page""#, found: "answers to a script 1"),
        Pair(
            before: failed, right: #"blame: { v2: { cause: "start-failed-by-page", count: 1 } }"#,
            wrong: #"blame: { v2: { cause: "start-failed-by-crash" } }"#, found: "start-failed-by-page"),
        Pair(
            before: failed, right: #"blame: { v2: { ended: false } }"#,
            wrong: #"blame: { v2: { ended: true } }"#,
            found: "blame of v2: ended no"),
        Pair(
            before: failed, right: #"blame: { v2: { count: 1 } }"#, wrong: #"blame: { v3: { count: 1 } }"#,
            found: "blame of v3 none"),
    ]

    @Test("each word", arguments: pairs)
    func words(pair: Pair) throws {
        let isFailed = pair.before == Self.failed
        func result(_ expectation: String) throws -> ScenarioResult {
            let deploys = expectation.contains("v3") ? #"{ deploy: "v3", at: "9h" }, "# : ""
            return try run(
                deploys + pair.before + "{ expect: { \(expectation) }\(pair.since) },",
                v2: isFailed ? #", startup: { throws: "after 1s" }"# : "",
                head: #"liveness: "none", because: "only the steps are looked at","#)
        }
        let right = try result(pair.right)
        #expect(right.verdict == .passed, "\(right.failures.first?.headline ?? "")")
        let wrong = try result(pair.wrong)
        #expect(wrong.verdict == .failed)
        let failure = try #require(wrong.failures.first)
        #expect(failure.lists.actual.contains { $0.contains(pair.found) }, "\(failure.lists.actual)")
        #expect(failure.kind == .expectation && failure.location != nil)
    }

    // MARK: - What stands

    private static let story = """
        { launch: true }, { wait: "5s" }, { deploy: "v2" }, { check: true }, { wait: "10s" },
        { relaunch: true }, { wait: "10s" },
        """

    @Test("'never' is evaluated after every event, and reports when and in which step it came true")
    func never() throws {
        let result = try run(
            #"{ never: { running: "v2", page: "ready" }, because: "not meant" },"# + Self.story)
        let failure = try #require(result.failures.first)
        #expect(result.verdict == .failed && failure.step == 0)
        #expect(failure.headline.hasPrefix("What must never hold came true: { running: \"v2\""))
        #expect(
            failure.lists.actual.first?.contains("in step 8, { wait: \"10s\" }") == true,
            "\(failure.lists.actual)")
        #expect(failure.because == "not meant")
        #expect(result.steps[0].outcome == .failed)
        // v3 is offered in the story's last moment, and with no rounds after it never runs.
        let head = #"liveness: "none", because: "only the story is looked at","#
        let other = try run(
            #"{ never: { running: "v3" } },"# + Self.story + #"{ deploy: "v3" },"#, head: head)
        #expect(other.verdict == .passed)
    }

    @Test("'never' is about all of it at once: parts that hold at different times are none")
    func neverAtOnce() throws {
        let steps = #"{ never: { running: "v2", pending: "v2" } },"# + Self.story
        #expect(try run(steps).verdict == .passed)
    }

    @Test("'always' fails at the first moment at which it does not hold; 'while' leaves moments out")
    func always() throws {
        let broken = try run(
            #"{ launch: true }, { wait: "5s" }, { always: { running: "v1" } },"# + Self.story)
        let failure = try #require(broken.failures.first)
        #expect(failure.step == 2 && failure.lists.expected == ["always running v1"])
        #expect(failure.lists.actual.first == "running none")
        let limited = try run(
            #"""
            { launch: true }, { wait: "5s" },
            { always: { process: "alive" }, while: "the app is in front" }, { always: { blacklist: [] } },
            """# + Self.story)
        #expect(limited.verdict == .passed)
    }

    @Test("standing expectations are evaluated in the rounds after the scenario too")
    func liveness() throws {
        let result = try run(#"{ launch: true }, { never: { pending: "v2" } }, { deploy: "v2" },"#)
        let failure = try #require(result.failures.first)
        #expect(failure.kind == .expectation)
        #expect(failure.lists.actual == ["it came true in the rounds after the last step"])
    }

    @Test("counters of standing expectations count from their step on")
    func counters() throws {
        let steps = """
            { launch: true }, { deploy: "v2" }, { check: true }, { wait: "10s" },
            { never: { requests: { manifest: { atLeast: 2 } } } },
            """
        let gone = #"liveness: "none", because: "only the steps are looked at","#
        #expect(try run(steps + "{ check: true }, { wait: \"10s\" },", head: gone).verdict == .passed)
        let twice = #"{ check: true }, { wait: "10s" }, { check: true }, { wait: "10s" },"#
        #expect(try run(steps + twice, head: gone).verdict == .failed)
    }

    // MARK: - Several devices

    private func two(_ steps: String) throws -> ScenarioResult {
        try run(steps, head: #"devices: { a: "plain", b: "plain" },"#)
    }

    @Test("two devices: steps, expectations and counters are those of the named one, else of the first")
    func devices() throws {
        let result = try two(
            """
            { launch: true, on: "b" }, { expect: { process: "gone" } },
            { expect: { running: "v1" }, within: "5s", on: "b" },
            { deploy: "v2" }, { check: true, on: "b" },
            { expect: { pending: "v2", requests: { manifest: 1 } }, within: "10s", on: "b" },
            { expect: { requests: { all: 0 }, started: [], bytes: "0 B" }, since: "start" },
            { launch: true }, { expect: { running: "v1", pending: null }, within: "5s", on: "a" },
            """)
        #expect(result.verdict == .passed, "\(result.failures.first?.headline ?? "")")
        #expect(result.device == "a: plain, b: plain")
        #expect(result.timeline.contains { $0.text.hasPrefix("b: process starts") })
        let wrong = try two(
            """
            { launch: true, on: "b" }, { wait: "5s" }, { expect: { running: "v1" } },
            """)
        #expect(wrong.failures.first?.headline == "running: expected v1, found none")
    }

    @Test("each of several devices must come to run what it should have, and is named when it does not")
    func livenessOfEach() throws {
        var slow = try Profiles.named("plain")
        slow.name = "slowest"
        slow.link.bandwidth = 10
        let text = SmallScenario.text(
            #"{ launch: true }, { launch: true, on: "b" }, { deploy: "v2" },"#,
            head: #"devices: { a: "plain", b: "slowest" },"#)
        let profiles = [try Profiles.named("plain"), slow]
        let result = ScenarioRunner(profiles: profiles).run(try SmallScenario.plan(text, profiles: profiles))
        #expect(result.failures.map(\.headline) == ["The device b did not come to run and confirm v2"])
    }

    @Test("the words of the language for causes are the updater's, each once")
    func causes() {
        #expect(LogVocabulary.causes == LogCause.allCases.map(\.rawValue).sorted())
    }
}
