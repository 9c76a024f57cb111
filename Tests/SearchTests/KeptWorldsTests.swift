import Runner
import ScenarioLanguage
import Testing

@testable import Search

@Suite("Worlds that continue other worlds")
struct KeptWorldsTests {
    private static let profiles = ["ios-17", "plain"]

    private func outcome(_ recipe: WorldRecipe, _ keys: [(key: Int, steps: Int)]) -> WorldOutcome {
        var outcome = WorldOutcome(recipe, end: .passed)
        outcome.discoveries = keys.map { WorldOutcome.Discovery(key: $0.key, steps: $0.steps) }
        return outcome
    }

    private func seeds() -> () -> WorldRecipe? {
        var next: UInt64 = 0
        return {
            next += 1
            return WorldRecipe(next)
        }
    }

    @Test("Before anything is kept, all worlds have a seed of their own, until there are no more")
    func fresh() {
        var kept = KeptWorlds(seed: 1)
        let planned = kept.plan(5, fresh: seeds())
        #expect(planned.map(\.recipe) == (1...5).map { WorldRecipe($0) })
        var left = 2
        let few = kept.plan(5) {
            left -= 1
            return left >= 0 ? WorldRecipe(9) : nil
        }
        #expect(few.count == 2)
    }

    @Test("What reached something first is continued from the step at which it did; what did not is not")
    func continued() {
        var kept = KeptWorlds(seed: 1)
        let first = kept.plan(2, fresh: seeds())
        kept.record([
            (first[0], outcome(WorldRecipe(1), [(10, 3), (11, 5)])),
            (first[1], outcome(WorldRecipe(2), [(10, 4)])),
        ])
        #expect(kept.reached == [10, 11])
        #expect(kept.count == 2)
        let branches = kept.plan(200, fresh: seeds()).map(\.recipe).filter { !$0.branches.isEmpty }
        #expect((60...140).contains(branches.count))
        #expect(Set(branches.map(\.seed)) == [1])
        #expect(Set(branches.compactMap(\.branches.first?.kept)) == [3, 5])
    }

    @Test("What yields gets more worlds than what does not")
    func energy() {
        var kept = KeptWorlds(seed: 1)
        let first = kept.plan(2, fresh: seeds())
        kept.record([
            (first[0], outcome(WorldRecipe(1), [(1, 3)])), (first[1], outcome(WorldRecipe(2), [(2, 3)])),
        ])
        var key = 100
        for _ in 0..<4 {
            let round = kept.plan(64, fresh: seeds())
            kept.record(
                round.map { planned in
                    key += 1
                    let isFertile = !planned.recipe.branches.isEmpty && planned.recipe.seed == 2
                    // Too late in the world to be kept itself.
                    return (planned, outcome(planned.recipe, isFertile ? [(key, 1_000)] : []))
                })
        }
        let next = kept.plan(1_000, fresh: seeds()).map(\.recipe).filter { !$0.branches.isEmpty }
        let fertile = next.count { $0.seed == 2 }
        #expect(fertile > 4 * (next.count - fertile), "\(fertile) of \(next.count)")
        #expect(fertile < next.count)
    }

    @Test("The plan depends on the outcomes, not on chance from outside")
    func deterministic() {
        func recipes() -> [WorldRecipe] {
            var kept = KeptWorlds(seed: 7)
            let first = kept.plan(8, fresh: seeds())
            kept.record(first.enumerated().map { ($1, outcome($1.recipe, [($0, $0 + 1)])) })
            return kept.plan(64, fresh: seeds()).map(\.recipe)
        }
        #expect(recipes() == recipes())
    }

    @Test(
        "A recipe is read back from its text",
        arguments: ["17", "17/9:204", "17/9:204/30:1", "17/0:1"])
    func texts(text: String) {
        #expect(WorldRecipe(text)?.text == text)
    }

    @Test(
        "What is no recipe is refused",
        arguments: ["", "x", "1/2", "1/2:", "1-20", "1/-2:3", "1/2:3:4", "1//2:3"])
    func noRecipe(text: String) { #expect(WorldRecipe(text) == nil) }

    @Test("A branch begins with the steps of its world, and goes on with others, on the same app")
    func branch() throws {
        var continued = 0
        for seed in UInt64(0)..<60 {
            let world = try #require(DrawnWorld(WorldRecipe(seed), profiles: KeptWorldsTests.profiles))
            let kept = min(4, world.stepCount)
            let recipe = WorldRecipe(seed).branched(after: kept, seed + 1)
            let branch = try #require(
                DrawnWorld(recipe, profiles: KeptWorldsTests.profiles), "\(recipe.text)")
            #expect(DrawnWorld(recipe, profiles: KeptWorldsTests.profiles)?.text == branch.text)
            #expect(branch.scenario.versions == world.scenario.versions)
            let lines = { (world: DrawnWorld) in world.text.components(separatedBy: "  steps: [\n")[1] }
            let first = lines(world).split(separator: "\n").prefix(kept)
            if lines(branch).split(separator: "\n").prefix(kept) == first { continued += 1 }
        }
        // A new step can make an old one invalid, which is then left out.
        #expect(continued > 50)
    }

    @Test("Worlds that continue one beginning follow each other")
    func siblings() {
        var kept = KeptWorlds(seed: 1)
        let first = kept.plan(3, fresh: seeds())
        kept.record(first.enumerated().map { ($1, outcome($1.recipe, [($0, 4)])) })
        let planned = kept.plan(400, fresh: seeds())
        let runs = planned.split { $0.recipe.branches.isEmpty }
        #expect(runs.count > 20)
        // The last one is cut off by the end of the round.
        for run in runs.dropLast() {
            #expect(run.count.isMultiple(of: KeptWorlds.branchesInTurn))
            #expect(run[run.startIndex + 1].isSibling(of: run[run.startIndex]))
            #expect(run[run.startIndex].recipe != run[run.startIndex + 1].recipe)
        }
        #expect(!planned.contains { $0.recipe.branches.isEmpty && $0.isSibling(of: $0) })
    }

    @Test("The outcome of a branch is the same from a copy of its beginning, of another order, and alone")
    func outcomes() throws {
        var trial = WorldTrial(ProfileSet())
        for seed in UInt64(40)..<46 {
            let siblings = (0..<3).map { WorldRecipe(seed).branched(after: 3, seed * 10 + $0) }
            let outcomes = siblings.map { trial.outcome(of: $0) }
            for (recipe, outcome) in zip(siblings, outcomes).reversed() {
                #expect(outcome.recipe == recipe)
                #expect(trial.outcome(of: recipe) == outcome)
                var fresh = WorldTrial(ProfileSet())
                #expect(fresh.outcome(of: recipe) == outcome)
            }
        }
    }
}
