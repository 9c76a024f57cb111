import Backend
import Core
import TestSupport
import Testing
import World

@testable import Oracle
@testable import Runner
@testable import ScenarioLanguage
@testable import Search

@Suite("The sweep over disturbances")
struct SweepTests {
    /// An update that is downloaded and started.
    private static let update = """
        { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
        { relaunch: true }, { expect: { running: "v2", confirmed: true }, within: "10s" },
        """

    private func sweep(
        _ steps: String = update, level: SweepLevel = .every(40), jobs: Int = 2,
        checkers: [any Checker] = CheckerList.all
    ) async throws -> SweepReport {
        var run = SweepRun()
        (run.level, run.jobs, run.checkers) = (level, jobs, checkers)
        return try #require(await run.run([try SmallScenario.plan(SmallScenario.text(steps))]).first)
    }

    // MARK: - The list of disturbances

    @Test("each verb that acts is among the disturbances, or left out with a reason")
    func verbs() throws {
        let scenario = try SmallScenario.plan(
            SmallScenario.text(SweepTests.update)
        ).scenario
        let tried = Set(SweepDisturbances.all(for: scenario).flatMap(\.steps).map(\.action.verb))
        // Steps of a scenario alone: they act on nothing.
        let ofScenarios: [Verb] = [.wait, .settle, .expect, .always, .never, .mark, .repeat, .gap]
        let leftOut = SweepDisturbances.leftOut.map(\.verb)
        for verb in Verb.allCases where !tried.contains(verb) {
            #expect(ofScenarios.contains(verb) || leftOut.contains(verb), "\(verb)")
        }
    }

    @Test("each kind of fault of the language is among the disturbances")
    func faults() throws {
        let scenario = try SmallScenario.plan(SmallScenario.text(SweepTests.update)).scenario
        var tried: Set<String> = []
        for step in SweepDisturbances.all(for: scenario).flatMap(\.steps) {
            guard case .fault(let spec) = step.action else { continue }
            switch FieldTable.step.print(Step(action: .fault(spec))).pairs.first(where: { $0.key == "fault" }
            )?
            .value
            {
            case .text(let keyword)?: tried.insert(keyword)
            case .object(let pairs)?: tried.insert(pairs[0].key)
            default: break
            }
        }
        let keywords = FieldTable.plainFaults.map(\.keyword)
        let heads = FieldTable.fault.fields.filter { $0.role == .head }.map(\.key)
        // The same fault with an amount.
        let sameAs = ["no space": "noSpace"]
        for name in keywords + heads {
            #expect(tried.contains(name) || tried.contains(sameAs[name] ?? ""), "\(name)")
        }
    }

    @Test("what is no valid step in a scenario is left out")
    func valid() throws {
        let scenario = try SmallScenario.plan(SmallScenario.text(SweepTests.update)).scenario
        let all = SweepDisturbances.all(for: scenario)
        let valid = SweepDisturbances.valid(in: scenario, profiles: ["plain"])
        #expect(valid.count > 150)
        #expect(valid.count <= all.count)
        #expect(Set(all.map(\.name)).count == all.count)
    }

    // MARK: - Cells

    private func points(_ circumstances: [Circumstance]) -> [SweepProbe.Point] {
        circumstances.enumerated().map { index, circumstance in
            SweepProbe.Point(
                at: .zero + .seconds(Int64(index)), circumstance: circumstance, isChanged: true)
        }
    }

    @Test("of a cell the first, the middle and the last moment are tried, once for a file")
    func cells() {
        let kill = SweepDisturbance(.change, .kill(.user))
        var known: Set<SweepCell> = []
        let idle = [Circumstance](repeating: .idle, count: 5)
        let points = points(idle + [.starting] + idle)
        let choice = SweepChoice(points, [kill], .cells, phase: 0, known: &known)
        #expect(choice.instants.map(\.point) == [0, 5, 6, 10])
        #expect(choice.cells == 2)
        #expect(choice.candidates == 11)
        let again = SweepChoice(points, [kill], .cells, phase: 0, known: &known)
        #expect(again.instants.isEmpty)
        #expect(again.cells == 2)
    }

    @Test("--every tries every n-th moment of each disturbance, whatever was tried before")
    func every() {
        let kill = SweepDisturbance(.change, .kill(.user))
        var known: Set<SweepCell> = []
        let points = points([Circumstance](repeating: .idle, count: 9))
        let choice = SweepChoice(points, [kill], .every(3), phase: 1, known: &known)
        #expect(choice.instants.map(\.point) == [2, 5, 8])
        let all = SweepChoice(points, [kill], .every(1), phase: 1, known: &known)
        #expect(all.tried == 9)
    }

    // MARK: - Worlds

    @Test(
        "a sound updater survives a share of all disturbances, with the same figures on any number of cores")
    func sound() async throws {
        let one = try await sweep(jobs: 1)
        let four = try await sweep(jobs: 4)
        #expect(one.problem == nil)
        #expect(one.findings.map(\.failure.headline) == [])
        #expect(one.tally.worlds > 50)
        #expect(one.tally == four.tally)
        #expect(one.cells == four.cells)
        #expect(one.cells.counts.keys.contains { $0.group == .decision })
    }

    @Test("a disturbed world counts the part after its moment alone, decisions included")
    func ownPart() throws {
        let plan = try SmallScenario.plan(SmallScenario.text(SweepTests.update))
        let base = try SweepRun().run(plan, 0, chosen: [])
        let last = try #require(base.probe.points.last)
        let moment = try #require(try SweepRun().run(plan, 0, chosen: [last.at]).probe.moments.first)
        #expect(moment.world.coverage?.table.isEmpty == true)
        #expect(moment.world.observer.checkers.decisions.allSatisfy { $0.count == 0 })
        #expect(base.probe.decisions.contains { $0.count > 0 })
    }

    @Test("a disturbed run and the file of its disturbance are the same run")
    func file() throws {
        let plan = try SmallScenario.plan(SmallScenario.text(SweepTests.update))
        let run = SweepRun()
        let base = try run.run(plan, 0, chosen: []).probe
        let times = base.points.map(\.at)
        let copies = try run.run(plan, 0, chosen: times).probe.moments
        #expect(copies.count == times.count)
        let disturbances = SweepDisturbances.valid(in: plan.scenario, profiles: ["plain"])
        let kind = Sweep(
            disturbances: disturbances, schedule: base.schedule, recovery: Recovery(of: plan))
        var compared = 0
        for (number, copy) in copies.enumerated() {
            let index = (number * 37) % disturbances.count
            let cause = Sweep.Cause(
                disturbance: index, entry: copy.entry, at: copy.at + .microseconds(1))
            guard var device = kind.begun(cause, copy.world) else { continue }
            #expect(kind.follow(cause, on: &device) == nil)
            let site = SweepSite(disturbance: disturbances[index], at: cause.at, circumstance: .idle)
            let scenario = plan.disturbed(site, in: base.schedule, on: nil)
            let text = ScenarioPrinter.text(of: scenario)
            let reading = ScenarioReader.read(path: "a.json5", bytes: Array(text.utf8))
            let read = try #require(reading.scenarios.first, "\(disturbances[index].name)")
            let again = try run.run(RunPlan.plans(for: read, seed: plan.seed)[0], 0, chosen: []).probe
            // The copy has the events since the disturbance, with other ordinals.
            let events = device.world.trace
            let same = zip(events, again.trace.suffix(events.count)).first {
                // A fault without a name is named by its step, and those of the file come later in it.
                if $0.kind.isOfFile, $1.kind.isOfFile { return $0.at != $1.at }
                return $0.kind != $1.kind || $0.at != $1.at
            }
            #expect(same.map { "\($0) \($1)" } == nil, "\(site.disturbance.name) at \(site.at.clock)")
            compared += 1
        }
        #expect(compared > 20)
    }

    @Test("a rule that a disturbance breaks is a finding, with the moment and a file that shows it")
    func broken() async throws {
        let report = try await sweep(level: .cells, checkers: [NeverShort()])
        #expect(report.tally.failures > 0)
        let finding = try #require(report.findings.first)
        #expect(finding.failure.rule == "R1" && finding.failure.headline == "killed")
        #expect(
            finding.cause.hasPrefix("{ kill: \"low memory\" }, after 1s { launch: true } at "),
            "\(finding.cause)")
        let text = ScenarioPrinter.text(of: finding.scenario)
        #expect(text.contains("{ kill: \"low memory\", at:"))
        let reading = ScenarioReader.read(path: "a.json5", bytes: Array(text.utf8))
        #expect(reading.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
    }

    @Test("a scenario that fails without a disturbance is left out with the reason")
    func failing() async throws {
        let report = try await sweep("{ deploy: \"v2\" }, { launch: true }, { expect: { running: \"v2\" } },")
        let problem = try #require(report.problem)
        #expect(problem.hasPrefix("fails without a disturbance: "))
        #expect(report.tally.worlds == 0)
    }
}

extension TraceEvent.Kind {
    fileprivate var isOfFile: Bool {
        switch self {
        case .faultBegan, .faultApplied, .faultHealed: true
        // It has the places of its keys in the file.
        case .settingsChanged: true
        default: false
        }
    }
}

/// Claims that the system never takes memory back.
private struct NeverShort: RuleChecker {
    let rule = "R1"
    var decided = 0

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .processEnded(.lowMemory) = event.kind else { return nil }
        return Violation("killed", expected: "alive", actual: "dead")
    }
}
