import Core
import Updater

/// The name of an asset's partial file, the key in `store/partial/<key>`: from its hash, or, if it has none,
/// from its version and URL.
enum PartialKey {
    static func of(_ asset: Asset, in table: VersionTable) -> Digest256 {
        switch asset.hash {
        case .sha256(let digest): SHA256.hash(of: digest)
        case .sha1(let digest): SHA256.hash(of: digest.bytes)
        case .none: SHA256.hash(of: Array((table.key.digest.hex + asset.url).utf8))
        }
    }
}
