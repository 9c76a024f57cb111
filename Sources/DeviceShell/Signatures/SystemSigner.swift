#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Signs releases by Ed25519 (RFC 8032) with the system's libcrypto, OpenSSL 1.1.1 or later. For those who
/// publish: no app signs.
///
/// A private key is its seed of 32 bytes. Guarantees: equal seeds and messages give equal signatures; nothing
/// is kept between calls.
package struct SystemSigner: @unchecked Sendable {
    // The pointers are to code, which nobody changes.
    private typealias NewRawKey =
        @convention(c) (Int32, OpaquePointer?, UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    private typealias RawKey =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    private typealias NewContext = @convention(c) () -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias Begin =
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?) ->
        Int32
    private typealias Sign =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?,
            Int
        ) -> Int32

    private let newKey: NewRawKey
    private let freeKey: Free
    private let publicKey: RawKey
    private let newContext: NewContext
    private let freeContext: Free
    private let begin: Begin
    private let sign: Sign

    package static let seedLength = 32

    /// - Returns: nil where the system has no libcrypto that can sign with Ed25519.
    package init?() {
        guard let handle = LibCrypto.open() else { return nil }
        func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(handle, name).map { unsafeBitCast($0, to: type) }
        }
        guard let newKey = find("EVP_PKEY_new_raw_private_key", NewRawKey.self),
            let freeKey = find("EVP_PKEY_free", Free.self),
            let publicKey = find("EVP_PKEY_get_raw_public_key", RawKey.self),
            let newContext = find("EVP_MD_CTX_new", NewContext.self),
            let freeContext = find("EVP_MD_CTX_free", Free.self),
            let begin = find("EVP_DigestSignInit", Begin.self), let sign = find("EVP_DigestSign", Sign.self)
        else {
            dlclose(handle)
            return nil
        }
        self.newKey = newKey
        self.freeKey = freeKey
        self.publicKey = publicKey
        self.newContext = newContext
        self.freeContext = freeContext
        self.begin = begin
        self.sign = sign
    }

    /// The public key of a seed; nil if it is none.
    package func publicKey(of seed: [UInt8]) -> [UInt8]? {
        withKey(seed) { key in
            var bytes = [UInt8](repeating: 0, count: 32)
            var count = bytes.count
            return publicKey(key, &bytes, &count) == 1 && count == bytes.count ? bytes : nil
        }
    }

    /// The signature of exactly these bytes; nil if the seed is none.
    package func signature(of message: [UInt8], by seed: [UInt8]) -> [UInt8]? {
        withKey(seed) { key in
            guard let context = newContext() else { return nil }
            defer { freeContext(context) }
            guard begin(context, nil, nil, nil, key) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 64)
            var count = bytes.count
            // An empty array's address may be nil, which the function takes for a missing argument.
            let text = message.isEmpty ? [0] : message
            return sign(context, &bytes, &count, text, message.count) == 1 && count == 64 ? bytes : nil
        }
    }

    private func withKey(_ seed: [UInt8], _ body: (OpaquePointer) -> [UInt8]?) -> [UInt8]? {
        guard seed.count == SystemSigner.seedLength,
            let key = newKey(LibCrypto.ed25519, nil, seed, seed.count)
        else { return nil }
        defer { freeKey(key) }
        return body(key)
    }
}
