/// Incremental SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits.
///
/// All randomness is derived from it: a choice is the hash of a seed and of the subject of the choice, so
/// that removing one event changes no other choice. A value of fixed size without references.
package struct KeyedHash: Sendable {
    /// A key of 128 bits.
    package struct Key: Hashable, Sendable {
        package var low: UInt64
        package var high: UInt64

        package init(low: UInt64, high: UInt64) {
            self.low = low
            self.high = high
        }

        /// Reads exactly 16 bytes, little-endian as in the paper; nil for any other count.
        package init?(bytes: some Collection<UInt8>) {
            guard bytes.count == 16 else { return nil }
            low = 0
            high = 0
            for (offset, byte) in bytes.enumerated() {
                let shift = UInt64(offset % 8) * 8
                if offset < 8 { low |= UInt64(byte) << shift } else { high |= UInt64(byte) << shift }
            }
        }
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var tail: UInt64 = 0
    private var count: UInt64 = 0

    package init(key: Key) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    package mutating func update(byte: UInt8) {
        tail |= UInt64(byte) &<< ((count & 7) &* 8)
        count &+= 1
        if count & 7 == 0 {
            absorb(tail)
            tail = 0
        }
    }

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if isDone != nil { return }
        for byte in bytes { update(byte: byte) }
    }

    /// Adds eight bytes at a time, also when the number of previous bytes is no multiple of eight.
    private mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset &+ 8 <= bytes.count {
            update(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset &+= 8
        }
        while offset < bytes.count {
            update(byte: bytes[offset])
            offset &+= 1
        }
    }

    /// Adds eight bytes, little-endian.
    package mutating func update(_ word: UInt64) {
        let filled = (count & 7) &* 8
        absorb(tail | word &<< filled)
        tail = filled == 0 ? 0 : word &>> (64 &- filled)
        count &+= 8
    }

    /// Adds the UTF-8 bytes and a byte 0xFF, which no text contains, so that different sequences of texts
    /// never add the same bytes.
    package mutating func update(_ text: String) {
        update(text.utf8)
        update(byte: 0xff)
    }

    /// Hash of the bytes so far. The value is not changed and can take more bytes.
    package func finish() -> UInt64 {
        var last = self
        last.absorb(tail | count &<< 56)
        last.v2 ^= 0xff
        last.round()
        last.round()
        last.round()
        last.round()
        return last.v0 ^ last.v1 ^ last.v2 ^ last.v3
    }

    package static func hash(of bytes: some Sequence<UInt8>, key: Key) -> UInt64 {
        var hash = KeyedHash(key: key)
        hash.update(bytes)
        return hash.finish()
    }

    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
        v0 = v0 &<< 32 | v0 &>> 32
        v2 = v2 &+ v3
        v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
        v0 = v0 &+ v3
        v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
        v2 = v2 &+ v1
        v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
        v2 = v2 &<< 32 | v2 &>> 32
    }
}
