/// Dates of the RFC 3339 profile of ISO 8601: `2026-11-20T12:00:00Z`.
package enum ISODate {
    /// The time in UTC, in whole seconds.
    package static func text(_ time: OriginTime) -> String {
        let (date, second) = CivilDate.parts(of: time)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// Parses a date and time; nil for anything else. A fraction is discarded, an offset is applied. A day up
    /// to 31 that the month does not have continues into the next month.
    package static func time(_ text: String) -> OriginTime? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[10] == 0x54 || bytes[10] == 0x20,
            bytes[13] == 0x3a, bytes[16] == 0x3a
        else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            let first = CivilDate(year: year, month: month, day: 1), (1...31).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        var index = 19
        if bytes[index] == 0x2e {
            index += 1
            while index < bytes.count, (48...57).contains(bytes[index]) { index += 1 }
        }
        guard index < bytes.count else { return nil }
        var offset = 0
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard index + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard index + 6 == bytes.count, bytes[index + 3] == 0x3a,
                let hours = number(index + 1..<index + 3),
                let minutes = number(index + 4..<index + 6)
            else { return nil }
            offset = (hours * 60 + minutes) * 60 * (bytes[index] == 0x2b ? 1 : -1)
        default: return nil
        }
        let days = first.daysSince1970 + Int64(day - 1)
        return OriginTime(seconds: days * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset))
    }
}
