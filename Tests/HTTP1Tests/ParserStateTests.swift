import Core
import Testing

@testable import HTTP1

@Suite("Limits at their borders, and what a parser is in the middle of")
struct ParserStateTests {
    @Test("Each limit has the value that is documented, and none is forgotten here")
    func defaults() {
        let expected = [
            "startLine": 8_192, "fieldLine": 8_192, "fieldBlock": 32_768, "fieldLines": 100, "body": Int.max,
            "chunkExtensions": 4_096,
        ]
        for limits in [HTTPLimits(), RequestParser().limits] {
            let fields = Mirror(reflecting: limits).children.map { ($0.label ?? "", $0.value as? Int ?? -1) }
            #expect(Dictionary(uniqueKeysWithValues: fields) == expected)
        }
        #expect(ResponseParser().limits == HTTPLimits(fieldBlock: 65_536))
        let own = HTTPLimits(
            startLine: 1, fieldLine: 2, fieldBlock: 3, fieldLines: 4, body: 5, chunkExtensions: 6)
        #expect(own.startLine == 1 && own.fieldLine == 2 && own.fieldBlock == 3)
        #expect(own.fieldLines == 4 && own.body == 5 && own.chunkExtensions == 6)
    }

    private func failure(_ text: String, _ change: (inout HTTPLimits) -> Void) -> ParseFailure? {
        var limits = HTTPLimits()
        change(&limits)
        return RequestParserTests.failure(text, limits: limits)
    }

    @Test(
        "A line, a field, the fields, their number: each may be as long as its limit, and not a byte longer"
    )
    func lines() {
        let line = "GET / HTTP/1.1"
        let text = line + "\r\nHost: a\r\nX: bc\r\n\r\n"
        let count = line.utf8.count
        #expect(failure(text) { $0.startLine = count } == nil)
        #expect(failure(text) { $0.startLine = count - 1 } == .startLineTooLong)
        #expect(failure(text) { $0.fieldLine = 7 } == nil)
        #expect(failure(text) { $0.fieldLine = 6 } == .fieldsTooLarge)
        // With their line ends: 9 and 7.
        #expect(failure(text) { $0.fieldBlock = 16 } == nil)
        #expect(failure(text) { $0.fieldBlock = 15 } == .fieldsTooLarge)
        #expect(failure(text) { $0.fieldLines = 2 } == nil)
        #expect(failure(text) { $0.fieldLines = 1 } == .fieldsTooLarge)
        // A line that has not ended is refused as soon as it is too long.
        #expect(failure("GET /aaaaaaa") { $0.startLine = 11 } == .startLineTooLong)
        #expect(failure("GET /aaaaaa") { $0.startLine = 11 } == nil)
        #expect(failure(line + "\r\nHost: aa") { $0.fieldLine = 7 } == .fieldsTooLarge)
    }

    @Test("A body may be as long as its limit, whatever its framing, and not a byte longer")
    func bodies() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\n"
        for (body, fits) in [
            ("Content-Length: 4\r\n\r\nabcd", true), ("Content-Length: 5\r\n\r\n", false),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", true),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n", false),
        ] {
            #expect(failure(head + body) { $0.body = 4 } == (fits ? nil : .bodyTooLarge), "\(body)")
        }
        for (body, fits) in [("abcd", true), ("abcde", false)] {
            var parser = ResponseParser(limits: HTTPLimits(body: 4))
            parser.expect(.get)
            let events = parser.feed(Array("HTTP/1.1 200 OK\r\n\r\n\(body)".utf8))
            #expect((events.last == .failure(.bodyTooLarge)) == !fits)
            #expect(parser.close() == (fits ? .end(trailers: HeaderFields()) : nil))
        }
    }

    @Test("Chunk extensions count together, with their semicolons; a size has fifteen digits at most")
    func chunks() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (body, limit, expected) in [
            ("1;ab\r\nx\r\n0;c\r\n\r\n", 5, nil), ("1;ab\r\nx\r\n0;c\r\n\r\n", 4, .chunkExtensionsTooLarge),
            ("1;ab", 2, .none), ("000000000000001\r\nx\r\n0\r\n\r\n", 0, nil),
            ("0000000000000001\r\nx\r\n0\r\n\r\n", 1, .badChunkSize),
            ("00000000000000001", 1, .chunkExtensionsTooLarge), ("fffffffffffffff\r\n", 0, nil),
            ("1 ;a\r\nx\r\n0\r\n\r\n", 3, nil), ("1 ;a\r\nx\r\n0\r\n\r\n", 2, .chunkExtensionsTooLarge),
            ("1;a=\"\\\"\"\r\nx\r\n0\r\n\r\n", 99, nil), ("1;a=\"\\\r\n", 99, .badChunkExtension),
            ("1;a=\"\u{1}\"\r\n", 99, .badChunkExtension), ("1;a=\"\\\u{1}\"\r\n", 99, .badChunkExtension),
            ("1;a=\"b\"c\r\n", 99, .badChunkExtension), ("1;a==b\r\n", 99, .badChunkExtension),
            ("1;a=b;\r\n", 99, .badChunkExtension), ("1;a = b ; c\r\nx\r\n0\r\n\r\n", 99, nil),
            ("1g\r\n", 99, .badChunkSize), ("G\r\n", 99, .badChunkSize), ("aF\r\n", 99, nil),
        ] as [(String, Int, ParseFailure?)] {
            #expect(failure(head + body) { $0.chunkExtensions = limit } == expected, "\(body) \(limit)")
        }
    }

    @Test("Trailers that would change the message are dropped, each of them, whatever its case (HT-P5)")
    func trailers() {
        let refused = [
            "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Proxy-Authorization",
            "Set-Cookie", "Cookie", "Connection", "Trailer", "Upgrade", "TE", "Expect", "Range",
            "Content-Encoding", "Content-Type", "Content-Range", "Cache-Control", "Max-Forwards", "Age",
            "Date", "Location", "Vary",
        ]
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        let lines = refused.flatMap { ["\($0): 1\r\n", "\($0.uppercased()): 1\r\n"] }
        let events = RequestParserTests.parse(head + lines.joined() + "X-Sum: 1\r\nETag: 2\r\n\r\n")
        #expect(events.last == .end(trailers: ["X-Sum": "1", "ETag": "2"]))
    }

    @Test("A length of a chunk is written in hexadecimal digits without zeros before it")
    func chunkHeads() {
        for (count, text) in [
            (1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (159, "9f"), (4_096, "1000"),
            (0x1234_5678_9abc_def0, "123456789abcdef0"), (Int.max, "7fffffffffffffff"), (0, "0"),
        ] {
            #expect(ChunkedEncoder.chunkHead(count) == Array("\(text)\r\n".utf8))
        }
        #expect(
            ChunkedEncoder.chunk([65, 66]) == Array("2\r\nAB\r\n".utf8) && ChunkedEncoder.chunk([]) == [])
    }

    @Test("A parser is between requests, in a head, or in neither")
    func position() {
        var parser = RequestParser()
        let steps: [(String, isBetween: Bool, isInHead: Bool)] = [
            ("", true, false), ("\r\n", false, true), ("POST / HTTP/1.1\r\n", false, true),
            ("Host: a\r\n", false, true), ("Content-Length: 2\r\n\r\n", false, false), ("a", false, false),
            ("b", true, false), ("G", false, true), ("X\r\n", false, false),
        ]
        for (text, isBetween, isInHead) in steps {
            _ = parser.feed(Array(text.utf8))
            #expect(parser.isBetweenRequests == isBetween && parser.isInHead == isInHead, "\(text)")
        }
    }

    @Test("A tunnel is bytes: those that wait, those that come later, and no request among them")
    func tunnel() {
        var parser = RequestParser()
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        _ = parser.feed(request)
        parser.append([1, 2])
        #expect(parser.becomeTunnel() == [1, 2] && parser.takeRaw() == [])
        #expect(parser.feed(request).isEmpty && !parser.isInHead && !parser.isBetweenRequests)
        #expect(parser.unread == request.count && parser.takeRaw() == request && parser.unread == 0)
    }

    @Test("A limit that changes between a head and its body counts for the body")
    func changedLimit() {
        var parser = RequestParser(limits: HTTPLimits(body: 1))
        parser.append(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab".utf8))
        _ = parser.next()
        parser.limits.body = 2
        #expect(parser.next() == .body(Array("ab".utf8)))
        #expect(parser.next() == .end(trailers: HeaderFields()) && parser.next() == nil)
    }

    @Test("A line end is found at every offset, whatever comes before it and however much was read")
    func lineEnds() {
        for length in 0...40 {
            for (end, syntax) in [([13, 10], .strict), ([10], .tolerant)] as [([UInt8], HTTPSyntax)] {
                // Bytes that differ from CR and LF in one bit.
                for byte in [65, 12, 11, 8, 14, 15, 0x8d, 0x8a, 0xff] as [UInt8] {
                    var queue = ByteQueue()
                    let text = [UInt8](repeating: byte, count: length)
                    queue.append(text + end + [66])
                    guard case .line(let line) = queue.takeLine(limit: length, syntax) else {
                        Issue.record("no line of \(length) bytes \(byte)")
                        return
                    }
                    #expect(Array(line) == text && queue.count == 1 && queue.take(atMost: 9) == [66])
                }
            }
        }
    }

    @Test("Lines and pieces are taken from the front, also where much was taken before")
    func queue() {
        var queue = ByteQueue()
        #expect(queue.isEmpty && queue.take(atMost: 1) == nil)
        for round in 20..<60 {
            queue.append([UInt8](repeating: UInt8(round), count: 1_000))
            queue.append([13, 10, 7])
            #expect(queue.take(atMost: 0) == nil && queue.take(atMost: 1) == [UInt8(round)])
            guard case .line(let line) = queue.takeLine(limit: 999, .strict) else {
                Issue.record("no line in round \(round)")
                return
            }
            #expect(line.count == 999 && line.allSatisfy { $0 == UInt8(round) })
            #expect(queue.count == 1 && queue.take(atMost: .max) == [7] && queue.isEmpty)
        }
        var kept = ByteQueue()
        kept.append([UInt8](repeating: 1, count: 20_000))
        _ = kept.take(atMost: 19_999)
        kept.append([2, 3])
        var fresh = ByteQueue()
        fresh.append([1, 2, 3])
        #expect(kept == fresh && kept.count == 3 && kept.take(atMost: 2) == [1, 2])
        #expect(kept != fresh && fresh != ByteQueue())
        fresh.removeAll()
        #expect(fresh == ByteQueue() && fresh.isEmpty)
    }

    @Test("A line that comes in pieces is the one that comes at once, also behind one that was searched")
    func pieces() {
        var queue = ByteQueue()
        for byte in Array("abcdefghijk\r".utf8) {
            queue.append([byte])
            guard case .incomplete = queue.takeLine(limit: 11, .strict) else {
                Issue.record("it is not complete")
                return
            }
        }
        queue.append([10])
        guard case .line(let line) = queue.takeLine(limit: 11, .strict) else {
            Issue.record("it is complete")
            return
        }
        #expect(Array(line) == Array("abcdefghijk".utf8))
        queue.append(Array("x\r\n".utf8))
        guard case .line(let next) = queue.takeLine(limit: 1, .strict) else {
            Issue.record("the next line is there")
            return
        }
        #expect(Array(next) == [120])
        // What was searched for a line end and then taken as bytes counts for no later line.
        queue.append(Array("abcdefgh".utf8))
        guard case .incomplete = queue.takeLine(limit: 99, .strict) else { return }
        _ = queue.take(atMost: 8)
        queue.append(Array("a\r\nbcdefgh\r\n".utf8))
        guard case .line(let last) = queue.takeLine(limit: 99, .strict) else { return }
        #expect(Array(last) == [97])
    }
}
