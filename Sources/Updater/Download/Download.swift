import Core

/// The one running download: a version's rows, what is known of each, and the transfers under way.
struct Download: Sendable {
    enum RowState: Hashable, Sendable {
        /// Not looked at yet.
        case unknown
        /// Stored or in the app package.
        case have(StoredVersion.Place)
        case needed
        case active(TransferID)
        /// Whole in `partial/`; being synced and moved into place.
        case finishing
    }

    var table: VersionTable
    /// As it came; kept with the version.
    var manifest: [UInt8]
    var rows: [RowState]
    var transfers: [Transfer] = []
    /// Requests made for each row in this process: the attempt count that names a choice.
    var attempts: [Int]
    /// A file was missing or another than announced: the manifest is asked for again before the next try.
    var needsManifest = false
    /// Caches between here and the origin are told to ask it (after a mismatch).
    var bypassesCache = false
    /// U1: the origin still offers this version.
    var isConfirmed = false
    var isCompleting = false
    /// ST-0 is done and the rows have been looked at.
    var isPlanned = false
    var bytesDone = 0

    init(table: VersionTable, manifest: [UInt8]) {
        self.table = table
        self.manifest = manifest
        rows = Array(repeating: .unknown, count: table.rows.count)
        attempts = Array(repeating: 0, count: table.rows.count)
    }

    /// Content that this download has stored or will use (ST-R2).
    var blobs: [Digest256] {
        var digests: [Digest256] = []
        for (row, state) in zip(table.rows, rows) {
            if case .sha256(let digest) = row.hash { digests.append(digest) }
            if case .have(let place) = state, case .blob(let digest) = place.location {
                digests.append(digest)
            }
        }
        return digests
    }

    var isWhole: Bool {
        rows.allSatisfy { state in if case .have = state { true } else { false } }
    }

    var filesDone: Int {
        rows.reduce(0) { count, state in if case .have = state { count + 1 } else { count } }
    }

    /// Some row could not be checked against a hash of the manifest (U1).
    var hasUnhashedRows: Bool { table.rows.contains { $0.hash == .none && !$0.isOptional } }

    /// Names the partial file of a row: by its hash, or by version and route where it has none.
    func partialKey(_ number: Int) -> Digest256 {
        let row = table.rows[number]
        switch row.hash {
        case .sha256(let digest): return SHA256.hash(of: digest.bytes)
        case .sha1(let digest): return SHA256.hash(of: digest.bytes)
        case .none: return SHA256.hash(of: Array((table.key.digest.hex + row.url).utf8))
        }
    }
}

/// One file on its way into `partial/`.
struct Transfer: Sendable {
    var id: TransferID
    var row: Int
    var key: Digest256
    /// Bytes that were there before this request.
    var resumedAt: Int
    var file: FileHandle?
    var offset: Int
    var sha256: SHA256
    var sha1: SHA1?
    var status = 0
    var announced: Int?
    var tag: String?
    var lastProgress: Instant
    /// Start and bytes of the running minute, for the stall rule (U5).
    var windowStart: Instant
    var windowBytes = 0
    /// Kept for the look at an index that carries a version (U1); at most 1 MiB.
    var indexBytes: [UInt8]?
}
