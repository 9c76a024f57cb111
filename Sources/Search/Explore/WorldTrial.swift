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

    /// Of the world as it was run, without the steps that never happened.
    package var recipe: WorldRecipe
    package var end: End
    package var cells = CoverageTable()
    package var discoveries: [Discovery] = []
    package var events = 0
    /// Steps that were drawn and left out, because they contradict others or their trigger never came.
    package var leftOut = 0

    package init(_ recipe: WorldRecipe, end: End, events: Int = 0, leftOut: Int = 0) {
        self.recipe = recipe
        self.end = end
        self.events = events
        self.leftOut = leftOut
    }
}

/// Runs worlds by their seeds.
package struct WorldTrial: Sendable {
    private let profiles: ProfileSet
    /// One world in this number runs twice, and both runs must be equal.
    private static let determinismShare: UInt64 = 20
    /// One world in this number, another than those that run twice, runs again with changes that must not
    /// matter.
    private static let metamorphicShare: UInt64 = 20
    /// Times that steps whose trigger never came are left out.
    private static let attempts = 8

    package init(_ profiles: ProfileSet) { self.profiles = profiles }

    /// - Parameter property: the one that the recipe names; nil if it names none.
    package func outcome(of recipe: WorldRecipe, property: Property? = nil) -> WorldOutcome {
        var recipe = recipe
        guard var world = DrawnWorld(recipe, of: property, profiles: profiles.names) else {
            return WorldOutcome(recipe, end: .notDrawn("no attempt gave a scenario"))
        }
        var result = run(world)
        var leftOut = world.leftOut
        // A step that never happened is no failure of the app, but ends the run before liveness is judged.
        for _ in 0..<WorldTrial.attempts where WorldTrial.missed(result) != nil {
            guard let line = WorldTrial.missed(result),
                let other = world.without(lines: [line], profiles: profiles.names)
            else { break }
            leftOut += 1 + other.leftOut
            recipe = recipe.without(line: line)
            world = other
            result = run(world)
        }
        var outcome = WorldOutcome(
            recipe, end: end(of: result, world, recipe), events: result.events, leftOut: leftOut)
        outcome.cells = result.cells
        outcome.discoveries = discoveries(result, world)
        return outcome
    }

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
        of result: ScenarioResult, _ world: DrawnWorld, _ recipe: WorldRecipe
    ) -> WorldOutcome.End {
        var result = result
        result.source = world.text
        switch result.verdict {
        case .passed
        where recipe.lastSeed % WorldTrial.metamorphicShare == WorldTrial.metamorphicShare / 2:
            guard let failure = MetamorphicCheck(runner).outcome(of: plan(of: world)).failure else {
                return .passed
            }
            result.verdict = .failed
            result.failures = [failure]
            return .found(result)
        case .passed:
            guard recipe.lastSeed % WorldTrial.determinismShare == 0, run(world).digest != result.digest
            else {
                return .passed
            }
            result.verdict = .nonDeterministic
            result.failures = [
                Failure(
                    kind: .determinism, headline: "The same world gave another digest in a second run",
                    at: .zero)
            ]
            return .found(result)
        // A property's trigger was written by its author, so that it must come.
        case .failed:
            let isLeftOut = result.failures.first?.kind == .trigger && recipe.property == nil
            return isLeftOut ? .passed : .found(result)
        case .inconclusive: return .unfinished
        // The reader took it, and no world can be made of it: a route or a size that no manifest can state.
        case .invalid: return .notDrawn(result.diagnostics.first?.message ?? "")
        case .expectedFailure, .unexpectedPass, .skipped, .nonDeterministic: return .passed
        }
    }

    /// Line of a step that never happened, if nothing else failed.
    private static func missed(_ result: ScenarioResult) -> Int? {
        guard let failure = result.failures.first, failure.kind == .trigger else { return nil }
        return failure.location?.line
    }

    private func run(_ world: DrawnWorld) -> ScenarioResult { runner.run(plan(of: world)) }

    private func plan(of world: DrawnWorld) -> RunPlan { RunPlan.plans(for: world.scenario, seed: 1)[0] }

    private var runner: ScenarioRunner {
        var runner = ScenarioRunner(profiles: profiles.profiles)
        runner.timelineLimit = 0
        runner.recordsCoverage = true
        return runner
    }
}
