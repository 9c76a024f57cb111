import Core
import Testing

@Suite("Dates")
struct DateTests {
    @Test("An ISO date, written and parsed, is the same time, before 1970 and in leap years too")
    func roundTrip() {
        for seconds in stride(from: Int64(-62_135_596_800), to: 253_402_300_799, by: 864_000_000 / 7 + 13) {
            let time = OriginTime(seconds: seconds)
            #expect(ISODate.time(ISODate.text(time)) == time)
        }
    }

    @Test(
        "Dates are written as in RFC 3339",
        arguments: [
            (0 as Int64, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
            (-2_203_891_200, "1900-03-01T00:00:00Z"), (951_868_799, "2000-02-29T23:59:59Z"),
            // Years of four digits, whatever the time.
            (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "0000-01-01T00:00:00Z"),
            (-62_167_219_199, "0000-01-01T00:00:01Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "9999-12-31T23:59:59Z"), (253_402_300_798, "9999-12-31T23:59:58Z"),
        ])
    func text(seconds: Int64, text: String) {
        #expect(ISODate.text(OriginTime(seconds: seconds)) == text)
    }

    @Test(
        "A day of the calendar exists or does not, and is counted from 1970",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 2, 30, nil),
            (1900, 2, 28, -25_509),
            (1900, 2, 29, nil), (1900, 3, 1, -25_508), (2024, 2, 29, 19_782), (2023, 2, 29, nil),
            (2100, 2, 29, nil), (2026, 1, 31, 20_484), (2026, 1, 32, nil), (2026, 4, 30, 20_573),
            (2026, 4, 31, nil), (2026, 3, 31, 20_543), (2026, 5, 31, 20_604), (2026, 6, 31, nil),
            (2026, 7, 31, 20_665), (2026, 8, 31, 20_696), (2026, 9, 31, nil), (2026, 10, 31, 20_757),
            (2026, 11, 31, nil), (2026, 12, 31, 20_818), (2026, 0, 1, nil), (2026, 13, 1, nil),
            (2026, 1, 0, nil),
        ] as [(Int, Int, Int, Int64?)])
    func days(year: Int, month: Int, day: Int, days: Int64?) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(date?.daysSince1970 == days)
        if let date, let days { #expect(CivilDate(daysSince1970: days) == date) }
    }

    /// Noon of 2026-11-20 in UTC.
    private static let noon: Int64 = 1_795_176_000

    @Test(
        "A date is read with any offset; a fraction of a second is dropped (RFC 3339 §5.6)",
        arguments: [
            ("2026-11-20T12:00:00Z", noon), ("2026-11-20t12:00:00Z", nil), ("2026-11-20 12:00:00z", noon),
            ("2026-11-20T12:00:00.5Z", noon), ("2026-11-20T12:00:00.999999999Z", noon),
            ("2026-11-20T12:00:00+00:00", noon), ("2026-11-20T14:00:00+02:00", noon),
            ("2026-11-20T06:30:00-05:30", noon), ("2026-11-21T01:45:00.25+13:45", noon),
            ("2026-11-20T12:00:00+00:09", noon - 9 * 60), ("2026-11-20T12:00:00-00:09", noon + 9 * 60),
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("2026-12-31T23:59:60Z", 1_798_761_600),
            // A day that the month does not have.
            ("2026-02-31T00:00:00Z", 1_772_496_000),
        ] as [(String, Int64?)])
    func read(text: String, seconds: Int64?) {
        #expect(ISODate.time(text) == seconds.map { OriginTime(seconds: $0) })
    }

    @Test(
        "Anything else is no date, wherever the text ends",
        arguments: [
            "", "2026-11-20", "2026-11-20T12:00:00", "2026-11-20T12:00:00.", "2026-11-20T12:00:00.5",
            "2026-11-20T12:00:00 ", "2026-11-20T12:00:00ZZ", "2026-11-20T12:00:00.5Z ",
            "2026-11-20T12:00:00+", "2026-11-20T12:00:00+02", "2026-11-20T12:00:00+0200",
            "2026-11-20T12:00:00+02:0", "2026-11-20T12:00:00+02:00Z", "2026-11-20T12:00:00+02-00",
            "2026-11-20T12:00:00+x2:00", "2026-11-20T12:00:00+0x:00", "2026-11-20T12:00:00+02:x0",
            "2026-11-20T12:00:00+02:0x", "2026-11-20T12:00:00.5-02:0", "2026-11-20T12:00:00,5Z",
            "2026/11-20T12:00:00Z", "2026-11/20T12:00:00Z", "2026-11-20T12.00:00Z", "2026-11-20T12:00.00Z",
            "2026-00-20T12:00:00Z", "2026-13-20T12:00:00Z", "2026-11-00T12:00:00Z", "2026-11-32T12:00:00Z",
            "2026-11-20T24:00:00Z", "2026-11-20T12:60:00Z", "2026-11-20T12:00:61Z", "+026-11-20T12:00:00Z",
            "2026-1 -20T12:00:00Z", "2026-11-2:T12:00:00Z", "2026-11-20T/2:00:00Z",
        ])
    func none(text: String) {
        #expect(ISODate.time(text) == nil)
    }
}
