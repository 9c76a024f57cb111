/// How a world is made again: it is drawn from a seed, it is a property whose gaps are filled from a seed, or
/// it is the beginning of another world with other steps after it.
///
/// Promises: an equal recipe gives an equal world in every process of one program; its text is read back
/// equal. A recipe says nothing about a world to people: they get its file.
package struct WorldRecipe: Hashable, Sendable {
    /// Steps that were drawn and then left out, because their trigger never came: the lines of each attempt,
    /// as ``DrawnWorld/without(lines:profiles:)`` takes them.
    package typealias LeftOut = [Int]

    /// Other steps after the first ones of a world.
    package struct Branch: Hashable, Sendable {
        /// Number of the first steps that are kept.
        package var kept: Int
        /// Seed of the steps after them.
        package var seed: UInt64
        package var leftOut: LeftOut = []
    }

    /// Seed of the app, its versions and the first steps.
    package var seed: UInt64
    package var leftOut: LeftOut = []
    package var branches: [Branch] = []
    /// Name of the property whose gaps are filled; nil: none, all is drawn.
    package var property: String?

    package init(_ seed: UInt64, property: String? = nil) {
        (self.seed, self.property) = (seed, property)
    }

    /// Seed of its last part.
    var lastSeed: UInt64 { branches.last?.seed ?? seed }

    /// The world of this recipe with other steps after the first ones.
    package func branched(after kept: Int, _ seed: UInt64) -> WorldRecipe {
        var recipe = self
        recipe.branches.append(Branch(kept: kept, seed: seed))
        return recipe
    }

    /// The same without a step of its last part.
    func without(line: Int) -> WorldRecipe {
        var recipe = self
        if recipe.branches.isEmpty {
            recipe.leftOut.append(line)
        } else {
            recipe.branches[recipe.branches.count - 1].leftOut.append(line)
        }
        return recipe
    }

    /// `17`, `17-20/9:204-14`, `17@properties/once-confirmed`: parts with their seeds; each after the first
    /// with the number of kept steps; the lines that are left out after a dash; the property at the end.
    package var text: String {
        func part(_ head: String, _ leftOut: LeftOut) -> String {
            ([head] + leftOut.map { "\($0)" }).joined(separator: "-")
        }
        return ([part("\(seed)", leftOut)] + branches.map { part("\($0.kept):\($0.seed)", $0.leftOut) })
            .joined(separator: "/") + (property.map { "@" + $0 } ?? "")
    }

    /// - Returns: nil if the text is not of the form of ``text``.
    package init?(_ text: String) {
        let sides = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        var parts: [(head: [Substring], leftOut: LeftOut)] = []
        for part in sides[0].split(separator: "/", omittingEmptySubsequences: false) {
            let texts = part.split(separator: "-", omittingEmptySubsequences: false)
            let lines = texts.dropFirst().map { Int($0) }
            guard !lines.contains(nil) else { return nil }
            parts.append(
                (texts[0].split(separator: ":", omittingEmptySubsequences: false), lines.compactMap(\.self)))
        }
        guard let first = parts.first, first.head.count == 1, let seed = UInt64(first.head[0]) else {
            return nil
        }
        self.init(seed, property: sides.count > 1 ? String(sides[1]) : nil)
        leftOut = first.leftOut
        for part in parts.dropFirst() {
            guard part.head.count == 2, let kept = Int(part.head[0]), let seed = UInt64(part.head[1]),
                kept >= 0
            else { return nil }
            branches.append(Branch(kept: kept, seed: seed, leftOut: part.leftOut))
        }
    }
}
