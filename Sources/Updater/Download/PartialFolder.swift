import Core

/// What this process knows about `partial/` besides the download in progress: what an earlier process left
/// there, and open files in it that no transfer uses any more.
///
/// **Invariants**
/// - The download of an earlier process is known until this one begins or drops a download.
/// - A file of a transfer that was stopped is closed by a later step, eight in each.
/// - The bytes of a file count as written only if this process wrote all of them and no close or sync of it
///   has failed.
struct PartialFolder: Sendable {
    /// Unfinished download of an earlier process, until the origin's response decides about it.
    private(set) var interrupted: VersionTable?
    /// Assets without a SHA-256 that the unfinished download has.
    var finished = FinishedAssets() { didSet { finishedByKey.invalidate() } }
    private var finishedByKey = FinishedAssetsByKey()
    /// Names of the partial files of these tables' assets, as computed last.
    private var keyCache: (tables: [VersionTable], keys: [Digest256])?
    /// Open files of transfers that were stopped.
    private var filesToClose: [OpenPartialFile] = []
    /// Names of files that this process wrote; at most as many as transfers began and did not complete.
    private var written: [Digest256] = []

    /// Lines of the list of finished assets that are not durable, and the size of these assets in bytes.
    private var undurableLines = (count: 0, bytes: 0)

    static let filesClosedPerStep = 8
    /// Finished assets, and bytes of them, that a power cut may cost.
    static let undurableLineLimit = (count: 4, bytes: 256 << 10)

    /// The manifest of an unfinished download has been read.
    mutating func found(_ table: VersionTable) { interrupted = table }

    /// A download begins or is dropped.
    /// - Returns: the unfinished download of an earlier process.
    mutating func takeInterrupted() -> VersionTable? { interrupted.take() }

    /// What the unfinished download has of an asset without a SHA-256, by the name of its partial file.
    mutating func finishedAsset(_ key: Digest256) -> StoredVersion.StoredAsset? {
        finishedByKey.stored(key, in: finished)
    }

    /// The list has grown by a line.
    /// - Returns: whether it is to be made durable, because a power cut would cost too much.
    mutating func addedLine(ofSize size: Int) -> Bool {
        undurableLines.count += 1
        undurableLines.bytes += size
        guard
            undurableLines.count >= PartialFolder.undurableLineLimit.count
                || undurableLines.bytes >= PartialFolder.undurableLineLimit.bytes
        else { return false }
        undurableLines = (0, 0)
        return true
    }

    /// The download is complete: its assets are those of a version.
    mutating func downloadCompleted() { finished = FinishedAssets() }

    /// Sorted names of the partial files of all assets of these tables; the last result is kept while the
    /// tables are the same.
    mutating func keys(of tables: [VersionTable]) -> [Digest256] {
        if let keyCache, keyCache.tables == tables { return keyCache.keys }
        let keys = PartialFolder.keys(of: tables)
        keyCache = tables.isEmpty ? nil : (tables, keys)
        return keys
    }

    static func keys(of tables: [VersionTable]) -> [Digest256] {
        tables.flatMap { table in table.assets.indices.map { table.partialKey($0) } }.sorted()
    }

    /// This process has begun the file, or has written anew all that is in it.
    mutating func wrote(_ key: Digest256) {
        if !written.contains(key) { written.append(key) }
    }

    /// A close or a sync of the file has failed, or nothing has the name any more.
    mutating func forget(_ key: Digest256) { written.removeAll { $0 == key } }

    /// Whether the bytes of the file must be written anew before a sync of them means anything. Those of an
    /// earlier process must: it may have ended after a failed close, and what it knew is lost.
    func isToBeWrittenAnew(_ key: Digest256) -> Bool { !written.contains(key) }

    /// - Returns: whether files wait to be closed.
    mutating func closeLater(_ files: [OpenPartialFile]) -> Bool {
        filesToClose += files
        return !filesToClose.isEmpty
    }

    /// - Returns: the files that a step closes, and whether more wait.
    mutating func takeFilesToClose() -> (files: [OpenPartialFile], isMore: Bool) {
        let files = Array(filesToClose.prefix(PartialFolder.filesClosedPerStep))
        filesToClose.removeFirst(files.count)
        return (files, !filesToClose.isEmpty)
    }
}

extension Updater {
    /// Removes a partial file. One that can't be removed is written anew when it is read again.
    /// - Returns: whether nothing has the name any more.
    @discardableResult
    mutating func removePartQuietly(_ key: Digest256, _ disk: inout some Disk) -> Bool {
        partial.forget(key)
        return disk.removeQuietly(StorePaths.partialFile(key))
    }
}
