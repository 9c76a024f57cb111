/// A SHA-1 digest of 160 bits, which names the files of Meteor's manifests. Comparison uses no heap memory.
public struct Digest160: Hashable, Comparable, Sendable {
    /// Big-endian words: the first holds the first eight bytes, the last one the last four.
    public let words: (UInt64, UInt64, UInt32)

    /// A digest of big-endian words, as in ``words``.
    public init(_ a: UInt64, _ b: UInt64, _ c: UInt32) { words = (a, b, c) }

    /// Reads exactly 40 hexadecimal digits of either case; nil for anything else.
    public init?(hex: some StringProtocol) {
        guard hex.utf8.count == 40, let bytes = Hex.bytes(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads exactly 20 bytes; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 20 else { return nil }
        var words: (UInt64, UInt64, UInt32) = (0, 0, 0)
        for (offset, byte) in bytes.enumerated() {
            switch offset / 8 {
            case 0: words.0 = words.0 << 8 | UInt64(byte)
            case 1: words.1 = words.1 << 8 | UInt64(byte)
            default: words.2 = words.2 << 8 | UInt32(byte)
            }
        }
        self.init(words.0, words.1, words.2)
    }

    /// The 20 bytes in the order in which SHA-1 gives them.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20)
        for word in [words.0, words.1] {
            for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        for shift in stride(from: 24 as UInt32, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: words.2 >> shift))
        }
        return bytes
    }

    /// 40 lower-case hexadecimal digits.
    public var hex: String { Hex.text(bytes) }

    public static func == (left: Digest160, right: Digest160) -> Bool { left.words == right.words }

    public static func < (left: Digest160, right: Digest160) -> Bool { left.words < right.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

extension Digest160: CustomStringConvertible {
    public var description: String { hex }
}
