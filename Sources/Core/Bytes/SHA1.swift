/// Incremental SHA-1 (FIPS 180-4), which names the files of Meteor's manifests.
///
/// A value of fixed size without references, like ``SHA256``. It detects accidental changes but is not
/// collision resistant; the report of a Meteor version says so.
package struct SHA1: Sendable {
    private var state: State = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0)
    private var buffer = BlockBuffer()

    package init() {}

    /// Number of bytes so far.
    package var count: UInt64 { buffer.total }

    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { take($0) } }

    package mutating func update(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { take($0) } }

    /// Digest of the bytes so far. The value is not changed and can take more bytes.
    package func finish() -> Digest160 {
        var last = self
        var words = last.state
        last.buffer.finish { SHA1.compress(&words, $0, $1) }
        return Digest160(
            UInt64(words.0) << 32 | UInt64(words.1), UInt64(words.2) << 32 | UInt64(words.3), words.4)
    }

    package static func hash(of bytes: [UInt8]) -> Digest160 {
        var hash = SHA1()
        hash.update(bytes)
        return hash.finish()
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var words = state
        buffer.update(bytes) { SHA1.compress(&words, $0, $1) }
        state = words
    }

    private typealias State = (UInt32, UInt32, UInt32, UInt32, UInt32)

    /// FIPS 180-4 §6.1.2 over `count` blocks of 64 bytes.
    private static func compress(_ state: inout State, _ blocks: UnsafeRawPointer, _ count: Int) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { schedule in
            guard let w = schedule.baseAddress else { return }
            var block = blocks
            var left = count
            while left > 0 {
                expand(block, w)
                rounds(&state, w)
                block += 64
                left &-= 1
            }
        }
    }

    @inline(__always)
    private static func expand(_ block: UnsafeRawPointer, _ w: UnsafeMutablePointer<UInt32>) {
        var i = 0
        while i < 16 {
            w[i] = block.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self).bigEndian
            i &+= 1
        }
        while i < 80 {
            let mixed = w[i &- 3] ^ w[i &- 8] ^ w[i &- 14] ^ w[i &- 16]
            w[i] = mixed &<< 1 | mixed &>> 31
            i &+= 1
        }
    }

    @inline(__always)
    private static func rounds(_ state: inout State, _ w: UnsafeMutablePointer<UInt32>) {
        var (a, b, c, d, e) = state
        var i = 0
        while i < 80 {
            var f: UInt32
            if i < 20 {
                f = (d ^ (b & (c ^ d))) &+ 0x5a82_7999
            } else if i < 40 {
                f = (b ^ c ^ d) &+ 0x6ed9_eba1
            } else if i < 60 {
                f = ((b & c) | (d & (b | c))) &+ 0x8f1b_bcdc
            } else {
                f = (b ^ c ^ d) &+ 0xca62_c1d6
            }
            f = f &+ (a &<< 5 | a &>> 27) &+ e &+ w[i]
            e = d
            d = c
            c = b &<< 30 | b &>> 2
            b = a
            a = f
            i &+= 1
        }
        state.0 = state.0 &+ a
        state.1 = state.1 &+ b
        state.2 = state.2 &+ c
        state.3 = state.3 &+ d
        state.4 = state.4 &+ e
    }
}
