import Core
import ScenarioLanguage

/// A property of the app: a scenario with gaps whose expectations hold, whatever happens in the gaps.
///
/// Promises: the same seed gives the same filling in every process of one program; a filling is a valid
/// scenario without gaps that has all steps of the property in their order, and between them only steps that
/// its gaps allow. Deliberately not here: running it.
package struct Property: Sendable {
    /// Name of the scenario, with its case.
    package let name: String
    /// The property as a file of its own.
    package let text: String
    private let tree: PrintedValue
    private let steps: [Step]
    private let names: WorldNames

    /// - Returns: nil if the scenario has no gap.
    package init?(_ scenario: Scenario) {
        guard scenario.steps.contains(where: { $0.verb == .gap }) else { return nil }
        name = scenario.name
        tree = ScenarioPrinter.tree(of: scenario)
        text = ScenarioPrinter.text(of: tree)
        steps = scenario.steps
        names = WorldNames(of: scenario)
    }

    // MARK: - Filling

    /// The property with random steps in its gaps.
    /// - Returns: nil if that gives no scenario, which is a mistake of this module.
    func filled(_ seed: UInt64, profiles: [String]) -> DrawnWorld? {
        // Properties have other fillings of the same seed.
        var hash = KeyedHash(key: KeyedHash.Key(low: seed, high: 0))
        hash.update(name)
        var chance = Chance(seed: hash.finish())
        let swarm = Swarm(&chance)
        let own = tree.locatedSteps.filter { $0.path.count == 2 }.map(\.step)
        guard
            var world = DrawnWorld(
                seed, head(seed, &chance), own.map { WorldStep($0, isDrawn: false) }, names, profiles)
        else { return nil }
        while let index = world.scenario.steps.firstIndex(where: { $0.verb == .gap }),
            case .gap(let gap) = world.scenario.steps[index].action
        {
            var drawing = StepDrawing(
                chance.split(), swarm, names.with(world.scenario.steps[..<index]), before: index)
            let most = chance.of(Property.lengths)
            let offered = drawing.filling(most * Property.surplus)
            // Read with all others, because their names decide what is valid.
            guard let whole = world.replacing(index, with: offered, profiles: profiles) else { return nil }
            let count = whole.stepCount - (world.stepCount - 1)
            let chosen = Property.chosen(
                zip(whole.printedSteps, whole.scenario.steps).dropFirst(index).prefix(count).map {
                    ($0, $1.action)
                }, gap, most: most)
            guard let next = world.replacing(index, with: chosen, profiles: profiles) else { return nil }
            world = next
        }
        return world
    }

    /// Numbers of steps in a gap.
    private static let lengths = [1, 2, 4, 6, 8, 12, 16, 24]
    /// Steps that are drawn for each one that is wanted, because a gap allows some of them only.
    private static let surplus = 4

    private static func chosen(
        _ offered: [(value: PrintedValue, action: Action)], _ gap: GapSpec, most: Int
    ) -> [PrintedValue] {
        var chosen: [(value: PrintedValue, action: Action)] = []
        for step in offered where chosen.count < most && gap.allows((chosen + [step]).map(\.action)) {
            chosen.append(step)
        }
        return chosen.map(\.value)
    }

    /// The members of the file before `steps`.
    private func head(_ seed: UInt64, _ chance: inout Chance) -> [PrintedValue.Pair] {
        tree.headOfWorld(name, seed, choices: Int64(chance.below(1_000))).pairs
    }

    // MARK: - Recognising a filling

    /// Members that the steps are about.
    private static let compared = ["device", "devices", "app", "origin", "versions"]

    /// Whether the scenario is a filling of this property, so that what the property expects holds in it.
    package func isFilled(by scenario: Scenario) -> Bool {
        let other = ScenarioPrinter.tree(of: scenario)
        guard Property.compared.allSatisfy({ tree[$0] == other[$0] }) else { return false }
        return Property.fill(steps[...], scenario.steps[...], [])
    }

    /// - Parameter filling: actions so far of the gap that the own steps begin with.
    private static func fill(
        _ own: ArraySlice<Step>, _ steps: ArraySlice<Step>, _ filling: [Action]
    ) -> Bool {
        guard let first = own.first else { return steps.isEmpty }
        guard case .gap(let gap) = first.action else {
            guard let step = steps.first, printed(step) == printed(first) else { return false }
            return fill(own.dropFirst(), steps.dropFirst(), [])
        }
        if fill(own.dropFirst(), steps, []) { return true }
        guard let step = steps.first, gap.allows(filling + [step.action]) else { return false }
        return fill(own, steps.dropFirst(), filling + [step.action])
    }

    /// The step without the text that is for people alone.
    private static func printed(_ step: Step) -> String {
        var step = step
        step.because = nil
        return ScenarioPrinter.line(of: step)
    }
}
