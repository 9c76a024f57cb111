import Core
import World

/// What scenarios or files cost an earlier call, so that the shards of the next one finish together.
///
/// Promises: the shards of one selection, each computed by itself from the same costs, have each unit
/// exactly once; the dearest shard costs at most 4/3 of what the best division would (Graham's bound for
/// "the longest first"). What the earlier call did not have counts as an average unit. Other costs, and a
/// scenario more or less, can move any unit to another shard, which a shard by hash never does.
package struct ShardCosts: Hashable, Sendable {
    /// What a scenario or a file cost; the unit is the same for all of one call.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var cost: Int64

        package init(_ name: String, _ cost: Int64) {
            self.name = name
            self.cost = cost
        }
    }

    private let costs: [String: Int64]
    /// What a unit costs that the earlier call did not have.
    private let average: Int64
    /// Equal for equal costs, so that a merge can tell that all shards had the same.
    package let digest: UInt64

    /// - Parameter entries: those of one name are summed.
    package init(_ entries: [Entry]) {
        var costs: [String: Int64] = [:]
        for entry in entries { costs[entry.name, default: 0] += max(entry.cost, 0) }
        self.costs = costs
        average = costs.isEmpty ? 1 : max(1, costs.values.reduce(0, +) / Int64(costs.count))
        var digest = RollingDigest()
        for (name, cost) in costs.sorted(by: { $0.key < $1.key }) {
            digest.mix(bytes: name.utf8)
            digest.mix(UInt64(cost))
        }
        self.digest = digest.value
    }

    /// Whether nothing is known of what anything cost.
    package var isEmpty: Bool { costs.values.allSatisfy { $0 == 0 } }

    /// The names that a shard has: the dearest first, each to the shard that has cost least so far.
    package func names(of shard: Shard, among all: some Sequence<String>) -> Set<String> {
        let units = Set(all).map { Entry($0, costs[$0] ?? average) }
            .sorted { ($1.cost, $0.name) < ($0.cost, $1.name) }
        var sums = [Int64](repeating: 0, count: max(1, shard.count))
        var own: Set<String> = []
        for unit in units {
            var least = 0
            for index in sums.indices where sums[index] < sums[least] { least = index }
            sums[least] += unit.cost
            if least == shard.ordinal - 1 { own.insert(unit.name) }
        }
        return own
    }
}

extension RunResults {
    /// What each scenario took, by id; of a search nothing.
    package var costsByID: [ShardCosts.Entry] {
        search == nil ? scenarios.map { .init($0.id, $0.wall.microseconds) } : []
    }

    /// What the scenarios of each file took, or what a search took in each file.
    package var costsByFile: [ShardCosts.Entry] {
        if let search { return search.costs }
        return scenarios.map { .init($0.file, $0.wall.microseconds) }
    }
}
