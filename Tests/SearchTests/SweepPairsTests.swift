import Backend
import Core
import TestSupport
import Testing
import World

@testable import Oracle
@testable import Runner
@testable import ScenarioLanguage
@testable import Search

@Suite("Runs with two disturbances")
struct SweepPairsTests {
    private func sweep(
        pairs: Int, jobs: Int = 2, checkers: [any Checker] = CheckerList.all
    ) async throws -> SweepReport {
        var run = SweepRun()
        (run.level, run.jobs, run.checkers, run.pairs) = (.every(60), jobs, checkers, pairs)
        let plan = try SmallScenario.plan(
            SmallScenario.text(
                """
                { launch: true }, { deploy: "v2" }, { check: true },
                { expect: { pending: "v2" }, within: "10s" },
                { relaunch: true }, { expect: { running: "v2", confirmed: true }, within: "10s" },
                """))
        return try #require(await run.run([plan]).first)
    }

    @Test("a sound updater survives them, with the same figures on any number of cores")
    func sound() async throws {
        let one = try await sweep(pairs: 12, jobs: 1)
        let four = try await sweep(pairs: 12, jobs: 4)
        #expect(one.problem == nil)
        #expect(one.findings.map(\.failure.headline) == [])
        #expect(one.tally.pairs > 6 && one.tally.pairs <= 12)
        #expect(one.tally == four.tally)
        let without = try await sweep(pairs: 0)
        #expect(without.tally.pairs == 0)
        #expect(without.tally.worlds + one.tally.pairs == one.tally.worlds)
    }

    @Test("what only the second one breaks is a finding, with both moments and a file that shows it")
    func broken() async throws {
        let report = try await sweep(pairs: 24, checkers: [NeverTwo()])
        #expect(report.tally.failures > 0 && report.tally.failures <= report.tally.pairs)
        let finding = try #require(report.findings.first)
        #expect(finding.failure.headline == "two faults")
        #expect(finding.cause.contains(", then { fault: "), "\(finding.cause)")
        let text = ScenarioPrinter.text(of: finding.scenario)
        let reading = ScenarioReader.read(path: "a.json5", bytes: Array(text.utf8))
        let scenario = try #require(reading.scenarios.first, "\(text)")
        var run = SweepRun()
        run.checkers = [NeverTwo()]
        let again = try run.run(RunPlan.plans(for: scenario, seed: 1)[0], 0, chosen: [])
        #expect(again.problem == "fails without a disturbance: two faults")
    }
}

/// Claims that a device has one fault at most.
private struct NeverTwo: RuleChecker {
    let rule = "R1"
    var decided = 0
    private var faults = 0

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .faultBegan = event.kind else { return nil }
        faults += 1
        return faults == 2 ? Violation("two faults", expected: "one", actual: "two") : nil
    }
}
