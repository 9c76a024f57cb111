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
        let digits = hex.utf8
        guard digits.count == 64 else { return nil }
        let words = digits.withContiguousStorageIfAvailable { Digest256.words($0) }
        guard let words = words ?? Array(digits).withUnsafeBufferPointer({ Digest256.words($0) }) else {
            return nil
        }
        self.init(words.0, words.1, words.2, words.3)
    }

    /// Of 64 digits.
    private static func words(_ digits: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64, UInt64, UInt64)? {
        func word(_ number: Int) -> UInt64? {
            var word: UInt64 = 0
            var isHex = true
            for place in (number &* 16)..<(number &* 16 &+ 16) {
                let digit = digits[place]
                isHex = isHex && Hex.isDigit(digit)
                word = word &<< 4 | UInt64(Hex.value(unchecked: digit))
            }
            return isHex ? word : nil
        }
        guard let a = word(0), let b = word(1), let c = word(2), let d = word(3) else { return nil }
        return (a, b, c, d)
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
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            for place in 0..<32 {
                buffer[place] = UInt8(truncatingIfNeeded: word(place >> 3) &>> UInt64(56 - (place & 7) * 8))
            }
            count = 32
        }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            for place in 0..<64 { buffer[place] = digit(place) }
            return 64
        }
    }

    /// `beginning`, the first two digits, a slash, all digits: a path in a store that spreads its files over
    /// folders, made at once.
    public func path(beginning: String) -> String {
        let start = beginning.utf8.count
        return String(unsafeUninitializedCapacity: start + 67) { buffer in
            var place = 0
            for byte in beginning.utf8 {
                buffer[place] = byte
                place &+= 1
            }
            buffer[start] = digit(0)
            buffer[start + 1] = digit(1)
            buffer[start + 2] = UInt8(ascii: "/")
            for number in 0..<64 { buffer[start &+ 3 &+ number] = digit(number) }
            return start + 67
        }
    }

    /// One of 64, the highest first.
    @inline(__always)
    private func digit(_ place: Int) -> UInt8 {
        let shift = UInt64(60 - (place & 15) * 4)
        return Hex.digit(UInt8(truncatingIfNeeded: word(place >> 4) &>> shift & 15))
    }

    @inline(__always)
    private func word(_ number: Int) -> UInt64 {
        switch number {
        case 0: words.0
        case 1: words.1
        case 2: words.2
        default: words.3
        }
    }
}

extension Digest256: CustomStringConvertible {
    public var description: String { hex }
}
