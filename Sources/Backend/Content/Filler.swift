/// Pseudo-random bytes of any length that can be made from any offset on, because the n-th number of the
/// generator follows from its seed and n alone (SplitMix64, Steele et al. 2014).
///
/// Guarantees: equal fillers have equal bytes in every process. Text consists of the letters `a` to `p`, with
/// a line end at every 64th byte but the last one of the filler.
package struct Filler: Hashable, Sendable {
    package enum Alphabet: Hashable, Sendable { case bytes, text }

    private let seed: UInt64
    private let alphabet: Alphabet
    /// Length in bytes.
    package let count: Int

    package init(seed: UInt64, _ alphabet: Alphabet, count: Int) {
        self.seed = seed
        self.alphabet = alphabet
        self.count = max(count, 0)
    }

    /// Writes a range of the bytes to the beginning of a buffer that is at least as long.
    package func write(_ range: Range<Int>, to buffer: UnsafeMutableRawBufferPointer) {
        var index = range.lowerBound
        var offset = 0
        while index < range.upperBound {
            let first = index & 7
            let number = self.number(index >> 3)
            if first == 0, index &+ 8 <= range.upperBound {
                buffer.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
                index &+= 8
                offset &+= 8
                continue
            }
            let end = min(index &+ 8 &- first, range.upperBound)
            var rest = number &>> UInt64(8 &* first)
            while index < end {
                buffer[offset] = UInt8(truncatingIfNeeded: rest)
                rest &>>= 8
                index &+= 1
                offset &+= 1
            }
        }
        guard alphabet == .text else { return }
        var lineEnd = range.lowerBound | 63
        while lineEnd < min(range.upperBound, count - 1) {
            buffer[lineEnd - range.lowerBound] = 0x0a
            lineEnd += 64
        }
    }

    /// The n-th eight bytes, the first one in the lowest byte.
    @inline(__always)
    private func number(_ index: Int) -> UInt64 {
        let number = Filler.number(index, seed: seed)
        switch alphabet {
        case .bytes: return number
        case .text: return number & 0x0f0f_0f0f_0f0f_0f0f &+ 0x6161_6161_6161_6161
        }
    }

    /// The n-th number of a seed, from 0.
    @inline(__always)
    package static func number(_ index: Int, seed: UInt64) -> UInt64 {
        var number = seed &+ (UInt64(truncatingIfNeeded: index) &+ 1) &* step
        number = (number ^ number &>> 30) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ number &>> 27) &* 0x94d0_49bb_1331_11eb
        return number ^ number &>> 31
    }

    /// The seed whose first number is the one after the n-th of another seed.
    package static func seed(_ seed: UInt64, after count: Int) -> UInt64 {
        seed &+ UInt64(truncatingIfNeeded: count) &* step
    }

    /// The parameters of the bytes, as text.
    var description: String { "\(seed) \(alphabet == .text ? "text" : "bytes") \(count)" }

    private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15
}
