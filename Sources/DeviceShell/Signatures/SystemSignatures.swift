import Updater

/// Verifies signed manifests (U16) with the system's libcrypto (OpenSSL 1.1.1 or later).
///
/// The library is loaded when this value is made, so that an app which signs nothing does not need it, and
/// nothing is linked. Guarantees: a key or signature that is malformed is not valid; the calls share no
/// state, so that any thread may verify.
public struct SystemSignatures: SignatureVerifier {
    private let library: LibCrypto

    /// - Returns: nil where the system has no libcrypto that can verify Ed25519.
    public init?() {
        guard let library = LibCrypto() else { return nil }
        self.library = library
    }

    public func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
        guard !signature.isEmpty else { return false }
        switch key.algorithm {
        case .ed25519:
            return library.withEd25519(key.bytes) { library.verify(signature, message, $0, digest: nil) }
                ?? false
        case .p256:
            return library.withP256(key.bytes) {
                library.verify(signature, message, $0, digest: library.sha256())
            } ?? false
        }
    }
}
