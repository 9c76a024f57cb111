import Core

/// One of several parts of a selection that machines run side by side. Which part a scenario belongs to
/// is decided by its id alone: not by what else is selected, nor by what was added since.
package struct Shard: Hashable, Sendable {
    /// From 1.
    package var number: Int
    package var count: Int

    package init(number: Int, of count: Int) {
        self.number = number
        self.count = count
    }

    package func holds(id: String) -> Bool {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0, high: 0))
        hash.update(id)
        return hash.finish() % UInt64(max(1, count)) == UInt64(number - 1)
    }
}
