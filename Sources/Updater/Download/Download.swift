import Core

/// The one download in progress: the assets of a version, the state of each, and the transfers.
struct Download: Sendable {
    enum AssetState: Hashable, Sendable {
        /// Not inspected yet.
        case unknown
        /// Stored or in the app package.
        case available(StoredVersion.StoredAsset)
        case needed
        case active(TransferID)
        /// Complete in `partial/`; being synced and moved into place.
        case finishing

        var isUnknown: Bool { if case .unknown = self { true } else { false } }

        var isAvailable: Bool { if case .available = self { true } else { false } }

        var isNeeded: Bool { if case .needed = self { true } else { false } }
    }

    var table: VersionTable
    /// The manifest's bytes as received; stored with the version.
    var manifest: [UInt8]
    var assets: DownloadAssets
    /// Its assets in the order of their hashes.
    let assetsByHash: AssetsByHash
    /// Those of the versions on this device, while the assets are being inspected.
    var knownAssets: KnownAssets?
    var transfers: [FileTransfer] = []
    /// When the completion of the download (table and record) may be tried again.
    var completionBackoff = Backoff()
    /// The embedded version's index (Meteor): the app's id in it, and where it leads.
    var embeddedIndex: MeteorIndex?
    /// The data policy pauses the download (U15); logged once.
    var isPausedByPolicy = false
    /// A file was missing or differed from what was announced: the manifest is requested again before the
    /// next attempt.
    var needsManifest = false
    /// After a mismatch, requests tell caches on the way to ask the origin.
    var bypassesCache = false
    /// The origin still offers this version (U1).
    var isConfirmed = false
    /// A check has failed since optional assets failed too often.
    private var needsOptionalRetry = false
    var isCompleting = false
    /// A download before this one, of this process or an earlier one, may have left parts of its files.
    var mayHaveParts = false
    /// The version has been made current: its last damaged file was repaired, and with that it was whole.
    var isTakenUp = false
    /// There was no room for it, and what is out of use has been removed since.
    var hasMadeRoom = false
    /// The durable record names the download, and all assets have been inspected.
    var isPlanned = false

    /// The disk refused to tell what is stored: the assets are inspected later.
    var isPlanPutOff = false

    /// Received files that may wait for their syncs at the same time.
    static let mostFinishing = 16
    /// How often an optional asset may be refused for good, or come with other bytes than announced, until it
    /// counts as missing (U12).
    static let maxOptionalRefusals = 3
    /// Attempts in a row without a new byte after which an optional asset that fails for the time being
    /// counts as missing, if the origin answers a check then (U12).
    static let maxOptionalFailures = 5

    init(table: VersionTable, manifest: [UInt8]) {
        self.table = table
        self.manifest = manifest
        assetsByHash = AssetsByHash(table.assets)
        assets = DownloadAssets(table.assets, assetsByHash)
    }

    var assetStates: [AssetState] { assets.states }

    /// Content that this download has found or stored.
    var blobs: [Digest256] {
        var digests: [Digest256] = []
        for state in assetStates {
            if case .available(let stored) = state, case .blob(let digest) = stored.location {
                digests.append(digest)
            }
        }
        return digests
    }

    var isComplete: Bool { assets.availableCount == assets.count }

    var progress: DownloadProgress {
        var done = assets.bytesDone
        for transfer in transfers where table.assets[transfer.assetIndex].size != nil {
            done += transfer.offset
        }
        return DownloadProgress(
            version: table.key, filesDone: assets.availableCount, files: assets.count, bytesDone: done,
            bytes: assets.totalBytes)
    }

    /// Bytes that are still to be received (``DownloadAssets/missingBytes(_:)``).
    var missingBytes: UntrustedInteger { assets.missingBytes(table.assets) }

    /// Whether some required asset has no hash to be verified against (U1).
    var hasUnhashedAssets: Bool { table.assets.contains { $0.hash == .none && !$0.isOptional } }

    // MARK: Course of an asset

    /// The partial file of this name has been removed.
    mutating func partRemoved(_ key: Digest256) {
        guard let index = table.assets.indices.first(where: { table.partialKey($0) == key }) else { return }
        assets.discarded(index)
    }

    /// The transfer ends, and the asset is in this state from now on.
    mutating func endTransfer(at index: Int, _ state: AssetState) {
        assets.set(state, at: transfers[index].assetIndex)
        transfers.remove(at: index)
    }

    /// All transfers end, without their files.
    mutating func endTransfers() {
        for transfer in transfers { assets.set(.needed, at: transfer.assetIndex) }
        transfers = []
    }

    mutating func markAvailable(_ assetIndex: Int, _ stored: StoredVersion.StoredAsset) {
        assets.set(.available(stored), at: assetIndex)
        assets.changeBackoff(of: assetIndex) { $0.reset() }
    }

    // MARK: Optional assets that keep failing

    private func hasFailedTooOften(_ index: Int) -> Bool {
        assets.states[index].isNeeded && table.assets[index].isOptional
            && assets.backoffs[index].attempts >= Download.maxOptionalFailures
    }

    /// Whether only optional assets are missing that have failed too often.
    var lacksOnlyFailedOptional: Bool {
        let missing = assets.count - assets.availableCount
        return missing > 0 && assets.failing.count >= missing && failedOptional.count == missing
    }

    /// Indices of the optional assets that have failed too often.
    var failedOptional: [Int] { assets.failing.filter(hasFailedTooOften) }

    /// A check failed: the failures of optional assets may have the same reason.
    mutating func checkFailed() { needsOptionalRetry = needsOptionalRetry || lacksOnlyFailedOptional }

    /// Allows one more attempt of each optional asset that failed, if a check has failed since.
    /// - Returns: whether it is allowed.
    mutating func retryOptional() -> Bool {
        defer { needsOptionalRetry = false }
        guard needsOptionalRetry else { return false }
        for index in failedOptional {
            assets.changeBackoff(of: index) { $0.allowOneMore(of: Download.maxOptionalFailures) }
        }
        return true
    }

    // MARK: Attempts

    /// When the first of the failed files is due again.
    var firstRetry: Instant? { earliest { _ in true } }

    /// When the first of the failed files that are not due is due again.
    func nextRetry(after now: Instant) -> Instant? { earliest { $0 > now } }

    private func earliest(_ isWanted: (Instant) -> Bool) -> Instant? {
        var first: Instant?
        for index in assets.failing where assets.states[index].isNeeded {
            guard let until = assets.backoffs[index].notBefore, isWanted(until) else { continue }
            first = min(first ?? until, until)
        }
        return first
    }

    /// Takes the URLs of a newer manifest of the same version, because links may have expired.
    mutating func adopt(_ newer: VersionTable, _ bytes: [UInt8]) {
        guard newer.key == table.key, newer.assets.count == table.assets.count else { return }
        table = newer
        manifest = bytes
        assets.adopt(newer.assets)
    }
}

extension VersionTable {
    /// Name of the asset's partial file: by its hash, or by version and URL if it has none.
    func partialKey(_ index: Int) -> Digest256 {
        switch assets[index].hash {
        case .sha256(let digest): return SHA256.hash(of: digest)
        case .sha1(let digest): return SHA256.hash(of: digest.bytes)
        case .none:
            let asset = assets[index]
            return SHA256.hash(of: Array((key.digest.hex + asset.url).utf8))
        }
    }
}

/// One file that is being received into `partial/`.
struct FileTransfer: Sendable {
    var id: TransferID
    var assetIndex: Int
    var key: Digest256
    /// The request as it was last sent; a redirect changes its URL.
    var request: OriginRequest
    var redirects = 0
    /// Content of a stored version for this asset, if only a strong tag can prove that it is unchanged (U2).
    var stored: StoredVersion.StoredAsset?
    /// Bytes that were here before this request.
    var resumedAt: Int
    var file: FileHandle?
    /// Bytes received, with those that were here before.
    var offset: Int
    /// The last of them, which the disk has not accepted yet.
    var unwritten: [UInt8] = []
    /// Whether the body has ended, and the transfer waits for its last bytes to be written.
    var hasEnded = false
    var sha256: SHA256
    var sha1: SHA1?
    var status = 0
    /// Length of the whole file, as the response announces it with the bytes that were here before.
    var announced: UntrustedInteger?
    var tag: String?
    var lastProgress: Instant
    /// Start of the current minute, for the stall rule (U5); its bytes are in `windowBytes`.
    var windowStart: Instant
    var windowBytes = 0
    /// Bytes of an index that carries its version, kept for the version's verification (U1); at most 1 MiB.
    var indexBytes: [UInt8]?

    var openFile: OpenPartialFile? { file.map { OpenPartialFile(file: $0, key: key) } }

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) {
        lastProgress = lastProgress + span
        windowStart = windowStart + span
    }
}
