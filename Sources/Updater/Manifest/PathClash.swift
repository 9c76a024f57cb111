import Core

/// Refuses manifests with files whose paths are equal on a volume that folds case or Unicode form, and whose
/// content differs (U10). A downloaded version would work, because the store only knows digests; but packaged
/// on such a volume, one of the two files would be lost. All devices refuse it, so that a version that was
/// accepted over the air can also be shipped.
///
/// Deliberately not here: routes, which are bytes everywhere. `/Logo.png` and `/logo.png` may both
/// exist for one content.
enum PathClash {
    static func check(_ assets: [Asset]) throws(ManifestRefusal) {
        let keys = assets.indices.map { assets.withPackagePath(at: $0) { key($0) } }
        if areDistinct(keys) { return }
        let sorted = keys.sorted()
        // The Kelvin sign folds into "k" and a sharp s into two letters, so such paths can be equal to plain
        // names.
        let plain = keys.indices.filter { keys[$0] == unusual }
            .map { key(Substring(folded(assets[$0].packagePath)).utf8) }.sorted()
        // Only a few assets get here: those with non-ASCII paths, those that such a path folds into, and
        // those that share a key.
        var suspects: [(text: String, index: Int)] = []
        for (index, key) in keys.enumerated()
        where key == unusual || isDuplicate(key, sorted) || contains(key, plain) {
            suspects.append((folded(assets[index].packagePath), index))
        }
        suspects.sort { $0.text == $1.text ? $0.index < $1.index : $0.text < $1.text }
        for (one, other) in zip(suspects, suspects.dropFirst()) where one.text == other.text {
            let (first, second) = (assets[one.index], assets[other.index])
            guard !isOneFile(first, second) else { continue }
            throw ManifestRefusal(
                .manifestPathsClash,
                "path=\(first.packagePath.prefix(200)) other=\(second.packagePath.prefix(200))")
        }
    }

    /// One path may have two routes; another spelling of it must be the same content by its hash.
    private static func isOneFile(_ first: Asset, _ second: Asset) -> Bool {
        if first.hash == second.hash, first.hash != .none { return true }
        guard TextBytes.areEqual(first.packagePath, second.packagePath) else { return false }
        return first.hash == .none || second.hash == .none
    }

    /// Swift compares texts by canonical equivalence, as such a volume does.
    private static func folded(_ path: String) -> String { path.uppercased().lowercased() }

    private static let unusual: UInt64 = 0

    /// Whether no key occurs twice and none is ``unusual``, as in all real manifests. Uses a hash table with
    /// open addressing, at most half full.
    private static func areDistinct(_ keys: [UInt64]) -> Bool {
        var count = 16
        while count < keys.count &* 2 { count &*= 2 }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { slots in
            slots.initialize(repeating: unusual)
            for key in keys {
                if key == unusual { return false }
                var index = Int(truncatingIfNeeded: key &>> 20) & (count &- 1)
                while slots[index] != unusual {
                    if slots[index] == key { return false }
                    index = (index &+ 1) & (count &- 1)
                }
                slots[index] = key
            }
            return true
        }
    }

    /// Equal for all spellings of an ASCII path; ``unusual`` for any other. The bit that distinguishes
    /// letters from capitals is ignored in every byte; other bytes that this makes equal are distinguished
    /// later.
    private static func key(_ path: Substring.UTF8View) -> UInt64 {
        path.withContiguousStorageIfAvailable { key($0) } ?? Array(path).withUnsafeBufferPointer { key($0) }
    }

    private static func key(_ path: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(path)
        var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(path.count)
        var index = 0
        var nonASCII: UInt64 = 0
        while index &+ 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            nonASCII |= word
            hash = mixed(hash ^ (word | 0x2020_2020_2020_2020))
            index &+= 8
        }
        var rest: UInt64 = 0
        while index < raw.count {
            rest = rest &<< 8 | UInt64(raw[index])
            index &+= 1
        }
        nonASCII |= rest
        if nonASCII & 0x8080_8080_8080_8080 != 0 { return unusual }
        hash = mixed(hash ^ (rest | 0x2020_2020_2020_2020))
        return hash | 1
    }

    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0xff51_afd7_ed55_8ccd
        return product ^ product &>> 32
    }

    private static func isDuplicate(_ key: UInt64, _ sorted: [UInt64]) -> Bool {
        let low = lowerBound(of: key, sorted)
        return low + 1 < sorted.count && sorted[low + 1] == key
    }

    private static func contains(_ key: UInt64, _ sorted: [UInt64]) -> Bool {
        let low = lowerBound(of: key, sorted)
        return low < sorted.count && sorted[low] == key
    }

    /// Index of the first key that is not smaller.
    private static func lowerBound(of key: UInt64, _ sorted: [UInt64]) -> Int {
        sorted.indices.bisected { sorted[$0] < key }
    }
}
