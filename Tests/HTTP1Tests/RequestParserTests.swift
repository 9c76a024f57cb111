import Core
import Testing

@testable import HTTP1

@Suite("Requests are read strictly")
struct RequestParserTests {
    static func parse(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [RequestParser.Event] {
        var parser = RequestParser(limits: limits)
        return parser.feed(Array(text.utf8))
    }

    static func failure(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) -> ParseFailure? {
        var parser = RequestParser(limits: limits)
        for case .failure(let failure) in parser.feed(bytes) { return failure }
        return nil
    }

    static func failure(_ text: String, limits: HTTPLimits = HTTPLimits()) -> ParseFailure? {
        failure(Array(text.utf8), limits: limits)
    }

    static func head(_ text: String) throws -> RequestHead {
        for case .head(let head) in parse(text) { return head }
        throw NoHead()
    }

    struct NoHead: Error {}

    @Test("A plain request is a head and an end")
    func plain() throws {
        let events = RequestParserTests.parse(
            "GET /a%20b?x=1 HTTP/1.1\r\nHost: localhost:1\r\nX:\t v \r\n\r\n")
        #expect(events.count == 2)
        guard case .head(let head) = events.first else {
            Issue.record("no head")
            return
        }
        #expect(head.method == .get)
        #expect(head.path?.route?.text == "/a b")
        #expect(head.path?.query == "x=1")
        #expect(head.fields["x"] == "v")
        #expect(head.fields["HOST"] == "localhost:1")
        #expect(head.keepsAlive)
        #expect(events.last == .end(trailers: HeaderFields()))
    }

    /// One row of http.md each.
    @Test(
        "Heads that two readers could read differently are refused (HT-P2, P3, P6, P7, P8, P11, HT-H3)",
        arguments: [
            ("GET / HTTP/1.1\nHost: a\r\n\r\n", .bareLineFeed),
            ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed),
            ("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed),
            ("GET / HTTP/1.1\rHost: a\r\n\r\n", .bareCarriageReturn),
            ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .bareCarriageReturn),
            ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine), ("GET /\r\n\r\n", .badRequestLine),
            ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .badRequestLine),
            (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine),
            ("GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine),
            ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequestLine), ("\r\n\r\n", .badRequestLine),
            ("GET / http/1.1\r\nHost: a\r\n\r\n", .badVersion),
            ("GET / HTTP/1\r\nHost: a\r\n\r\n", .badVersion),
            ("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .badVersion),
            ("GET / HTTP/x.1\r\nHost: a\r\n\r\n", .badVersion),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
            ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET /#f HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET /\\x HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET /ü HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .userInfoInTarget),
            ("CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", .badTarget),
            ("CONNECT u@a:1 HTTP/1.1\r\nHost: a\r\n\r\n", .userInfoInTarget),
            ("GET / HTTP/1.1\r\n\r\n", .missingHost),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost),
            ("GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", .badHost),
            ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .badHost),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .badHost),
            ("GET / HTTP/1.1\r\nHost: a:70000\r\n\r\n", .badHost),
            ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .badHost),
            ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .leadingSpace),
            ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .foldedField),
            ("GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n", .foldedField),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badFieldName),
            ("GET / HTTP/1.1\r\nHost\r\n\r\n", .missingColon),
            ("GET / HTTP/1.1\r\n: a\r\n\r\n", .badFieldName),
            ("GET / HTTP/1.1\r\nHöst: a\r\n\r\n", .badFieldName),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", .badFieldValue),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7f}\r\n\r\n", .badFieldValue),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{b}\r\n\r\n", .badFieldValue),
        ] as [(String, ParseFailure)])
    func refusedHeads(text: String, expected: ParseFailure) {
        #expect(RequestParserTests.failure(text) == expected)
    }

    @Test(
        "Lengths and codings that could smuggle a request are refused (HT-P1, P2, P3)",
        arguments: [
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthAndTransferEncoding),
            ("Content-Length: +5", .badContentLength), ("Content-Length: -1", .badContentLength),
            ("Content-Length: 0x5", .badContentLength), ("Content-Length: 5 5", .badContentLength),
            ("Content-Length:", .badContentLength), ("Content-Length: 5, 5", .badContentLength),
            ("Content-Length: 9223372036854775808", .badContentLength),
            ("Content-Length: 18446744073709551621", .badContentLength),
            ("Content-Length: 5\r\nContent-Length: 5", .repeatedContentLength),
            ("Content-Length: 5\r\ncontent-length: 6", .repeatedContentLength),
            ("Transfer-Encoding: gzip", .unknownTransferEncoding),
            ("Transfer-Encoding: identity", .unknownTransferEncoding),
            ("Transfer-Encoding: gzip, chunked", .unknownTransferEncoding),
            ("Transfer-Encoding: chunked, gzip", .badTransferEncoding),
            ("Transfer-Encoding: chunked, chunked", .badTransferEncoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .badTransferEncoding),
            ("Transfer-Encoding: \"chunked\"", .badTransferEncoding),
            ("Transfer-Encoding: \u{b}chunked", .badFieldValue),
            ("Transfer-Encoding: \u{a0}chunked", .badTransferEncoding),
            ("Transfer-Encoding: chunked;q=1", .badTransferEncoding),
            ("Transfer-Encoding: ,chunked", .badTransferEncoding),
            ("Transfer-Encoding:", .badTransferEncoding),
        ] as [(String, ParseFailure)])
    func refusedFraming(fields: String, expected: ParseFailure) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
        #expect(RequestParserTests.failure(text) == expected)
    }

    @Test("A Transfer-Encoding before HTTP/1.1 is faulty (HT-P3)")
    func oldTransferEncoding() {
        let text = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(RequestParserTests.failure(text) == .transferEncodingBefore11)
    }

    @Test("Each failure is answered with the status of its row")
    func statuses() {
        #expect(ParseFailure.startLineTooLong.status == .targetTooLong)
        #expect(ParseFailure.fieldsTooLarge.status == .fieldsTooLarge)
        #expect(ParseFailure.versionNotSupported.status == .versionNotSupported)
        #expect(ParseFailure.unknownTransferEncoding.status == .notImplemented)
        #expect(ParseFailure.bodyTooLarge.status == .contentTooLarge)
        #expect(ParseFailure.lengthAndTransferEncoding.status == .badRequest)
    }

    @Test(
        "Chunks are exact (HT-P4)",
        arguments: [
            ("5\r\nhello\r\n0\r\n\r\n", nil), ("05\r\nhello\r\n00\r\n\r\n", nil),
            ("A\r\n0123456789\r\n0\r\n\r\n", nil),
            ("5;a;b=c;d=\"e\\\"f;\"\r\nhello\r\n0;x\r\n\r\n", nil), ("0\r\nX: y\r\n\r\n", nil),
            ("5 ;a\r\nhello\r\n0\t ; x =\ty ; z\r\n\r\n", nil),
            ("\r\n", .badChunkSize), ("0x5\r\nhello\r\n", .badChunkSize), ("+5\r\nhello\r\n", .badChunkSize),
            ("-5\r\n", .badChunkSize), ("1_0\r\n", .badChunkSize), (" 5\r\nhello\r\n", .badChunkSize),
            ("5 \r\nhello\r\n", .badChunkSize), ("5 a\r\nhello\r\n", .badChunkSize),
            ("5 ;\r\nhello\r\n", .badChunkExtension), ("5;a \r\nhello\r\n", .badChunkExtension),
            ("5; =b\r\nhello\r\n", .badChunkExtension), ("5 ;a\nhello\r\n", .bareLineFeed),
            ("0000000000000000\r\n", .badChunkSize), ("FFFFFFFFFFFFFFFFF\r\n", .badChunkSize),
            ("5\nhello\r\n", .bareLineFeed), ("5\rhello\r\n", .bareCarriageReturn),
            ("5\r\nhello\n0\r\n\r\n", .bareLineFeed), ("5\r\nhello!\r\n", .badChunkEnd),
            ("5\r\nhello\rX", .badChunkEnd), ("5;\r\nhello\r\n", .badChunkExtension),
            ("5;a=\r\nhello\r\n", .badChunkExtension), ("5;a=\"b\r\nhello\r\n", .badChunkExtension),
            ("5;a b\r\nhello\r\n", .badChunkExtension), ("5;a=\u{0}\r\n", .badChunkExtension),
            ("0\r\nX : y\r\n\r\n", .badFieldName), ("0\r\n\n", .bareLineFeed),
        ] as [(String, ParseFailure?)])
    func chunks(body: String, expected: ParseFailure?) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n" + body
        #expect(RequestParserTests.failure(text) == expected)
        guard expected == nil else { return }
        guard case .end = RequestParserTests.parse(text).last else {
            Issue.record("the body does not end")
            return
        }
    }

    @Test("Trailers stay apart, and those that would change the message are dropped (HT-P5)")
    func trailers() {
        let text =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n"
            + "Content-Length: 9\r\nhost: b\r\nAuthorization: c\r\nSet-Cookie: d\r\n\r\n"
        let trailers = HeaderFields([HeaderFields.Field("X-Sum", "1")])
        #expect(RequestParserTests.parse(text).last == .end(trailers: trailers))
    }

    @Test("Limits are counted before anything is kept (HT-P10)")
    func limits() {
        let host = "Host: a\r\n"
        let path = String(repeating: "a", count: 9_000)
        #expect(RequestParserTests.failure("GET /\(path)") == .startLineTooLong)
        #expect(RequestParserTests.failure("GET /a HTTP/1.1\r\n\(host)X: \(path)") == .fieldsTooLarge)
        let line = "X: \(String(repeating: "b", count: 4_000))\r\n"
        let many = "GET /a HTTP/1.1\r\n\(host)" + String(repeating: line, count: 9)
        #expect(RequestParserTests.failure(many) == .fieldsTooLarge)
        let hundred = "GET /a HTTP/1.1\r\n\(host)" + String(repeating: "X: y\r\n", count: 99)
        #expect(RequestParserTests.failure(hundred + "\r\n") == nil)
        #expect(RequestParserTests.failure(hundred + "X: y\r\n\r\n") == .fieldsTooLarge)
        let small = HTTPLimits(body: 4)
        let post = "POST / HTTP/1.1\r\n\(host)"
        #expect(
            RequestParserTests.failure(post + "Content-Length: 5\r\n\r\n", limits: small) == .bodyTooLarge)
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n"
        #expect(RequestParserTests.failure(chunked, limits: small) == .bodyTooLarge)
        let spend = String(repeating: "1;\(String(repeating: "e", count: 1_000))\r\na\r\n", count: 5)
        let extended = post + "Transfer-Encoding: chunked\r\n\r\n" + spend
        #expect(RequestParserTests.failure(extended) == .chunkExtensionsTooLarge)
    }

    @Test("One empty line before a request is skipped, not two (HT-P9); 1.2 is read as 1.1 (HT-P8)")
    func emptyLine() throws {
        #expect(RequestParserTests.parse("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").count == 2)
        #expect(try RequestParserTests.head("GET / HTTP/1.2\r\nHost: a\r\n\r\n").minorVersion == 1)
    }

    @Test("An absolute target overrides Host; without a path it asks for the root (HT-H4)")
    func absolute() throws {
        let head = try RequestParserTests.head("GET http://B.example:80?q HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.authority == Authority(host: "b.example", port: 80))
        #expect(head.path?.text == "/?q")
        let other = try RequestParserTests.head("OPTIONS * HTTP/1.1\r\nHost: [::1]:9\r\n\r\n")
        #expect(other.target == .asterisk)
        #expect(other.authority == Authority(host: "[::1]", port: 9))
        let old = try RequestParserTests.head("GET / HTTP/1.0\r\n\r\n")
        #expect(old.authority == nil)
        let empty = try RequestParserTests.head("GET / HTTP/1.1\r\nHost:\r\n\r\n")
        #expect(empty.authority == Authority(host: ""))
    }

    @Test(
        "Connections stay open as the versions say (HT-T1)",
        arguments: [
            ("1.1", "", true), ("1.1", "Connection: Close\r\n", false),
            ("1.1", "Connection: x, CLOSE\r\n", false),
            ("1.0", "", false), ("1.0", "Connection: Keep-Alive\r\n", true),
            ("1.1", "Connection: x\r\nConnection: close\r\n", false),
        ])
    func keepAlive(version: String, field: String, expected: Bool) throws {
        let head = try RequestParserTests.head("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n")
        #expect(head.keepsAlive == expected)
    }

    @Test("Expectations: one is known, in HTTP/1.0 none counts (HT-T6)")
    func expectations() throws {
        let known = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n"
        #expect(try RequestParserTests.head(known).expectation == .continue)
        let unknown = "POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n"
        #expect(try RequestParserTests.head(unknown).expectation == .unknown)
        let old = "POST / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"
        #expect(try RequestParserTests.head(old).expectation == .none)
    }

    @Test("Requests in a row are given one after the other, as they are asked for (HT-P13)")
    func pipeline() {
        var parser = RequestParser()
        let first = "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        parser.append(Array((first + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\nGET").utf8))
        guard case .head = parser.next(), case .body(let bytes) = parser.next(), case .end = parser.next()
        else {
            Issue.record("the first request is not whole")
            return
        }
        #expect(bytes == Array("abc".utf8))
        #expect(parser.unread == 31)
        guard case .head(let second) = parser.next(), case .end = parser.next() else {
            Issue.record("the second request is not whole")
            return
        }
        #expect(second.path?.text == "/2")
        #expect(parser.next() == nil)
        #expect(parser.isInHead)
    }

    @Test("After a failure nothing more is read: leftovers are no request (HT-P12)")
    func afterFailure() {
        var parser = RequestParser()
        #expect(parser.feed(Array("BAD\r\n".utf8)) == [.failure(.badRequestLine)])
        #expect(parser.feed(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)).isEmpty)
        #expect(parser.unread == 0)
    }
}
