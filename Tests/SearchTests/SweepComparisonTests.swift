import Core
import TestSupport
import Testing

@testable import Runner
@testable import ScenarioLanguage
@testable import Search

@Suite("Disturbed worlds that are performed again with a change")
struct SweepComparisonTests {
    private static let update = """
        { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
        { relaunch: true }, { expect: { running: "v2", confirmed: true }, within: "10s" },
        """

    private func sweep(
        _ steps: String = update, jobs: Int = 2, _ transformations: [any Transformation] = Transformations.all
    ) async throws -> SweepReport {
        var run = SweepRun()
        // One world of the sweep itself is enough here.
        (run.level, run.jobs) = (.every(100_000), jobs)
        var check = MetamorphicCheck(ScenarioRunner())
        check.transformations = transformations
        run.metamorphic = check
        return try #require(await run.run([try SmallScenario.plan(SmallScenario.text(steps))]).first)
    }

    @Test("a sound updater ends each world in the same way, with the same figures on any number of cores")
    func sound() async throws {
        // Each day another third of the changes.
        let changes = Transformations.all.today(of: 3)
        let one = try await sweep(jobs: 1, changes)
        #expect(one.findings.map(\.failure.headline) == [])
        #expect(one.tally.compared > 30)
        #expect(try await sweep(jobs: 4, changes).tally == one.tally)
    }

    /// A change that matters.
    private struct Deploys: Transformation {
        let name = "another version"
        let reason = "no one said so"

        func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
            let version = Spanned("v3", SourceSpan(start: 0, end: 0))
            return try base.inserting(
                [.deploy(DeploySpec(version)), .check], at: base.positions.suffix(1), name)
        }
    }

    @Test("a difference is a finding, whose file fails by itself with the check")
    func different() async throws {
        let report = try await sweep(
            #"{ launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },"#,
            [Deploys()])
        #expect(report.tally.failures > 16 && report.findings.count == 16)
        let finding = try #require(report.findings.first)
        #expect(finding.failure.kind == .metamorphic && finding.cause.hasSuffix(" between two steps"))
        let text = ScenarioPrinter.text(of: finding.scenario)
        #expect(!text.contains("expect") && text.contains("{ settle: true }"))
        let plan = try SmallScenario.plan(text)
        var check = MetamorphicCheck(ScenarioRunner())
        check.transformations = [Deploys()]
        var result = ScenarioRunner().run(plan)
        check.check(&result, plan)
        #expect(result.failures.map(\.kind) == [.metamorphic])
    }

    @Test("the file of a difference is shrunk like that of another failure")
    func shrunk() async throws {
        let shrinker = Shrinker(path: "Scenarios/small.json5") { scenario in
            let plan = RunPlan.plans(for: scenario, seed: 1)[0]
            var check = MetamorphicCheck(ScenarioRunner())
            check.transformations = [Deploys()]
            var result = ScenarioRunner().run(plan)
            check.check(&result, plan)
            return FailureSignature.all(of: result, in: scenario)
        }
        let plan = try SmallScenario.plan(SmallScenario.text(Self.update + "{ wait: \"1h\" },"))
        let small = try #require(await shrinker.shrink(plan.scenario))
        #expect(small.signature.kind == .metamorphic && small.isComplete)
        #expect(small.stepsBefore == 7 && small.stepsAfter <= 2, "\(small.text)")
        #expect(small.text.hasPrefix("// Fails with a change that must not matter: With another version"))
    }

    @Test("a scenario whose steps come at moments of their own is left alone")
    func timed() async throws {
        let report = try await sweep(
            "{ launch: true }, { deploy: \"v2\", after: \"10ms\" }, { wait: \"20s\" }")
        #expect(report.problem == nil && report.tally.compared == 0)
    }
}
