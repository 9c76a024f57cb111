import Core

/// One of several parts of a selection, which several machines run in parallel. The part of a scenario
/// depends on its id alone, not on other scenarios.
package struct Shard: Hashable, Sendable {
    /// Ordinal of the shard, from 1.
    package var ordinal: Int
    package var count: Int

    package init(ordinal: Int, of count: Int) {
        self.ordinal = ordinal
        self.count = count
    }

    package func holds(id: String) -> Bool {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0, high: 0))
        hash.update(id)
        return hash.finish() % UInt64(max(1, count)) == UInt64(ordinal - 1)
    }
}
