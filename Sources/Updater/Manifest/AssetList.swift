import Core

/// Collects the assets of a manifest: sorted, each route once.
struct AssetList {
    private var assets: [Asset] = []

    mutating func add(_ asset: consuming Asset) { assets.append(asset) }

    /// The assets, sorted by route.
    /// - Parameter mergesDuplicates: equal assets count once, because Meteor lists some files twice.
    /// - Throws: ``ManifestRefusal`` if two different assets have the same route.
    func sorted(mergesDuplicates: Bool) throws(ManifestRefusal) -> [Asset] {
        if isAscending { return assets }
        let ordered = assets.sorted { AssetList.precedes($0.route, $1.route) }
        var result: [Asset] = []
        result.reserveCapacity(ordered.count)
        for asset in ordered {
            if let last = result.last, TextBytes.areEqual(last.route, asset.route) {
                if mergesDuplicates, last.hash == asset.hash { continue }
                throw ManifestRefusal(.manifestRoutesClash, "route=\(asset.route)")
            }
            result.append(asset)
        }
        return result
    }

    /// True for most manifests.
    private var isAscending: Bool {
        assets.indices.dropFirst().allSatisfy { AssetList.precedes(assets[$0 - 1].route, assets[$0].route) }
    }

    /// Byte order, the same on every platform: `String`'s order follows Unicode's normal forms.
    static func precedes(_ left: String, _ right: String) -> Bool {
        TextBytes.precedes(left, right)
    }
}

/// SHA-256 over a version's id and its assets (route, size, hash, optional). Serial, dates, orders and
/// unknown fields are not part of it.
struct ContentDigest: Sendable {
    private var hash = SHA256()
    private var lines: [UInt8]
    private var nextIndex = 0

    init(id: String) {
        lines = Array(id.utf8)
        lines.append(0)
        lines.reserveCapacity(8_192)
    }

    /// Whether all assets have been added.
    func isComplete(_ assets: [Asset]) -> Bool { nextIndex == assets.count }

    /// The digest of what was added.
    var digest: Digest256 {
        var hash = hash
        hash.update(lines)
        return hash.finish()
    }

    /// Adds assets until about this many bytes have been hashed.
    /// - Returns: the bytes that were hashed.
    mutating func add(_ assets: [Asset], atMost count: Int) -> Int {
        var used = 0
        while nextIndex < assets.count, used < count {
            let before = lines.count
            add(assets, at: nextIndex)
            nextIndex += 1
            used += lines.count - before
            if lines.count >= 6_144 {
                hash.update(lines)
                lines.removeAll(keepingCapacity: true)
            }
        }
        return used
    }

    private mutating func add(_ assets: [Asset], at index: Int) {
        lines.append(contentsOf: assets[index].route.utf8)
        lines.append(0)
        if let size = assets[index].size {
            TextBytes.append(size, to: &lines)
        } else {
            lines.append(0x2d)
        }
        lines.append(0)
        switch assets[index].hash {
        case .sha256(let digest): digest.append(to: &lines)
        case .sha1(let digest): lines.append(contentsOf: digest.bytes)
        case .none: break
        }
        lines.append(assets[index].isOptional ? 1 : 0)
        lines.append(0x0a)
    }
}
