import Backend
import Core
import ScenarioLanguage

/// The first run of a scenario file, read and made ready once, to be run with any seed: for whoever runs one
/// story many times. Its results have no timeline: a failure is shown by running the file.
package struct PreparedScenario: Sendable {
    private let plan: RunPlan
    private let prepared: ScenarioRunner.Prepared
    private var runner: ScenarioRunner

    /// Nil for a file that can't be read or says what can't be; ``Laboratory/run(_:_:)`` tells what is wrong.
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

    /// - Parameter seed: as `--seed` says.
    package func run(seed: UInt64) -> ScenarioResult {
        var plan = plan
        plan.seed = seed
        return runner.run(plan, prepared)
    }
}
