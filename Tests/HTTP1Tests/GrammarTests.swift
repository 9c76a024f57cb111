import Core
import Testing

@testable import HTTP1

@Suite("The grammar that all messages share, byte by byte (RFC 9110 §5.6)")
struct GrammarTests {
    @Test("Of all bytes exactly those of the grammar are token, value, blank and digit")
    func bytes() {
        let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(Token.isTokenByte(byte) == token.contains(byte), "\(byte)")
            #expect(Token.isValueByte(byte) == (byte == 9 || byte >= 32 && byte != 127), "\(byte)")
            #expect(Token.isBlank(byte) == [9, 32].contains(byte), "\(byte)")
            #expect(Token.isDigit(byte) == (48...57).contains(byte), "\(byte)")
            #expect(Token.lowercased(byte) == ((65...90).contains(byte) ? byte + 32 : byte), "\(byte)")
            #expect(Token.isToken([byte]) == token.contains(byte), "\(byte)")
        }
        #expect(!Token.isToken([]) && Token.isToken(Array("a!".utf8)[...]) && !Token.isToken([65, 32]))
    }

    @Test("Blanks go from both ends, numbers have one to nine digits, and a byte above ASCII is one scalar")
    func texts() {
        for (text, trimmed) in [("", ""), (" \t ", ""), ("a", "a"), ("\t a b \t", "a b"), ("a ", "a")] {
            #expect(String(decoding: Token.trimmed(Array(text.utf8)), as: UTF8.self) == trimmed)
        }
        for (text, number) in [
            ("", nil), ("0", 0), ("12", 12), ("999999999", 999_999_999), ("1000000000", nil), ("1x", nil),
            ("-1", nil), ("090", 90),
        ] {
            #expect(Token.number(Array(text.utf8)) == number, "\(text)")
        }
        #expect(Token.text([65, 0x7f]) == "A\u{7f}" && Token.text([65, 0x80, 0xff]) == "A\u{80}\u{ff}")
    }

    @Test("Which methods are known, safe and idempotent (RFC 9110 §9.2, RFC 5789)")
    func methods() {
        for (name, isKnown, isSafe, isIdempotent) in [
            ("GET", true, true, true), ("HEAD", true, true, true), ("OPTIONS", true, true, true),
            ("TRACE", true, true, true), ("PUT", true, false, true), ("DELETE", true, false, true),
            ("POST", true, false, false), ("PATCH", true, false, false), ("CONNECT", true, false, false),
            ("get", false, false, false), ("BREW", false, false, false), ("", false, false, false),
        ] {
            let method = RequestMethod(name)
            #expect(method.isKnown == isKnown && method.isSafe == isSafe, "\(name)")
            #expect(method.isIdempotent == isIdempotent && "\(method)" == name, "\(name)")
        }
        let all: [RequestMethod] = [
            .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
        ]
        #expect(
            all.map(\.name) == [
                "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
            ])
    }

    @Test("Classes of status codes at their borders, and their order")
    func statuses() {
        for (code, isInformational, isSuccess, neverHasContent) in [
            (100, true, false, true), (199, true, false, true), (200, false, true, false),
            (203, false, true, false), (204, false, true, true), (205, false, true, false),
            (299, false, true, false), (300, false, false, false), (303, false, false, false),
            (304, false, false, true), (305, false, false, false), (500, false, false, false),
        ] {
            let status = StatusCode(code)
            #expect(status.isInformational == isInformational && status.isSuccess == isSuccess, "\(code)")
            #expect(status.neverHasContent == neverHasContent && status.code == code, "\(code)")
        }
        #expect(StatusCode(200) < StatusCode(201) && !(StatusCode(201) < StatusCode(200)))
        #expect(!(StatusCode(200) < StatusCode(200)))
        let named: [StatusCode] = [
            .continue, .switchingProtocols, .ok, .noContent, .partialContent, .movedPermanently, .notModified,
            .badRequest, .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .preconditionFailed,
            .contentTooLarge, .targetTooLong, .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest,
            .fieldsTooLarge, .internalError, .notImplemented, .badGateway, .unavailable, .gatewayTimeout,
            .versionNotSupported,
        ]
        #expect(
            named.map(\.code) == [
                100, 101, 200, 204, 206, 301, 304, 400, 403, 404, 405, 408, 412, 413, 414, 416, 417, 421, 431,
                500, 501, 502, 503, 504, 505,
            ])
    }

    @Test("A host is a name or an address in brackets, a port a number of 16 bits; nothing else is there")
    func authorities() {
        for (text, host, port) in [
            ("a", "a", nil), ("A.Z:0", "a.z", 0), ("a:", "a", nil), ("a:65535", "a", 65_535), ("", "", nil),
            (":1", "", 1), ("[::1]", "[::1]", nil), ("[AF::1.2]:9", "[af::1.2]", 9), ("[0]:", "[0]", nil),
            ("az09-._~%!$&'()*+,;=", "az09-._~%!$&'()*+,;=", nil), ("a:080", "a", 80), ("ABC", "abc", nil),
        ] as [(String, String, Int?)] {
            let authority = Authority(text.utf8)
            #expect(authority == Authority(host: host, port: port), "\(text)")
            #expect(authority?.description == (port.map { "\(host):\($0)" } ?? host))
            // The same where the bytes are not in one piece.
            #expect(Authority(text.utf8.reversed().reversed() as [UInt8]) == authority)
            #expect(Authority(text.utf8.lazy.map { $0 }) == authority)
        }
        for text in [
            "a:65536", "a:x", "a:1:2", "a:-1", "u@a", "a b", "a/", "a[", "a]", "[", "[]", "[:", "[g]",
            "[::1]a",
            "[::1] ", "a\u{7f}", "a#", "a?", "a\\", "\u{e9}", "a`", "a{", "a@", "[a-1]",
        ] {
            #expect(Authority(text.utf8) == nil, "\(text)")
        }
    }

    @Test("A tag has bytes above the space, without DEL and quotes; it is weak by its prefix")
    func tags() {
        for (text, opaque, isWeak) in [
            ("\"\"", "", false), ("\"!~\"", "!~", false), ("W/\"a\"", "a", true), (" \"a\"\t", "a", false),
            ("\"a,b\"", "a,b", false), ("\"\u{e9}\"", "\u{e9}", false),
        ] {
            let tag = EntityTag(parsing: text)
            #expect(tag == EntityTag(opaque, isWeak: isWeak), "\(text)")
            #expect(tag?.text == (isWeak ? "W/" : "") + "\"\(opaque)\"")
        }
        for text in [
            "", "a", "\"", "\"a", "a\"", "w/\"a\"", "W\"a\"", "W/a", "\"a b\"", "\"\u{7f}\"", "\"a\"b",
        ] {
            #expect(EntityTag(parsing: text) == nil, "\(text)")
        }
        let (strong, weak) = (EntityTag("a"), EntityTag("a", isWeak: true))
        #expect(strong.matchesStrongly(strong) && !strong.matchesStrongly(weak))
        #expect(!weak.matchesStrongly(strong) && !weak.matchesStrongly(weak))
        #expect(!strong.matchesStrongly(EntityTag("b")) && !strong.matchesWeakly(EntityTag("b")))
        #expect(strong.matchesWeakly(weak) && weak.matchesWeakly(weak))
    }

    @Test("Each failure has its status and a sentence of its own, and none is forgotten here")
    func failures() {
        let badRequest: [ParseFailure] = [
            .bareLineFeed, .bareCarriageReturn, .badRequestLine, .badVersion, .badTarget, .userInfoInTarget,
            .missingHost, .repeatedHost, .badHost, .leadingSpace, .foldedField, .missingColon, .badFieldName,
            .badFieldValue, .lengthAndTransferEncoding, .badContentLength, .repeatedContentLength,
            .badTransferEncoding, .transferEncodingBefore11, .badChunkSize, .badChunkExtension,
            .chunkExtensionsTooLarge, .badChunkEnd, .truncated,
        ]
        let others: [(ParseFailure, StatusCode)] = [
            (.startLineTooLong, .targetTooLong), (.versionNotSupported, .versionNotSupported),
            (.fieldsTooLarge, .fieldsTooLarge), (.unknownTransferEncoding, .notImplemented),
            (.bodyTooLarge, .contentTooLarge), (.badStatusLine, .badGateway),
            (.unexpectedResponse, .badGateway),
        ]
        for failure in badRequest { #expect(failure.status == .badRequest, "\(failure)") }
        for (failure, status) in others { #expect(failure.status == status, "\(failure)") }
        let sentences = badRequest.map(\.description) + others.map(\.0.description)
        #expect(Set(sentences).count == 31 && sentences.allSatisfy { $0.utf8.count > 10 })
    }
}
