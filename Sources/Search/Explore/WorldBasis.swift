import Core
import ScenarioLanguage

/// A scenario of a file that worlds are made of.
package enum WorldBasis: Sendable {
    /// Random steps are put into its gaps, and it expects what it says.
    case property(Property)
    /// Random steps are put between its own, and it expects nothing.
    case disturbed(DisturbedScenario)

    /// - Returns: nil if no world can be made of the scenario.
    package init?(_ scenario: Scenario) {
        if let property = Property(scenario) {
            self = .property(property)
        } else if let disturbed = DisturbedScenario(scenario) {
            self = .disturbed(disturbed)
        } else {
            return nil
        }
    }

    /// The basis of a file with one scenario, as ``text`` is.
    package init?(text: String, profiles: [String]) {
        let reading = ScenarioReader.read(
            path: "basis.json5", bytes: Array(text.utf8), devices: profiles)
        guard let scenario = reading.scenarios.first else { return nil }
        self.init(scenario)
    }

    /// Name of the scenario, with its case.
    package var name: String {
        switch self {
        case .property(let property): property.name
        case .disturbed(let scenario): scenario.name
        }
    }

    /// The scenario as a file of its own.
    package var text: String {
        switch self {
        case .property(let property): property.text
        case .disturbed(let scenario): scenario.text
        }
    }

    package var isProperty: Bool {
        switch self {
        case .property: true
        case .disturbed: false
        }
    }

    /// The world of a seed; nil if that gives no scenario, which is a mistake of this module.
    func world(_ seed: UInt64, profiles: [String]) -> DrawnWorld? {
        switch self {
        case .property(let property): property.filled(seed, profiles: profiles)
        case .disturbed(let scenario): scenario.world(seed, profiles: profiles)
        }
    }

    /// Whether a smaller scenario is still a world of this basis, so that its failure means the same.
    package func allows(_ scenario: Scenario) -> Bool {
        switch self {
        // Without a step of the property, its expectations would fail for another reason.
        case .property(let property): property.isFilled(by: scenario)
        case .disturbed: true
        }
    }
}

/// The scenarios that a search makes worlds of, beside those that are drawn freely.
package struct WorldBases: Sendable {
    package let all: [WorldBasis]
    /// Whether each world that is drawn anew is made of one of them.
    package let areAlone: Bool
    /// Of the worlds that are drawn anew, one in this number is made of one of them.
    private static let share = 8

    package init(_ all: [WorldBasis], areAlone: Bool) {
        (self.all, self.areAlone) = (all, areAlone)
    }

    /// The world of a seed, which depends on the seed and the scenarios alone.
    package func recipe(_ seed: UInt64) -> WorldRecipe {
        // Other choices than those of the drawing.
        var chance = Chance(seed: ~seed)
        guard !all.isEmpty, areAlone || chance.once(in: WorldBases.share) else { return WorldRecipe(seed) }
        let basis = chance.of(all)
        return WorldRecipe(seed, basis: basis.name, expects: basis.isProperty)
    }

    /// The scenario that a recipe names.
    package func basis(of recipe: WorldRecipe) -> WorldBasis? {
        recipe.basis.flatMap { name in all.first { $0.name == name } }
    }
}
