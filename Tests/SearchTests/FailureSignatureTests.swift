import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Oracle
@testable import Runner
@testable import Search

/// What makes two failures the same, by running the scenarios.
@Suite("The same failure")
struct FailureSignatureTests {
    private func signatures(_ text: String) throws -> [FailureSignature] {
        let plan = try SmallScenario.plan(text)
        return FailureSignature.all(of: ScenarioRunner().run(plan), in: plan.scenario)
    }

    private func failure(_ steps: String, v2: String = "") throws -> FailureSignature {
        let all = try signatures(
            SmallScenario.text(steps, v2: v2, head: "liveness: \"none\", because: \"it\","))
        return try #require(all.first)
    }

    private static let update = "{ launch: true }, { deploy: \"v2\" }, { check: true }, "

    @Test("a violation is known by its text without values, and by its clause")
    func violations() {
        let (one, two) = ("v1", "v2")
        let first = Violation("\(version: one) is started \(3) times", expected: "none", actual: "\(one)")
        let second = Violation("\(version: two) is started \(4) times", expected: "none", actual: "\(two)")
        let third = Violation("\(version: two) is stored \(4) times", expected: "none", actual: "\(two)")
        #expect(first.pattern == "… is started … times")
        #expect(first.pattern == second.pattern && second.pattern != third.pattern)
        func signature(_ violation: Violation, clause: String? = nil) -> FailureSignature {
            var failure = Failure(kind: .invariant, headline: violation.headline, at: .zero)
            failure.rule = "R3"
            failure.identity.pattern = violation.pattern
            failure.identity.clause = clause
            return FailureSignature(failure, versions: ["v1", "v2"])
        }
        #expect(signature(first).isSame(as: signature(second)))
        #expect(!signature(first).isSame(as: signature(third)))
        #expect(!signature(first, clause: "R3.rescue").isSame(as: signature(first, clause: "R3.blame")))
    }

    @Test("a trap is known by its message, not by its signal alone")
    func traps() {
        func died(_ message: String) -> FailureSignature {
            var failure = Failure(
                kind: .workerDied, headline: "The worker process died: SIGILL", at: .zero)
            failure.findings = ["it printed: \(message)"]
            return FailureSignature(failure, versions: [])
        }
        let one = died("Core/Route.swift:12: Fatal error: Index out of range")
        #expect(one.isSame(as: died("Core/Route.swift:12: Fatal error: Index out of range")))
        #expect(!one.isSame(as: died("Core/Route.swift:40: Fatal error: Division by zero")))
    }

    @Test("an expectation is the same with other steps before it and another name of the version")
    func renamed() throws {
        let wanted = try failure(
            Self.update + "{ wait: \"1m\" }, { expect: { pending: null, blacklist: [] } },")
        let other = try failure(
            "{ launch: true }, { background: true }, { wait: \"2m\" }, { foreground: true },"
                + "{ deploy: \"v3\" }, { check: true }, { wait: \"50s\" }, { expect: { pending: null } },")
        #expect(wanted.kind == .expectation && other.isSame(as: wanted), "\(other) \(wanted)")
    }

    @Test("an expectation that only fails because a step is missing is another failure")
    func trivial() throws {
        func failure(_ steps: String) throws -> FailureSignature {
            try self.failure(
                steps + "{ wait: \"10s\" }, { expect: { running: \"v2\" }, within: \"10s\" },",
                v2: ", startup: { throws: \"after 1s\" }")
        }
        let wanted = try failure(Self.update + "{ wait: \"10s\" }, { relaunch: true },")
        // Neither launched again, nor offered in time.
        for steps in [
            Self.update, "{ launch: true }, { wait: \"10s\" }, { relaunch: true }, { deploy: \"v2\" },",
        ] {
            let other = try failure(steps)
            #expect(other.pattern == wanted.pattern && !other.isSame(as: wanted), "\(steps)")
        }
        // Less time than it was given is another expectation.
        let shorter = try self.failure(
            Self.update + "{ wait: \"10s\" }, { relaunch: true }, { wait: \"10s\" },"
                + "{ expect: { running: \"v2\" }, within: \"1s\" },",
            v2: ", startup: { throws: \"after 1s\" }")
        #expect(!shorter.isSame(as: wanted))
    }

    @Test("a fault that the download met is part of what led to a failure; one of another version is not")
    func faults() throws {
        let fault = "{ fault: \"refuse\", path: \"/app.js\", times: 1 }, "
        let check = "{ wait: \"1m\" }, { expect: { pending: null } },"
        let met = try failure("{ launch: true }, " + fault + "{ deploy: \"v2\" }, { check: true }, " + check)
        let plain = try failure(Self.update + check)
        #expect(met.course.contains("fault"), "\(met.course)")
        #expect(!plain.isSame(as: met) && met.isSame(as: plain))
    }

    @Test("days of waiting are part of a failure, minutes are not")
    func waiting() throws {
        let throwing = ", startup: { throws: \"after 1s\" }"
        func after(_ time: String) throws -> FailureSignature {
            try failure(
                Self.update + "{ wait: \"10s\" }, { relaunch: true }, { wait: \"30s\" }, { relaunch: true },"
                    + "{ wait: \"\(time)\" }, { expect: { blacklist: [] } },", v2: throwing)
        }
        let minute = try after("1m")
        let two = try after("2m")
        #expect(two.isSame(as: minute), "\(two.course) \(minute.course)")
        #expect(!(try minute.isSame(as: after("2d"))))
    }

    @Test("a failure has the same signature where a worker sends it, and with nothing explained")
    func plainRuns() async throws {
        let plan = try SmallScenario.plan(
            SmallScenario.text(Self.update + "{ wait: \"1m\" }, { expect: { pending: null } },"))
        var options = ScenarioSuite.Options()
        let explained = await ScenarioSuite.result(of: plan, options)
        options.explains = false
        let plain = await ScenarioSuite.result(of: plan, options)
        #expect(plain.timeline.isEmpty && !explained.timeline.isEmpty)
        #expect(
            FailureSignature.all(of: plain, in: plan.scenario)
                == FailureSignature.all(of: explained, in: plan.scenario))
    }
}

@Suite("A scenario is shrunk by running it")
struct ShrinkerRunTests {
    @Test("an expectation keeps what it is about and loses the rest")
    func expectation() async throws {
        let text = SmallScenario.text(
            """
            { launch: true }, { wait: "30s" }, { background: true }, { wait: "5m" }, { foreground: true },
            { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { wait: "30s" }, { expect: { running: "v2" } },
            { deploy: "v3" }, { check: true }, { wait: "20s" }, { network: "offline" },
            { expect: { pending: null, blacklist: [] } }, { wait: "1h" },
            """)
        let plan = try SmallScenario.plan(text)
        let shrinker = Shrinker(path: "Scenarios/small.json5", trial: Shrinker.trial(ScenarioSuite.Options()))
        let shrunk = try #require(await shrinker.shrink(plan.scenario))
        #expect(shrunk.stepsBefore == 17 && shrunk.stepsAfter <= 6, "\(shrunk.text)")
        for word in ["launch:", "deploy:", "pending: null"] {
            #expect(shrunk.text.contains(word), "\(shrunk.text)")
        }
        let again = ScenarioReader.read(path: "Scenarios/small.json5", bytes: Array(shrunk.text.utf8))
        let scenario = try #require(again.scenarios.first)
        let failures = await Shrinker.trial(ScenarioSuite.Options())(scenario)
        #expect(failures.first == shrunk.signature)
    }
}
