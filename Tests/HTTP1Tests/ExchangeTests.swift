import Core
import Testing

@testable import HTTP1

@Suite("How the end of a message is found (RFC 9112 §6), and what a closed connection means")
struct ExchangeTests {
    private func framing(
        _ code: Int, _ method: RequestMethod, _ fields: HeaderFields, minorVersion: Int = 1
    ) throws(ParseFailure) -> BodyFraming {
        try BodyFraming.ofResponse(StatusCode(code), to: method, fields, minorVersion: minorVersion)
    }

    @Test("A response's body follows from the method, the status, and then the fields")
    func responses() throws {
        let length: HeaderFields = ["Content-Length": "3"]
        let chunked: HeaderFields = ["Transfer-Encoding": "Chunked"]
        for fields in [length, chunked, [:]] {
            for (code, method) in [(200, .head), (204, .get), (304, .get), (103, .get), (299, .connect)]
                as [(Int, RequestMethod)]
            {
                #expect(try framing(code, method, fields) == .none, "\(code) \(method)")
            }
        }
        for (code, method) in [(200, .get), (404, .post), (300, .connect), (199 + 1, .put)]
            as [(Int, RequestMethod)]
        {
            #expect(try framing(code, method, length) == .length(3))
            #expect(try framing(code, method, chunked) == .chunked)
            #expect(try framing(code, method, [:]) == .untilClose)
        }
        #expect(try framing(200, .get, ["Content-Length": "3", "content-length": "3"]) == .length(3))
        for (fields, failure) in [
            (["Content-Length": "3", "content-length": "4"], .repeatedContentLength),
            (["Content-Length": "3", "content-length": "03"], .repeatedContentLength),
            (["Content-Length": "x"], .badContentLength),
            (["Content-Length": "3", "Transfer-Encoding": "chunked"], .lengthAndTransferEncoding),
        ] as [(HeaderFields, ParseFailure)] {
            #expect(throws: failure) { try self.framing(200, .get, fields) }
            #expect(throws: failure, "though no body follows") { try self.framing(304, .head, fields) }
        }
        #expect(throws: ParseFailure.transferEncodingBefore11) {
            try self.framing(200, .get, chunked, minorVersion: 0)
        }
    }

    @Test(
        "A coding other than chunked is unknown, with parameters too; what is malformed is faulty (HT-P3)",
        arguments: [
            ("gzip", .unknownTransferEncoding), ("gzip;q=1", .unknownTransferEncoding),
            ("gzip ; q=1", .unknownTransferEncoding), ("gzip\t", .unknownTransferEncoding),
            ("gzip;q=\"1\"", .badTransferEncoding), ("gzip;q=1, chunked", .unknownTransferEncoding),
            ("gzip, x, chunked", .unknownTransferEncoding), ("chunked;a", .badTransferEncoding),
            ("chunked ;a", .badTransferEncoding), ("gzip,", .badTransferEncoding),
            (";", .badTransferEncoding),
            ("g(ip", .badTransferEncoding), ("gzip;\u{80}", .badTransferEncoding),
            ("chunked, gzip", .badTransferEncoding), ("xchunked", .unknownTransferEncoding),
        ] as [(String, ParseFailure)])
    func codings(value: String, expected: ParseFailure) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(value)\r\n\r\n"
        #expect(RequestParserTests.failure(Array(text.unicodeScalars.map { UInt8($0.value) })) == expected)
    }

    @Test("Each byte of a version is needed; a later minor version is read as 1.1")
    func versions() throws {
        let good = Array("HTTP/1.1".utf8)
        #expect(try RequestLine.minorVersion(good[...]) == 1)
        #expect(try RequestLine.minorVersion(Array("HTTP/1.0".utf8)[...]) == 0)
        #expect(try RequestLine.minorVersion(Array("HTTP/1.9".utf8)[...]) == 1)
        for index in good.indices {
            var bad = good
            bad[index] = UInt8(ascii: "x")
            #expect(throws: ParseFailure.badVersion) { try RequestLine.minorVersion(bad[...]) }
        }
        for text in ["HTTP/0.9", "HTTP/2.0"] {
            #expect(throws: ParseFailure.versionNotSupported) {
                try RequestLine.minorVersion(Array(text.utf8)[...])
            }
        }
        for text in ["", "HTTP/1.", "HTTP/1.11"] {
            #expect(throws: ParseFailure.badVersion) { try RequestLine.minorVersion(Array(text.utf8)[...]) }
        }
    }

    @Test(
        "CONNECT names a host and a port, OPTIONS may ask for all; no other form is a target",
        arguments: [
            ("CONNECT a:1", nil), ("CONNECT [::1]:1", nil), ("CONNECT a", .badTarget),
            ("CONNECT a:", .badTarget),
            ("CONNECT :1", .badTarget), ("CONNECT a:x", .badTarget), ("CONNECT u@a:1", .userInfoInTarget),
            ("OPTIONS *", nil), ("HEAD *", .badTarget), ("OPTIONS **", .badTarget), ("GET https://a", nil),
            ("GET http://a?b", nil), ("GET http://a#b", .badTarget), ("GET http://a/#b", .badTarget),
            ("GET http://", .badTarget), ("GET http://a b", .badRequestLine), ("GET //a", nil),
            ("GET http://u@a/", .userInfoInTarget), ("GET http://a:x/", .badTarget),
            ("GET  ", .badRequestLine),
        ] as [(String, ParseFailure?)])
    func targets(line: String, expected: ParseFailure?) {
        #expect(RequestParserTests.failure("\(line) HTTP/1.1\r\nHost: a\r\n\r\n") == expected)
    }

    @Test("An absolute target has its scheme, authority and path; without a path it is the root")
    func absolute() throws {
        for (text, scheme, path) in [
            ("http://b.example", "http", "/"), ("https://b.example?q", "https", "/?q"),
            ("HTTP://B.example/c", "http", "/c"),
        ] {
            let head = try RequestParserTests.head("GET \(text) HTTP/1.1\r\nHost: a\r\n\r\n")
            guard case .absolute(scheme, let authority, let target) = head.target else {
                Issue.record("\(text)")
                return
            }
            #expect(authority == Authority(host: "b.example") && target.text == path)
        }
    }

    @Test(
        "A status line has a version, three digits and, behind a space, a reason of any visible bytes",
        arguments: [
            ("HTTP/1.1 100 a", 100, "a"), ("HTTP/1.0 599", 599, ""), ("HTTP/1.1 200 ", 200, ""),
            ("HTTP/1.1 200  a\tb", 200, " a\tb"), ("HTTP/1.1 200 \u{e9}", 200, "\u{e9}"),
            ("HTTP/1.1 099 a", nil, ""), ("HTTP/1.1 600 a", nil, ""), ("HTTP/1.1 20", nil, ""),
            ("HTTP/1.1 2x0", nil, ""), ("HTTP/1.1 200a", nil, ""), ("HTTP/1.1x200", nil, ""),
            ("HTTP/1.1 200 \u{7f}", nil, ""), ("HTTP/1.1", nil, ""),
        ] as [(String, Int?, String)])
    func statusLines(text: String, code: Int?, reason: String) throws {
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        guard let code else {
            #expect(throws: ParseFailure.badStatusLine) { try StatusLine(bytes[...]) }
            return
        }
        let line = try StatusLine(bytes[...])
        #expect(line.status.code == code && line.reason == reason)
        #expect(line.minorVersion == (text.hasPrefix("HTTP/1.0") ? 0 : 1))
    }

    @Test("A close ends a body that has no other end, and cuts every other message short")
    func closes() {
        let cases: [(String, ResponseParser.Event?)] = [
            ("", .failure(.truncated)), ("H", .failure(.truncated)),
            ("HTTP/1.1 200 OK\r\n", .failure(.truncated)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", .failure(.truncated)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .failure(.truncated)),
            ("HTTP/1.1 200 OK\r\n\r\n", .end(trailers: HeaderFields())),
            ("HTTP/1.1 200 OK\r\n\r\na", .end(trailers: HeaderFields())),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", nil), ("HTTP/1.1 101 S\r\n\r\n", nil),
            ("HTTP/1.1 103 E\r\n\r\n", .failure(.truncated)), ("BAD\r\n", nil),
        ]
        for (text, event) in cases {
            var parser = ResponseParser()
            parser.expect(.get)
            _ = parser.feed(Array(text.utf8))
            #expect(parser.close() == event, "\(text)")
            #expect(parser.next() == nil && parser.feed(Array("HTTP/1.1 200 OK\r\n".utf8)).count <= 1)
            if event != nil { #expect(parser.close() == nil && !parser.isIdle, "\(text)") }
        }
    }

    @Test("After a failure or a close nothing more is read, and nothing is kept")
    func failed() {
        var fresh = ResponseParser()
        fresh.expect(.get)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        for text in ["BAD\r\nrest", "HTTP/1.1 200 OK\r\n\r\nuntil close"] {
            var parser = fresh
            _ = parser.feed(Array(text.utf8))
            _ = parser.close()
            parser.expect(.get)
            #expect(parser.feed(answer).isEmpty && parser.takeRaw() == [] && !parser.isIdle)
        }
    }

    @Test("A parser that has failed is the same, whatever came behind the mistake")
    func nothingKept() {
        let parsers = ["BAD\r\n", "BAD\r\nHTTP/1.1 200 OK\r\n"].map { text in
            var parser = ResponseParser()
            parser.expect(.get)
            _ = parser.feed(Array(text.utf8))
            parser.append([1])
            return parser
        }
        #expect(parsers[0] == parsers[1])
    }

    @Test("Behind a 2xx to CONNECT and a 101 the bytes are raw; behind any other response they are not")
    func raw() {
        for (method, head, isRaw) in [
            (.connect, "HTTP/1.1 200 OK\r\n\r\n", true), (.connect, "HTTP/1.1 299 OK\r\n\r\n", true),
            (.get, "HTTP/1.1 101 S\r\n\r\n", true), (.get, "HTTP/1.1 200 OK\r\n\r\n", false),
            (.connect, "HTTP/1.1 407 No\r\n\r\n", false),
        ] as [(RequestMethod, String, Bool)] {
            var parser = ResponseParser()
            parser.expect(method)
            let events = parser.feed(Array((head + "ab").utf8))
            #expect(events.count == (isRaw ? 1 : 2), "\(method) \(head)")
            #expect(parser.takeRaw() == (isRaw ? [97, 98] : []) && parser.takeRaw() == [])
            #expect(!parser.isIdle)
        }
    }

    @Test("Responses belong to the requests in their order; interim ones to none")
    func order() {
        var parser = ResponseParser()
        for method in [RequestMethod.head, .get] { parser.expect(method) }
        let text =
            "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"
        let events = parser.feed(Array(text.utf8))
        #expect(events.count == 7 && events.last == .failure(.unexpectedResponse))
        #expect(events.contains(.body(Array("ok".utf8))))
        #expect(parser.close() == nil)
    }
}
