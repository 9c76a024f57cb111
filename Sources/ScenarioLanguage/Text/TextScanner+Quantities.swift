import Core

// Quantities are texts with a unit: `"250ms"`, `"1h 30m"`, `"40 KB"`, `"60%"`. Whole numbers only;
// KB = 1,000 bytes, KiB = 1,024. A number without a unit is an error, because no unit is assumed.
extension TextScanner {
    static let timeUnits: [(name: String, microseconds: Int64)] = [
        ("us", 1), ("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("min", 60_000_000),
        ("h", 3_600_000_000), ("d", 86_400_000_000), ("day", 86_400_000_000), ("days", 86_400_000_000),
    ]

    static let sizeUnits: [(name: String, bytes: Int64)] = [
        ("B", 1), ("byte", 1), ("bytes", 1), ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
        ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
    ]

    /// Longest duration: ten years. A longer one is a mistake, and sums can't overflow.
    static let longest: Int64 = 86_400_000_000 * 3_653
    /// Largest size: a tebibyte.
    static let largest: Int64 = 1 << 40

    /// A duration of one or more parts, each with a smaller unit than the previous one: `"1h 30m"`.
    mutating func duration() throws(TextFault) -> TimeSpan {
        var total: Int64 = 0
        var lastUnit = Int64.max
        repeat {
            let start = position
            let number = try wholeNumber("a duration", "\"20s\"")
            let unit = try unit(Self.timeUnits.map(\.name), "a time", "us, ms, s, m, h, d")
            let factor = Self.timeUnits.first { $0.name == unit }?.microseconds ?? 1
            if factor >= lastUnit {
                throw TextFault(
                    .badQuantity, "the parts of a duration go from large to small", label: "out of order",
                    help: "write it as \"1h 30m\"", at: start, position)
            }
            lastUnit = factor
            let (product, over) = number.multipliedReportingOverflow(by: factor)
            if over || product > Self.longest || total + product > Self.longest {
                throw TextFault(
                    .outOfRange, "a duration of more than ten years", label: "too long", at: start, position)
            }
            total += product
            skipSpaces()
        } while peek.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ?? false
        return TimeSpan(microseconds: total)
    }

    /// A duration with its sign: `"+1h"`, `"-90s"`.
    mutating func signedDuration() throws(TextFault) -> TimeSpan {
        let sign = peek
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            throw TextFault(
                .badQuantity, "'\(String(decoding: bytes, as: UTF8.self))' has no sign",
                label: "expected a duration with its sign, as in \"+1h\" or \"-90s\"", at: position,
                bytes.count, isSpecific: false)
        }
        position += 1
        skipSpaces()
        let span = try duration()
        return sign == UInt8(ascii: "-") ? .zero - span : span
    }

    /// A size in bytes.
    mutating func size() throws(TextFault) -> Int64 {
        let start = position
        let number = try wholeNumber("a size", "\"40 KB\"")
        let unit = try unit(Self.sizeUnits.map(\.name), "a size", "B, KB, MB, GB, KiB, MiB, GiB")
        let factor = Self.sizeUnits.first { $0.name == unit }?.bytes ?? 1
        let (product, over) = number.multipliedReportingOverflow(by: factor)
        if over || product > Self.largest {
            throw TextFault(.outOfRange, "a size of more than 1 TiB", label: "too large", at: start, position)
        }
        return product
    }

    /// A percentage, `"60%"`: a whole number from 0 to 100.
    mutating func percent() throws(TextFault) -> Int64 {
        let start = position
        let number = try wholeNumber("a percentage", "\"60%\"")
        _ = try unit(["%"], "a percentage", "%")
        if number > 100 {
            throw TextFault(.outOfRange, "more than 100 %", label: "too much", at: start, position)
        }
        return number
    }

    /// A percentage or a size.
    mutating func amount() throws(TextFault) -> Amount {
        let start = position
        _ = digits()
        skipSpaces()
        let isPercent = peek == UInt8(ascii: "%")
        position = start
        return isPercent ? .percent(Int(try percent())) : .bytes(Int(try size()))
    }

    /// A rate in bits per second.
    mutating func bitRate() throws(TextFault) -> Int64 {
        try rate("\"10 Mbit/s\"", [("kbit", 1_000), ("Mbit", 1_000_000), ("Gbit", 1_000_000_000)])
    }

    /// A rate in bytes per second.
    mutating func byteRate() throws(TextFault) -> Int64 {
        try rate("\"120 MB/s\"", [("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)])
    }

    private mutating func rate(_ example: String, _ units: [(String, Int64)]) throws(TextFault) -> Int64 {
        let start = position
        let number = try wholeNumber("a rate", example)
        let unit = try unit(units.map(\.0), "a rate", units.map { $0.0 + "/s" }.joined(separator: ", "))
        guard take("/s") else {
            throw TextFault(
                .badQuantity, "a rate without its time", label: "expected \"/s\" after the unit",
                at: position, bytes.count)
        }
        let (product, over) = number.multipliedReportingOverflow(by: units.first { $0.0 == unit }?.1 ?? 1)
        if over || product < 1 || product > Self.largest {
            throw TextFault(
                .outOfRange, "a rate that can't be", label: "from 1 to 1 Tbit a second", at: start, position)
        }
        return product
    }

    private mutating func wholeNumber(_ what: String, _ example: String) throws(TextFault) -> Int64 {
        guard let (value, start) = digits() else {
            throw TextFault(
                .badQuantity, "'\(String(decoding: bytes, as: UTF8.self))' is not \(what)",
                label: "expected a number with a unit, as in \(example)", at: position, bytes.count,
                isSpecific: false)
        }
        if peek == UInt8(ascii: ".") || peek == UInt8(ascii: ",") {
            throw TextFault(
                .badQuantity, "a fraction", label: "whole numbers only", help: "use a smaller unit",
                at: position,
                runEnd(from: position))
        }
        guard let value else {
            throw TextFault(
                .outOfRange, "a number that is too large", label: "too large", at: start, position)
        }
        return value
    }

    private mutating func unit(_ units: [String], _ what: String, _ shown: String) throws(TextFault) -> String
    {
        let numberEnd = position
        skipSpaces()
        let start = position
        let unit = letters()
        if units.contains(unit) { return unit }
        if unit.isEmpty {
            throw TextFault(
                .badQuantity, "a number without its unit", label: "expected a unit of \(what): \(shown)",
                at: min(start, numberEnd), max(start, numberEnd))
        }
        let lower = unit.lowercased()
        let meant = units.first { $0.lowercased() == lower } ?? longUnits.first { $0.0 == lower }?.1
        throw TextFault(
            .badQuantity, "'\(unit)' is not a unit of \(what)", label: "expected \(shown)",
            help: meant.map { "did you mean '\($0)'?" }, at: start, position)
    }

    /// Other names of units, for suggestions.
    private var longUnits: [(String, String)] {
        [
            ("sec", "s"), ("secs", "s"), ("second", "s"), ("seconds", "s"), ("minute", "m"), ("minutes", "m"),
            ("mins", "m"), ("hour", "h"), ("hours", "h"), ("hr", "h"), ("msec", "ms"), ("millis", "ms"),
            ("percent", "%"), ("k", "KB"), ("kilobytes", "KB"), ("megabytes", "MB"),
        ]
    }
}
