import Core
import Testing

@testable import HTTP1

@Suite("Conditions, ranges and dates")
struct ConditionTests {
    static func head(_ fields: [(String, String)], _ method: RequestMethod = .get) -> RequestHead {
        RequestHead(
            method, .origin(RequestTarget(.root)),
            fields: HeaderFields(fields.map { HeaderFields.Field($0.0, $0.1) }))
    }

    static let lastModified = HTTPDate.time("Sun, 06 Nov 1994 08:49:37 GMT")

    static func outcome(
        _ fields: [(String, String)], _ method: RequestMethod = .get
    ) -> Preconditions.Outcome {
        Preconditions.evaluate(head(fields, method), tag: EntityTag("x"), lastModified: lastModified)
    }

    @Test(
        "If-None-Match is a list, compares weakly, and a comma in a tag is part of it (HT-C3)",
        arguments: [
            ("\"x\"", true), ("W/\"x\"", true), ("\"a\", \"x\"", true), ("*", true),
            (" \"a\" ,\t\"x\" ", true),
            ("\"a,\", \"x\"", true), ("\"a, \"x\"", true), ("\"y\"", false), ("x", false), ("\"x", false),
            ("", false),
            ("\"a,x\"", false), ("w/\"x\"", false), ("x, \"x\"", true),
        ])
    func ifNoneMatch(value: String, matches: Bool) {
        #expect(ConditionTests.outcome([("If-None-Match", value)]) == (matches ? .notModified : .proceed))
    }

    @Test("If-None-Match spans lines, hides If-Modified-Since, and fails what would change something")
    func ifNoneMatchOrder() {
        let future = "Sun, 06 Nov 2094 08:49:37 GMT"
        #expect(
            ConditionTests.outcome([("If-None-Match", "\"a\""), ("If-None-Match", "\"x\"")]) == .notModified)
        #expect(
            ConditionTests.outcome([("If-None-Match", "\"a\""), ("If-Modified-Since", future)]) == .proceed)
        #expect(ConditionTests.outcome([("If-None-Match", "\"x\"")], .put) == .failed)
        #expect(ConditionTests.outcome([("If-None-Match", "\"x\"")], .head) == .notModified)
    }

    @Test("If-Match compares strongly and comes first (HT-C4)")
    func ifMatch() {
        #expect(ConditionTests.outcome([("If-Match", "\"x\"")]) == .proceed)
        #expect(ConditionTests.outcome([("If-Match", "W/\"x\"")]) == .failed)
        #expect(ConditionTests.outcome([("If-Match", "\"y\"")]) == .failed)
        #expect(ConditionTests.outcome([("If-Match", "*")]) == .proceed)
        #expect(ConditionTests.outcome([("If-Match", "\"y\""), ("If-None-Match", "\"x\"")]) == .failed)
        #expect(ConditionTests.outcome([("If-Match", "\"x\""), ("If-None-Match", "\"x\"")]) == .notModified)
    }

    @Test("Dates decide where no tag does; a malformed one is ignored (HT-C5)")
    func dates() {
        let same = "Sunday, 06-Nov-94 08:49:37 GMT"
        let before = "Sun Nov  6 08:49:36 1994"
        #expect(ConditionTests.outcome([("If-Modified-Since", same)]) == .notModified)
        #expect(ConditionTests.outcome([("If-Modified-Since", before)]) == .proceed)
        #expect(ConditionTests.outcome([("If-Modified-Since", "yesterday")]) == .proceed)
        #expect(ConditionTests.outcome([("If-Modified-Since", same)], .post) == .proceed)
        #expect(ConditionTests.outcome([("If-Unmodified-Since", same)]) == .proceed)
        #expect(ConditionTests.outcome([("If-Unmodified-Since", before)]) == .failed)
        let undated = ConditionTests.head([("If-Modified-Since", same)])
        #expect(Preconditions.evaluate(undated, tag: EntityTag("x")) == .proceed)
    }

    @Test(
        "If-Range takes a strong tag or the exact date (HT-C8)",
        arguments: [
            ("\"x\"", true), ("W/\"x\"", false), ("\"y\"", false), ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false), ("x", false),
        ])
    func ifRange(value: String, counts: Bool) {
        let head = ConditionTests.head([("If-Range", value), ("Range", "bytes=0-")])
        let tag = EntityTag("x")
        #expect(
            Preconditions.rangeApplies(head, tag: tag, lastModified: ConditionTests.lastModified) == counts)
        #expect(Preconditions.rangeApplies(ConditionTests.head([]), tag: tag))
        #expect(!Preconditions.rangeApplies(ConditionTests.head([], .head), tag: tag))
    }

    @Test(
        "Ranges of a file of 10 bytes (HT-C6, C7)",
        arguments: [
            ("bytes=0-3", 0, 3), ("bytes=9-", 9, 9), ("bytes=-3", 7, 9), ("bytes=-30", 0, 9),
            ("bytes=5-999", 5, 9),
            ("bytes=0-99999999999999999999999", 0, 9), ("bytes=-99999999999999999999999", 0, 9),
            ("Bytes=1-1", 1, 1),
            ("bytes= 2-3", 2, 3), ("bytes=2-3,", 2, 3), ("bytes=0-9223372036854775807", 0, 9),
        ])
    func oneRange(value: String, first: Int, last: Int) throws {
        let range = try #require(ByteRange(first: first, last: last))
        #expect(RangeRequest(value, size: 10) == .one(range))
    }

    @Test(
        "Ranges that are ignored, can't be satisfied, or are several",
        arguments: [
            (nil, .ignored), ("lines=0-1", .ignored), ("bytes", .ignored), ("bytes=", .ignored),
            ("bytes=-", .ignored),
            ("bytes=3-2", .ignored), ("bytes=a-b", .ignored), ("bytes=1--2", .ignored),
            ("bytes=+1-2", .ignored),
            ("bytes=0-1,x", .ignored), ("bytes=1 - 2", .ignored), ("bytes=10-", .unsatisfiable),
            ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999999-", .unsatisfiable), ("bytes=10-,11-", .unsatisfiable),
            ("bytes=0-1,3-4", .several), ("bytes=0-1,50-60", .several),
            ("bytes=" + String(repeating: "0-,", count: 1_300), .several),
        ] as [(String?, RangeRequest)])
    func otherRanges(value: String?, expected: RangeRequest) {
        #expect(RangeRequest(value, size: 10) == expected)
    }

    @Test("Of an empty file no range can be satisfied")
    func emptyFile() {
        #expect(RangeRequest("bytes=0-", size: 0) == .unsatisfiable)
        #expect(RangeRequest("bytes=-5", size: 0) == .unsatisfiable)
        #expect(ByteRange.unsatisfied(size: 0) == "bytes */0")
    }

    @Test("Content-Range is read strictly")
    func contentRange() {
        #expect(ContentRange("bytes 2-4/10")?.range == ByteRange(first: 2, last: 4))
        #expect(ContentRange("bytes 2-4/10")?.size == 10)
        #expect(ContentRange("bytes 2-4/*")?.size == .some(nil))
        #expect(ContentRange("bytes */10")?.range == .some(nil))
        for bad in [
            "bytes 2-4", "bytes 4-2/10", "bytes 2-10/10", "bytes */*", "2-4/10", "bytes 2-4/1x",
            "bytes -4/10",
        ] {
            #expect(ContentRange(bad) == nil)
        }
    }

    @Test(
        "Dates in three forms are read, one is written (RFC 9110 §5.6.7)",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Fri, 20 Nov 2026 12:00:00 GMT", 1_795_176_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Wednesday, 01-Jan-69 00:00:00 GMT", 3_124_224_000),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ])
    func dateForms(text: String, seconds: Int64) {
        #expect(HTTPDate.time(text)?.seconds == seconds)
        if text.utf8.count == 29 { #expect(HTTPDate.text(OriginTime(seconds: seconds)) == text) }
    }

    @Test(
        "What is no date is nil",
        arguments: [
            "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Xun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "2026-11-20T12:00:00Z",
        ])
    func noDates(text: String) {
        #expect(HTTPDate.time(text) == nil)
    }

    @Test("Every day over eight centuries is written and read back")
    func calendar() {
        for day in stride(from: -146_097 as Int64, to: 146_097, by: 97) {
            let time = OriginTime(seconds: day * 86_400 + day & 0xffff)
            #expect(HTTPDate.time(HTTPDate.text(time)) == time)
        }
    }
}
