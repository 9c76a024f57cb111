import Core

/// One of several parts of a selection that machines run side by side. Which part a scenario belongs to
/// is decided by its id alone: not by what else is selected, nor by what was added since.
public struct Shard: Hashable, Sendable {
    /// From 1.
    public var number: Int
    public var count: Int

    public init(number: Int, of count: Int) {
        self.number = number
        self.count = count
    }

    public func holds(id: String) -> Bool {
        var hash = KeyedHash(key: KeyedHash.Key(low: 0, high: 0))
        hash.update(id)
        return hash.finish() % UInt64(max(1, count)) == UInt64(number - 1)
    }
}
