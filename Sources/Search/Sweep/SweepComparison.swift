import Core
import Runner
import ScenarioLanguage

/// Disturbed worlds of a scenario that are performed twice: as they are, and with one change that must not
/// matter (``MetamorphicCheck``).
///
/// A disturbance at an instant meets what is under way then, and with other sync speeds that is another
/// thing. So here each disturbance is a step of its own between two steps of the scenario, when nothing is
/// under way, and in place of its expectations the scenario waits until that is so again. One world is made
/// with each disturbance; where it comes and what is changed is a hash of the scenario's name and the
/// disturbance.
struct SweepComparison {
    let check: MetamorphicCheck
    let plan: RunPlan
    let disturbances: [SweepDisturbance]
    /// Names of the device profiles.
    let profiles: [String]
    let jobs: Int
    /// Maximum number of findings kept; all are counted.
    let mostFindings: Int

    /// Compares the worlds, and adds what differs in the order of the disturbances.
    func add(to report: inout SweepReport) async {
        // Where a step waits for a moment of its own, the moment decides what it meets.
        let steps = NumberedStep.all(of: plan.scenario).map(\.step)
        if steps.contains(where: { $0.trigger != nil || !$0.anyOrder.isEmpty }) { return }
        let outcomes = await parallelMap(Array(disturbances.indices), jobs: jobs) { outcome(of: $0) }
        for (index, outcome, world) in outcomes.compactMap(\.self) {
            report.tally.compared += outcome.runs > 0 ? 1 : 0
            guard let failure = outcome.failure else { continue }
            report.tally.failures += 1
            if report.findings.count >= mostFindings { continue }
            report.findings.append(
                SweepReport.Finding(
                    failure: failure, cause: "\(disturbances[index].name) between two steps",
                    scenario: world))
        }
    }

    private func outcome(of index: Int) -> (Int, MetamorphicCheck.Outcome, Scenario)? {
        let disturbance = disturbances[index]
        var chance = Chance(seed: UInt64(FNV1a32.hash(of: "\(plan.name) \(disturbance.name)")))
        let world = disturbed(by: disturbance, before: 1 + chance.below(plan.scenario.steps.count))
        // The check knows steps by where they are in the text.
        let text = ScenarioPrinter.text(of: world)
        let reading = ScenarioReader.read(
            path: plan.scenario.source.path, bytes: Array(text.utf8), devices: profiles)
        guard !reading.hasErrors, let scenario = reading.scenarios.first,
            let plan = RunPlan.plans(for: scenario, seed: plan.seed).first
        else { return nil }
        return (index, check.outcome(of: plan, withOneFrom: chance.below(1_000)), world)
    }

    /// The scenario with the disturbance before a step, and pauses in place of expectations.
    func disturbed(by disturbance: SweepDisturbance, before position: Int) -> Scenario {
        var world = plan.scenario
        (world.covers, world.xfail) = ([], nil)
        world.steps = SweepComparison.pausing(world.steps)
        var inserted: [Action] = [.settle]
        var last = TimeSpan.zero
        let none = SourceSpan(start: 0, end: 0)
        for step in disturbance.steps {
            if step.after > last { inserted.append(.wait(Spanned(step.after - last, none))) }
            last = step.after
            inserted.append(step.action)
        }
        inserted.append(.settle)
        world.steps.insert(
            contentsOf: inserted.map { Step(action: $0) }, at: min(position, world.steps.count))
        return world
    }

    private static func pausing(_ steps: [Step]) -> [Step] {
        steps.map { step in
            switch step.action {
            case .expect, .always, .never: return Step(action: .settle)
            default: return step
            }
        }
    }
}
