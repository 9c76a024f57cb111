import Core
import ModuleTestSupport
import Testing

@testable import HTTP1

@Suite("Numbers in messages: read within their limits, or refused")
struct NumberTests {
    @Test("Content-Length of a request and of a response, with bytes after it", arguments: HostileNumber.all)
    func contentLength(number: String) {
        let value = HostileNumber.isDigits(number) ? Int(number) : nil
        for limit in [0, 1 << 20, Int.max] {
            var parser = RequestParser(limits: HTTPLimits(body: limit))
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(number)\r\n\r\n"
            var events = parser.feed(Array(head.utf8))
            events += parser.feed(Array("12345".utf8))
            let bytes = events.reduce(0) { sum, event in
                if case .body(let piece) = event { sum + piece.count } else { sum }
            }
            #expect(bytes == min(value.map { $0 > limit ? 0 : $0 } ?? 0, 5))
            var client = ResponseParser(limits: HTTPLimits(body: limit))
            client.expect(.get)
            var answers = client.feed(
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(number)\r\n\r\n12345".utf8))
            if let last = client.close() { answers.append(last) }
            let isWhole = answers.contains { event in if case .end = event { true } else { false } }
            #expect(isWhole == (value.map { $0 <= 5 && $0 <= limit } ?? false))
        }
    }

    @Test("The size of a chunk, and extensions under any limit", arguments: HostileNumber.all)
    func chunkSize(number: String) {
        for limit in HostileNumber.integers.map({ Int(clamping: $0) }) {
            var parser = RequestParser(limits: HTTPLimits(body: 1 << 20, chunkExtensions: limit))
            let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            _ = parser.feed(Array("\(head)\(number);a=b\r\n12345\r\n0\r\n\r\n".utf8))
        }
        var parser = RequestParser(limits: HTTPLimits(body: 4))
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let events = parser.feed(Array("\(head)\(number)\r\n123456789".utf8))
        for case .body(let bytes) in events { #expect(bytes.count <= 4) }
    }

    @Test("Any limits of an app", arguments: HostileNumber.integers)
    func limits(number: Int64) {
        let limit = Int(clamping: number)
        let limits = HTTPLimits(
            startLine: limit, fieldLine: limit, fieldBlock: limit, fieldLines: limit, body: limit,
            chunkExtensions: limit)
        var parser = RequestParser(limits: limits)
        _ = parser.feed(
            Array(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\n123\r\n0\r\nT: 1\r\n\r\n"
                    .utf8))
    }

    @Test(
        "A range lies within the file, whatever is requested of whatever size", arguments: HostileNumber.all)
    func ranges(number: String) {
        for size in HostileNumber.integers.map({ Int(clamping: $0) }) {
            for form in ["F-", "-F", "F-F", "0-F", "F-0", "1-F", "F-9223372036854775807", "0-0,F-"] {
                let value = "bytes=" + form.replacing("F", with: number)
                guard case .one(let range) = RangeRequest(value, size: size) else { continue }
                #expect(range.first >= 0 && range.last < size && range.count <= size, "\(value) of \(size)")
                #expect(!range.contentRange(of: size).isEmpty)
            }
        }
    }

    @Test("Content-Range is within itself, or none", arguments: HostileNumber.all)
    func contentRange(number: String) {
        for form in ["F-F/F", "0-F/F", "0-0/F", "F-9223372036854775807/*", "*/F", "0-F/10"] {
            guard let read = ContentRange("bytes " + form.replacing("F", with: number)) else { continue }
            #expect(read.size.map { $0 >= 0 } ?? true)
            if let range = read.range {
                #expect(range.count > 0 && read.size.map { range.last < $0 } ?? true)
            }
        }
    }

    @Test("The port of an authority has 16 bits", arguments: HostileNumber.all)
    func port(number: String) {
        let authority = Authority("localhost:\(number)".utf8)
        let value = HostileNumber.value(number)
        #expect(authority?.port == value.flatMap { $0 <= 65_535 ? $0 : nil })
        #expect((authority == nil) == (number != "" && (value.map { $0 > 65_535 } ?? true)))
    }

    @Test("Status, version and dates take the digits of their grammar", arguments: HostileNumber.all)
    func fewDigits(number: String) {
        var parser = ResponseParser()
        parser.expect(.get)
        _ = parser.feed(Array("HTTP/1.1 \(number) OK\r\n\r\n".utf8))
        for form in [
            "Sun, F Nov 1994 08:49:37 GMT", "Sun, 06 Nov F 08:49:37 GMT", "Sun, 06 Nov 1994 F:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:F GMT", "Sunday, 06-Nov-F 08:49:37 GMT", "Sun Nov  F 08:49:37 1994", "F",
        ] {
            _ = HTTPDate.time(form.replacing("F", with: number))
        }
    }

    @Test("Any time has a text of 29 bytes", arguments: HostileNumber.integers + [.min, .max])
    func dateTexts(seconds: Int64) {
        #expect(HTTPDate.text(OriginTime(seconds: seconds)).utf8.count == 29)
    }
}
