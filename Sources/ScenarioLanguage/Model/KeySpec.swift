/// A key that signs manifests (rule U16). The world makes it from its name.
package struct KeySpec: Hashable, Sendable {
    package var name: Spanned<String>
    package var algorithm = SigningAlgorithm.ed25519
    /// What the app has of it.
    package var form = KeyForm.whole
}

/// How a key signs.
package enum SigningAlgorithm: String, CaseIterable, Hashable, Sendable {
    case ed25519, p256
}

/// What an app's build has of a key.
package enum KeyForm: String, CaseIterable, Hashable, Sendable {
    case whole
    /// The first half: whoever built the app has lost the rest.
    case cut
    case empty
}

/// The first signature of a manifest, and what is wrong with it (rule U16).
package enum SignatureForm: String, CaseIterable, Hashable, Sendable {
    case good
    /// One bit of it is another.
    case damaged
    /// It was made of the manifest that the origin had before.
    case ofTheOneBefore = "of the one before"
    /// It was made of the first half of the manifest.
    case ofAPart = "of a part"
    /// It names an algorithm that no updater knows.
    case unknownAlgorithm = "unknown algorithm"
    /// Its line is no signature.
    case malformed
    /// A damaged signature by the same key comes before it.
    case afterADamagedOne = "after a damaged one"
}
