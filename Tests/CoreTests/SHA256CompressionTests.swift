import Core
import Testing

@Suite("SHA-256 by the processor's instructions and in Swift")
struct SHA256CompressionTests {
    private struct Numbers {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 24
        }

        mutating func word() -> UInt32 { UInt32(truncatingIfNeeded: next()) }

        mutating func words() -> SHA256State.Words {
            (word(), word(), word(), word(), word(), word(), word(), word())
        }
    }

    private func list(_ words: SHA256State.Words) -> [UInt32] {
        [words.0, words.1, words.2, words.3, words.4, words.5, words.6, words.7]
    }

    private func compressed(
        _ how: SHA256Compression, _ state: SHA256State.Words, _ bytes: [UInt8], at offset: Int, blocks: Int
    ) -> [UInt32] {
        var words = state
        bytes.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress { how.compress(&words, start + offset, blocks) }
        }
        return list(words)
    }

    @Test(
        "both give the same words, from any state, over 0 to 40 blocks at any alignment",
        .enabled(if: SHA256Compression.instructionsAreAvailable))
    func same() {
        var numbers = Numbers(state: 1)
        for round in 0..<400 {
            let blocks = round % 41
            let offset = Int(numbers.next() % 17)
            let bytes = (0..<(offset + blocks * 64)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            let state = numbers.words()
            let expected = compressed(.portable, state, bytes, at: offset, blocks: blocks)
            #expect(compressed(.instructions, state, bytes, at: offset, blocks: blocks) == expected)
            #expect((expected == list(state)) == (blocks == 0))
        }
    }

    @Test("one block of FIPS 180-4's example gives the standard's words", arguments: [false, true])
    func example(instructions: Bool) {
        guard !instructions || SHA256Compression.instructionsAreAvailable else { return }
        // "abc", a one bit, zeros, and the length: 24 bits (the standard's example of one block)
        let block = Array("abc".utf8) + [0x80] + [UInt8](repeating: 0, count: 59) + [24]
        let words = compressed(
            instructions ? .instructions : .portable, SHA256State.initial, block, at: 0, blocks: 1)
        #expect(
            words == [
                0xba78_16bf, 0x8f01_cfea, 0x4141_40de, 0x5dae_2223, 0xb003_61a3, 0x9617_7a9c, 0xb410_ff61,
                0xf200_15ad,
            ])
    }
}
