import Core

/// One of several parts of a selection, which several machines run in parallel. Without costs the part of a
/// scenario depends on its id alone, not on other scenarios.
package struct Shard: Hashable, Sendable {
    /// Ordinal of the shard, from 1.
    package var ordinal: Int
    package var count: Int
    /// Digest of the costs by which the shards are balanced (``ShardCosts``); nil: they are not.
    package var costsDigest: UInt64?

    package init(ordinal: Int, of count: Int) {
        self.ordinal = ordinal
        self.count = count
    }

    /// The ids of a selection that this shard has.
    /// - Parameter costs: balance the shards; nil: a hash of the id decides.
    package func ids(among all: [String], _ costs: ShardCosts?) -> Set<String> {
        costs?.names(of: self, among: all) ?? Set(all.filter(holds))
    }

    private func holds(id: String) -> Bool {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0, high: 0))
        hash.update(id)
        return hash.finish() % UInt64(max(1, count)) == UInt64(ordinal - 1)
    }
}
