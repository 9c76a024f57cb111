import Core
import Testing

@testable import HTTP1

@Suite("Dates and ranges at their borders")
struct DateFormTests {
    private static let forms = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov 16 08:49:37 1994",
    ]

    @Test("Each character of a date is needed: another in its place, one less or one more is no date")
    func everyCharacter() {
        for text in Self.forms {
            let bytes = Array(text.utf8)
            #expect(HTTPDate.time(text) != nil)
            for index in bytes.indices {
                var other = bytes
                other[index] = UInt8(ascii: "x")
                #expect(HTTPDate.time(String(decoding: other, as: UTF8.self)) == nil, "\(text) \(index)")
                other.remove(at: index)
                #expect(HTTPDate.time(String(decoding: other, as: UTF8.self)) == nil, "\(text) \(index)")
            }
            #expect(HTTPDate.time(text + " ") == nil && HTTPDate.time(" " + text) == nil)
        }
    }

    @Test("Hours, minutes, seconds and years at their borders; a leap second is read")
    func borders() {
        for (clock, isRead) in [
            ("00:00:00", true), ("23:59:59", true), ("23:59:60", true), ("23:59:61", false),
            ("23:60:00", false), ("24:00:00", false),
        ] {
            for form in ["Sun, 06 Nov 1994 @ GMT", "Sunday, 06-Nov-94 @ GMT", "Sun Nov  6 @ 1994"] {
                let text = form.replacing("@", with: clock)
                #expect((HTTPDate.time(text) != nil) == isRead, "\(text)")
            }
        }
        #expect(HTTPDate.time("Thursday, 01-Jan-70 00:00:01 GMT")?.seconds == 1)
        #expect(HTTPDate.time("Friday, 01-Jan-71 00:01:00 GMT")?.seconds == 31_536_060)
        #expect(HTTPDate.time("Tuesday, 01-Jan-69 01:00:00 GMT")?.seconds == 3_124_227_600)
        #expect(HTTPDate.time("Sun Nov 16 08:49:37 1994")?.seconds == 784_975_777)
    }

    @Test("Every weekday and month has its name, and days of a week and of a year follow each other")
    func names() {
        // 1970-01-01 was a Thursday.
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for day in -14 as Int64..<14 {
            let text = HTTPDate.text(OriginTime(seconds: day * 86_400))
            #expect(text.prefix(3) == days[Int(day + 14) % 7], "\(text)")
        }
        let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var day: Int64 = 0
        for (month, length) in zip(months, lengths) {
            let text = HTTPDate.text(OriginTime(seconds: day * 86_400 + 3_661))
            #expect(text.hasSuffix(", 01 \(month) 1970 01:01:01 GMT"), "\(text)")
            day += length
        }
    }

    @Test("Years that can't be written are held at the end of their range")
    func years() {
        #expect(HTTPDate.text(OriginTime(seconds: .min)).contains(" 0000 "))
        #expect(HTTPDate.text(OriginTime(seconds: .max)).contains(" 9999 "))
        #expect(HTTPDate.text(OriginTime(seconds: 253_402_300_799)) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test("A range has a first and a last byte, and its length")
    func ranges() {
        #expect(ByteRange(first: 0, last: 0)?.count == 1 && ByteRange(first: 2, last: 4)?.count == 3)
        #expect(ByteRange(first: -1, last: 0) == nil && ByteRange(first: 1, last: 0) == nil)
        #expect(ByteRange(first: 0, last: .max) == nil && ByteRange(first: 0, last: .max - 1) != nil)
        #expect(ByteRange(first: 2, last: 4)?.contentRange(of: 9) == "bytes 2-4/9")
        #expect(ByteRange.unsatisfied(size: 9) == "bytes */9")
    }

    @Test("Sixteen ranges are evaluated; of seventeen the whole file is sent, though none exists")
    func manyRanges() {
        for (count, expected) in [(16, .unsatisfiable), (17, .several)] as [(Int, RangeRequest)] {
            let value = "bytes=" + Array(repeating: "10-", count: count).joined(separator: ",")
            #expect(RangeRequest(value, size: 10) == expected, "\(count)")
        }
        let one: ByteRange? = ByteRange(first: 0, last: 0)
        #expect(RangeRequest("bytes=0-0", size: 1) == one.map { .one($0) })
        #expect(RangeRequest("bytes=1-", size: 1) == .unsatisfiable)
        #expect(RangeRequest("bytes=0-0,9-", size: 1) == .several)
        #expect(RangeRequest("bytes=-0", size: 1) == .unsatisfiable)
        #expect(RangeRequest("bytes=2-2", size: 3) == ByteRange(first: 2, last: 2).map { .one($0) })
    }

    @Test(
        "The range of a response lies within its size",
        arguments: [
            ("bytes 0-0/1", true), ("BYTES 0-9/10", true), (" bytes 0-9/10 ", true), ("bytes 0-10/10", false),
            ("bytes 0-9/*", true), ("bytes */0", true), ("bytes 0-9/", false), ("bytes /10", false),
            ("bytes 0-9-9/10", false), ("bytes 0-9/10/10", false), ("bytes x-9/10", false),
            ("bytes 0-x/10", false), ("bytes  0-9/10", false), ("byte 0-9/10", false), ("bytes -/10", false),
            ("bytes 0-9223372036854775807/*", false), ("bytes 0-9223372036854775806/*", true),
            ("bytes 0-9//10", false), ("bytes /0-9/10", false), ("bytes 0--9/10", false),
            ("bytes -0-9/10", false), ("bytes 0-9-/10", false), ("bytes 9-9/10", true),
            ("bytes 9-8/10", false),
        ])
    func contentRange(text: String, isRead: Bool) {
        #expect((ContentRange(text) != nil) == isRead)
    }

    @Test("Conditions without a tag or a date of the content: `*` needs content, a date is ignored")
    func conditions() {
        func outcome(_ name: String, _ value: String, tag: EntityTag?, _ method: RequestMethod = .get)
            -> Preconditions.Outcome
        {
            Preconditions.evaluate(ConditionTests.head([(name, value)], method), tag: tag)
        }
        let tag = EntityTag("x")
        #expect(outcome("If-Match", "*", tag: nil) == .proceed)
        #expect(outcome("If-Match", "\"x\"", tag: nil) == .failed)
        #expect(outcome("If-None-Match", "*", tag: nil) == .notModified)
        #expect(outcome("If-None-Match", "*", tag: nil, .put) == .failed)
        #expect(outcome("If-None-Match", "\"x\"", tag: nil) == .proceed)
        #expect(outcome("If-None-Match", "\"x\"", tag: tag, .head) == .notModified)
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for name in ["If-Unmodified-Since", "If-Modified-Since"] {
            #expect(outcome(name, date, tag: tag) == .proceed)
        }
        let both = ConditionTests.head([
            ("If-Match", "\"x\""), ("If-Unmodified-Since", "Sun Nov  6 08:49:36 1994"),
        ])
        #expect(
            Preconditions.evaluate(both, tag: tag, lastModified: ConditionTests.lastModified) == .proceed)
        for (values, applies) in [
            ([], true), (["\"x\""], true), (["\"x\"", "\"x\""], false), ([date], false),
        ] {
            let head = ConditionTests.head(values.map { ("If-Range", $0) })
            #expect(Preconditions.rangeApplies(head, tag: tag) == applies)
        }
        #expect(!Preconditions.rangeApplies(ConditionTests.head([("If-Range", "\"x\"")]), tag: nil))
    }
}
