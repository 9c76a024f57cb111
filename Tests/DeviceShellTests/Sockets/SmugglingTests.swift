import Foundation
import Testing

@testable import DeviceShell

/// Each case frames one request in a different way, so that a parser that frames it differently finds a
/// second request after it. Where two parsers could differ there is one answer, a refusal, and the connection
/// ends (http.md, "Request parsing").
@Suite("Smuggling, paths and hosts over real sockets", .serialized)
struct SmugglingTests {
    private static let app: Result<RealApp, any Error> = Result {
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch()
        return app
    }

    /// One app for all cases; no case may change its state.
    private func page() throws -> (app: RealApp, cookie: String) {
        let app = try SmugglingTests.app.get()
        let (cookie, document, _) = try app.start()
        #expect(document.status == 200)
        return (app, cookie)
    }

    /// Head lines, bytes after the head, and the expected status.
    static let framings: [(String, String, Int)] = [
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\nContent-Length: 4", "0\r\n\r\n", 400),
        ("Content-Length: 0\r\nContent-Length: 44", "", 400), ("Content-Length: 0, 44", "", 400),
        ("Content-Length: 0\r\n Content-Length: 44", "", 400), ("Content-Length: +0", "", 400),
        ("Content-Length: 0x0", "", 400), ("Content-Length: -1", "", 400), ("Content-Length: ", "", 400),
        ("Content-Length: 18446744073709551616", "", 400), ("Content-Length : 0", "", 400),
        ("Content-Length\t: 0", "", 400), ("Content-Length:\u{b}0", "", 400),
        ("Transfer-Encoding : chunked", "0\r\n\r\n", 400), ("Transfer-Encoding: xchunked", "0\r\n\r\n", 501),
        ("Transfer-Encoding: identity", "0\r\n\r\n", 501), ("Transfer-Encoding: chunked, identity", "", 400),
        ("Transfer-Encoding: \u{b}chunked", "0\r\n\r\n", 400), ("Transfer-Encoding: \"chunked\"", "", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n", 400),
        ("Transfer-Encoding:\r\n chunked", "0\r\n\r\n", 400), ("X: a\rTransfer-Encoding: chunked", "", 400),
        ("X: a\nTransfer-Encoding: chunked", "", 400), ("X: \u{0}", "", 400), ("X", "", 400),
        ("\u{e9}: x", "", 400), (": x", "", 400), (" X: y", "", 400),
        ("Transfer-Encoding: chunked", "0x0\r\n\r\n", 400), ("Transfer-Encoding: chunked", "+0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "0 \r\n\r\n", 400), ("Transfer-Encoding: chunked", "0\n\r\n", 400),
        ("Transfer-Encoding: chunked", "1;a\n0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "1\r\nab\r\n0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "FFFFFFFFFFFFFFFF0\r\n", 400),
        ("Transfer-Encoding: chunked", "1\r\na\n0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "0;\u{0}\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "0\r\nX : y\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "0\r\nX: y\n\r\n", 400),
    ]

    @Test(
        "Ambiguous framing gets one refusal, and nothing after it is a request (HT-P1–P7)"
    )
    func framing() throws {
        let (app, cookie) = try page()
        for (fields, body, status) in SmugglingTests.framings {
            let client = try RawClient(port: app.port)
            client.say(
                "POST /app.js HTTP/1.1\r\n\(fields)\r\nHost: localhost:\(app.port)\r\nCookie: \(cookie)\r\n\r\n"
                    + body + app.request("/app.js", cookie: cookie))
            let all = String(decoding: try client.hearAll(), as: UTF8.self)
            #expect(all.hasPrefix("HTTP/1.1 \(status) "), "\(fields.debugDescription) got \(all.prefix(20))")
            #expect(all.components(separatedBy: "HTTP/1.1 ").count == 2, "\(fields.debugDescription)")
            #expect(!all.contains("console.log"), "\(fields.debugDescription)")
        }
        #expect(try page().app === app)
    }

    @Test(
        "A whole body is taken for a body, whatever it looks like, and the next request is the next (HT-P12)")
    func insideBody() throws {
        let (app, cookie) = try page()
        let inner = app.request("/large.bin", cookie: cookie)
        for body in [
            "Content-Length: \(inner.utf8.count)\r\n\r\n\(inner)",
            "Transfer-Encoding: chunked\r\n\r\n\(String(inner.utf8.count, radix: 16));x=\"y\"\r\n\(inner)\r\n"
                + "0\r\nContent-Length: 5\r\n\r\n",
        ] {
            let client = try RawClient(port: app.port)
            client.say(
                "POST /app.js HTTP/1.1\r\nHost: localhost:\(app.port)\r\nCookie: \(cookie)\r\n" + body
                    + app.request("/app.js", cookie: cookie))
            #expect(try client.answer()?.status == 405)
            #expect(try client.answer()?.body == AppLoopTests.files[1].bytes)
        }
    }

    @Test(
        "Request lines that are none are refused (HT-P8, P9, P11)",
        arguments: [
            ("GET /app.js", 400), ("GET  /app.js HTTP/1.1", 400), ("GET\t/app.js\tHTTP/1.1", 400),
            ("GET /app.js HTTP/1.1 ", 400), (" GET /app.js HTTP/1.1", 400), ("GET /app.js http/1.1", 400),
            ("GET /app.js HTTP/2.0", 505), ("GET /app.js HTTP/1.1x", 400), ("GET app.js HTTP/1.1", 400),
            ("GET * HTTP/1.1", 400), ("GET /a b HTTP/1.1", 400), ("GET /a#b HTTP/1.1", 400),
            ("GET /a\u{1}b HTTP/1.1", 400), ("GET http://u@localhost/ HTTP/1.1", 400),
            ("GET http://evil.example/app.js HTTP/1.1", 421), ("CONNECT evil.example:443 HTTP/1.1", 421),
            ("\r\n\r\nGET /app.js HTTP/1.1", 400),
        ])
    func requestLines(line: String, status: Int) throws {
        let (app, cookie) = try page()
        let client = try RawClient(port: app.port)
        client.say("\(line)\r\nHost: localhost:\(app.port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n")
        let all = String(decoding: try client.hearAll(), as: UTF8.self)
        #expect(all.hasPrefix("HTTP/1.1 \(status) "), "\(all.prefix(20))")
        #expect(!all.contains("console.log"))
    }

    static let paths = [
        "/../package/web/manifest.json", "/..%2f..%2fstate/store/starts", "/%2e%2e/%2e%2e/etc/passwd",
        "/%252e%252e/etc/passwd", "/..%252f..%252fetc/passwd", "/%c0%ae%c0%ae/etc/passwd",
        "/%c0%af..%c0%afetc/passwd", "/%e0%80%af/etc/passwd", "/..%5c..%5cetc%5cpasswd", "/....//etc/passwd",
        "/./app.js", "/a/../app.js", "//etc/passwd", "///etc/passwd", "/%2fetc/passwd",
        "/file:///etc/passwd", "/app.js/../../etc/passwd", "/app.js/", "/app.js%20", "/app.js.", "/APP.JS",
        "/app.js::$DATA", "/app.js%3f", "/manifest.json", "/web/app.js", "/package/web/app.js",
        "/~root/.ssh/id_rsa", "/proc/self/environ", "/local-filesystem/etc/passwd", "/C:/windows/win.ini",
        "/.git/config", "/index.html%00.js", "/%00", "/%zz", "/%", "/%2", "/a%0d%0aX:%20y",
        "/" + String(repeating: "../", count: 500) + "etc/passwd", "/" + String(repeating: "a", count: 4_000),
    ]

    @Test("However a path is written, nothing outside the version is read through it (S6, HT-F1–F7)")
    func traversal() throws {
        let (app, cookie) = try page()
        let client = try RawClient(port: app.port)
        for path in SmugglingTests.paths {
            for method in ["GET", "HEAD"] {
                let client = method == "GET" ? client : try RawClient(port: app.port)
                client.say(app.request(path, method, cookie: cookie, more: "Accept: */*\r\n"))
                guard let answer = try client.answer(toHead: method == "HEAD") else {
                    Issue.record("no answer to \(path)")
                    return
                }
                let isMalformed =
                    ["%00", "%zz"].contains { path.contains($0) } || path.hasSuffix("%")
                    || path.hasSuffix("%2")
                #expect(answer.status == (isMalformed ? 400 : 404), "\(path)")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(!text.contains("root:") && !text.contains("console.log") && !text.contains("sha256"))
                #expect(answer.field("Location") == nil)
                if isMalformed { break }
            }
            if path.contains("%00") || path.contains("%zz") { break }
        }
    }

    @Test(
        "Malformed escapes are answered with 400 and end the connection (HT-F1)",
        arguments: ["/%00", "/%zz", "/%", "/%2", "/index.html%00.js"])
    func malformedEscapes(path: String) throws {
        let (app, cookie) = try page()
        let client = try RawClient(port: app.port)
        client.say(app.request(path, cookie: cookie) + app.request("/app.js", cookie: cookie))
        let all = String(decoding: try client.hearAll(), as: UTF8.self)
        #expect(all.hasPrefix("HTTP/1.1 400 ") && !all.contains("console.log"))
    }

    @Test(
        "Only our own loopback names are answered; a rebound name and a look-alike are not (S6, HT-H2, H3)",
        arguments: [
            ("localhost:PORT", 200), ("LocalHost:PORT", 200), ("127.0.0.1:PORT", 200), ("[::1]:PORT", 200),
            ("localhost", 421), ("localhost:80", 421), ("localhost.:PORT", 421), ("evil.example", 421),
            ("evil.example:PORT", 421), ("localhost.evil.example:PORT", 421), ("x.localhost:PORT", 421),
            ("0.0.0.0:PORT", 421), ("127.1:PORT", 421), ("2130706433:PORT", 421), ("[::]:PORT", 421),
            ("[::ffff:127.0.0.1]:PORT", 421), ("", 421), ("localhost:PORT@evil.example", 400),
            ("localhost:PORT:PORT", 400), ("localhost:-1", 400), ("local host:PORT", 400),
            ("localhost:PORT, evil.example", 400),
        ])
    func hosts(host: String, status: Int) throws {
        let (app, cookie) = try page()
        let named = host.replacingOccurrences(of: "PORT", with: "\(app.port)")
        for more in ["", "Upgrade: websocket\r\nConnection: upgrade\r\n"] {
            let client = try RawClient(port: app.port)
            client.say("GET /app.js HTTP/1.1\r\nHost: \(named)\r\nCookie: \(cookie)\r\n\(more)\r\n")
            let answer = try #require(try client.answer())
            #expect(answer.status == status)
            #expect((answer.body == AppLoopTests.files[1].bytes) == (status == 200))
        }
    }
}
