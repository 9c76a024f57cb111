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
        ])
    func text(seconds: Int64, text: String) {
        #expect(ISODate.text(OriginTime(seconds: seconds)) == text)
    }
}
