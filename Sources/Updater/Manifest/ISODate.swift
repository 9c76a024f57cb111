import Core

/// Reads the RFC 3339 profile of ISO 8601: `2026-11-20T12:00:00Z`, with a fraction (cut off) and an offset.
enum ISODate {
    static func read(_ text: String) -> OriginTime? {
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
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var place = 19
        if bytes[place] == 0x2e {
            place += 1
            while place < bytes.count, (48...57).contains(bytes[place]) { place += 1 }
        }
        guard place < bytes.count else { return nil }
        var offset = 0
        switch bytes[place] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard place + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard place + 6 == bytes.count, bytes[place + 3] == 0x3a,
                let hours = number(place + 1..<place + 3),
                let minutes = number(place + 4..<place + 6)
            else { return nil }
            offset = (hours * 60 + minutes) * 60 * (bytes[place] == 0x2b ? 1 : -1)
        default: return nil
        }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return OriginTime(seconds: Int64(seconds))
    }

    /// Days since 1970-01-01 of a Gregorian date (years counted from March, 400-year eras).
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
