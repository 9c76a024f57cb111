/// The worlds that were the first to reach something, and how much effort each gets.
///
/// A search that only draws new worlds reaches what is near the beginning of a world again and again. So the
/// beginning of a world that reached something new is kept, up to the step at which it did, and continued in
/// other ways (as greybox fuzzers do with inputs: Böhme et al., CCS 2016). How often depends on what it has
/// yielded: a kept beginning from which nothing new comes loses its turns to the others.
///
/// Promises: which worlds come next depends on the seed and on the outcomes of earlier rounds alone, so that
/// a search finds the same on any number of workers.
package struct KeptWorlds: Sendable {
    private struct Kept: Sendable {
        var recipe: WorldRecipe
        /// Number of its first steps.
        var steps: Int
        /// Worlds that continued it, and how many things those reached first.
        var tries = 0
        var yield = 0

        /// More for what has yielded much in few tries; 1 at least, so that nothing is given up for good.
        var weight: Int { max(1, 64 * (1 + yield) / (1 + tries)) }
    }

    /// A world of the next round.
    package struct Planned: Hashable, Sendable {
        package var recipe: WorldRecipe
        /// Index of the beginning that it continues; nil for a world drawn from a seed of its own.
        fileprivate var parent: Int?

        /// Whether it is run from the same beginning as another one.
        package func isSibling(of other: Planned) -> Bool { parent != nil && parent == other.parent }
    }

    private var chance: Chance
    private var kept: [Kept] = []
    /// Things that were reached so far, cells and others.
    package private(set) var reached: Set<Int> = []
    package var count: Int { kept.count }

    /// Most beginnings that are kept; the one with the least weight gives way.
    static let most = 4_096
    /// Worlds that continue a beginning when its turn comes: they are run from one copy of the world at its
    /// end (``WorldTrial``).
    static let branchesInTurn = 4
    /// Most beginnings of one world.
    static let mostOfWorld = 3
    /// Steps beyond which a world is not continued, because the copy of its run costs a run of all steps
    /// before.
    static let mostSteps = 60
    /// Most parts of a recipe.
    static let mostBranches = 12

    package init(seed: UInt64) { chance = Chance(seed: seed ^ 0x6B65_7074) }

    /// The worlds of the next round; those that continue the same beginning follow each other.
    /// - Parameters:
    ///   - count: number of worlds.
    ///   - fresh: recipe of the next world that continues none; nil: there are no more worlds.
    package mutating func plan(_ count: Int, fresh: () -> WorldRecipe?) -> [Planned] {
        var planned: [Planned] = []
        let weights = kept.map(\.weight)
        while planned.count < count {
            // Half of the worlds stay free, because what is kept was near the beginning of the search.
            guard !weights.isEmpty, chance.once(in: KeptWorlds.branchesInTurn + 1) else {
                guard let recipe = fresh() else { break }
                planned.append(Planned(recipe: recipe))
                continue
            }
            let parent = chance.index(by: weights)
            for _ in 0..<min(KeptWorlds.branchesInTurn, count - planned.count) {
                let recipe = kept[parent].recipe.branched(after: kept[parent].steps, chance.next() >> 40)
                planned.append(Planned(recipe: recipe, parent: parent))
            }
        }
        return planned
    }

    /// Takes in the outcomes of a round, in the order of its worlds.
    package mutating func record(_ round: [(planned: Planned, outcome: WorldOutcome)]) {
        var new: [Kept] = []
        for (planned, outcome) in round {
            let first = outcome.discoveries.filter { reached.insert($0.key).inserted }
            if let parent = planned.parent {
                kept[parent].tries += 1
                kept[parent].yield += first.count
            }
            // What a property expects says nothing about other steps after its first ones.
            guard !outcome.recipe.expects,
                outcome.recipe.branches.count < KeptWorlds.mostBranches
            else { continue }
            var lengths: [Int] = []
            for found in first
            where found.steps > 0 && found.steps <= KeptWorlds.mostSteps && !lengths.contains(found.steps) {
                lengths.append(found.steps)
            }
            // The last ones: they are the farthest from what was known.
            new += lengths.sorted().suffix(KeptWorlds.mostOfWorld).map {
                Kept(recipe: outcome.recipe, steps: $0)
            }
        }
        kept += new
        dropSurplus()
    }

    private mutating func dropSurplus() {
        guard kept.count > KeptWorlds.most else { return }
        let surplus = kept.count - KeptWorlds.most
        let least = kept.indices.sorted { (kept[$0].weight, $0) < (kept[$1].weight, $1) }.prefix(surplus)
        let dropped = Set(least)
        kept = kept.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    }
}
