import Core
import Updater

/// The hashes of a version's assets.
struct AssetHashes {
    private var sha256: Set<Digest256> = []
    private var sha1: Set<Digest160> = []

    init() {}

    init(_ table: VersionTable) {
        for asset in table.assets {
            switch asset.hash {
            case .sha256(let digest): sha256.insert(digest)
            case .sha1(let digest): sha1.insert(digest)
            case .none: break
            }
        }
    }

    /// As ``BlobImage/isContent(of:)`` of one of the assets.
    func contains(_ blob: BlobImage) -> Bool {
        sha256.contains(blob.sha256) || blob.sha1.map(sha1.contains) ?? false
    }
}
