import Core

/// Content on this device that may be an asset's, although the manifests don't say so: it was accepted
/// without a hash, or its hash is of another kind. It is read, and used if it has the hash that the asset
/// states or that its URL carries (U2).
struct ContentToCompare: Hashable, Sendable {
    var stored: StoredVersion.StoredAsset
    var path: DiskPath
}

extension Asset {
    /// The hash that the content has: the manifest's; otherwise the one that the URL carries (S5), which only
    /// the content can prove.
    var expectedHash: AssetHash { hash == .none ? hashInURL : hash }

    /// Whether content of this size may be the asset's. A row that states another size than its content has
    /// is refused as its file would be, also where the content is here.
    func mayHaveSize(_ size: Int) -> Bool { self.size == nil || self.size == size }

    /// Hash in the path of the URL: a run of 64 or of 40 hexadecimal digits, the last one if there are
    /// several.
    private var hashInURL: AssetHash {
        var found = AssetHash.none
        let path = URLParts(url).path.utf8
        for run in path.split(whereSeparator: { Hex.value(ofDigit: $0) == nil }) {
            let text = String(Substring(run))
            if let digest = Digest256(hex: text) {
                found = .sha256(digest)
            } else if let digest = Digest160(hex: text) {
                found = .sha1(digest)
            }
        }
        return found
    }
}

extension Updater {
    /// Content of the same route in other versions, by its SHA-256: that of a row without a hash.
    func storedBlob(for asset: Asset) -> StoredVersion.StoredAsset? {
        guard case .sha256(let digest) = asset.expectedHash else { return nil }
        for version in versions.all.reversed() {
            guard let index = version.table.index(ofRoute: asset.route) else { continue }
            let stored = version.storedAssets[index]
            if stored.location == .blob(digest), isTrusted(digest), asset.mayHaveSize(stored.size) {
                return stored
            }
        }
        return nil
    }

    /// Content that is to be read before the asset is requested, of the newest version first.
    func contentToCompare(with asset: Asset) -> [ContentToCompare] {
        let wanted = asset.expectedHash
        if wanted == .none { return [] }
        var found: [ContentToCompare] = []
        for version in versions.all.reversed() {
            guard let index = version.table.index(ofRoute: asset.route),
                let path = version.path(version.storedAssets[index]),
                mayBeEqual(version.storedAssets[index], version.table.assets[index].hash, wanted),
                asset.mayHaveSize(version.storedAssets[index].size),
                !found.contains(where: { $0.path == path })
            else { continue }
            found.append(ContentToCompare(stored: version.storedAssets[index], path: path))
        }
        return found
    }

    /// Whether only the bytes can tell if the content has the hash.
    private func mayBeEqual(_ stored: StoredVersion.StoredAsset, _ known: AssetHash, _ wanted: AssetHash)
        -> Bool
    {
        switch (stored.location, wanted) {
        case (.absent, _), (_, .none), (.blob, .sha256): return false
        case (.blob(let digest), .sha1):
            if case .sha1 = known { return false }
            return isTrusted(digest)
        case (.package, .sha256): if case .sha256 = known { return false } else { return true }
        case (.package, .sha1): if case .sha1 = known { return false } else { return true }
        }
    }

    /// Reads a chunk of the first content that is to be compared.
    /// - Returns: nil if it is the asset's; the rest otherwise, without this content if it is not.
    mutating func stepComparison(_ reading: PartialReading, _ asset: Asset, _ disk: inout some Disk)
        -> PartialReading?
    {
        var reading = reading
        guard let content = reading.contents?.first else { return reading }
        do throws(DiskError) {
            let file: FileHandle
            if let open = reading.file {
                file = open
            } else {
                file = try disk.open(content.path, .read)
            }
            reading.file = file
            let chunk = try disk.read(file, at: reading.offset, count: FileReading.backgroundChunkSize)
            reading.sha256.update(chunk)
            reading.sha1.update(chunk)
            reading.offset += chunk.count
            if chunk.count == FileReading.backgroundChunkSize { return reading }
        } catch {
            // It can't be read now: the asset is requested.
            reading.offset = -1
        }
        if let file = reading.file { disk.closeQuietly(file) }
        let isSame =
            reading.offset == content.stored.size
            && asset.expectedHash.matches(reading.sha256, reading.sha1) == true
        // Its version may have left while it was read, and been removed with its content.
        guard isSame, contentToCompare(with: asset).contains(where: { $0.path == content.path }) else {
            return reading.withoutFirstContent
        }
        download?.markAvailable(reading.assetIndex, content.stored)
        reportProgress()
        fetchMore()
        return nil
    }
}

extension PartialReading {
    /// The next content is read from its beginning, or the partial file.
    fileprivate var withoutFirstContent: PartialReading {
        var rest = PartialReading(assetIndex: assetIndex, key: key)
        rest.contents = Array((contents ?? []).dropFirst())
        return rest
    }
}
