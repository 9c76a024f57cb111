import Core

/// The assets of a table in the order of their hashes, so that those of equal content are found without
/// reading the others. Assets without a hash are left out.
struct AssetsByHash: Sendable {
    /// The first eight bytes of each hash, with the asset's index, in ascending order.
    private let entries: [(prefix: UInt64, index: Int32)]

    init(_ assets: [Asset]) {
        var entries: [(prefix: UInt64, index: Int32)] = []
        for index in assets.indices {
            if let prefix = assets[index].hash.prefix { entries.append((prefix, Int32(index))) }
        }
        self.entries = entries.sorted { ($0.prefix, $0.index) < ($1.prefix, $1.index) }
    }

    /// For each asset the index of the first one that has its content: its own where no other has, or where
    /// it has no hash.
    /// - Parameter assets: those that the order was made of.
    func firstsOfContent(_ assets: [Asset]) -> [Int32] {
        var firsts = assets.indices.map { Int32($0) }
        for (previous, entry) in zip(entries, entries.dropFirst()) where entry.prefix == previous.prefix {
            // Other hashes that begin alike may be in between; then each of these is its own first.
            let isSame = assets[Int(entry.index)].hash == assets[Int(previous.index)].hash
            if isSame { firsts[Int(entry.index)] = firsts[Int(previous.index)] }
        }
        return firsts
    }

    /// Indices of the assets whose content has this hash, in ascending order.
    /// - Parameter assets: those that the order was made of.
    func indices(of hash: AssetHash, in assets: [Asset]) -> [Int] {
        guard let prefix = hash.prefix else { return [] }
        var found: [Int] = []
        let first = entries.indices.bisected { entries[$0].prefix < prefix }
        for entry in entries[first...] {
            guard entry.prefix == prefix else { break }
            if assets[Int(entry.index)].hash == hash { found.append(Int(entry.index)) }
        }
        return found
    }
}

extension AssetHash {
    fileprivate var prefix: UInt64? {
        switch self {
        case .sha256(let digest): digest.words.0
        case .sha1(let digest): digest.words.0
        case .none: nil
        }
    }
}

/// The assets of several versions in the order of their hashes.
struct KnownAssets: Sendable {
    private let versions: [(key: VersionKey, count: Int, assets: AssetsByHash)]

    init(_ versions: [StoredVersion]) {
        self.versions = versions.map {
            (key: $0.key, count: $0.table.assets.count, assets: AssetsByHash($0.table.assets))
        }
    }

    /// Whether these are the assets of these versions, in the same order.
    func areOf(_ versions: [StoredVersion]) -> Bool {
        guard versions.count == self.versions.count else { return false }
        return versions.indices.allSatisfy { index in
            self.versions[index].key == versions[index].key
                && self.versions[index].count == versions[index].table.assets.count
        }
    }

    /// Index of the first asset of a version whose content has this hash.
    func firstAsset(with hash: AssetHash, of version: Int, _ versions: [StoredVersion]) -> Int? {
        self.versions[version].assets.indices(of: hash, in: versions[version].table.assets).first
    }
}
