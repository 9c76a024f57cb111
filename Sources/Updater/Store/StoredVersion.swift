import Core

/// A version whose required files are all on this device: the table, and the location of each asset's
/// content.
struct StoredVersion: Hashable, Sendable {
    var table: VersionTable
    /// Content of each asset, in the order of the assets.
    var storedAssets: [StoredAsset]
    var verification: Verification
    /// Folder of the app package to which `package` paths are relative.
    var packageRoot: DiskPath?

    var key: VersionKey { table.key }

    /// Location of one asset's content.
    struct StoredAsset: Hashable, Sendable {
        enum Location: Hashable, Sendable {
            /// In the store, by its SHA-256.
            case blob(Digest256)
            /// In the app package, relative to the folder of the embedded version.
            case package(String)
            /// An optional asset that the origin did not have (U12).
            case absent
        }

        var location: Location
        /// Size in bytes.
        var size: Int
        /// Strong tag of the response, including quotes: the only way to recognise an asset without a hash
        /// (U2).
        var tag: String?
    }

    /// How much of the content was verified against the manifest when the version was accepted (U1); recorded
    /// and shown.
    enum Verification: String, Hashable, Sendable {
        /// Every byte, against a hash of the manifest.
        case everyByte = "every-byte"
        /// All assets with a hash; the others by length, tag and a second check of the manifest.
        case hashedRows = "hashed-rows"
        /// No asset has a hash: by length and tag if given; the hash was recorded on arrival.
        case atAcceptance = "at-acceptance"
        /// Part of the app package, not verified.
        case package
    }

    var blobs: [Digest256] {
        storedAssets.compactMap { stored in
            if case .blob(let digest) = stored.location { digest } else { nil }
        }
    }

    /// Whether it needs no file of the app package, so that it survives a store update (N1).
    var isSelfContained: Bool {
        storedAssets.allSatisfy { stored in
            if case .package = stored.location { false } else { true }
        }
    }

    func served() -> ServedVersion {
        var files: [ServedFile] = []
        files.reserveCapacity(storedAssets.count)
        for index in storedAssets.indices {
            guard let path = path(storedAssets[index]) else { continue }
            let asset = table.assets[index]
            let stored = storedAssets[index]
            files.append(
                ServedFile(
                    route: asset.route, path: path, size: stored.size, tag: tag(asset, stored),
                    type: asset.type,
                    isImmutable: asset.isImmutable, sourceMap: asset.sourceMap))
        }
        return ServedVersion(key: key, index: table.index, files: files)
    }

    func path(_ stored: StoredAsset) -> DiskPath? {
        switch stored.location {
        case .blob(let digest): StorePaths.blob(digest)
        case .package(let path): packageRoot.map { DiskPath($0.volume, $0.text + "/" + path) }
        case .absent: nil
        }
    }

    private func tag(_ asset: Asset, _ stored: StoredAsset) -> String {
        switch asset.hash {
        case .sha256(let digest): return digest.hex
        case .sha1(let digest): return digest.hex
        case .none:
            if case .blob(let digest) = stored.location { return digest.hex }
            // Embedded and without a hash: the content can only change with the version.
            return key.digest.hex + "-" + String(FNV1a32.hash(of: asset.route), radix: 16)
        }
    }
}
