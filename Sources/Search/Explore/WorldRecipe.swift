/// How a world is made again: it is drawn from a seed, it is a scenario of a file with steps drawn from a
/// seed, or it is the beginning of another world with other steps after it.
///
/// Promises: an equal recipe gives an equal world in every process of one program; its text is read back
/// equal. A recipe says nothing about a world to people: they get its file.
package struct WorldRecipe: Hashable, Sendable {
    /// Other steps after the first ones of a world.
    package struct Branch: Hashable, Sendable {
        /// Number of the first steps that are kept.
        package var kept: Int
        /// Seed of the steps after them.
        package var seed: UInt64
    }

    /// Seed of the app, its versions and the first steps.
    package var seed: UInt64
    package var branches: [Branch] = []
    /// Name of the scenario that the world is made of (``WorldBasis``); nil: none, all is drawn.
    package var basis: String?
    /// Whether that is a property, whose expectations are judged.
    package var expects: Bool

    package init(_ seed: UInt64, basis: String? = nil, expects: Bool = false) {
        (self.seed, self.basis, self.expects) = (seed, basis, expects)
    }

    /// Seed of its last part.
    var lastSeed: UInt64 { branches.last?.seed ?? seed }

    /// The world of this recipe with other steps after the first ones.
    package func branched(after kept: Int, _ seed: UInt64) -> WorldRecipe {
        var recipe = self
        recipe.branches.append(Branch(kept: kept, seed: seed))
        return recipe
    }

    /// The world that its last part continues; nil if it continues none.
    var beginning: (recipe: WorldRecipe, kept: Int)? {
        guard let last = branches.last else { return nil }
        var recipe = self
        recipe.branches.removeLast()
        return (recipe, last.kept)
    }

    /// `17`, `17/9:204`, `17@network/busy-origin`, `17@@properties/once-confirmed`: the seed; then for each
    /// branch the number of kept steps and its seed; the scenario at the end, a property behind two signs.
    package var text: String {
        (["\(seed)"] + branches.map { "\($0.kept):\($0.seed)" }).joined(separator: "/")
            + (basis.map { (expects ? "@@" : "@") + $0 } ?? "")
    }

    /// - Returns: nil if the text is not of the form of ``text``.
    package init?(_ text: String) {
        let sides = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = sides[0].split(separator: "/", omittingEmptySubsequences: false)
        guard let seed = UInt64(parts[0]) else { return nil }
        let name = sides.count > 1 ? sides[1] : nil
        let expects = name?.first == "@"
        self.init(seed, basis: name.map { String(expects ? $0.dropFirst() : $0) }, expects: expects)
        for part in parts.dropFirst() {
            let numbers = part.split(separator: ":", omittingEmptySubsequences: false)
            guard numbers.count == 2, let kept = Int(numbers[0]), let seed = UInt64(numbers[1]), kept >= 0
            else { return nil }
            branches.append(Branch(kept: kept, seed: seed))
        }
    }
}
