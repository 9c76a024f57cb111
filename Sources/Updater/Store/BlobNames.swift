import Core

/// Which names in `blobs/` are known to be durable: of the 256 folders, each of which holds the blobs whose
/// digest begins with one byte, and of the blobs that this process stored.
///
/// **Invariants**
/// - A folder's name is durable when `blobs/` has been synced since it was made, which an earlier process may
///   have failed to do; or when the durable record names a blob in it.
/// - A blob's name is durable when its folder has been synced since, and the folder's name is durable.
/// - A failed sync of a folder may lose any name that was given in it since the last one, and later syncs
///   succeed without that name. So a sync counts for a name only if none of its folder has failed between.
struct BlobNames: Hashable, Sendable {
    private var durableFolders = [Bool](repeating: false, count: 256)
    /// The folder of each failed sync; and how many of `blobs/` failed.
    private var failedFolders: [Int] = []
    private var failedSyncs = 0
    /// Blobs whose names this process has made durable.
    private(set) var synced: [Digest256] = []

    func isFolderDurable(of blob: Digest256) -> Bool { durableFolders[BlobNames.index(of: blob)] }

    /// The name of the blob's folder is durable.
    mutating func folderBecameDurable(of blob: Digest256) { durableFolders[BlobNames.index(of: blob)] = true }

    /// The blob's name, and that of its folder, is durable.
    mutating func becameDurable(_ blob: Digest256) { synced.append(blob) }

    /// Failed syncs that concern the names of a blob and its folder.
    struct Failures: Hashable, Sendable {
        var ofFolder = 0
        var ofBlobs = 0
    }

    func failures(of blob: Digest256) -> Failures {
        let folder = BlobNames.index(of: blob)
        return Failures(ofFolder: failedFolders.count { $0 == folder }, ofBlobs: failedSyncs)
    }

    mutating func folderSyncFailed(of blob: Digest256) { failedFolders.append(BlobNames.index(of: blob)) }

    mutating func blobsSyncFailed() { failedSyncs += 1 }

    /// One of the blobs for each folder that has any.
    /// - Parameter blobs: sorted.
    static func oneOfEach(_ blobs: [Digest256]) -> [Digest256] {
        var chosen: [Digest256] = []
        for blob in blobs where chosen.last.map({ !isSameFolder($0, blob) }) ?? true { chosen.append(blob) }
        return chosen
    }

    static func isSameFolder(_ blob: Digest256, _ other: Digest256) -> Bool {
        index(of: blob) == index(of: other)
    }

    private static func index(of blob: Digest256) -> Int { Int(blob.words.0 >> 56) }
}
