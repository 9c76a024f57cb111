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

extension Digest256 {
    /// Reads exactly 64 hexadecimal digits of either case; nil for anything else.
    public init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.bytes(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads exactly 32 bytes; nil for any other number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for (place, byte) in bytes.enumerated() {
            switch place / 8 {
            case 0: words.0 = words.0 << 8 | UInt64(byte)
            case 1: words.1 = words.1 << 8 | UInt64(byte)
            case 2: words.2 = words.2 << 8 | UInt64(byte)
            default: words.3 = words.3 << 8 | UInt64(byte)
            }
        }
        self.init(words.0, words.1, words.2, words.3)
    }

    /// The 32 bytes in the order in which SHA-256 gives them.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { Hex.text(bytes) }
}

extension Digest256: CustomStringConvertible {
    public var description: String { hex }
}
