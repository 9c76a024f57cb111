/// Incremental SHA-256 (FIPS 180-4).
///
/// Guarantees: a value of fixed size without references, so that an unfinished hash can be copied, kept
/// across a suspension and continued. Deliberately not here: constant-time execution, because nothing secret
/// is hashed.
///
/// Blocks are compressed by `SHA256Compression.fastest`.
package struct SHA256: Sendable {
    private var state = SHA256State.initial
    private var buffer = BlockBuffer()

    package init() {}

    /// Number of bytes so far.
    package var count: UInt64 { buffer.total }

    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { take($0) } }

    package mutating func update(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { take($0) } }

    /// Digest of the bytes so far. The value is not changed and can take more bytes.
    package func finish() -> Digest256 {
        var last = self
        var words = last.state
        last.buffer.finish { SHA256Compression.fastest.compress(&words, $0, $1) }
        return SHA256.digest(words)
    }

    private static func digest(_ words: SHA256State.Words) -> Digest256 {
        Digest256(
            UInt64(words.0) << 32 | UInt64(words.1), UInt64(words.2) << 32 | UInt64(words.3),
            UInt64(words.4) << 32 | UInt64(words.5), UInt64(words.6) << 32 | UInt64(words.7))
    }

    package static func hash(of bytes: [UInt8]) -> Digest256 {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// Digest of the 32 bytes of another digest: one block, without heap memory.
    package static func hash(of digest: Digest256) -> Digest256 {
        let words = digest.words
        let block = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian,
            (UInt64(1) << 63).bigEndian, UInt64(0), UInt64(0), UInt64(256).bigEndian
        )
        var state = SHA256State.initial
        withUnsafeBytes(of: block) { bytes in
            if let start = bytes.baseAddress { SHA256Compression.fastest.compress(&state, start, 1) }
        }
        return SHA256.digest(state)
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var words = state
        buffer.update(bytes) { SHA256Compression.fastest.compress(&words, $0, $1) }
        state = words
    }
}
