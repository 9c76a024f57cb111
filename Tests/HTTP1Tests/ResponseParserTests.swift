import Core
import Testing

@testable import HTTP1

@Suite("Responses are read as strictly as requests, unless tolerance is set")
struct ResponseParserTests {
    static func parse(
        _ text: String, to method: RequestMethod = .get, closes: Bool = false,
        syntax: HTTPSyntax = .strict
    ) -> [ResponseParser.Event] {
        var parser = ResponseParser(syntax: syntax)
        parser.expect(method)
        let events = parser.feed(Array(text.utf8))
        return closes ? events + [parser.close()].compactMap { $0 } : events
    }

    static func content(_ events: [ResponseParser.Event]) -> String {
        var bytes: [UInt8] = []
        for case .body(let piece) in events { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A body has the announced length, comes in chunks, or goes on until the close")
    func bodies() {
        let length = ResponseParserTests.parse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(ResponseParserTests.content(length) == "ok")
        #expect(length.last == .end(trailers: HeaderFields()))
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        #expect(ResponseParserTests.parse(chunked).last == .end(trailers: HeaderFields()))
        let open = ResponseParserTests.parse("HTTP/1.1 200 OK\r\n\r\nok", closes: true)
        #expect(ResponseParserTests.content(open) == "ok")
        #expect(open.last == .end(trailers: HeaderFields()))
    }

    @Test("HEAD, 204, 304 and 1xx have no body whatever they announce (HT-X7)")
    func noBodies() {
        for (text, method) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", RequestMethod.head),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", .get),
            ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", .get),
        ] {
            #expect(ResponseParserTests.parse(text, to: method).last == .end(trailers: HeaderFields()))
        }
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
        let events = ResponseParserTests.parse(interim)
        guard case .interim(let hints) = events.first else {
            Issue.record("no interim head")
            return
        }
        #expect(hints.status == StatusCode(103))
        #expect(events.count == 3)
    }

    @Test(
        "Contradicting or broken responses fail (HT-X5)",
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                .lengthAndTransferEncoding
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .repeatedContentLength),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .unknownTransferEncoding),
            ("HTTP/1.1 20 OK\r\n\r\n", .badStatusLine), ("HTTP/1.1 099 OK\r\n\r\n", .badStatusLine),
            ("HTTP/1.1 600 OK\r\n\r\n", .badStatusLine), ("HTTP/1.1 2000\r\n\r\n", .badStatusLine),
            ("HTTP/1.1  200 OK\r\n\r\n", .badStatusLine), ("HTTP/2.0 200 OK\r\n\r\n", .versionNotSupported),
            ("ICY 200 OK\r\n\r\n", .badVersion), ("HTTP/1.1 200 OK\nX: y\r\n\r\n", .bareLineFeed),
            ("HTTP/1.1 200 OK\r\nX : y\r\n\r\n", .badFieldName),
        ] as [(String, ParseFailure)])
    func refused(text: String, expected: ParseFailure) {
        #expect(ResponseParserTests.parse(text).last == .failure(expected))
    }

    @Test(
        "In tolerant syntax a line may end in LF, and blanks before a colon are dropped (HT-X25)",
        arguments: [
            "HTTP/1.1 200 OK\nContent-Length : 2\nX \t:y\n\nok",
            "HTTP/1.1 200 OK\r\nContent-Length\t: 2\nX: y \r\n\nok",
            "HTTP/1.1 200 OK\nTransfer-Encoding : chunked\nX:y\n\n1 ;a\no\n1\r\nk\r\n0\nS : t\n\n",
        ])
    func tolerant(text: String) throws {
        let events = ResponseParserTests.parse(text, syntax: .tolerant)
        guard case .head(let head, _) = events.first else {
            Issue.record("no head: \(events)")
            return
        }
        #expect(head.fields["X"] == "y")
        #expect(ResponseParserTests.content(events) == "ok")
        guard case .end = events.last else {
            Issue.record("no end: \(events)")
            return
        }
        var single = ResponseParser(syntax: .tolerant)
        single.expect(.get)
        let pieces = text.utf8.flatMap { single.feed([$0]) }
        #expect(CuttingTests.joined(pieces) == CuttingTests.joined(events), "byte by byte it is the same")
        guard case .failure = ResponseParserTests.parse(text).last else {
            Issue.record("strict syntax accepts it")
            return
        }
    }

    @Test(
        "What contradicts itself is refused in tolerant syntax too (HT-X5, X25)",
        arguments: [
            ("HTTP/1.1 200 OK\rX: y\r\n\r\n", .bareCarriageReturn),
            ("HTTP/1.1 200 OK\nX: a\rb\n\n", .bareCarriageReturn),
            ("HTTP/1.1 200 OK\n : y\n\n", .leadingSpace), ("HTTP/1.1 200 OK\nA: b\n c\n\n", .foldedField),
            ("HTTP/1.1 200 OK\nX y: z\n\n", .badFieldName), ("HTTP/1.1 200 OK\nX \n\n", .missingColon),
            ("HTTP/1.1 200 OK\n: z\n\n", .badFieldName),
            ("HTTP/1.1 200 OK\nContent-Length : 1\nContent-Length: 2\n\n", .repeatedContentLength),
            (
                "HTTP/1.1 200 OK\nContent-Length : 1\nTransfer-Encoding : chunked\n\n",
                .lengthAndTransferEncoding
            ),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1 \na\n", .badChunkSize),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nab\n", .badChunkEnd),
        ] as [(String, ParseFailure)])
    func tolerantRefused(text: String, expected: ParseFailure) {
        #expect(ResponseParserTests.parse(text, syntax: .tolerant).last == .failure(expected))
    }

    @Test("A body cut short is a failure, never an end (HT-X6)")
    func truncated() {
        for text in [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nX: y\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
        ] {
            #expect(ResponseParserTests.parse(text, closes: true).last == .failure(.truncated))
        }
    }

    @Test("Bytes nobody asked for spoil the connection (HT-X5)")
    func surplus() {
        let events = ResponseParserTests.parse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok+")
        #expect(events.last == .failure(.unexpectedResponse))
        var parser = ResponseParser()
        #expect(parser.isIdle)
        parser.expect(.get)
        #expect(!parser.isIdle)
        _ = parser.feed(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
        #expect(parser.isIdle)
        #expect(parser.close() == nil)
    }

    @Test("Behind 101 the bytes are a tunnel's")
    func tunnel() {
        var parser = ResponseParser()
        parser.expect(.get)
        let events = parser.feed(Array("HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 raw".utf8))
        #expect(events.count == 1)
        #expect(parser.takeRaw() == Array("HTTP/1.1 raw".utf8))
    }

    @Test("What is written is read back")
    func roundTrip() throws {
        var fields = HeaderFields()
        fields.append("Set-Cookie", "a=1")
        fields.append("Set-Cookie", "b=2, c")
        fields.append("X-Latin", "caf\u{e9}")
        fields.append("Transfer-Encoding", "chunked")
        let head = ResponseHead(.ok, fields: fields)
        var bytes = head.serialized()
        bytes += ChunkedEncoder.chunk(Array("hello".utf8)) + ChunkedEncoder.chunk([])
        bytes += ChunkedEncoder.chunk([UInt8](repeating: 65, count: 300)) + ChunkedEncoder.end
        var parser = ResponseParser()
        parser.expect(.get)
        let events = parser.feed(bytes)
        #expect(events.first == .head(head, .chunked))
        #expect(ResponseParserTests.content(events) == "hello" + String(repeating: "A", count: 300))
        #expect(events.last == .end(trailers: HeaderFields()))

        let path = try RequestTarget(Array("/a%20b?c=d".utf8))
        let request = RequestHead(.put, .origin(path), fields: HeaderFields([.init("Host", "x:1")]))
        var reader = RequestParser()
        #expect(reader.feed(request.serialized()).first == .head(request))
    }

    @Test("A field value never ends its line, whatever was put into it")
    func injection() {
        var fields = HeaderFields()
        fields.append("X", "a\r\nSet-Cookie: evil\u{0}")
        fields.append("Bad Name\r\n", "b")
        let text = String(
            decoding: ResponseHead(.ok, reason: "a\r\nb", fields: fields).serialized(), as: UTF8.self)
        #expect(text == "HTTP/1.1 200 a  b\r\nX: a  Set-Cookie: evil \r\nBad-Name--: b\r\n\r\n")
    }

    @Test("Fields are found without case, set in place, and lists are split")
    func fields() {
        var fields = HeaderFields()
        fields.append("A", "1")
        fields.append("b", "2")
        fields.append("a", "3")
        #expect(fields["B"] == "2")
        #expect(fields.all("A") == ["1", "3"])
        fields.set("a", "4")
        #expect(fields.fields.map(\.value) == ["4", "2"])
        fields.remove("B")
        #expect(!fields.contains("b"))
        fields.set("Connection", "Close, ,x")
        fields.append("connection", "Y ")
        #expect(fields.tokens("CONNECTION") == ["close", "x", "y"])
    }
}
