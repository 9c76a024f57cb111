/// A SHA-256 digest of 256 bits. Comparison and ordering use no heap memory.
public struct Digest256: Hashable, Comparable, Sendable {
    /// Big-endian words: the first word holds the first eight bytes.
    public let words: (UInt64, UInt64, UInt64, UInt64)

    /// A digest of big-endian words, as in ``words``.
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
        let words = digits.withContiguousStorageIfAvailable { Digest256.words(UnsafeRawBufferPointer($0)) }
        guard let words = words ?? Array(digits).withUnsafeBytes({ Digest256.words($0) }) else {
            return nil
        }
        self.init(words.0, words.1, words.2, words.3)
    }

    /// Reads exactly 64 hexadecimal digits from memory; nil for anything else.
    init?(digits: UnsafeRawBufferPointer) {
        guard digits.count == 64, let words = Digest256.words(digits) else { return nil }
        self.init(words.0, words.1, words.2, words.3)
    }

    /// Reads 64 digits.
    private static func words(_ digits: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64)? {
        func word(_ index: Int) -> UInt64? {
            let offset = index &* 16
            guard let high = Hex.word(digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                let low = Hex.word(digits.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
            else { return nil }
            return UInt64(high) &<< 32 | UInt64(low)
        }
        guard let a = word(0), let b = word(1), let c = word(2), let d = word(3) else { return nil }
        return (a, b, c, d)
    }

    /// Reads exactly 32 bytes; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for (offset, byte) in bytes.enumerated() {
            switch offset / 8 {
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
        append(to: &bytes)
        return bytes
    }

    /// Adds the 32 bytes in the order in which SHA-256 gives them.
    package func append(to bytes: inout [UInt8]) {
        let ordered = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
        )
        withUnsafeBytes(of: ordered) { bytes.append(contentsOf: $0) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            writeDigits(UnsafeMutableRawBufferPointer(buffer), at: 0)
            return 64
        }
    }

    /// `beginning`, the first two digits, a slash, all digits: a path in a store that distributes its files
    /// over 256 folders. Built in one allocation.
    package func path(beginning: String) -> String {
        let start = beginning.utf8.count
        return String(unsafeUninitializedCapacity: start + 67) { buffer in
            Digest256.write(beginning, to: buffer, at: 0)
            writeDigits(UnsafeMutableRawBufferPointer(buffer), at: start + 3)
            buffer[start] = buffer[start + 3]
            buffer[start + 1] = buffer[start + 4]
            buffer[start + 2] = UInt8(ascii: "/")
            return start + 67
        }
    }

    /// `beginning`, all digits, `ending`. Built in one allocation.
    package func text(beginning: String, ending: String = "") -> String {
        let start = beginning.utf8.count
        let count = start + 64 + ending.utf8.count
        return String(unsafeUninitializedCapacity: count) { buffer in
            Digest256.write(beginning, to: buffer, at: 0)
            writeDigits(UnsafeMutableRawBufferPointer(buffer), at: start)
            Digest256.write(ending, to: buffer, at: start + 64)
            return count
        }
    }

    /// `beginning` and the first two digits: the folder of ``path(beginning:)``.
    package func folder(beginning: String) -> String {
        let start = beginning.utf8.count
        return String(unsafeUninitializedCapacity: start + 2) { buffer in
            Digest256.write(beginning, to: buffer, at: 0)
            buffer[start] = Hex.digit(UInt8(truncatingIfNeeded: words.0 &>> 60))
            buffer[start + 1] = Hex.digit(UInt8(truncatingIfNeeded: words.0 &>> 56) & 15)
            return start + 2
        }
    }

    private static func write(_ text: String, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        var offset = start
        for byte in text.utf8 {
            buffer[offset] = byte
            offset &+= 1
        }
    }

    /// Writes the 64 digits, eight at a time.
    private func writeDigits(_ buffer: UnsafeMutableRawBufferPointer, at start: Int) {
        func write(_ word: UInt64, _ offset: Int) {
            let high = Hex.digits(UInt32(truncatingIfNeeded: word &>> 32))
            let low = Hex.digits(UInt32(truncatingIfNeeded: word))
            buffer.storeBytes(of: high, toByteOffset: start &+ offset, as: UInt64.self)
            buffer.storeBytes(of: low, toByteOffset: start &+ offset &+ 8, as: UInt64.self)
        }
        write(words.0, 0)
        write(words.1, 16)
        write(words.2, 32)
        write(words.3, 48)
    }
}

extension Digest256: CustomStringConvertible {
    public var description: String { hex }
}
