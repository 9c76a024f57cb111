#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// The functions of libcrypto that verifying needs, found by name (OpenSSL's manual pages `EVP_DigestVerify`,
/// `EVP_PKEY_new_raw_public_key`, `d2i_PUBKEY`).
struct LibCrypto: @unchecked Sendable {
    // The pointers are to code, which nobody changes, and opaque values that each call makes for itself.
    private typealias NewContext = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias NewRawKey =
        @convention(c) (Int32, OpaquePointer?, UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    private typealias ReadKey =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> OpaquePointer?
    private typealias Digest = @convention(c) () -> OpaquePointer?
    private typealias Begin =
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?) ->
        Int32
    private typealias Verify =
        @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int) -> Int32

    private let newContext: NewContext
    private let freeContext: Free
    private let freeKey: Free
    private let newRawKey: NewRawKey
    private let readKey: ReadKey
    private let digest: Digest
    private let begin: Begin
    private let verify: Verify

    private static let names = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"]

    /// The library; nil where the system has none.
    static func open() -> UnsafeMutableRawPointer? {
        names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    }

    init?() {
        guard let handle = LibCrypto.open() else { return nil }
        func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(handle, name).map { unsafeBitCast($0, to: type) }
        }
        guard let newContext = find("EVP_MD_CTX_new", NewContext.self),
            let freeContext = find("EVP_MD_CTX_free", Free.self),
            let freeKey = find("EVP_PKEY_free", Free.self),
            let newRawKey = find("EVP_PKEY_new_raw_public_key", NewRawKey.self),
            let readKey = find("d2i_PUBKEY", ReadKey.self), let digest = find("EVP_sha256", Digest.self),
            let begin = find("EVP_DigestVerifyInit", Begin.self),
            let verify = find("EVP_DigestVerify", Verify.self)
        else {
            dlclose(handle)
            return nil
        }
        self.newContext = newContext
        self.freeContext = freeContext
        self.freeKey = freeKey
        self.newRawKey = newRawKey
        self.readKey = readKey
        self.digest = digest
        self.begin = begin
        self.verify = verify
    }

    func sha256() -> OpaquePointer? { digest() }

    /// `EVP_PKEY_ED25519` of `openssl/evp.h`.
    static let ed25519: Int32 = 1087

    /// - Returns: nil if the bytes are no key.
    func withEd25519<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result) -> Result? {
        guard let key = newRawKey(LibCrypto.ed25519, nil, bytes, bytes.count) else { return nil }
        defer { freeKey(key) }
        return body(key)
    }

    /// What comes before the point in a SubjectPublicKeyInfo of P-256 (RFC 5480, section 2).
    private static let p256: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
        0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// - Returns: nil if the bytes are no point of the curve.
    func withP256<Result>(_ point: [UInt8], _ body: (OpaquePointer) -> Result) -> Result? {
        // The length is part of what comes before.
        guard point.count == 65 else { return nil }
        let whole = LibCrypto.p256 + point
        let key = whole.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return readKey(nil, &next, buffer.count)
        }
        guard let key else { return nil }
        defer { freeKey(key) }
        return body(key)
    }

    /// - Parameter digest: nil where the algorithm has its own.
    func verify(_ signature: [UInt8], _ message: [UInt8], _ key: OpaquePointer, digest: OpaquePointer?)
        -> Bool
    {
        guard let context = newContext() else { return false }
        defer { freeContext(context) }
        guard begin(context, nil, digest, nil, key) == 1 else { return false }
        // An empty array's address may be nil, which the function takes for a missing argument.
        let bytes = message.isEmpty ? [0] : message
        return verify(context, signature, signature.count, bytes, message.count) == 1
    }
}
