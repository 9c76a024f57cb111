import Core
import Updater

/// The blobs that the retained versions use.
struct RetainedBlobs {
    private var versions: [VersionKey] = []
    private var tableChanges = -1
    private(set) var blobs: Set<Digest256> = []

    /// - Returns: whether versions and tables are those of the last call.
    mutating func update(_ retained: [VersionKey], _ image: StoreImage, _ comparisons: inout Int) -> Bool {
        if retained == versions, tableChanges == image.tableChanges { return true }
        versions = retained
        tableChanges = image.tableChanges
        blobs = []
        for key in retained {
            for content in image.table(key)?.contents ?? [] {
                comparisons += 1
                if case .blob(let digest) = content.location { blobs.insert(digest) }
            }
        }
        return false
    }
}
