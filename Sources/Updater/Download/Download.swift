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

        var isUnderWay: Bool {
            switch self {
            case .active, .finishing: true
            case .unknown, .have, .needed: false
            }
        }
    }

    var table: VersionTable
    /// As it came; kept with the version.
    var manifest: [UInt8]
    var rows: [RowState]
    var transfers: [Transfer] = []
    /// Requests made for each row in this process: the attempt count that names a choice.
    var attempts: [Int]
    /// When each row may be tried again (U5).
    var paces: [Backoff]
    /// The most bytes of each row that were ever here: only what is beyond them is new.
    var reached: [Int]
    /// When the end of the download, table and record, may be tried again.
    var pace = Backoff()
    /// The data policy holds it (U15); told once.
    var isHeld = false
    /// A file was missing or another than announced: the manifest is asked for again before the next try.
    var needsManifest = false
    /// Caches between here and the origin are told to ask it (after a mismatch).
    var bypassesCache = false
    /// U1: the origin still offers this version.
    var isConfirmed = false
    var isCompleting = false
    /// A process before this one has begun it.
    var goesOn = false
    /// ST-0 is done and the rows have been looked at.
    var isPlanned = false

    /// Tries after which an optional row that is refused for good counts as missing (U12).
    static let mostTriesOfOptional = 3

    init(table: VersionTable, manifest: [UInt8]) {
        self.table = table
        self.manifest = manifest
        rows = Array(repeating: .unknown, count: table.rows.count)
        attempts = Array(repeating: 0, count: table.rows.count)
        paces = Array(repeating: Backoff(), count: table.rows.count)
        reached = Array(repeating: 0, count: table.rows.count)
    }

    /// Content that this download has found or stored.
    var blobs: [Digest256] {
        var digests: [Digest256] = []
        for state in rows {
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

    /// The same version with other URLs: links that had run out are new in a newer manifest.
    mutating func adopt(_ newer: VersionTable, _ bytes: [UInt8]) {
        guard newer.key == table.key, newer.rows.count == table.rows.count else { return }
        table = newer
        manifest = bytes
    }
}

extension VersionTable {
    /// Names the partial file of a row: by its hash, or by version and URL where it has none.
    func partialKey(_ number: Int) -> Digest256 {
        switch rows[number].hash {
        case .sha256(let digest): return SHA256.hash(of: digest)
        case .sha1(let digest): return SHA256.hash(of: digest.bytes)
        case .none:
            let row = rows[number]
            return SHA256.hash(of: Array((key.digest.hex + row.url).utf8))
        }
    }
}

/// One file on its way into `partial/`.
struct Transfer: Sendable {
    var id: TransferID
    var row: Int
    var key: Digest256
    /// As it was sent last; a redirect changes its URL.
    var request: OriginRequest
    var redirects = 0
    /// What the stored version has for this row, where only a strong tag can say that it is unchanged (U2).
    var stored: StoredVersion.Place?
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

    /// The process stood still for so long.
    mutating func sleep(_ span: TimeSpan) {
        lastProgress = lastProgress + span
        windowStart = windowStart + span
    }
}
