/// A 64-bit digest of a long sequence of words that depends on their order. It takes one multiplication a
/// word, because a world mixes every event of a run into it.
///
/// For a fixed word the step is one-to-one in the state, and for a fixed state one-to-one in the word: two
/// runs that differ in a single word end in different digests. It does not protect against an adversary.
package struct RollingDigest: Hashable, Sendable {
    @usableFromInline var state: UInt64

    /// Digest of the words so far.
    @inlinable package var value: UInt64 { state }

    package init(seed: UInt64 = 0) { state = seed ^ 0x9e37_79b9_7f4a_7c15 }

    @inlinable
    package mutating func mix(_ word: UInt64) { state = RollingDigest.step(state, word) }

    /// Mixes in each byte as a word.
    package mutating func mix(bytes: some Sequence<UInt8>) {
        for byte in bytes { mix(UInt64(byte)) }
    }

    @inlinable
    static func step(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0xd6e8_feb8_6659_fd93
        // The high bits, which depend on every bit of both, go where the next product needs them.
        return product ^ product &>> 32
    }
}
