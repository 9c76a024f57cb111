import Core

/// A version as the rules identify it: an id, and a digest of its content.
package struct Version: Hashable, Sendable {
    package var id: String
    package var digest: Digest256

    init(_ id: String, _ digest: Digest256) {
        self.id = id
        self.digest = digest
    }
}
