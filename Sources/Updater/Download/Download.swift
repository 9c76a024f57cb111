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

        var isInProgress: Bool {
            switch self {
            case .active, .finishing: true
            case .unknown, .available, .needed: false
            }
        }
    }

    var table: VersionTable
    /// The manifest's bytes as received; stored with the version.
    var manifest: [UInt8]
    var assetStates: [AssetState]
    var transfers: [FileTransfer] = []
    /// Requests made for each asset in this process: the attempt count, which keys random choices.
    var attempts: [Int]
    /// When each asset may be tried again (U5).
    var backoffs: [Backoff]
    /// Highest number of bytes of each asset that were ever here: only bytes beyond it are new.
    var highestOffsets: [Int]
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
    /// An earlier process started this download.
    var isResumed = false
    /// The durable record names the download, and all assets have been inspected.
    var isPlanned = false

    /// The disk refused to tell what is stored: the assets are inspected later.
    var isPlanPutOff = false

    /// Received files that may wait for their syncs at the same time.
    static let mostFinishing = 16
    /// Attempts after which an optional asset that is permanently refused counts as missing (U12).
    static let maxOptionalAttempts = 3
    /// Attempts in a row without a new byte after which an optional asset that fails for the time being
    /// counts as missing, if the origin answers a check then (U12).
    static let maxOptionalFailures = 5

    init(table: VersionTable, manifest: [UInt8]) {
        self.table = table
        self.manifest = manifest
        assetStates = Array(repeating: .unknown, count: table.assets.count)
        attempts = Array(repeating: 0, count: table.assets.count)
        backoffs = Array(repeating: Backoff(), count: table.assets.count)
        highestOffsets = Array(repeating: 0, count: table.assets.count)
    }

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

    var isComplete: Bool {
        assetStates.allSatisfy { state in if case .available = state { true } else { false } }
    }

    var finishingCount: Int { assetStates.count { $0 == .finishing } }

    var filesDone: Int {
        assetStates.reduce(0) { count, state in if case .available = state { count + 1 } else { count } }
    }

    var progress: DownloadProgress {
        var total = 0
        var done = 0
        var isKnown = true
        for index in assetStates.indices {
            guard let size = table.assets[index].size else {
                isKnown = false
                continue
            }
            total += size
            switch assetStates[index] {
            case .available, .finishing: done += size
            case .needed where attempts[index] == 0: done += highestOffsets[index]
            case .unknown, .needed, .active: break
            }
        }
        for transfer in transfers where table.assets[transfer.assetIndex].size != nil {
            done += transfer.offset
        }
        return DownloadProgress(
            version: table.key, filesDone: filesDone, files: assetStates.count, bytesDone: done,
            bytes: isKnown ? total : nil)
    }

    /// Whether some required asset has no hash to be verified against (U1).
    var hasUnhashedAssets: Bool { table.assets.contains { $0.hash == .none && !$0.isOptional } }

    // MARK: Course of an asset

    /// A request for the asset is sent; bytes of it up to this offset are here.
    /// - Returns: the ordinal of the request, from 1.
    mutating func beginTransfer(_ id: TransferID, of assetIndex: Int, from offset: Int) -> Int {
        attempts[assetIndex] += 1
        assetStates[assetIndex] = .active(id)
        highestOffsets[assetIndex] = max(highestOffsets[assetIndex], offset)
        return attempts[assetIndex]
    }

    /// Bytes of the asset have arrived, up to this offset. Those that were here before are not new (U5).
    mutating func received(_ assetIndex: Int, upTo offset: Int) {
        guard offset > highestOffsets[assetIndex] else { return }
        highestOffsets[assetIndex] = offset
        backoffs[assetIndex].receivedNewBytes()
    }

    /// The transfer ends, and the asset is in this state from now on.
    mutating func endTransfer(at index: Int, _ state: AssetState) {
        assetStates[transfers[index].assetIndex] = state
        transfers.remove(at: index)
    }

    /// All transfers end, without their files.
    mutating func endTransfers() {
        for transfer in transfers { assetStates[transfer.assetIndex] = .needed }
        transfers = []
    }

    mutating func markAvailable(_ assetIndex: Int, _ stored: StoredVersion.StoredAsset) {
        assetStates[assetIndex] = .available(stored)
        backoffs[assetIndex].reset()
    }

    // MARK: Optional assets that keep failing

    private func hasFailedTooOften(_ index: Int) -> Bool {
        assetStates[index] == .needed && table.assets[index].isOptional
            && backoffs[index].attempts >= Download.maxOptionalFailures
    }

    /// Whether only optional assets are missing that have failed too often.
    var lacksOnlyFailedOptional: Bool {
        var lacksAny = false
        for index in assetStates.indices {
            if case .available = assetStates[index] { continue }
            guard hasFailedTooOften(index) else { return false }
            lacksAny = true
        }
        return lacksAny
    }

    /// Indices of the optional assets that have failed too often.
    var failedOptional: [Int] { assetStates.indices.filter(hasFailedTooOften) }

    /// A check failed: the failures of optional assets may have the same reason.
    mutating func checkFailed() { needsOptionalRetry = needsOptionalRetry || lacksOnlyFailedOptional }

    /// Allows one more attempt of each optional asset that failed, if a check has failed since.
    /// - Returns: whether it is allowed.
    mutating func retryOptional() -> Bool {
        defer { needsOptionalRetry = false }
        guard needsOptionalRetry else { return false }
        for index in failedOptional { backoffs[index].allowOneMore(of: Download.maxOptionalFailures) }
        return true
    }

    // MARK: Attempts

    /// Whether the asset is to be requested, and has failed since bytes of it came last.
    func isNeeded(_ index: Int, hasFailed: Bool) -> Bool {
        assetStates[index] == .needed && (backoffs[index].attempts > 0) == hasFailed
    }

    /// Everything may be tried at once.
    mutating func resetBackoffs() {
        for index in backoffs.indices { backoffs[index].reset() }
    }

    /// One attempt of everything that is paused is allowed.
    mutating func allowAttempts() {
        for index in backoffs.indices { backoffs[index].allowAttempt() }
    }

    /// When the first of the failed files is due again.
    var firstRetry: Instant? {
        var first: Instant?
        for (state, backoff) in zip(assetStates, backoffs) where state == .needed {
            guard let until = backoff.notBefore else { continue }
            first = min(first ?? until, until)
        }
        return first
    }

    /// When the first of the failed files that are not due is due again.
    func nextRetry(after now: Instant) -> Instant? {
        var next: Instant?
        for (state, backoff) in zip(assetStates, backoffs) where state == .needed {
            guard let until = backoff.notBefore, until > now else { continue }
            next = min(next ?? until, until)
        }
        return next
    }

    /// Takes the URLs of a newer manifest of the same version, because links may have expired.
    mutating func adopt(_ newer: VersionTable, _ bytes: [UInt8]) {
        guard newer.key == table.key, newer.assets.count == table.assets.count else { return }
        table = newer
        manifest = bytes
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

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) {
        lastProgress = lastProgress + span
        windowStart = windowStart + span
    }
}
