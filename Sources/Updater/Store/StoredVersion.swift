import Core

/// A version whose every required file is on this device: the table, and where each row's content lies.
struct StoredVersion: Hashable, Sendable {
    var table: VersionTable
    /// One per row, in the rows' order.
    var places: [Place]
    var verification: Verification
    /// Folder of the app package that `package` places are relative to.
    var packageRoot: DiskPath?

    var key: VersionKey { table.key }

    /// Where the content of one row lies.
    struct Place: Hashable, Sendable {
        enum Location: Hashable, Sendable {
            /// In the store, under its SHA-256.
            case blob(Digest256)
            /// In the app package, relative to its folder of the embedded version.
            case package(String)
            /// An optional row that the origin did not have (U12).
            case absent
        }

        var location: Location
        /// Bytes.
        var size: Int
        /// The strong tag it came with, quotes included: all that can recognise a row without a hash (U2).
        var tag: String?
    }

    /// How far the bytes could be checked against the manifest when the version was accepted (U1); recorded
    /// and shown.
    enum Verification: String, Hashable, Sendable {
        /// Every byte against a hash of the manifest.
        case everyByte = "every-byte"
        /// All rows with a hash; the others by length, tag and a second look at the manifest.
        case hashedRows = "hashed-rows"
        /// No row has a hash: by length and tag where given; the hash was recorded when it came.
        case atAcceptance = "at-acceptance"
        /// Part of the app package.
        case package
    }

    /// What can be promised of it, as the log tells it.
    var promises: String {
        var promises = VerificationSummary(table)
        promises.verified = verification
        return promises.text
    }

    var blobs: [Digest256] {
        places.compactMap { place in
            if case .blob(let digest) = place.location { digest } else { nil }
        }
    }

    /// Needs no file of the app package, so that it survives a store update (N1).
    var isSelfContained: Bool {
        places.allSatisfy { place in
            if case .package = place.location { false } else { true }
        }
    }

    func served() -> ServedVersion {
        var files: [ServedFile] = []
        files.reserveCapacity(places.count)
        for number in places.indices {
            guard let path = path(places[number]) else { continue }
            let row = table.rows[number]
            let place = places[number]
            files.append(
                ServedFile(
                    route: row.route, path: path, size: place.size, tag: tag(row, place), type: row.type,
                    isImmutable: row.isImmutable, sourceMap: row.sourceMap))
        }
        return ServedVersion(key: key, index: table.index, files: files)
    }

    func path(_ place: Place) -> DiskPath? {
        switch place.location {
        case .blob(let digest): StorePaths.blob(digest)
        case .package(let path): packageRoot.map { DiskPath($0.volume, $0.text + "/" + path) }
        case .absent: nil
        }
    }

    private func tag(_ row: Row, _ place: Place) -> String {
        switch row.hash {
        case .sha256(let digest): return digest.hex
        case .sha1(let digest): return digest.hex
        case .none:
            if case .blob(let digest) = place.location { return digest.hex }
            // Embedded and without a hash: the content can only change with the version.
            return key.digest.hex + "-" + String(FNV1a32.hash(of: row.route), radix: 16)
        }
    }
}
