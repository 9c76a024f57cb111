import Core

/// The entries of a list of finished assets in the order of their keys, for the plan of a download, which
/// looks for each of its assets. The order is computed at the first lookup after a change of the list, so a
/// plan costs n log n comparisons.
struct FinishedAssetsByKey: Sendable {
    /// Indices of all entries, by key; of equal keys the last entry is last.
    private var order: [Int32] = []
    /// Number of keys that were compared so far.
    private(set) var comparisons = 0

    /// The list has changed.
    mutating func invalidate() { order = [] }

    /// The last entry of a key.
    mutating func stored(_ key: Digest256, in list: FinishedAssets) -> StoredVersion.StoredAsset? {
        if order.count != list.entries.count { sort(list.entries) }
        let next = order.indices.bisected {
            comparisons += 1
            return list.entries[Int(order[$0])].key <= key
        }
        guard next > 0 else { return nil }
        let entry = list.entries[Int(order[next - 1])]
        return entry.key == key ? entry.stored : nil
    }

    private mutating func sort(_ entries: [FinishedAssets.Entry]) {
        order = entries.indices.map { Int32(truncatingIfNeeded: $0) }
        var comparisons = 0
        order.sort { left, right in
            comparisons += 1
            let (one, other) = (entries[Int(left)].key, entries[Int(right)].key)
            return one == other ? left < right : one < other
        }
        self.comparisons += comparisons
    }
}
