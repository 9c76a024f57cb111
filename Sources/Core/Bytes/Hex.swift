/// Writes lower-case hexadecimal text, and parses it strictly.
package enum Hex {
    /// Two lower-case digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Sixteen lower-case digits, most significant first.
    package static func text(_ word: UInt64) -> String {
        text((0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) })
    }

    /// Parses an even number of digits of either case, because origins differ in what they write; nil for
    /// anything else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for unit in digits {
            guard let value = value(ofDigit: unit) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Value of one ASCII digit, 0 to 15; nil for any other byte.
    package static func value(ofDigit unit: UInt8) -> UInt8? {
        isDigit(unit) ? value(unchecked: unit) : nil
    }

    @inline(__always)
    static func isDigit(_ unit: UInt8) -> Bool {
        (unit &- UInt8(ascii: "0") < 10) != ((unit | 0x20) &- UInt8(ascii: "a") < 6)
    }

    /// Value of a byte that is a digit: of `0` to `9`, the low half; of letters, the low half counts from 1.
    @inline(__always)
    static func value(unchecked unit: UInt8) -> UInt8 { (unit & 15) &+ (unit &>> 6) &* 9 }

    // MARK: Eight digits at a time, one in each byte of a word in memory

    /// Eight lower-case digits of 32 bits, most significant first.
    static func digits(_ value: UInt32) -> UInt64 {
        var halves = UInt64(value)
        halves = (halves &<< 16 | halves) & 0x0000_ffff_0000_ffff
        halves = (halves &<< 8 | halves) & 0x00ff_00ff_00ff_00ff
        halves = (halves &<< 4 | halves) & 0x0f0f_0f0f_0f0f_0f0f
        let letters = letters(halves)
        return (halves &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).bigEndian
    }

    /// Value of eight digits of either case; nil when one is not a digit.
    static func word(_ digits: UInt64) -> UInt32? {
        let text = digits.bigEndian
        var halves = (text & 0x0f0f_0f0f_0f0f_0f0f) &+ (text &>> 6 & 0x0101_0101_0101_0101) &* 9
        halves &= 0x0f0f_0f0f_0f0f_0f0f
        // Valid digits, written again, give the same text except for the case bit.
        let letters = letters(halves)
        let again = halves &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
        guard (text ^ again) & ~(letters &* 0x20) == 0 else { return nil }
        halves = (halves &>> 4 | halves) & 0x00ff_00ff_00ff_00ff
        halves = (halves &>> 8 | halves) & 0x0000_ffff_0000_ffff
        return UInt32(truncatingIfNeeded: halves &>> 16 | halves)
    }

    /// A 1 in each byte that is above 9.
    @inline(__always)
    private static func letters(_ halves: UInt64) -> UInt64 {
        (halves &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    }

    /// The lower-case digit of a value below 16.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
