import Core
import HTTP1
import LocalServer
import Testing

@Suite("API requests reach the remote root, and its answers the page (S7)")
struct ProxyTests {
    @Test("Method, path, query and body arrive unchanged; fields as S7's table says (HT-X2, X3, X4)")
    func request() throws {
        var proxy = try ProxyFixture()
        proxy.fixture.cookies = [:]
        proxy.say(
            ProxyFixture.head(
                "PATCH /api/a%20b//c;d?x=%2F&y=../z&x=1",
                [
                    "Content-Length: 5", "Origin: http://localhost:12308", "X-Odd:  a \u{e9} ",
                    "Referer: http://localhost:12308/u/1?q=2&otalab-load=0000000000000001",
                    "Cookie: session=9; otalab-load-12308=1; otalab-key-9=2; otalab-load=0000000000000001",
                    "Connection: keep-alive, x-hop, Host, Cookie",
                    "X-Hop: 1", "Keep-Alive: 5", "TE: trailers", "Proxy-Authorization: p", "Upgrade: h2c",
                    "HTTP2-Settings: a", "X-Forwarded-For: 1.2.3.4", "Forwarded: for=x",
                    "Accept-Encoding: br",
                    "Authorization: Bearer t", "accept: */*",
                ]) + "he")
        proxy.connect()
        proxy.say("llo")
        proxy.pump()
        #expect(
            proxy.lines == [
                "PATCH /api/a%20b//c;d?x=%2F&y=../z&x=1 HTTP/1.1", "Host: api.example.com",
                "Origin: http://api.example.com", "X-Odd: a \u{e9}",
                "Referer: http://api.example.com/u/1?q=2", "Cookie: session=9", "Accept-Encoding: br",
                "Authorization: Bearer t", "accept: */*", "Content-Length: 5", "Connection: close", "",
                "hello",
            ])
    }

    @Test(
        "Every method goes through, with a body and without (HT-X1)",
        arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func methods(method: String) throws {
        var proxy = try ProxyFixture("http://api.example.com:8080/v2/")
        proxy.say(ProxyFixture.head("\(method) /api/x?y"))
        #expect(proxy.calls.first == .open(try RemoteRoot("http://api.example.com:8080/v2")))
        proxy.connect()
        #expect(proxy.lines[0] == "\(method) /v2/api/x?y HTTP/1.1")
        #expect(proxy.lines[1] == "Host: api.example.com:8080")
        proxy.answer("HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-A: 1\r\nX-A: 2\r\n\r\n")
        if method != "HEAD" { proxy.answer("ok") }
        let reply = proxy.fixture.reply(proxy.page, method)
        #expect(reply.status == 200 && reply.isWhole)
        #expect(reply.fields.all("X-A") == ["1", "2"])
        #expect(reply.body.count == (method == "HEAD" ? 0 : 2))
        #expect(reply.fields["Content-Length"] == "2")
        #expect(proxy.calls.last == .close)
        // The page's connection goes on.
        proxy.say(ProxyFixture.head("GET /app.js"))
        #expect(proxy.fixture.reply(proxy.page).text == "one();")
    }

    @Test("A body in chunks is framed anew, without extensions and trailers (HT-P4, X2)")
    func chunkedUp() throws {
        var whole = try ProxyFixture()
        whole.say(
            ProxyFixture.head("POST /api/x", ["Transfer-Encoding: chunked", "Trailer: X-Sum"])
                + "3;a=b\r\nabc\r\n02\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n")
        whole.connect()
        #expect(whole.text.hasSuffix("\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
        #expect(!whole.text.contains("X-Sum") && !whole.text.contains("a=b"))
        #expect(whole.text.components("Transfer-Encoding").count == 2)
    }

    @Test("A request that breaks off is none: the remote root's connection is given up (HT-X9, P12)")
    func brokenUp() throws {
        for rest in ["5\r\nab", "z\r\n"] {
            var proxy = try ProxyFixture()
            proxy.say(ProxyFixture.head("POST /api/x", ["Transfer-Encoding: chunked"]))
            proxy.connect()
            proxy.say(rest)
            if rest == "z\r\n" {
                proxy.fixture.flush(proxy.page)
                #expect(proxy.fixture.reply(proxy.page).status == 400)
            } else {
                proxy.fixture.handle(.closed(proxy.page, nil))
            }
            #expect(proxy.calls.contains(.close))
            #expect(!proxy.text.hasSuffix("0\r\n\r\n"))
        }
        var half = try ProxyFixture()
        half.say(ProxyFixture.head("POST /api/x", ["Content-Length: 9"]) + "abc")
        half.connect()
        half.fixture.handle(.finished(half.page))
        #expect(half.calls.contains(.close) && half.fixture.closed == [half.page])
    }

    @Test("More than the announced body is the next request, never the remote root's (HT-X9)")
    func pipelined() throws {
        var proxy = try ProxyFixture()
        proxy.say(
            ProxyFixture.head("POST /api/x", ["Content-Length: 3"]) + "abc" + ProxyFixture.head("GET /app.js")
        )
        proxy.connect()
        #expect(proxy.text.hasSuffix("\r\n\r\nabc"))
        proxy.answer("HTTP/1.1 204 No Content\r\n\r\nGET")
        #expect(proxy.received.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(proxy.received.hasSuffix("one();"))
    }

    @Test(
        "Bodies come down as they are framed, to a page of either version (HT-X7, X14)",
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", ["da", "ta"], false, "1.1",
                "Content-Length: 4"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                ["2\r\nda\r\n", "2;x\r\nta\r\n0\r\n\r\n"], false, "1.1", "Transfer-Encoding: chunked"
            ),
            ("HTTP/1.0 200 OK\r\n\r\n", ["da", "ta"], true, "1.1", "Transfer-Encoding: chunked"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ["4\r\ndata\r\n0\r\n\r\n"], false,
                "1.0", "Connection: close"
            ),
        ])
    func bodies(head: String, parts: [String], ends: Bool, version: String, field: String) throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x").replacing("HTTP/1.1", with: "HTTP/\(version)"))
        proxy.connect()
        proxy.answer(head)
        #expect(proxy.received.contains(field + "\r\n"), "the head does not wait for the body")
        for part in parts { proxy.answer(part) }
        if ends { proxy.end() }
        if version == "1.0" {
            #expect(proxy.received.hasSuffix("\r\n\r\ndata"))
            #expect(proxy.fixture.closed == [proxy.page])
        } else {
            let reply = proxy.fixture.reply(proxy.page)
            #expect(reply.text == "data" && reply.isWhole)
            #expect(proxy.fixture.closed.isEmpty)
        }
    }

    @Test("204, 304 and answers to HEAD have no body, whatever the remote root says (HT-X7)")
    func bodiless() throws {
        for (method, status) in [("GET", "304 Not Modified"), ("HEAD", "200 OK"), ("GET", "204 No Content")] {
            var proxy = try ProxyFixture()
            proxy.say(ProxyFixture.head("\(method) /api/x"))
            proxy.connect()
            proxy.answer("HTTP/1.1 \(status)\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello")
            #expect(proxy.received.hasSuffix("\r\n\r\n") && !proxy.received.contains("hello"))
            #expect(proxy.received.contains("ETag: \"a\"\r\n"))
            #expect(proxy.fixture.closed.isEmpty)
        }
    }

    @Test(
        "Set-Cookie: Domain and Secure dropped, SameSite=None becomes Lax, several stay several (S7, HT-X8)")
    func cookies() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        proxy.answer(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a=1; Domain=.example.com; Path=/; Secure\r\n"
                + "Set-Cookie: b=\"x,y\"; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite = None ;secure;HttpOnly\r\n"
                + "Set-Cookie: otalab-key-12308=stolen\r\nset-cookie: c=3;SameSite=Strict\r\n\r\n")
        #expect(
            proxy.fixture.reply(proxy.page).fields.all("Set-Cookie") == [
                "a=1; Path=/",
                "b=\"x,y\"; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax;HttpOnly",
                "c=3;SameSite=Strict",
            ])
    }

    @Test(
        "A broken answer is a 502 with its cause, and not a byte of it goes on (HT-X5, X6, X11)",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nX y: z\r\n\r\n",
            "HTTP/1.1 200 OK\rContent-Length: 0\r\r", "ICY 200 OK\r\n\r\n", "hello",
            "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 70_000),
        ])
    func broken(answer: String) throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        proxy.answer(answer)
        if answer == "hello" { proxy.end() }
        let reply = proxy.fixture.reply(proxy.page)
        #expect(reply.status == 502 && reply.isWhole)
        #expect(reply.text.contains("remote root"))
        #expect(proxy.calls.contains(.close))
        proxy.say(ProxyFixture.head("GET /app.js"))
        #expect(
            proxy.fixture.reply(proxy.page).text == "one();", "the page's connection is as good as before")
    }

    @Test("Half a body never looks whole: the page's connection ends without a last chunk (HT-X6)")
    func short() throws {
        for head in [
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx",
        ] {
            var proxy = try ProxyFixture()
            proxy.say(ProxyFixture.head("GET /api/x"))
            proxy.connect()
            proxy.answer(head)
            proxy.end()
            #expect(proxy.fixture.closed == [proxy.page])
            #expect(!proxy.fixture.reply(proxy.page).isWhole)
        }
    }

    @Test(
        "Out of reach is 502 or 504 with a cause, never a hang (S7, HT-X11, X15)",
        arguments: UpstreamFailure.allCases)
    func unreachable(failure: UpstreamFailure) throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.fixture.handle(.upstream(proxy.upstream, .failed(failure)))
        let reply = proxy.fixture.reply(proxy.page)
        #expect(reply.status == (failure == .timedOut ? 504 : 502))
        #expect(reply.text == failure.rawValue + "\n")
    }

    @Test("An expectation goes up; the invitation comes down when the remote root gives it (HT-T6, X13)")
    func expectation() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: 2", "Expect: 100-continue"]))
        proxy.connect()
        #expect(proxy.text.contains("Expect: 100-continue\r\n"))
        #expect(proxy.received.isEmpty)
        proxy.answer("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
        #expect(proxy.received == "HTTP/1.1 100 Continue\r\n\r\n")
        proxy.say("ab")
        proxy.pump()
        #expect(proxy.text.hasSuffix("\r\n\r\nab"))
        var refused = try ProxyFixture()
        refused.say(ProxyFixture.head("POST /api/x", ["Content-Length: 2", "Expect: 100-continue"]))
        refused.connect()
        refused.answer("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        let reply = refused.fixture.reply(refused.page)
        #expect(reply.status == 413 && reply.fields["Connection"] == "close")
        #expect(refused.fixture.closed == [refused.page], "what would come next is no request")
    }

    @Test(
        "An unauthenticated request never leaves the device: the request policy comes first (S6, HT-H5, H6, X12)"
    )
    func gate() throws {
        for (field, status) in [
            ("Origin: http://evil.example", 403), ("Sec-Fetch-Site: cross-site", 403), ("Expect: tea", 417),
        ] {
            var proxy = try ProxyFixture(upgrades: true)
            proxy.say(ProxyFixture.head("POST /api/x", [field, "Content-Length: 1"]))
            proxy.fixture.flush(proxy.page)
            #expect(proxy.fixture.reply(proxy.page).status == status)
            #expect(proxy.calls.isEmpty)
        }
        var proxy = try ProxyFixture()
        #expect(proxy.fixture.ask("/api/x", isAnonymous: true).status == 403)
        #expect(proxy.fixture.ask("/api/x", host: "Host: evil\r\n").status == 421)
        #expect(proxy.fixture.upstreams.isEmpty)
    }

    @Test(
        "No path leaves the pattern or the base, however it is written (HT-X1)",
        arguments: [
            "/api/../admin", "/api/%2e%2e/admin", "/api/..%2fadmin", "/api/..%5cadmin", "/api/./x",
            "//api/x", "//evil.example/api/x", "/api%2fx", "/API/x", "/x/api/y", "/api",
        ])
    func paths(path: String) throws {
        var proxy = try ProxyFixture("http://api.example.com/base")
        #expect(proxy.fixture.ask(path, ["Sec-Fetch-Dest: empty"]).status == 404)
        #expect(proxy.fixture.upstreams.isEmpty)
    }

    @Test("Escapes stay escapes, and the next server sees the path that the page wrote (S7, HT-X1)")
    func escapes() throws {
        for path in ["/api/a%2fb", "/api/%0d%0aX:%20y", "/api/@evil", "/api/%ff", "/%61pi/x", "/api//x"] {
            var proxy = try ProxyFixture()
            proxy.say(ProxyFixture.head("GET \(path)?u=http://evil/%0d%0a"))
            proxy.connect()
            #expect(proxy.lines[0] == "GET \(path)?u=http://evil/%0d%0a HTTP/1.1")
        }
    }

    @Test("Without a remote root API requests are 502; one that is set later is used from then on")
    func remoteRoot() throws {
        var fixture = ServerFixture {
            $0.routes = RouteTable([RouteEntry.remote("/api/**")].compactMap { $0 })
        }
        #expect(fixture.ask("/api/x").status == 502)
        let root = try RemoteRoot("http://127.0.0.1:9000/b")
        fixture.handle(.remoteRoot(root))
        let id = fixture.open()
        fixture.handle(.received(id, Array(ProxyFixture.head("GET /api/x").utf8)))
        #expect(fixture.upstreams[UpstreamID(1)]?.first == .open(root))
    }

    @Test(
        "What is no remote root says why",
        arguments: [
            ("ftp://a", .scheme), ("a.example", .scheme), ("http://", .authority), ("http://a:x", .authority),
            ("http://a:0", .authority), ("http://u@a", .userInfo), ("http://a?x", .query),
            ("http://a/#x", .query), ("http://a/../b", .path), ("http://a/%zz", .path),
            ("http://a b", .authority),
        ] as [(String, RemoteRoot.InvalidURL)])
    func malformedRoots(text: String, expected: RemoteRoot.InvalidURL) {
        #expect(throws: expected) { try RemoteRoot(text) }
    }

    @Test("A WebSocket is opened where the route allows it, and is bytes from then on (HT-X12)")
    func webSocket() throws {
        let asks = [
            "Upgrade: WebSocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Key: a",
            "Origin: http://localhost:12308",
        ]
        var proxy = try ProxyFixture(upgrades: true)
        proxy.say(ProxyFixture.head("GET /api/socket", asks) + "early")
        proxy.connect()
        #expect(proxy.text.contains("Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"))
        #expect(proxy.text.contains("Sec-WebSocket-Key: a\r\nOrigin: http://api.example.com\r\n"))
        proxy.answer(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: b\r\n\r\n\u{1}\u{2}"
        )
        proxy.pump()
        #expect(proxy.received.hasPrefix("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: b\r\n"))
        #expect(proxy.received.hasSuffix("Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{2}"))
        #expect(proxy.text.hasSuffix("early"), "bytes that came before belong to the tunnel")
        proxy.say("GET / HTTP/1.1\r\n\r\n")
        proxy.pump()
        #expect(proxy.text.hasSuffix("GET / HTTP/1.1\r\n\r\n"), "they are not HTTP any more")
        proxy.answer("more")
        #expect(proxy.received.hasSuffix("more"))
        proxy.fixture.handle(.finished(proxy.page))
        #expect(proxy.calls.last == .finish)
        proxy.answer("bye")
        proxy.end()
        #expect(proxy.received.hasSuffix("bye"))
        #expect(proxy.fixture.closed == [proxy.page])
        for (head, upgrades) in [
            (ProxyFixture.head("GET /api/x", asks), false), (ProxyFixture.head("POST /api/x", asks), true),
            (ProxyFixture.head("GET /api/x", ["Upgrade: h2c", "Connection: upgrade"]), true),
            (ProxyFixture.head("GET /api/x", ["Upgrade: websocket"]), true),
            (
                ProxyFixture.head("GET /api/x", asks).replacing("HTTP/1.1\r\nHost", with: "HTTP/1.0\r\nHost"),
                true
            ),
        ] {
            var plain = try ProxyFixture(upgrades: upgrades)
            plain.say(head)
            plain.connect()
            #expect(!plain.text.contains("Upgrade") && plain.text.contains("Connection: close"))
        }
    }

    @Test("A closed page closes its connection to the remote root; a stopped server all of them")
    func gone() throws {
        var closed = try ProxyFixture()
        closed.say(ProxyFixture.head("GET /api/x"))
        closed.fixture.handle(.closed(closed.page, nil))
        #expect(closed.calls.last == .close)
        #expect(closed.fixture.handle(.upstream(closed.upstream, .connected)).isEmpty)
        var stopped = try ProxyFixture()
        stopped.say(ProxyFixture.head("GET /api/x"))
        stopped.fixture.handle(.stopped)
        #expect(stopped.calls.last == .close)
    }
}
