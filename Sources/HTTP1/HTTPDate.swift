import Core

/// Dates of HTTP (RFC 9110 §5.6.7): written as IMF-fixdate, read in all three forms.
package enum HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`. Years outside 0 to 9999 can't be written and are held at the end of
    /// that range.
    package static func text(_ time: OriginTime) -> String {
        let (date, rest) = CivilDate.parts(of: time)
        // 1970-01-01 was a Thursday.
        let weekday = Int(date.daysSince1970 % 7 + 11) % 7
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text.append(contentsOf: weekdays[weekday].utf8)
        text.append(contentsOf: ", ".utf8)
        two(date.day, " ", &text)
        text.append(contentsOf: months[date.month - 1].utf8)
        text.append(UInt8(ascii: " "))
        two(date.year / 100, "", &text)
        two(date.year % 100, " ", &text)
        two(rest / 3_600, ":", &text)
        two(rest / 60 % 60, ":", &text)
        two(rest % 60, " GMT", &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for anything that is none of the three forms. A two-digit year below 70 is taken for 20xx.
    package static func time(_ text: String) -> OriginTime? {
        let bytes = Array(text.utf8)
        return fixdate(bytes) ?? rfc850(bytes) ?? asctime(bytes)
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longWeekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ bytes: [UInt8]) -> OriginTime? {
        guard bytes.count == 29, isOne(of: weekdays, bytes[0..<3]), has(", ", bytes, at: 3),
            has(" ", bytes, at: 7), has(" ", bytes, at: 11), has(" ", bytes, at: 16),
            has(" GMT", bytes, at: 25)
        else { return nil }
        return time(
            year: Token.number(bytes[12..<16]), month: bytes[8..<11], day: Token.number(bytes[5..<7]),
            clock: bytes[17..<25])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ bytes: [UInt8]) -> OriginTime? {
        guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")), bytes.count == comma + 24,
            isOne(of: longWeekdays, bytes[..<comma])
        else { return nil }
        let rest = Array(bytes[(comma + 1)...])
        guard has(" ", rest, at: 0), has("-", rest, at: 3), has("-", rest, at: 7), has(" ", rest, at: 10),
            has(" GMT", rest, at: 19), let short = Token.number(rest[8..<10])
        else { return nil }
        return time(
            year: short < 70 ? 2_000 + short : 1_900 + short, month: rest[4..<7],
            day: Token.number(rest[1..<3]), clock: rest[11..<19])
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ bytes: [UInt8]) -> OriginTime? {
        guard bytes.count == 24, isOne(of: weekdays, bytes[0..<3]), has(" ", bytes, at: 3),
            has(" ", bytes, at: 7), has(" ", bytes, at: 10), has(" ", bytes, at: 19)
        else { return nil }
        let day = bytes[8] == 0x20 ? bytes[9..<10] : bytes[8..<10]
        return time(
            year: Token.number(bytes[20..<24]), month: bytes[4..<7], day: Token.number(day),
            clock: bytes[11..<19])
    }

    private static func time(
        year: Int?, month: ArraySlice<UInt8>, day: Int?, clock: ArraySlice<UInt8>
    ) -> OriginTime? {
        let digits = Array(clock)
        guard let year, let day, let place = months.firstIndex(where: { month.elementsEqual($0.utf8) }),
            has(":", digits, at: 2), has(":", digits, at: 5), let hour = Token.number(digits[0..<2]),
            let minute = Token.number(digits[3..<5]), let second = Token.number(digits[6..<8]),
            let date = CivilDate(year: year, month: place + 1, day: day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return OriginTime(
            seconds: date.daysSince1970 * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
    }

    private static func isOne(of names: [String], _ bytes: ArraySlice<UInt8>) -> Bool {
        names.contains { bytes.elementsEqual($0.utf8) }
    }

    private static func has(_ text: String, _ bytes: [UInt8], at place: Int) -> Bool {
        bytes[place...].starts(with: text.utf8)
    }

    /// Two digits of a number below 100, and what follows them.
    private static func two(_ number: Int, _ rest: String, _ text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        text.append(contentsOf: rest.utf8)
    }
}
