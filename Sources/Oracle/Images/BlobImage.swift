import Core

/// A file of `blobs/`: the digest in its name, and the digest of its bytes.
package struct BlobImage: Hashable, Sendable {
    /// Digest that the file's name spells.
    package var name: Digest256
    package var size: Int
    package var sha256: Digest256
    /// SHA-1 of the bytes, computed only for the dialect whose manifests use it (Meteor).
    package var sha1: Digest160?

    /// Whether the bytes have the digest that the name announces.
    package var isSound: Bool { name == sha256 }

    package init(name: Digest256, size: Int, sha256: Digest256, sha1: Digest160? = nil) {
        self.name = name
        self.size = size
        self.sha256 = sha256
        self.sha1 = sha1
    }
}

/// A file of `partial/`: an unfinished download of one asset.
package struct PartialImage: Hashable, Sendable {
    /// Name of the file (``PartialKey``).
    package var key: Digest256
    /// Bytes stored so far.
    package var size: Int

    package init(key: Digest256, size: Int) {
        self.key = key
        self.size = size
    }
}
