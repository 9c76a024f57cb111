/// How a manifest is signed (U16). The host verifies (``SignatureVerifier``).
public enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// Ed25519 (RFC 8032): keys of 32 bytes, signatures of 64.
    case ed25519
    /// ECDSA over P-256 with SHA-256 (FIPS 186-5): keys are uncompressed points of 65 bytes (SEC 1, section
    /// 2.3.3), signatures are DER (RFC 3279, section 2.2.3).
    case p256

    /// Bytes of a public key.
    package var keyLength: Int {
        switch self {
        case .ed25519: 32
        case .p256: 65
        }
    }
}

/// A key by which an app accepts manifests (U16).
public struct PublicKey: Hashable, Sendable {
    /// Names the key in envelopes: 1 to 64 visible ASCII characters.
    public var id: String
    public var algorithm: SignatureAlgorithm
    /// The key, in the form of its algorithm.
    public var bytes: [UInt8]

    public init(id: String, algorithm: SignatureAlgorithm, bytes: [UInt8]) {
        self.id = id
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Whether its id and its length are possible. A key that is not usable verifies nothing.
    package var isUsable: Bool {
        PublicKey.isID(id) && bytes.count == algorithm.keyLength
            && (algorithm == .ed25519 || bytes.first == 4)
    }

    package static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

/// Verifies signatures with what the platform has: CryptoKit, the system's libcrypto, `java.security`.
public protocol SignatureVerifier: Sendable {
    /// Whether the owner of the key has signed exactly these bytes. A key or signature that is malformed is
    /// answered with false.
    func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool
}

/// A manifest and the signatures of it that the app has keys for; at least one.
public struct SignatureRequest: Hashable, Sendable {
    /// A signature, and the key that is said to have made it.
    public struct Claim: Hashable, Sendable {
        public var key: PublicKey
        public var signature: [UInt8]

        public init(key: PublicKey, signature: [UInt8]) {
            self.key = key
            self.signature = signature
        }
    }

    /// The exact bytes that were signed.
    public var message: [UInt8]
    public var claims: [Claim]

    public init(message: [UInt8], claims: [Claim]) {
        self.message = message
        self.claims = claims
    }

    /// The answer of a verifier. One valid signature is enough.
    public func answer(by verifier: some SignatureVerifier) -> SignatureAnswer {
        claims.firstIndex { verifier.isValid($0.signature, of: message, by: $0.key) }
            .map(SignatureAnswer.valid) ?? .invalid
    }
}

/// What became of a ``SignatureRequest``.
public enum SignatureAnswer: Hashable, Sendable {
    /// Index of a claim whose signature is valid.
    case valid(Int)
    case invalid
    /// This host can't verify.
    case unavailable
}
