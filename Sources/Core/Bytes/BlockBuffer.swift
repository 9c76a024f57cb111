/// Buffer of up to 63 bytes for hash functions with blocks of 64 bytes. It is stored inline instead of on the
/// heap, because an unfinished hash is part of values that are copied and suspended.
struct BlockBuffer: Sendable {
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)
    /// Number of bytes in the buffer.
    private var filled = 0
    /// Number of bytes so far.
    private(set) var total: UInt64 = 0

    /// Adds bytes. Passes full blocks to `compress`: a pointer to the first one, and their number.
    mutating func update(_ bytes: UnsafeRawBufferPointer, _ compress: (UnsafeRawPointer, Int) -> Void) {
        guard var next = bytes.baseAddress, !bytes.isEmpty else { return }
        var left = bytes.count
        total &+= UInt64(left)
        if filled > 0 {
            let taken = min(64 - filled, left)
            copy(next, taken)
            next += taken
            left -= taken
            if filled < 64 { return }
            withUnsafeBytes(of: words) { block in
                if let start = block.baseAddress { compress(start, 1) }
            }
            filled = 0
        }
        if left >= 64 {
            compress(next, left / 64)
            next += left / 64 * 64
            left %= 64
        }
        copy(next, left)
    }

    /// Adds the padding of FIPS 180-4 §5.1.1: a one bit, zeros, and the length in bits as a 64-bit word.
    mutating func finish(_ compress: (UnsafeRawPointer, Int) -> Void) {
        let bits = total &* 8
        let end = filled
        withUnsafeMutableBytes(of: &words) { block in
            guard let start = block.baseAddress else { return }
            block[end] = 0x80
            (start + end + 1).initializeMemory(as: UInt8.self, repeating: 0, count: 63 - end)
            if end >= 56 {
                compress(start, 1)
                start.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
            }
            block.storeBytes(of: bits.bigEndian, toByteOffset: 56, as: UInt64.self)
            compress(start, 1)
        }
        filled = 0
    }

    private mutating func copy(_ source: UnsafeRawPointer, _ count: Int) {
        guard count > 0 else { return }
        let offset = filled
        withUnsafeMutableBytes(of: &words) { block in
            if let start = block.baseAddress { (start + offset).copyMemory(from: source, byteCount: count) }
        }
        filled += count
    }
}
