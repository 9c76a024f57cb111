import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner
@testable import Search

@Suite("Scenarios with random steps between theirs")
struct DisturbedScenarioTests {
    private static let profiles = ["plain"]

    private func disturbed(_ steps: String) throws -> DisturbedScenario {
        try #require(DisturbedScenario(try SmallScenario.plan(SmallScenario.text(steps)).scenario))
    }

    private func world(_ scenario: DisturbedScenario, _ seed: UInt64) throws -> DrawnWorld {
        try #require(scenario.world(seed, profiles: DisturbedScenarioTests.profiles), "seed \(seed)")
    }

    private static let plain = """
        { launch: true }, { deploy: "v2" }, { check: true },
        { expect: { pending: "v2" }, within: "10s" }, { relaunch: true, because: "it starts" },
        { expect: { running: "v2" } },
        { repeat: 2, steps: [{ wait: "7s" }, { expect: { running: "v2" } }] },
        """

    @Test("A property is none of them, and neither is a scenario whose steps only expect")
    func noBasis() throws {
        let property = try SmallScenario.plan(SmallScenario.text("{ launch: true }, { gap: {} }")).scenario
        #expect(DisturbedScenario(property) == nil)
        #expect(WorldBasis(property)?.isProperty == true)
        let silent = try SmallScenario.plan(SmallScenario.text("{ expect: { running: null } }")).scenario
        #expect(WorldBasis(silent) == nil)
    }

    @Test("A seed gives the same world each time, also where the scenario is read again")
    func sameAgain() throws {
        let scenario = try disturbed(DisturbedScenarioTests.plain)
        let again = try #require(
            WorldBasis(text: scenario.text, profiles: DisturbedScenarioTests.profiles))
        #expect(again.name == scenario.name && !again.isProperty)
        for seed in UInt64(0)..<40 {
            let text = try world(scenario, seed).text
            #expect(again.world(seed, profiles: DisturbedScenarioTests.profiles)?.text == text)
        }
        #expect(try world(scenario, 1).text != world(scenario, 2).text)
    }

    @Test("A world expects nothing, keeps most steps in their order, and has others among them")
    func steps() throws {
        let scenario = try disturbed(DisturbedScenarioTests.plain)
        var (whole, with) = (0, 0)
        for seed in UInt64(0)..<100 {
            let world = try world(scenario, seed)
            for word in ["expect", "because", "always", "never"] {
                #expect(!world.text.contains(word), "seed \(seed)")
            }
            let verbs = world.scenario.steps.map(\.verb)
            let own: [Verb] = [.launch, .deploy, .check, .settle, .relaunch, .repeat]
            if isInOrder(own, in: verbs) { whole += 1 }
            if verbs.count > own.count { with += 1 }
        }
        #expect(50..<100 ~= whole, "\(whole)")
        #expect(with > 80, "\(with)")
    }

    private func isInOrder(_ some: [Verb], in all: [Verb]) -> Bool {
        var left = some[...]
        for verb in all where verb == left.first { left.removeFirst() }
        return left.isEmpty
    }

    @Test("It can be continued from its beginnings, unlike a property, and no rule is broken in a sound app")
    func continued() throws {
        let basis = WorldBasis.disturbed(try disturbed(DisturbedScenarioTests.plain))
        var trial = WorldTrial(ProfileSet())
        for seed in UInt64(0)..<20 {
            let recipe = WorldRecipe(seed, basis: basis.name)
            let outcome = trial.outcome(of: recipe, basis: basis)
            #expect(outcome.end == .passed, "seed \(seed)")
            #expect(outcome.events > 0)
            let branch = recipe.branched(after: 2, seed + 1)
            #expect(WorldRecipe(branch.text) == branch)
            let continued = trial.outcome(of: branch, basis: basis)
            #expect(continued.end == .passed, "seed \(seed)")
            let whole = DrawnWorld(branch, of: basis, profiles: DisturbedScenarioTests.profiles)
            #expect(whole?.scenario.steps.prefix(2).count == 2)
        }
        var kept = KeptWorlds(seed: 1)
        var next: [WorldRecipe] = [WorldRecipe(1, basis: basis.name)]
        let first = kept.plan(1) { next.popLast() }
        kept.record(first.map { ($0, trial.outcome(of: $0.recipe, basis: basis)) })
        #expect(kept.count > 0)
    }

    @Test("A finding's file names the scenario and stands alone")
    func file() throws {
        let scenario = try disturbed(DisturbedScenarioTests.plain)
        let world = try world(scenario, 7)
        #expect(world.scenario.title.value == "World 7 of \(scenario.name)")
        let read = try SmallScenario.plan(world.text).scenario
        #expect(read.steps.count == world.scenario.steps.count)
    }
}
