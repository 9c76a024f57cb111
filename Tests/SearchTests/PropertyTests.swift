import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner
@testable import Search

@Suite("Properties with a gap")
struct PropertyTests {
    private static let profiles = ["plain"]
    private static let excluded: [StepClass] = [.deploy, .order, .kill, .diskFault, .settings]

    /// A pending version, a gap and an expectation.
    private func property(
        _ gap: String, end: String = "{ expect: { blacklist: [] } },"
    ) throws -> Property {
        let steps = """
            { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "10s" },
            { gap: { \(gap) } }, \(end)
            """
        return try #require(Property(try SmallScenario.plan(SmallScenario.text(steps)).scenario))
    }

    private func without(_ classes: [StepClass]) -> String {
        "without: [\(classes.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]"
    }

    private func drawn(_ property: Property, _ seed: UInt64) throws -> [Action] {
        let world = try #require(property.filled(seed, profiles: PropertyTests.profiles), "seed \(seed)")
        #expect(property.isFilled(by: world.scenario), "seed \(seed)")
        return world.scenario.steps.dropFirst(4).dropLast().map(\.action)
    }

    @Test("A scenario without a gap is no property")
    func noGap() throws {
        #expect(Property(try SmallScenario.plan(SmallScenario.text(SmallScenario.plain)).scenario) == nil)
    }

    @Test("A seed gives the same filling each time, here and where the property is read again")
    func sameAgain() throws {
        let property = try property("")
        let again = try #require(WorldBasis(text: property.text, profiles: PropertyTests.profiles))
        #expect(again.name == property.name && again.isProperty)
        for seed in UInt64(0)..<20 {
            let text = property.filled(seed, profiles: PropertyTests.profiles)?.text
            #expect(text != nil && again.world(seed, profiles: PropertyTests.profiles)?.text == text)
        }
        #expect(
            property.filled(1, profiles: PropertyTests.profiles)?.text
                != property.filled(2, profiles: PropertyTests.profiles)?.text)
    }

    @Test("A filling has no step of a class that the gap leaves out")
    func leftOut() throws {
        let narrow = try property(without(PropertyTests.excluded))
        var drawn = 0
        for seed in UInt64(0)..<60 {
            for action in try self.drawn(narrow, seed) {
                let known = try #require(action.stepClass)
                #expect(!PropertyTests.excluded.contains(known), "seed \(seed): \(known)")
                drawn += 1
            }
        }
        #expect(drawn > 200, "\(drawn)")
    }

    @Test("Each step that is drawn has a class, and each class is drawn")
    func classes() throws {
        let scenario = try SmallScenario.plan(SmallScenario.text("{ launch: true }, { gap: {} }")).scenario
        let property = try #require(Property(scenario))
        let world = try #require(property.filled(1, profiles: PropertyTests.profiles))
        var seen: Set<StepClass> = []
        for seed in UInt64(0)..<240 {
            var chance = Chance(seed: seed)
            let swarm = Swarm(&chance)
            var drawing = StepDrawing(chance, swarm, WorldNames(of: scenario), before: 1_000)
            let filled = try #require(
                world.replacing(0, with: drawing.filling(80), profiles: PropertyTests.profiles))
            for step in filled.scenario.steps { seen.insert(try #require(step.action.stepClass)) }
        }
        let never = Set(StepClass.allCases).subtracting(seen)
        #expect(never.isEmpty, "never: \(never)")
    }

    @Test("The steps of a gap take no longer than it says")
    func time() throws {
        let property = try property("atMost: \"1h\"")
        var longest = TimeSpan.zero
        for seed in UInt64(0)..<60 {
            var sum = TimeSpan.zero
            for action in try drawn(property, seed) {
                if case .wait(let span) = action { sum += span.value }
                #expect(action != .settle)
            }
            #expect(sum <= .hours(1), "seed \(seed)")
            longest = max(longest, sum)
        }
        #expect(longest > .seconds(60))
    }

    @Test("Several gaps are filled one by one")
    func several() throws {
        let end = "{ mark: \"then\" }, { gap: {} }, { expect: { blacklist: [] } },"
        let property = try property("", end: end)
        var isBothFilled = false
        for seed in UInt64(0)..<20 {
            let world = try #require(property.filled(seed, profiles: PropertyTests.profiles))
            #expect(property.isFilled(by: world.scenario))
            let mark = try #require(world.scenario.steps.firstIndex { $0.verb == .mark })
            if mark > 4, mark < world.scenario.steps.count - 2 { isBothFilled = true }
        }
        #expect(isBothFilled)
    }

    @Test("Without a step of the property, or with one that the gap leaves out, a scenario is no filling")
    func fillings() throws {
        let property = try property(without([.kill]))
        func isFilling(_ steps: String) throws -> Bool {
            property.isFilled(by: try SmallScenario.plan(SmallScenario.text(steps)).scenario)
        }
        let first = "{ launch: true }, { deploy: \"v2\" }, { check: true },"
        let second = "{ expect: { pending: \"v2\" }, within: \"10s\" },"
        let end = "{ expect: { blacklist: [] } },"
        #expect(try isFilling(first + second + end))
        #expect(try isFilling(first + second + "{ wait: \"1s\" }, { relaunch: true }," + end))
        #expect(try !isFilling(first + second + "{ kill: \"user\" }," + end))
        #expect(try !isFilling(first + "{ wait: \"1s\" }," + second + end))
        #expect(try !isFilling(first + end))
        #expect(try !isFilling(first + second))
    }

    @Test("What a property expects is judged: a failure is found, with the filled scenario as its file")
    func judged() throws {
        let property = try property(
            without(StepClass.allCases.filter { $0 != .relaunch && $0 != .time }),
            end: "{ expect: { pending: \"v2\" } },")
        var trial = WorldTrial(ProfileSet())
        var kinds: Set<String> = []
        for seed in UInt64(0)..<40 {
            let recipe = WorldRecipe(seed, basis: property.name, expects: true)
            let outcome = trial.outcome(of: recipe, basis: .property(property))
            #expect(outcome == trial.outcome(of: recipe, basis: .property(property)))
            switch outcome.end {
            case .passed: kinds.insert("passed")
            case .found(let result):
                kinds.insert("found")
                #expect(result.failures.first?.kind == .expectation)
                #expect(result.source?.contains("relaunch") == true)
                #expect(result.source?.contains("gap") == false)
            case .unfinished, .notDrawn: Issue.record("seed \(seed)")
            }
        }
        #expect(kinds == ["passed", "found"])
    }

    @Test("Of the worlds drawn anew about one in eight is a property; with properties alone all are")
    func share() throws {
        let property = try property("")
        let mixed = WorldBases([.property(property)], areAlone: false)
        let filled = (UInt64(0)..<1_600).count { mixed.recipe($0).basis != nil }
        #expect((140...260).contains(filled), "\(filled)")
        #expect(mixed.basis(of: WorldRecipe(1, basis: property.name))?.name == property.name)
        let alone = WorldBases([.property(property)], areAlone: true)
        #expect((UInt64(0)..<50).allSatisfy { alone.recipe($0).basis == property.name })
        #expect(WorldBases([], areAlone: false).recipe(3) == WorldRecipe(3))
    }

    @Test("A recipe with a property is read back from its text")
    func recipe() {
        for expects in [true, false] {
            let recipe = WorldRecipe(17, basis: "properties/a-b/c@d [case 2]", expects: expects)
            #expect(WorldRecipe(recipe.text) == recipe)
        }
        #expect(WorldRecipe("17")?.basis == nil)
        #expect(WorldRecipe("x@properties/a") == nil)
    }
}

@Suite("Failures of properties")
struct PropertyFindingTests {
    private func result(_ kind: Failure.Kind) -> ScenarioResult {
        var result = ScenarioResult(id: "x", name: "x", file: "x", title: "x")
        result.failures = [Failure(kind: kind, headline: "It fails", at: .zero)]
        return result
    }

    @Test("Expectations of two properties are two findings; a broken rule is one")
    func apart() {
        var findings = Findings()
        for name in ["a", "b", "a"] {
            _ = findings.add(result(.expectation), WorldRecipe(1, basis: name, expects: true), ordinal: 1)
            _ = findings.add(result(.liveness), WorldRecipe(1, basis: name, expects: true), ordinal: 1)
        }
        #expect(findings.all.count == 3)
        #expect(findings.all.map(\.worlds.count).sorted() == [2, 1, 3].sorted())
    }
}
