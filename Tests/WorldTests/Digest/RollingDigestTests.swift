import Testing

@testable import World

@Suite("The rolling digest of a run")
struct RollingDigestTests {
    @Test("The rolling digest depends on every word and on their order")
    func rolling() {
        func digest(_ words: [UInt64]) -> UInt64 {
            var digest = RollingDigest()
            for word in words { digest.mix(word) }
            return digest.value
        }
        let words = (0..<64).map { UInt64($0) }
        var seen = [digest(words)]
        for index in 0..<63 {
            var changed = words
            changed[index] ^= 1 << 63
            seen.append(digest(changed))
            var swapped = words
            swapped.swapAt(index, index + 1)
            seen.append(digest(swapped))
        }
        seen.append(digest(words + [0]))
        #expect(Set(seen).count == seen.count)
    }
}
