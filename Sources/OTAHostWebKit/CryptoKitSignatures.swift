#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    import Updater

    /// Verifies signed manifests (U16) with the system's CryptoKit, because Apple's systems have no libcrypto
    /// that an app may load: `HybridApp.Services.verifier`.
    ///
    /// Guarantees: a key or signature that is malformed is not valid; any thread may verify.
    public struct CryptoKitSignatures: SignatureVerifier {
        public init() {}

        public func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
            do {
                switch key.algorithm {
                case .ed25519:
                    return try Curve25519.Signing.PublicKey(rawRepresentation: key.bytes)
                        .isValidSignature(signature, for: message)
                case .p256:
                    // CryptoKit hashes the message with SHA-256.
                    return try P256.Signing.PublicKey(x963Representation: key.bytes)
                        .isValidSignature(
                            P256.Signing.ECDSASignature(derRepresentation: signature), for: message)
                }
            } catch {
                return false
            }
        }
    }
#endif
