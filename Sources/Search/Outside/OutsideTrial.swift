import Runner
import ScenarioLanguage

/// Runs worlds of an updater that is seen from outside, by a run that is given.
package struct OutsideTrial: Sendable {
    /// Runs a scenario; a step whose trigger never comes is no failure if the second argument says so.
    package typealias Run = @Sendable (RunPlan, _ toleratesMissedTriggers: Bool) async -> ScenarioResult

    private let profiles: [String]
    private let run: Run
    /// Times that steps which did not happen are left out of a finding's file.
    private static let attempts = 3

    package init(profiles: [String], run: @escaping Run) {
        self.profiles = profiles
        self.run = run
    }

    /// - Parameter world: of the recipe; nil: none came of it.
    package func outcome(of recipe: WorldRecipe, _ world: DrawnWorld?) async -> WorldOutcome {
        guard var world else { return WorldOutcome(recipe, end: .notDrawn("no scenario came of it")) }
        var result = await run(world.plan, true)
        // A step that did not happen would be the failure of the file that is written.
        for _ in 0..<OutsideTrial.attempts where result.verdict == .failed {
            let lines = result.linesOfMissedSteps
            guard !lines.isEmpty, let other = world.without(lines: lines, profiles: profiles) else { break }
            let again = await run(other.plan, true)
            guard again.verdict == .failed else { break }
            (world, result) = (other, again)
        }
        result.source = world.text
        let end: WorldOutcome.End
        switch result.verdict {
        // An adapter that breaks the protocol is a finding as well.
        case .failed, .invalid: end = .found(result)
        case .inconclusive: end = .unfinished
        case .passed, .expectedFailure, .unexpectedPass, .skipped, .nonDeterministic: end = .passed
        }
        return WorldOutcome(recipe, end: end, events: result.events, leftOut: world.leftOut)
    }
}
