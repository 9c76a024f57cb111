/// 256 bits of a SHA-256, compared and ordered without touching the heap.
public struct Digest256: Hashable, Comparable, Sendable {
    public let words: (UInt64, UInt64, UInt64, UInt64)

    /// Big-endian words: the first word holds the first eight bytes.
    public init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { words = (a, b, c, d) }

    public static func == (left: Digest256, right: Digest256) -> Bool { left.words == right.words }

    public static func < (left: Digest256, right: Digest256) -> Bool { left.words < right.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}
