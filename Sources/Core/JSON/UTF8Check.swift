/// Finds the first byte that is not valid UTF-8 (RFC 3629: no overlong form, no surrogate, nothing above
/// U+10FFFF).
package enum UTF8Check {
    /// The offset of the first invalid byte; nil when the text is valid.
    package static func firstFault(in bytes: [UInt8]) -> Int? {
        var checked = 0
        return isValid(bytes, from: &checked, until: bytes.count) ? nil : checked
    }

    /// Whether the text is valid from an offset until the first character that ends at or behind a limit.
    /// - Parameter here: moves behind what is valid.
    static func isValid(_ bytes: [UInt8], from here: inout Int, until limit: Int) -> Bool {
        let count = bytes.count
        let limit = min(limit, count)
        while here < limit {
            let lead = bytes[here]
            if lead < 0x80 {
                here += 1
                here += asciiWords(in: bytes, from: here, until: limit)
                continue
            }
            let length: Int
            var low: UInt8 = 0x80
            var high: UInt8 = 0xBF
            switch lead {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, low) = (3, 0xA0)
            case 0xED: (length, high) = (3, 0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, low) = (4, 0x90)
            case 0xF1...0xF3: length = 4
            case 0xF4: (length, high) = (4, 0x8F)
            default: return false
            }
            guard here + length <= count, bytes[here + 1] >= low, bytes[here + 1] <= high else {
                return false
            }
            for index in (here + 2)..<(here + max(length, 2)) where bytes[index] & 0xC0 != 0x80 {
                return false
            }
            here += length
        }
        return true
    }

    /// The length of the ASCII run at `start`, in steps of eight bytes: most texts are one such run.
    private static func asciiWords(in bytes: [UInt8], from start: Int, until limit: Int) -> Int {
        bytes.withUnsafeBytes { raw in
            var here = start
            while here + 8 <= limit,
                raw.loadUnaligned(fromByteOffset: here, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                here += 8
            }
            return here - start
        }
    }
}
