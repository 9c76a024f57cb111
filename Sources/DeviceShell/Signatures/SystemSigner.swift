#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif
import Updater

/// Signs releases by Ed25519 (RFC 8032) or ECDSA over P-256 (FIPS 186-5) with the system's libcrypto, OpenSSL
/// 1.1.1 or later. For those who publish: no app signs.
///
/// A private key is its 32 bytes: the seed of Ed25519, the number of P-256. Guarantees: equal keys and
/// messages give equal signatures of Ed25519, those of P-256 differ; nothing is kept between calls.
package struct SystemSigner: @unchecked Sendable {
    // The pointers are to code, which nobody changes.
    private typealias ReadKey =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> OpaquePointer?
    private typealias WriteKey =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    private typealias NewContext = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Digest = @convention(c) () -> OpaquePointer?
    private typealias Begin =
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?) ->
        Int32
    private typealias Sign =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?,
            Int
        ) -> Int32

    private let readKey: ReadKey
    private let writePublicKey: WriteKey
    private let freeKey: Free
    private let newContext: NewContext
    private let freeContext: Free
    private let digest: Digest
    private let begin: Begin
    private let sign: Sign

    package static let privateKeyLength = 32
    private static let longestSignature = 80

    /// - Returns: nil where the system has no libcrypto that can sign.
    package init?() {
        guard let handle = LibCrypto.open() else { return nil }
        func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(handle, name).map { unsafeBitCast($0, to: type) }
        }
        guard let readKey = find("d2i_AutoPrivateKey", ReadKey.self),
            let writePublicKey = find("i2d_PUBKEY", WriteKey.self),
            let freeKey = find("EVP_PKEY_free", Free.self),
            let newContext = find("EVP_MD_CTX_new", NewContext.self),
            let freeContext = find("EVP_MD_CTX_free", Free.self),
            let digest = find("EVP_sha256", Digest.self), let begin = find("EVP_DigestSignInit", Begin.self),
            let sign = find("EVP_DigestSign", Sign.self)
        else {
            dlclose(handle)
            return nil
        }
        self.readKey = readKey
        self.writePublicKey = writePublicKey
        self.freeKey = freeKey
        self.newContext = newContext
        self.freeContext = freeContext
        self.digest = digest
        self.begin = begin
        self.sign = sign
    }

    /// A private key as PKCS #8 (RFC 5208) without its public key: what comes before its 32 bytes.
    package static func prefix(of algorithm: SignatureAlgorithm) -> [UInt8] {
        switch algorithm {
        // RFC 8410, section 7.
        case .ed25519:
            [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
        // RFC 5915, section 3.
        case .p256:
            [
                0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d,
                0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27,
                0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
            ]
        }
    }

    /// The public key, as ``PublicKey/bytes`` has it; nil if the private one is none.
    package func publicKey(of privateKey: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        withKey(privateKey, algorithm) { key in
            let length = Int(writePublicKey(key, nil))
            guard length >= algorithm.keyLength else { return nil }
            var document = [UInt8](repeating: 0, count: length)
            let isWritten = document.withUnsafeMutableBufferPointer { buffer in
                var next = buffer.baseAddress
                return Int(writePublicKey(key, &next)) == length
            }
            // It ends with the key (RFC 5280, section 4.1).
            return isWritten ? Array(document.suffix(algorithm.keyLength)) : nil
        }
    }

    /// A signature of exactly these bytes; nil if the private key is none.
    package func signature(
        of message: [UInt8], by privateKey: [UInt8], _ algorithm: SignatureAlgorithm
    ) -> [UInt8]? {
        withKey(privateKey, algorithm) { key in
            guard let context = newContext() else { return nil }
            defer { freeContext(context) }
            let digest = algorithm == .p256 ? self.digest() : nil
            guard begin(context, nil, digest, nil, key) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: SystemSigner.longestSignature)
            var count = bytes.count
            // An empty array's address may be nil, which the function takes for a missing argument.
            let text = message.isEmpty ? [0] : message
            return sign(context, &bytes, &count, text, message.count) == 1 ? Array(bytes.prefix(count)) : nil
        }
    }

    /// Whether the number is from 1 to below the order of P-256 (SEC 2, section 2.4.2); the library accepts
    /// others.
    private static func isInRange(_ number: [UInt8]) -> Bool {
        let order: [UInt8] = [
            0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
            0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
        ]
        return number.contains { $0 != 0 } && number.lexicographicallyPrecedes(order)
    }

    private func withKey(
        _ privateKey: [UInt8], _ algorithm: SignatureAlgorithm, _ body: (OpaquePointer) -> [UInt8]?
    ) -> [UInt8]? {
        guard privateKey.count == SystemSigner.privateKeyLength,
            algorithm == .ed25519 || SystemSigner.isInRange(privateKey)
        else { return nil }
        let document = SystemSigner.prefix(of: algorithm) + privateKey
        let key = document.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return readKey(nil, &next, buffer.count)
        }
        guard let key else { return nil }
        defer { freeKey(key) }
        return body(key)
    }
}
