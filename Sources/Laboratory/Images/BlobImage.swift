import Core

/// A file of `blobs/`: what its name says that it is, and what it is.
public struct BlobImage: Hashable, Sendable {
    /// The digest that its name spells.
    public var name: Digest256
    public var size: Int
    public var sha256: Digest256
    /// Worked out for manifests that use it.
    public var sha1: Digest160?

    public var isSound: Bool { name == sha256 }

    public init(name: Digest256, size: Int, sha256: Digest256, sha1: Digest160? = nil) {
        self.name = name
        self.size = size
        self.sha256 = sha256
        self.sha1 = sha1
    }
}

/// A file of `partial/`: the bytes of a file so far.
public struct PartialImage: Hashable, Sendable {
    public var key: Digest256
    public var size: Int

    public init(key: Digest256, size: Int) {
        self.key = key
        self.size = size
    }
}
