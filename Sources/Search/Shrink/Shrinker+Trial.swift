import Runner
import ScenarioLanguage

extension Shrinker {
    /// Runs a scenario with these options: in this process, or where their `makeRun` does. Of a scenario with
    /// several orders all are run, up to ``maxOrders``.
    package static func trial(_ options: ScenarioSuite.Options) -> Trial {
        { scenario in
            var all: [FailureSignature] = []
            for plan in RunPlan.plans(for: scenario, seed: options.seed).prefix(maxOrders) {
                let result = await ScenarioSuite.result(of: plan, options)
                all += FailureSignature.all(of: result, in: scenario)
            }
            return all
        }
    }

    private static let maxOrders = 24
}
