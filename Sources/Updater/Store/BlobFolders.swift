import Core

/// Which of the 256 folders in `blobs/` have a durable name. Each holds the blobs whose digest begins with
/// one byte. A folder's name is durable when `blobs/` has been synced since it was made, which an earlier
/// process may have failed to do.
struct BlobFolders: Hashable, Sendable {
    private var durable = [Bool](repeating: false, count: 256)

    func isDurable(_ blob: Digest256) -> Bool { durable[BlobFolders.index(of: blob)] }

    /// The name of the blob's folder is durable.
    mutating func becameDurable(_ blob: Digest256) { durable[BlobFolders.index(of: blob)] = true }

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
