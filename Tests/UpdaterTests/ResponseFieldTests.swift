import Core
import HTTP1
import Testing

@testable import Updater

@Suite("Fields and statuses of an origin's response")
struct ResponseFieldTests {
    private func fields(_ name: String, _ value: String) -> HeaderFields {
        HeaderFields([HeaderFields.Field(name, value)])
    }

    @Test("U5: 408, 425, 429 and server errors can ask to wait; all but 501 and 505 may pass soon")
    func transient() {
        for code in 100..<600 {
            let mayAskToWait = [408, 425, 429].contains(code) || code >= 500
            #expect(StatusCode(code).mayAskToWait == mayAskToWait, "\(code)")
            let isTransient = mayAskToWait && code != 501 && code != 505
            #expect(StatusCode(code).isTransient == isTransient, "\(code)")
        }
    }

    @Test("U5: a manifest's 429 and server errors make the device wait, its 404 does not")
    func delays() throws {
        for (status, waits) in [(503, true), (501, true), (505, true), (429, true), (404, false)] {
            var device = try Harness.started()
            device.script = { _ in Reply(status, [], [("Retry-After", "600")]) }
            device.check()
            #expect(device.updater.isOriginDelayActive == waits, "\(status)")
        }
    }

    @Test("Content-Length is digits, or announces nothing")
    func length() {
        func length(_ text: String) -> UntrustedInteger? { fields("Content-Length", text).contentLength }
        #expect(length("0") == 0 && length("12") == 12)
        for text in ["", "-1", "+1", "1 ", "1.5", "0x1"] { #expect(length(text) == nil, "\(text)") }
        #expect(HeaderFields().contentLength == nil)
    }

    @Test("A strong tag has quotes, 2 to 256 bytes and no spaces; a weak one is none (RFC 9110 §8.8.3)")
    func tags() {
        func tag(_ text: String) -> String? { fields("ETag", text).strongTag }
        let longest = "\"" + String(repeating: "a", count: 254) + "\""
        for text in ["\"a\"", "\"\"", "\"!~\"", "\"ü\"", longest] { #expect(tag(text) == text) }
        for text in ["W/\"a\"", "a", "\"a", "a\"", "\"", "\"a b\"", "\"a\u{7f}\"", "\"a" + longest] {
            #expect(tag(text) == nil, "\(text)")
        }
        #expect(tag("\"a" + longest.dropFirst()) == nil, "257 bytes")
    }

    @Test("Content-Range states the first byte and the whole length, or nothing (RFC 9110 §14.4)")
    func ranges() {
        func range(_ text: String) -> HeaderFields { fields("Content-Range", text) }
        #expect(range("bytes 5-9/10").range?.first == 5 && range("bytes 5-9/10").range?.total == 10)
        #expect(range("bytes 5-9/*").range?.first == 5 && range("bytes 5-9/*").range?.total == nil)
        for text in ["bytes */10", "items 5-9/10", "bytes 5-9", "bytes 5-9/10/11", "bytes x-9/10", ""] {
            #expect(range(text).range == nil, "\(text)")
        }
        #expect(range("bytes */10").unsatisfiedRangeLength == 10)
        for text in ["bytes 0-1/10", "bytes */x", "bytes */*", "items */10", "bytes *"] {
            #expect(range(text).unsatisfiedRangeLength == nil, "\(text)")
        }
        #expect(HeaderFields().range == nil)
    }

    @Test("Only a content coding other than identity is one (RFC 9110 §8.4)")
    func codings() {
        #expect(fields("Content-Encoding", "gzip").coding == "gzip")
        for text in ["", "identity", "Identity"] { #expect(fields("Content-Encoding", text).coding == nil) }
        #expect(HeaderFields().coding == nil)
    }

    @Test("Retry-After is seconds or a date, a day at most, and a date counts only beside the origin's own")
    func retryAfter() {
        let now = OriginTime(seconds: 784_111_777)
        func wait(_ text: String, _ date: OriginTime?) -> TimeSpan? {
            fields("Retry-After", text).retryAfter(date)
        }
        for date in [now, nil] {
            #expect(wait("0", date) == .zero)
            #expect(wait("86399", date) == .seconds(86_399))
            #expect(wait("86400", date) == .hours(24) && wait("86401", date) == .hours(24))
        }
        #expect(HeaderFields().retryAfter(now) == nil && wait("soon", now) == nil)
        for (seconds, span) in [(86_399, 86_399), (86_400, 86_400), (86_401, 86_400), (0, 0), (-1, 0)] {
            let text = HTTPDate.text(now + .seconds(Int64(seconds)))
            #expect(wait(text, now) == .seconds(Int64(span)) && wait(text, nil) == nil)
        }
    }

    @Test("The date of a response is an HTTP date or none")
    func dates() {
        #expect(fields("Date", "Sun, 06 Nov 1994 08:49:37 GMT").date == OriginTime(seconds: 784_111_777))
        #expect(fields("Date", "yesterday").date == nil && HeaderFields().date == nil)
    }
}
