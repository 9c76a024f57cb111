import Core

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
