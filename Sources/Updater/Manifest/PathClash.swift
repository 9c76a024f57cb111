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
        let keys = rows.indices.map { key(rows[$0].packagePathBytes) }
        let sorted = keys.sorted()
        guard sorted.first == unusual || zip(sorted, sorted.dropFirst()).contains(where: { $0 == $1 }) else {
            return
        }
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

    /// The same for all spellings of an ASCII path (FNV-1a); ``unusual`` for any other.
    private static func key(_ path: Substring.UTF8View) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in path {
            if byte >= 0x80 { return unusual }
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            hash = (hash ^ UInt64(isCapital ? byte | 0x20 : byte)) &* 0x100_0000_01b3
        }
        return hash | 1
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
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
