import Backend
import Core
import ScenarioLanguage

/// The first run of a scenario file, parsed and prepared once, to be performed many times with different
/// seeds. Its results have no timeline; run the file to see a failure explained.
package struct PreparedScenario: Sendable {
    private let plan: RunPlan
    private let prepared: ScenarioRunner.Prepared
    private var runner: ScenarioRunner

    /// Nil for a file that can't be read or is invalid; ``ScenarioSuite/run(_:_:)`` reports why.
    package init?(_ file: ScenarioFile, profiles: [DeviceProfile] = [.plain]) {
        runner = ScenarioRunner(profiles: profiles)
        runner.timelineLimit = 0
        let reading = file.read(devices: profiles.map(\.name))
        guard !reading.hasErrors, let scenario = reading.scenarios.first,
            let plan = RunPlan.plans(for: scenario, seed: 0).first
        else { return nil }
        self.plan = plan
        do throws(ScenarioFault) {
            prepared = try runner.prepare(scenario)
        } catch {
            return nil
        }
    }

    /// - Parameter seed: seed of the run, as given by `--seed`.
    package func run(seed: UInt64) -> ScenarioResult {
        var plan = plan
        plan.seed = seed
        return runner.run(plan, prepared)
    }
}
