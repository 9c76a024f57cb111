/// One block of a file: a slice of an immutable buffer. Blocks written by one call share one buffer, so that
/// 64 KiB cost one copy and a fork costs none.
package struct ContentBlock: Equatable, Sendable {
    private let storage: [UInt8]
    private let start: Int32
    private let length: Int32

    package var count: Int { Int(length) }

    /// The bytes `start ..< start + count` of `storage`.
    package init(_ storage: [UInt8], from start: Int, count: Int) {
        self.storage = storage
        self.start = Int32(start)
        length = Int32(count)
    }

    package init(_ bytes: [UInt8]) { self.init(bytes, from: 0, count: bytes.count) }

    /// The first `count` bytes, which must exist.
    package func prefix(_ count: Int) -> ContentBlock {
        ContentBlock(storage, from: Int(start), count: count)
    }

    /// The same bytes, followed by zeros up to `size`.
    package func padded(to size: Int) -> ContentBlock {
        guard count < size else { return self }
        if count == 0 { return ContentBlock(ContentBlock.zeros(size)) }
        return ContentBlock(Array(bytes) + [UInt8](repeating: 0, count: size - count))
    }

    package var bytes: ArraySlice<UInt8> { storage[Int(start)..<Int(start + length)] }

    /// The whole buffer when these blocks, one after the other, are exactly that buffer.
    package static func sharedBuffer(of blocks: ArraySlice<ContentBlock>, count: Int) -> [UInt8]? {
        guard let first = blocks.first, first.storage.count == count else { return nil }
        var next: Int32 = 0
        for block in blocks {
            guard block.start == next, block.sharesBuffer(with: first) else { return nil }
            next += block.length
        }
        return Int(next) == count ? first.storage : nil
    }

    package static func == (left: ContentBlock, right: ContentBlock) -> Bool {
        guard left.length == right.length else { return false }
        if left.start == right.start && left.sharesBuffer(with: right) { return true }
        return left.storage.withUnsafeBytes { leftBytes in
            right.storage.withUnsafeBytes { rightBytes in
                sameBytes(leftBytes, Int(left.start), rightBytes, Int(right.start), Int(left.length))
            }
        }
    }

    private func sharesBuffer(with other: ContentBlock) -> Bool {
        storage.withUnsafeBytes { mine in
            other.storage.withUnsafeBytes { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
        }
    }

    /// Compares eight bytes at a time: `==` of two arrays compares one by one.
    private static func sameBytes(
        _ left: UnsafeRawBufferPointer, _ leftStart: Int, _ right: UnsafeRawBufferPointer,
        _ rightStart: Int, _ count: Int
    ) -> Bool {
        var index = 0
        while index + 8 <= count {
            let one = left.loadUnaligned(fromByteOffset: leftStart + index, as: UInt64.self)
            let other = right.loadUnaligned(fromByteOffset: rightStart + index, as: UInt64.self)
            if one != other { return false }
            index += 8
        }
        while index < count {
            if left[leftStart + index] != right[rightStart + index] { return false }
            index += 1
        }
        return true
    }

    private static let fullZeros = [UInt8](repeating: 0, count: 4096)

    private static func zeros(_ size: Int) -> [UInt8] {
        size == fullZeros.count ? fullZeros : [UInt8](repeating: 0, count: size)
    }

    package static func zero(_ size: Int) -> ContentBlock { ContentBlock(zeros(size)) }

    package func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        storage.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[Int(start)..<Int(start) + count]))
        }
    }

    /// Adds the bytes to a fingerprint; equal blocks add equal sums. Four independent sums are several times
    /// as fast as one.
    package func mix(into sum: inout Fingerprint) {
        withBytes { bytes in
            var first: UInt64 = 0x9E37_79B9_7F4A_7C15
            var second: UInt64 = 0xBF58_476D_1CE4_E5B9
            var third: UInt64 = 0x94D0_49BB_1331_11EB
            var fourth: UInt64 = 0xD6E8_FEB8_6659_FD93
            var index = 0
            func word(_ offset: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: index + offset, as: UInt64.self)
            }
            while index + 32 <= bytes.count {
                first = ContentBlock.mixed(first, word(0))
                second = ContentBlock.mixed(second, word(8))
                third = ContentBlock.mixed(third, word(16))
                fourth = ContentBlock.mixed(fourth, word(24))
                index += 32
            }
            while index < bytes.count {
                first = ContentBlock.mixed(first, UInt64(bytes[index]))
                index += 1
            }
            sum.add(bytes.count)
            sum.add(first)
            sum.add(second)
            sum.add(third)
            sum.add(fourth)
        }
    }

    private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return (product.high ^ product.low) &+ word
    }
}
