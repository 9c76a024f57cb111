import Core
import Runner
import ScenarioLanguage

/// What running a drawn world gave.
package struct WorldOutcome: Hashable, Sendable {
    package enum End: Hashable, Sendable {
        /// No rule was broken.
        case passed
        /// A rule was broken, or the run was not deterministic: the result, with the file as its source and
        /// the failure as its first.
        case found(ScenarioResult)
        /// The limit of events was reached.
        case unfinished
        /// No scenario came of the seed, for this reason: a mistake of the drawing.
        case notDrawn(String)
    }

    /// What a world reached first at some step of it.
    package struct Discovery: Hashable, Sendable {
        /// ``CoverageDiscovery/key``
        package var key: Int
        /// Number of steps after which it was reached.
        package var steps: Int

        package init(key: Int, steps: Int) {
            self.key = key
            self.steps = steps
        }
    }

    package var recipe: WorldRecipe
    package var end: End
    package var cells = CoverageTable()
    package var discoveries: [Discovery] = []
    package var events = 0
    /// Steps that were drawn and did not happen, because they contradict others or their trigger never came.
    package var leftOut = 0

    package init(_ recipe: WorldRecipe, end: End, events: Int = 0, leftOut: Int = 0) {
        self.recipe = recipe
        self.end = end
        self.events = events
        self.leftOut = leftOut
    }
}

/// Runs worlds by their recipes.
///
/// Promises: an outcome depends on the recipe alone. Worlds with the same beginning that follow each other
/// are run from a copy of the world at its end.
package struct WorldTrial {
    private let profiles: ProfileSet
    /// That of the last world.
    private var beginning: Beginning?
    /// One world in this number runs twice, and both runs must be equal.
    private static let determinismShare: UInt64 = 20
    /// One world in this number, another than those that run twice, runs again with changes that must not
    /// matter.
    private static let metamorphicShare: UInt64 = 20
    /// Times that steps which did not happen are left out of a finding's file.
    private static let attempts = 8

    private struct Beginning {
        var recipe: WorldRecipe
        /// Number of its first steps.
        var kept: Int
        var world: DrawnWorld
        /// Nil if no run comes that far.
        var run: PausedRun?
    }

    package init(_ profiles: ProfileSet) { self.profiles = profiles }

    /// - Parameter basis: the one that the recipe names; nil if it names none.
    package mutating func outcome(of recipe: WorldRecipe, basis: WorldBasis? = nil) -> WorldOutcome {
        prepareBeginning(of: recipe, basis)
        guard let world = drawn(recipe, basis) else {
            return WorldOutcome(recipe, end: .notDrawn("no attempt gave a scenario"))
        }
        // A step whose trigger never comes is no failure of a world that nobody wrote. A property's was
        // written by its author, so that it must come.
        let runner = runner(toleratesMissedTriggers: !recipe.expects)
        let plan = world.plan
        let result = beginning?.run.flatMap { runner.run(plan, from: $0) } ?? runner.run(plan)
        var outcome = WorldOutcome(
            recipe, end: end(of: result, world, recipe, runner), events: result.events,
            leftOut: world.leftOut + result.linesOfMissedSteps.count)
        outcome.cells = result.cells
        outcome.discoveries = discoveries(result, world)
        return outcome
    }

    // MARK: - Beginnings

    private mutating func prepareBeginning(of recipe: WorldRecipe, _ basis: WorldBasis?) {
        guard let (parent, kept) = recipe.beginning else {
            beginning = nil
            return
        }
        if beginning?.recipe == parent, beginning?.kept == kept { return }
        beginning = DrawnWorld(parent, of: basis, profiles: profiles.names).map { world in
            Beginning(
                recipe: parent, kept: kept, world: world,
                run: runner(toleratesMissedTriggers: true).paused(world.plan, after: kept))
        }
    }

    private func drawn(_ recipe: WorldRecipe, _ basis: WorldBasis?) -> DrawnWorld? {
        guard let last = recipe.branches.last else {
            return DrawnWorld(recipe, of: basis, profiles: profiles.names)
        }
        return beginning?.world.branched(last, profiles.names)
    }

    // MARK: - Outcomes

    /// What the world reached, with the number of steps after which it had.
    private func discoveries(_ result: ScenarioResult, _ world: DrawnWorld) -> [WorldOutcome.Discovery] {
        let outer = NumberedStep.tree(of: world.scenario).map(\.index)
        return result.discoveries.map { found in
            // Steps of a `repeat` are counted in it.
            let steps = found.step.map { step in outer.count { $0 <= step } } ?? outer.count
            return WorldOutcome.Discovery(key: found.key, steps: steps)
        }
    }

    private func end(
        of result: ScenarioResult, _ world: DrawnWorld, _ recipe: WorldRecipe, _ runner: ScenarioRunner
    ) -> WorldOutcome.End {
        switch result.verdict {
        case .passed
        where recipe.lastSeed % WorldTrial.metamorphicShare == WorldTrial.metamorphicShare / 2:
            let (world, result) = happened(world, result)
            let check = MetamorphicCheck(self.runner(toleratesMissedTriggers: false))
            return check.outcome(of: world.plan).failure.map {
                .found(WorldTrial.finding(result, .failed, [$0], world))
            } ?? .passed
        case .passed where recipe.lastSeed % WorldTrial.determinismShare == 0:
            if runner.run(world.plan).digest == result.digest { return .passed }
            let failure = Failure(
                kind: .determinism, headline: "The same world gave another digest in a second run", at: .zero)
            return .found(WorldTrial.finding(result, .nonDeterministic, [failure], world))
        case .failed:
            let (least, again) = recipe.expects ? (world, result) : happened(world, result)
            return .found(
                again.verdict == .failed
                    ? WorldTrial.finding(again, .failed, again.failures, least)
                    : WorldTrial.finding(result, .failed, result.failures, world))
        case .inconclusive: return .unfinished
        // The reader took it, and no world can be made of it: a route or a size that no manifest can state.
        case .invalid: return .notDrawn(result.diagnostics.first?.message ?? "")
        case .passed, .expectedFailure, .unexpectedPass, .skipped, .nonDeterministic: return .passed
        }
    }

    private static func finding(
        _ result: ScenarioResult, _ verdict: Verdict, _ failures: [Failure], _ world: DrawnWorld
    ) -> ScenarioResult {
        var result = result
        (result.verdict, result.failures, result.source) = (verdict, failures, world.text)
        return result
    }

    /// The world without the steps that did not happen, because its file must not fail for them, and its
    /// result.
    private func happened(_ world: DrawnWorld, _ result: ScenarioResult) -> (DrawnWorld, ScenarioResult) {
        var (world, result) = (world, result)
        for _ in 0..<WorldTrial.attempts {
            let lines = result.linesOfMissedSteps
            guard !lines.isEmpty, let other = world.without(lines: lines, profiles: profiles.names) else {
                break
            }
            world = other
            result = runner(toleratesMissedTriggers: true).run(world.plan)
        }
        return (world, result)
    }

    private func runner(toleratesMissedTriggers: Bool) -> ScenarioRunner {
        var runner = ScenarioRunner(profiles: profiles.profiles)
        runner.timelineLimit = 0
        runner.recordsCoverage = true
        runner.toleratesMissedTriggers = toleratesMissedTriggers
        return runner
    }
}

extension DrawnWorld {
    /// Its run; a drawn world leaves no order open.
    var plan: RunPlan { RunPlan.plans(for: scenario, seed: 1)[0] }
}

extension ScenarioResult {
    /// Lines of the steps that did not happen, because their trigger never came.
    var linesOfMissedSteps: [Int] { steps.filter { $0.outcome == .notReached }.map(\.line) }
}
