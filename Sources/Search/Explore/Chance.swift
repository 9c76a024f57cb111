/// Random choices that follow from a seed alone: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), so that a
/// world is the same on every machine and in every process.
struct Chance: Sendable {
    private(set) var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Choices of their own for a part, so that one part's number of choices does not change another's.
    mutating func split() -> Chance { Chance(seed: next()) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// A number from 0 to `count` - 1; `count` is at least 1.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func whole(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    /// One of the values, of which there is at least one.
    mutating func of<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// The index of one of the weights, whose sum is at least 1.
    mutating func index(by weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if rest < weight { return index }
            rest -= weight
        }
        return weights.count - 1
    }
}
