import Core

/// A file of `blobs/`: what its name says that it is, and what it is.
package struct BlobImage: Hashable, Sendable {
    /// The digest that its name spells.
    package var name: Digest256
    package var size: Int
    package var sha256: Digest256
    /// Worked out for manifests that use it.
    package var sha1: Digest160?

    package var isSound: Bool { name == sha256 }

    package init(name: Digest256, size: Int, sha256: Digest256, sha1: Digest160? = nil) {
        self.name = name
        self.size = size
        self.sha256 = sha256
        self.sha1 = sha1
    }
}

/// A file of `partial/`: the bytes of a file so far.
package struct PartialImage: Hashable, Sendable {
    package var key: Digest256
    package var size: Int

    package init(key: Digest256, size: Int) {
        self.key = key
        self.size = size
    }
}
