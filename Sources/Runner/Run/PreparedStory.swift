import Core
import ScenarioLanguage
import World

/// The first run of a scenario file, read and made ready once, to be run with any seed: for whoever runs one
/// story many times. Its results have no timeline: a failure is shown by running the file.
package struct PreparedStory: Sendable {
    private let plan: StoryPlan
    private let prepared: StoryRunner.Prepared
    private var runner: StoryRunner

    /// Nil for a file that can't be read or says what can't be; ``Laboratory/run(_:_:)`` tells what is wrong.
    package init?(_ file: ScenarioFile, profiles: [DeviceProfile] = [.plain]) {
        runner = StoryRunner(profiles: profiles)
        runner.timelineLimit = 0
        let reading = file.read(devices: profiles.map(\.name))
        guard !reading.hasErrors, let scenario = reading.scenarios.first,
            let plan = StoryPlan.plans(for: scenario, seed: 0).first
        else { return nil }
        self.plan = plan
        do throws(StoryFault) {
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
