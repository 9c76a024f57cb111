import Backend
import Core

/// All random choices. Each is a keyed hash of the seed, a family, its cause, and the number of earlier
/// choices of the same cause. There is no stream of random numbers, so removing one event from a run changes
/// no choice of another cause.
struct RandomChoices: Equatable, Sendable {
    /// What a choice is for.
    enum Family: UInt64, Sendable {
        case entropy = 1
        case diskNames
        case tie
        case damage
        case corruption
        case powerCut
    }

    private let seed: UInt64
    private var counts: [Count] = []

    private struct Count: Equatable, Sendable {
        let cause: UInt64
        var drawn: UInt64
    }

    init(seed: UInt64) { self.seed = seed }

    /// The next choice of a cause, which these integers name.
    mutating func draw(_ family: Family, _ cause: UInt64...) -> UInt64 {
        draw(family, text: "", cause)
    }

    /// A choice that is always the same for a cause: for events that must keep their order among themselves.
    func fixed(_ family: Family, _ cause: UInt64...) -> UInt64 {
        var hash = KeyedHash(key: KeyedHash.Key(low: seed, high: family.rawValue))
        for word in cause { hash.update(word) }
        return hash.finish()
    }

    /// The next choice of a cause that has a name.
    mutating func draw(_ family: Family, named name: String, _ cause: UInt64...) -> UInt64 {
        draw(family, text: name, cause)
    }

    /// Adds the number of choices of each cause.
    func add(to sum: inout Fingerprint) {
        for count in counts {
            sum.add(count.cause)
            sum.add(count.drawn)
        }
    }

    private mutating func draw(_ family: Family, text: String, _ cause: [UInt64]) -> UInt64 {
        var hash = KeyedHash(key: KeyedHash.Key(low: seed, high: family.rawValue))
        hash.update(text)
        for word in cause { hash.update(word) }
        let name = hash.finish()
        hash.update(occurrence(of: name))
        return hash.finish()
    }

    private mutating func occurrence(of cause: UInt64) -> UInt64 {
        let low = counts.indices.bisected { counts[$0].cause < cause }
        if low < counts.count, counts[low].cause == cause {
            counts[low].drawn += 1
        } else {
            counts.insert(Count(cause: cause, drawn: 1), at: low)
        }
        return counts[low].drawn
    }
}
