import Core
import Testing

@Suite("A route is a key, and a request is decoded once")
struct RouteTests {
    @Test(
        "Manifest texts that are routes",
        arguments: ["/", "/index.html", "/a b.js", "/docs/", "/ü/日本.png", "/a%20b", "/...", "/.well-known/x"])
    func accepted(text: String) throws {
        #expect(try Route(text).text == text)
    }

    @Test(
        "Manifest texts that are not routes are refused, each for its own reason (U10)",
        arguments: [
            ("", .empty), ("a.js", .notAbsolute), ("//a.js", .emptySegment), ("/a//b", .emptySegment),
            ("/./a", .dotSegment), ("/a/..", .dotSegment), ("/a.js?x", .query), ("/a#b", .fragment),
            ("/a\\b", .backslash), ("/a\u{0}", .controlCharacter(0)), ("/a\u{7f}", .controlCharacter(0x7f)),
            ("http://x/", .notAbsolute),
        ] as [(String, RouteError)])
    func refused(text: String, reason: RouteError) {
        #expect(throws: reason) { try Route(text) }
    }

    @Test("A route has at most 1,024 bytes")
    func length() throws {
        let longest = "/" + String(repeating: "a", count: 1_023)
        #expect(try Route(longest).text == longest)
        #expect(throws: RouteError.tooLong(bytes: 1_025)) { try Route(longest + "a") }
    }

    @Test("Routes are equal when their bytes are: composed and decomposed letters differ (HT-F6)")
    func bytes() throws {
        let composed = try Route("/\u{e9}")
        let decomposed = try Route("/e\u{301}")
        #expect(composed.text == decomposed.text, "Swift treats the texts as equal")
        #expect(composed != decomposed)
        #expect(decomposed < composed)
        #expect(try Route("/INDEX.html") != Route("/index.html"))
    }

    @Test(
        "Encoding a route and decoding it once gives it back",
        arguments: ["/", "/a b.js", "/a%20b", "/ü/日本.png", "/a%2fb", "/a;b=c,d", "/~x/@y:z", "/\"<>[]^`{|}"])
    func roundTrip(text: String) throws {
        let route = try Route(text)
        #expect(try RequestTarget(Array(route.percentEncoded.utf8)).route == route)
        #expect(RequestTarget(route).route == route)
    }

    @Test(
        "The route of a request path (HT-F1 to F3)",
        arguments: [
            ("/", .route("/")), ("/a.js", .route("/a.js")), ("/a.js?x=/../", .route("/a.js")),
            ("/%61.js", .route("/a.js")), ("/%252e%252e/a", .route("/%2e%2e/a")),
            ("/a%20b", .route("/a b")), ("/%C3%BC", .route("/ü")), ("/a+b", .route("/a+b")),
            ("/a%2fb", .none(.encodedSlash)), ("/a%2Fb", .none(.encodedSlash)),
            ("/..%2f..%2fetc/passwd", .none(.encodedSlash)),
            ("/%5cwindows", .none(.backslash)), ("/..", .none(.dotSegment)), ("/a/./b", .none(.dotSegment)),
            ("/%2e%2e/a", .none(.dotSegment)), ("/.%2e/a", .none(.dotSegment)),
            ("//evil.com/..", .none(.emptySegment)), ("//evil.com", .none(.emptySegment)),
            ("/%c0%af", .none(.notUTF8)), ("/%ed%a0%80", .none(.notUTF8)), ("/%ff", .none(.notUTF8)),
            ("/%3f", .none(.encodedSeparator)), ("/%23", .none(.encodedSeparator)),
            ("/%0d%0aX", .none(.controlCharacter)),
        ] as [(String, Expected)])
    func requests(text: String, expected: Expected) throws {
        let target = try RequestTarget(Array(text.utf8))
        switch expected {
        case .route(let text): #expect(target.file == .route(try Route(text)))
        case .none(let cause): #expect(target.file == .none(cause))
        }
        #expect(target.text == text, "a proxy forwards the target unchanged")
    }

    enum Expected: Sendable {
        case route(String)
        case none(RequestTarget.Unservable)
    }

    @Test(
        "Texts that are not paths are malformed",
        arguments: [
            ("", .notAbsolute), ("a", .notAbsolute), ("*", .notAbsolute), ("/%", .badPercentEncoding),
            ("/%4", .badPercentEncoding), ("/%zz", .badPercentEncoding), ("/%+1", .badPercentEncoding),
            ("/%00", .encodedNUL), ("/a#b", .fragment), ("/a b", .badByte(0x20)), ("/a\\b", .badByte(0x5c)),
            ("/a\\?b", .badByte(0x5c)), ("/a?b c", .badByte(0x20)), ("/a?b#c", .fragment),
            ("/ü", .badByte(0xc3)), ("/a\u{7f}", .badByte(0x7f)), ("/a?\u{1}", .badByte(1)),
        ] as [(String, RequestTarget.Malformed)])
    func malformed(text: String, reason: RequestTarget.Malformed) {
        #expect(throws: reason) { try RequestTarget(Array(text.utf8)) }
    }

    @Test("A query has what browsers send there unencoded (HT-P14)", arguments: #"\^`{|}[]'"#)
    func rawQuery(byte: Character) throws {
        let target = try RequestTarget(Array("/a?x=\(byte)&\(byte)=1?".utf8))
        #expect(target.text == "/a?x=\(byte)&\(byte)=1?")
        #expect(target.route == (try Route("/a")))
        #expect(target.queryValue("x") == String(byte))
    }

    @Test("The query is kept unchanged, and its pairs can be read")
    func query() throws {
        let target = try RequestTarget(Array("/a?x=1&cdvToken=t=2&y&x=3".utf8))
        #expect(target.query == "x=1&cdvToken=t=2&y&x=3")
        #expect(target.queryValue("cdvToken") == "t=2")
        #expect(target.queryValue("x") == "1")
        #expect(target.queryValue("y") == "")
        #expect(target.queryValue("z") == nil)
        #expect(try RequestTarget(Array("/a".utf8)).query == nil)
        #expect(try RequestTarget(Array("/a?".utf8)).query == "")
    }

    @Test(
        "Content types go by extension; a dot does not make a file (S3, HT-F9)",
        arguments: [
            ("app.js", "text/javascript; charset=utf-8", true),
            ("A.JS", "text/javascript; charset=utf-8", true),
            ("a.b.css", "text/css; charset=utf-8", true), ("x.png", "image/png", true),
            ("x.wasm", "application/wasm", true), ("jo.doe", "application/octet-stream", false),
            ("js", "application/octet-stream", false), (".js", "application/octet-stream", false),
            ("x.", "application/octet-stream", false), ("", "application/octet-stream", false),
        ])
    func contentTypes(name: String, type: String, known: Bool) {
        #expect(ContentTypes.type(ofName: name) == type)
        #expect(ContentTypes.isKnownExtension(ofName: name) == known)
    }

    @Test("Every ASCII byte of a route: refused, written as it is, or percent-encoded (RFC 3986 §3.3)")
    func everyByte() throws {
        let plain = Array(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/".utf8)
        for byte in UInt8(0)..<128 {
            let text = "/a" + String(Character(Unicode.Scalar(byte))) + "b"
            let refused = byte < 0x20 || byte == 0x7f || "\\?#".utf8.contains(byte)
            guard !refused else {
                #expect(throws: RouteError.self) { try Route(text) }
                continue
            }
            let hex = String(byte, radix: 16, uppercase: true)
            let encoded = plain.contains(byte) ? text : "/a%\(hex)b"
            #expect(try Route(text).percentEncoded == encoded)
        }
        #expect(try Route("/é/ÿ").percentEncoded == "/%C3%A9/%C3%BF")
    }

    @Test("A route that is too long when it is decoded names no file")
    func tooLong() throws {
        let longest = "/" + String(repeating: "%61", count: 1_023)
        #expect(try RequestTarget(Array(longest.utf8)).route?.text.utf8.count == 1_024)
        #expect(try RequestTarget(Array((longest + "a").utf8)).file == .none(.tooLong))
        #expect(
            try RequestTarget(Array(("/" + String(repeating: "a", count: 1_024)).utf8)).file
                == .none(.tooLong))
    }
}
