import Reporting
import Runner
import ScenarioLanguage

/// Writes the changed scenario of each run that ended otherwise with a change that must not matter.
struct ChangedScenarios {
    let options: ScenarioSuite.Options
    let folder: String

    /// - Returns: a line for each file; the faults of those that could not be written.
    func write(_ results: RunResults, _ files: [ScenarioFile]) -> (lines: [String], faults: [ReportError]) {
        var lines: [String] = []
        var faults: [ReportError] = []
        for result in results.scenarios where result.failures.first?.kind == .metamorphic {
            guard let plan = plan(of: result, files, seed: results.seed) else { continue }
            let outcome = MetamorphicCheck(ScenarioRunner(profiles: options.profiles.profiles)).outcome(
                of: plan)
            guard let failure = outcome.failure, let changed = outcome.changed, changed != plan.scenario
            else { continue }
            let path = "\(folder)/metamorphic/\(result.id).json5"
            do throws(ReportError) {
                try ReportFolder.write(Array(MetamorphicCheck.file(of: failure, changed).utf8), to: path)
                lines.append("the changed scenario of \(result.name): \(path)\n")
            } catch {
                faults.append(error)
            }
        }
        return (lines, faults)
    }

    private func plan(of result: ScenarioResult, _ files: [ScenarioFile], seed: UInt64) -> RunPlan? {
        guard let file = files.first(where: { $0.path == result.file })?.withBytes() else { return nil }
        let scenarios = file.read(devices: options.profiles.names).scenarios
        return scenarios.flatMap { RunPlan.plans(for: ScenarioSuite.bounded($0, options), seed: seed) }
            .first { $0.name == result.name }
    }
}
