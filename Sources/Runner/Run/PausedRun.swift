import ScenarioLanguage
import World

/// A run that has performed the first steps of its scenario; each scenario that begins alike can be run from
/// here.
///
/// Promises: such a run has the result that it has from its beginning, its digest included, because a world
/// is a value and a copy of it is independent. Deliberately not here: runs that end at a `crash` step.
package struct PausedRun {
    fileprivate let run: ScenarioRun<World>
    fileprivate let ready: ScenarioRunner.Prepared
    /// Number of performed steps, those inside a `repeat` not counted.
    private let count: Int
    /// Text of the file up to the last of them.
    private let text: ArraySlice<UInt8>

    fileprivate init?(_ run: ScenarioRun<World>, _ ready: ScenarioRunner.Prepared, after count: Int) {
        let scenario = run.plan.scenario
        guard scenario.steps.indices.contains(count - 1), scenario.source.included.isEmpty else { return nil }
        (self.run, self.ready, self.count) = (run, ready, count)
        text = scenario.source.bytes.prefix(scenario.steps[count - 1].span.end)
    }

    /// Whether a plan's run has the same beginning. Equal text has equal spans, and its steps have the same
    /// numbers, so that nothing of the beginning can differ.
    fileprivate func isBeginning(of plan: RunPlan) -> Bool {
        let scenario = plan.scenario
        return scenario.steps.count >= count && scenario.name == run.plan.scenario.name
            && scenario.source.path == run.plan.scenario.source.path && scenario.source.included.isEmpty
            && plan.worldSeed == run.plan.worldSeed && scenario.source.bytes.starts(with: text)
    }

    fileprivate func continued(as plan: RunPlan) -> ScenarioRun<World> {
        var run = run
        run.runSteps(of: plan, after: count)
        run.finish()
        return run
    }
}

extension ScenarioRunner {
    /// Performs the first steps of a scenario.
    /// - Returns: nil if the scenario has no such steps, or its run is over before their end.
    package func paused(_ plan: RunPlan, after count: Int) -> PausedRun? {
        guard count > 0, plan.scenario.skip == nil,
            !plan.scenario.steps.contains(where: { $0.verb == .crash }),
            let ready = try? prepare(plan.scenario)
        else { return nil }
        var run = begun(plan, ready, on: world(of: plan, ready))
        run.runSteps(first: count)
        return run.isOver ? nil : PausedRun(run, ready, after: count)
    }

    /// Continues a run as that of another scenario.
    /// - Returns: nil if the other scenario does not begin like the paused one.
    package func run(_ plan: RunPlan, from paused: PausedRun) -> ScenarioResult? {
        guard paused.isBeginning(of: plan) else { return nil }
        return result(of: paused.continued(as: plan), paused.ready)
    }
}
