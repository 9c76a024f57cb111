/// Which words of the language a world may use, and how often: swarm testing (Groce et al., ISSTA 2012). A
/// world in which everything can happen is much like any other such world; one that has nothing but faults of
/// the disk and two kinds of kill goes further in that direction.
///
/// A word's coin is tossed by its name, not in an order, so that a new word of the language leaves all other
/// words of a world as they are.
struct Swarm: Sendable {
    private let seed: UInt64
    /// Share of the words that the world has, of 100.
    private let share: Int

    init(_ chance: inout Chance) {
        seed = chance.next()
        share = chance.of([20, 35, 50, 70, 90])
    }

    /// - Parameter share: share of the words that the world has, of 100.
    init(_ chance: inout Chance, share: Int) {
        seed = chance.next()
        self.share = share
    }

    /// All words.
    static let everything = {
        var chance = Chance(seed: 0)
        return Swarm(&chance, share: 100)
    }()

    /// Whether the world has the word.
    /// - Parameter group: what the word belongs to: the title of an object's schema, or a key.
    func has(_ word: String, in group: String) -> Bool {
        var coin = Chance(seed: hash(group, word))
        return coin.below(100) < share
    }

    /// How often the word is drawn, compared with others of its group: 1, 2, 4 or 8.
    func weight(_ word: String, in group: String) -> Int {
        var coin = Chance(seed: ~hash(group, word))
        return 1 << coin.below(4)
    }

    /// Of the words those that the world has; all of them if it has none.
    func chosen<Word>(_ words: [Word], in group: String, _ name: (Word) -> String) -> [Word] {
        let own = words.filter { has(name($0), in: group) }
        return own.isEmpty ? words : own
    }

    /// FNV-1a over both names, with the world's own offset.
    private func hash(_ group: String, _ word: String) -> UInt64 {
        var hash = seed ^ 0xCBF2_9CE4_8422_2325
        for byte in [group, word].joined(separator: "\n").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return hash
    }
}
