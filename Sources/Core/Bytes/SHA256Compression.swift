import SHA256Instructions

/// The intermediate hash value of SHA-256: eight words, inline.
package enum SHA256State {
    package typealias Words = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

    /// FIPS 180-4 §5.3.3
    package static let initial: Words = (
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )
}

/// How blocks of SHA-256 are compressed. Both ways give the same words. A download spends most of its
/// processor time here, and a simulated one a quarter of it.
package enum SHA256Compression: Sendable {
    /// In Swift, on every processor.
    case portable
    /// By the processor's instructions for SHA-256 (x86-64 with SHA extensions, ARMv8 with the cryptographic
    /// extension): five to ten times as fast. Only where `instructionsAreAvailable`.
    case instructions

    package static let instructionsAreAvailable = sha256_instructions_available()

    package static let fastest: SHA256Compression = instructionsAreAvailable ? .instructions : .portable

    /// FIPS 180-4 §6.2.2 over `count` blocks of 64 bytes, of any alignment.
    package func compress(_ state: inout SHA256State.Words, _ blocks: UnsafeRawPointer, _ count: Int) {
        switch self {
        case .portable: PortableSHA256.compress(&state, blocks, count)
        case .instructions:
            withUnsafeMutableBytes(of: &state) { words in
                // A tuple of eight words is laid out as an array of eight.
                guard let first = words.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
                sha256_instructions_compress(first, blocks, count)
            }
        }
    }
}
