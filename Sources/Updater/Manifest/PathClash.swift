import Core

/// Files of a manifest whose paths are one name to a volume that folds case or Unicode form, and that are not
/// the same content (U10). The store knows digests only (storage.md), so a downloaded version would do; but
/// packaged on such a volume one of the two files would be lost. Refused on every device alike, so that what
/// was taken over the air can also be shipped.
///
/// Deliberately not here: routes, which are bytes everywhere (HT-F6): `/Logo.png` and `/logo.png` may both be
/// there for one content.
enum PathClash {
    static func check(_ rows: [Row]) throws(ManifestRefusal) {
        let keys = rows.indices.map { rows[$0].withPackagePath { key($0) } }
        if areApart(keys) { return }
        let sorted = keys.sorted()
        // The Kelvin sign is a "k", and a sharp s two letters: what folds into ASCII meets plain names.
        let plain = keys.indices.filter { keys[$0] == unusual }
            .map { key(Substring(folded(rows[$0].packagePath)).utf8) }.sorted()
        // Few rows come here: those beyond ASCII, what such a one folds into, and those that share a key.
        var suspects: [(text: String, number: Int)] = []
        for (number, key) in keys.enumerated()
        where key == unusual || isTwice(key, sorted) || has(key, plain) {
            suspects.append((folded(rows[number].packagePath), number))
        }
        suspects.sort { $0.text == $1.text ? $0.number < $1.number : $0.text < $1.text }
        for (one, other) in zip(suspects, suspects.dropFirst()) where one.text == other.text {
            let (first, second) = (rows[one.number], rows[other.number])
            guard !isOneFile(first, second) else { continue }
            throw ManifestRefusal(
                .manifestPathsClash,
                "path=\(first.packagePath.prefix(200)) other=\(second.packagePath.prefix(200))")
        }
    }

    /// One path may stand under two routes; another spelling of it must be the same content by its hash.
    private static func isOneFile(_ first: Row, _ second: Row) -> Bool {
        if first.hash == second.hash, first.hash != .none { return true }
        guard TextBytes.areEqual(first.packagePath, second.packagePath) else { return false }
        return first.hash == .none || second.hash == .none
    }

    /// Swift compares texts by canonical equivalence, which is what such a volume does.
    private static func folded(_ path: String) -> String { path.uppercased().lowercased() }

    private static let unusual: UInt64 = 0

    /// No key is there twice, and none is ``unusual``: what all real manifests are. An open table, at most
    /// half full.
    private static func areApart(_ keys: [UInt64]) -> Bool {
        var count = 16
        while count < keys.count &* 2 { count &*= 2 }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { slots in
            slots.initialize(repeating: unusual)
            for key in keys {
                if key == unusual { return false }
                var place = Int(truncatingIfNeeded: key &>> 20) & (count &- 1)
                while slots[place] != unusual {
                    if slots[place] == key { return false }
                    place = (place &+ 1) & (count &- 1)
                }
                slots[place] = key
            }
            return true
        }
    }

    /// The same for all spellings of an ASCII path; ``unusual`` for any other. A bit that tells a letter from
    /// its capital is left out of every byte: what else that makes equal is told apart later.
    private static func key(_ path: Substring.UTF8View) -> UInt64 {
        path.withContiguousStorageIfAvailable { key($0) } ?? Array(path).withUnsafeBufferPointer { key($0) }
    }

    private static func key(_ path: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(path)
        var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(path.count)
        var place = 0
        var beyond: UInt64 = 0
        while place &+ 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            beyond |= word
            hash = mixed(hash ^ (word | 0x2020_2020_2020_2020))
            place &+= 8
        }
        var rest: UInt64 = 0
        while place < raw.count {
            rest = rest &<< 8 | UInt64(raw[place])
            place &+= 1
        }
        beyond |= rest
        if beyond & 0x8080_8080_8080_8080 != 0 { return unusual }
        hash = mixed(hash ^ (rest | 0x2020_2020_2020_2020))
        return hash | 1
    }

    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0xff51_afd7_ed55_8ccd
        return product ^ product &>> 32
    }

    private static func isTwice(_ key: UInt64, _ sorted: [UInt64]) -> Bool {
        let low = place(of: key, sorted)
        return low + 1 < sorted.count && sorted[low + 1] == key
    }

    private static func has(_ key: UInt64, _ sorted: [UInt64]) -> Bool {
        let low = place(of: key, sorted)
        return low < sorted.count && sorted[low] == key
    }

    /// Of the first that is no smaller.
    private static func place(of key: UInt64, _ sorted: [UInt64]) -> Int {
        sorted.indices.bisected { sorted[$0] < key }
    }
}
