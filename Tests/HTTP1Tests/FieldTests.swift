import Core
import Testing

@testable import HTTP1

@Suite("Field lines: read, found, changed and written")
struct FieldTests {
    private func fields(_ lines: String, _ syntax: HTTPSyntax = .strict) -> HeaderFields? {
        var parser = ResponseParser(syntax: syntax)
        parser.expect(.get)
        for case .head(let head, _) in parser.feed(Array(("HTTP/1.1 200 OK\r\n" + lines + "\r\n").utf8)) {
            return head.fields
        }
        return nil
    }

    @Test(
        "Blanks around a value are dropped, those in it stay; a value may be empty, or have bytes above ASCII"
    )
    func values() {
        for (line, value) in [
            ("X:", ""), ("X: ", ""), ("X:a", "a"), ("X:\t a b \t", "a b"), ("X: :", ":"), ("X: a\tb", "a\tb"),
        ] {
            #expect(fields(line + "\r\n")?["x"] == value, "\(line)")
        }
        var parser = ResponseParser()
        parser.expect(.get)
        let head = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0x80, 0xff, 0x21, 13, 10, 13, 10]
        guard case .head(let read, _)? = parser.feed(head).first else {
            Issue.record("no head")
            return
        }
        #expect(read.fields["X"] == "\u{80}\u{ff}!")
        #expect(read.serialized() == head, "and is written as it came")
    }

    @Test("Names compare without the case of ASCII letters, and by all their bytes")
    func names() {
        for (one, other, areEqual) in [
            ("Host", "hOST", true), ("", "", true), ("a", "", false), ("ab", "ac", false), ("@", "`", false),
            ("[", "{", false), ("Host", "Hos", false), ("x-a", "x_a", false), ("\u{e9}", "\u{c9}", false),
        ] {
            #expect(HeaderFields.areEqual(one, other) == areEqual, "\(one) \(other)")
            #expect(HeaderFields.areEqual(other, one) == areEqual, "\(other) \(one)")
        }
    }

    @Test("Lines are counted, set at the place of the first, and removed by name; a literal may repeat one")
    func changes() {
        var fields: HeaderFields = ["A": "1", "b": "2", "a": "3", "C": "4", "A": "5"]
        #expect(!fields.isEmpty && HeaderFields().isEmpty && fields.count("a") == 3 && fields.count("d") == 0)
        #expect(fields["d"] == nil && fields.all("d").isEmpty && fields["a"] == "1" && fields.contains("c"))
        fields.set("a", "6")
        #expect(fields.description == "A: 6\nb: 2\nC: 4")
        fields.set("d", "7")
        #expect(fields.fields.map(\.name) == ["A", "b", "C", "d"])
        fields.remove("B")
        fields.remove("x")
        #expect(fields.description == "A: 6\nC: 4\nd: 7")
    }

    @Test("Lists are split at commas over all lines, in lower case, without blanks and empty elements")
    func tokens() {
        let fields: HeaderFields = ["A": "X , y;q=1,,\t", "b": "z", "a": "Z"]
        #expect(fields.tokens("a") == ["x", "y;q=1", "z"] && fields.tokens("c").isEmpty)
    }

    @Test("What no field may contain is written as a space, in a name as a dash; the rest as it is")
    func written() {
        var bytes: [UInt8] = []
        let fields: HeaderFields = [
            "A b:": "\u{1f} ~\u{7f}\t\u{80}\u{ff}\u{0}", "X": "a~ \tb", "Y": "\u{20ac}",
        ]
        fields.serialize(into: &bytes)
        let expected =
            Array("A-b-:  ".utf8) + [0x20, 0x7e, 0x20, 9, 0x80, 0xff, 0x20]
            + Array("\r\nX: a~ \tb\r\nY: \u{20ac}\r\n".utf8)
        #expect(bytes == expected)
    }

    @Test("A head is written with its version, status and reason; a byte that no reason may have is a space")
    func responseHeads() {
        func text(_ head: ResponseHead) -> [UInt8] { head.serialized() }
        #expect(text(ResponseHead(.ok)) == Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        #expect(text(ResponseHead(StatusCode(299), minorVersion: 0)) == Array("HTTP/1.0 299 \r\n\r\n".utf8))
        let odd = ResponseHead(.ok, reason: "a\u{7f}\u{ff}\u{100}\t", fields: ["A": "1"])
        #expect(text(odd) == Array("HTTP/1.1 200 a ".utf8) + [0xff] + Array("?\t\r\nA: 1\r\n\r\n".utf8))
    }

    @Test(
        "A response's sender keeps the connection as its version and field say",
        arguments: [
            (1, nil, true), (1, "close", false), (1, "x", true), (0, nil, false), (0, "Keep-Alive", true),
            (0, "x", false), (0, "keep-alive, close", false),
        ] as [(Int, String?, Bool)])
    func keepAlive(version: Int, field: String?, keeps: Bool) {
        var fields = HeaderFields()
        if let field { fields.append("Connection", field) }
        #expect(ResponseHead(.ok, fields: fields, minorVersion: version).keepsAlive == keeps)
        let target = RequestHead.Target.origin(RequestTarget(.root))
        let request = RequestHead(.get, target, fields: fields, minorVersion: version)
        #expect(request.keepsAlive == keeps)
    }

    @Test("A request is written with its target in any of the four forms, and read back as it was")
    func requestTargets() throws {
        let authority = Authority(host: "b.example", port: 8)
        let path = try RequestTarget(Array("/a?b".utf8))
        for (method, target, line, own) in [
            (.get, .origin(path), "GET /a?b", Authority(host: "a")),
            (.get, .absolute(scheme: "https", authority, path), "GET https://b.example:8/a?b", authority),
            (.options, .asterisk, "OPTIONS *", Authority(host: "a")),
            (.connect, .authority(authority), "CONNECT b.example:8", authority),
        ] as [(RequestMethod, RequestHead.Target, String, Authority)] {
            let head = RequestHead(method, target, fields: ["Host": "a"])
            #expect(
                String(decoding: head.serialized(), as: UTF8.self) == "\(line) HTTP/1.1\r\nHost: a\r\n\r\n")
            var parser = RequestParser()
            #expect(parser.feed(head.serialized()).first == .head(head))
            #expect(head.authority == own && (head.path == nil) == !line.hasSuffix("/a?b"))
            #expect(head.minorVersion == 1 && head.framing == .none)
        }
        var old = RequestHead(.get, .origin(path), minorVersion: 0)
        #expect(old.authority == nil && old.serialized() == Array("GET /a?b HTTP/1.0\r\n\r\n".utf8))
        old.fields = ["Host": "a:x"]
        #expect(old.authority == nil)
    }

    @Test("An expectation is 100-continue, however often, or unknown; HTTP/1.0 has none")
    func expectations() {
        func expectation(_ values: [String], _ version: Int = 1) -> RequestHead.Expectation {
            let fields = HeaderFields(values.map { HeaderFields.Field("Expect", $0) })
            let target = RequestHead.Target.origin(RequestTarget(.root))
            return RequestHead(.get, target, fields: fields, minorVersion: version).expectation
        }
        #expect(expectation([]) == .none && expectation(["100-continue"], 0) == .none)
        #expect(expectation(["100-Continue"]) == .continue)
        #expect(expectation(["100-continue", "100-continue"]) == .continue)
        #expect(expectation(["100-continue, tea"]) == .unknown && expectation(["tea"]) == .unknown)
    }
}
