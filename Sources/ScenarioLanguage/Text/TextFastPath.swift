import Core

/// Fast path for the usual forms of quantities and routes, without a copy of the text: `"512 B"`, `"5s"`,
/// `"assets/app.js"`. nil when ``TextScanner`` is needed, which reads all forms and reports faults.
///
/// Guarantees: the result is that of the scanner (a test compares the two).
/// Deliberately not here: durations of several parts, unusual spaces, dots at the beginning of a segment.
enum TextFastPath {
    /// A size in bytes.
    static func size(_ text: String) -> Int64? {
        guard let bytes = quantity(text, sizeUnits), bytes <= TextScanner.largest else { return nil }
        return bytes
    }

    static func duration(_ text: String) -> TimeSpan? {
        guard let time = quantity(text, timeUnits), time <= TextScanner.longest else { return nil }
        return TimeSpan(microseconds: time)
    }

    /// A route; the leading slash is added when it is missing.
    static func route(_ text: String) -> String? {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let last = bytes.last, last != UInt8(ascii: " ") else { return false }
            // As after a slash, because a leading dot or space is left to the scanner.
            var before = UInt8(ascii: "/")
            for byte in bytes {
                switch byte {
                case 0..<0x20, 0x7F, 0x5C, UInt8(ascii: "?"), UInt8(ascii: "#"): return false
                case UInt8(ascii: "."), UInt8(ascii: " "): if before == UInt8(ascii: "/") { return false }
                default: break
                }
                before = byte
            }
            return true
        }
        return isPlain == true ? rooted(text) : nil
    }

    /// Adds the leading slash when it is missing. Allocates the text once, because files have many routes.
    static func rooted(_ text: String) -> String {
        if text.utf8.first == UInt8(ascii: "/") { return text }
        let made = text.utf8.withContiguousStorageIfAvailable { bytes in
            String(unsafeUninitializedCapacity: bytes.count + 1) { buffer in
                buffer[0] = UInt8(ascii: "/")
                _ = buffer[1...].update(fromContentsOf: bytes)
                return bytes.count + 1
            }
        }
        return made ?? "/" + text
    }

    private typealias Units = [(name: UInt64, factor: Int64)]

    private static let sizeUnits: Units = TextScanner.sizeUnits.map {
        (TextBytes.sortPrefix($0.name), $0.bytes)
    }
    private static let timeUnits: Units = TextScanner.timeUnits.map {
        (TextBytes.sortPrefix($0.name), $0.microseconds)
    }

    /// A whole number, a space or none, a unit of at most eight letters, and nothing else.
    private static func quantity(_ text: String, _ units: Units) -> Int64? {
        let read = text.utf8.withContiguousStorageIfAvailable { bytes -> (number: Int64, unit: UInt64)? in
            var offset = 0
            var number: Int64 = 0
            while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 {
                number = number &* 10 &+ Int64(bytes[offset] &- UInt8(ascii: "0"))
                offset &+= 1
            }
            // Twelve digits can't overflow.
            if offset == 0 || offset > 12 { return nil }
            if offset < bytes.count, bytes[offset] == UInt8(ascii: " ") { offset &+= 1 }
            let length = bytes.count &- offset
            if length == 0 || length > 8 { return nil }
            var unit: UInt64 = 0
            while offset < bytes.count {
                unit = unit &<< 8 | UInt64(bytes[offset])
                offset &+= 1
            }
            return (number, unit &<< UInt64(8 &* (8 &- length)))
        }
        guard case .some(.some(let (number, name))) = read else { return nil }
        for unit in units where unit.name == name {
            let (product, over) = number.multipliedReportingOverflow(by: unit.factor)
            return over ? nil : product
        }
        return nil
    }
}
