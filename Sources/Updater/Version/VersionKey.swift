import Core

/// Identity of a version: id *and* content digest. Every list of the record uses it, so that another set of
/// files published under an old id is another version.
public struct VersionKey: Hashable, Comparable, Sendable {
    /// 1 to 128 visible ASCII characters, opaque.
    public var id: String
    /// SHA-256 over the id and the assets (route, size, hash, optional), sorted by route.
    public var digest: Digest256

    public init(id: String, digest: Digest256) {
        self.id = id
        self.digest = digest
    }

    public static func < (left: VersionKey, right: VersionKey) -> Bool {
        left.id == right.id ? left.digest < right.digest : left.id < right.id
    }
}
