import Core
import HTTP1
import LocalServer
import ModuleTestSupport
import Testing

@Suite("What every answer says, and what none does")
struct HardeningTests {
    @Test("A document can't be framed by another origin, nor shows others its address (HT-H11)")
    func framing() {
        var fixture = ServerFixture()
        let reply = fixture.navigate("/").reply
        #expect(HardeningTests.isUnframed(reply))
        #expect(reply.fields["Referrer-Policy"] == "same-origin")
        #expect(fixture.ask("/missing").fields["X-Content-Type-Options"] == "nosniff")
    }

    private static func isUnframed(_ reply: PeerReply) -> Bool {
        reply.fields.all("Content-Security-Policy").contains("frame-ancestors 'self'")
            && reply.fields.all("X-Frame-Options").count == 1
    }

    @Test("Whatever the request says of itself, an HTML answer can't be framed by another origin (HT-H13)")
    func framingAlways() throws {
        var fixture = ServerFixture()
        for fields in [[], ["Sec-Fetch-Dest: iframe"], ["Sec-Fetch-Dest: empty"], ["Range: bytes=0-1"]] {
            #expect(HardeningTests.isUnframed(fixture.ask("/about.html", fields)), "\(fields)")
        }
        #expect(HardeningTests.isUnframed(fixture.ask("/index.html", method: "HEAD")))
        let tag = fixture.ask("/about.html").fields["ETag"] ?? ""
        let unchanged = fixture.ask("/about.html", ["If-None-Match: \(tag)"])
        #expect(unchanged.status == 304 && HardeningTests.isUnframed(unchanged))
        #expect(!fixture.ask("/app.js").fields.contains("X-Frame-Options"))
        let page = try #require(RoutePattern("/page"))
        let image = ServedFile(route: "/shared/a.svg", path: DiskPath(.data, "a.svg"), size: 6, tag: "a")
        let shared = try #require(RoutePattern("/shared/**"))
        var routed = ServerFixture {
            $0.routes = RouteTable([
                RouteEntry(page, .handler("page")),
                RouteEntry(shared, .folder(Site(name: "shared", index: "", files: [image]), age: .zero)),
            ])
        }
        routed.disk.files[image.path] = Array("<svg/>".utf8)
        #expect(HardeningTests.isUnframed(routed.ask("/shared/a.svg")))
        let id = routed.open()
        routed.handle(.received(id, ConnectionTests.request("/page")))
        let fields: HeaderFields = [
            "Content-Type": "Text/HTML ; charset=utf-8", "Content-Security-Policy": "default-src 'self'",
            "X-Frame-Options": "DENY",
        ]
        routed.handle(
            .handlerAnswer(
                LocalServer.HandlerCallID(1), LocalServer.HandlerAnswer(fields: fields, body: [60])))
        let reply = routed.reply(id)
        #expect(HardeningTests.isUnframed(reply) && reply.fields["X-Frame-Options"] == "DENY")
        #expect(reply.fields.all("Content-Security-Policy").count == 2)
    }

    @Test("Files have one representation: no coding is chosen, and ranges are of the stored bytes (HT-C10)")
    func oneRepresentation() {
        var fixture = ServerFixture()
        let reply = fixture.ask("/app.js", ["Accept-Encoding: br, gzip", "Range: bytes=0-2"])
        #expect(reply.text == "one")
        #expect(!reply.fields.contains("Content-Encoding") && !reply.fields.contains("Vary"))
        #expect(reply.fields["Accept-Ranges"] == "bytes")
    }

    @Test("An unsupported protocol is not switched to (HT-X12)")
    func noUpgrade() {
        var fixture = ServerFixture()
        for upgrade in ["websocket", "h2c", "TLS/1.0"] {
            let reply = fixture.ask("/app.js", ["Upgrade: \(upgrade)", "Connection: Upgrade"])
            #expect(reply.status == 200 && reply.text == "one();")
        }
    }

    @Test("A slow unauthenticated client makes room before an idle page, whichever came first (HT-T3)")
    func strangersFirst() {
        var limits = LocalServer.Limits()
        limits.connections = 3
        var fixture = ServerFixture(limits: limits)
        let page = fixture.open()
        fixture.handle(.received(page, ConnectionTests.request("/app.js")))
        fixture.flush(page)
        let first = fixture.open()
        fixture.handle(.received(first, Array("GET / HT".utf8)))
        let second = fixture.open()
        #expect(fixture.closed == [first])
        _ = fixture.open()
        #expect(fixture.closed == [first, second])
        for _ in 0..<100 { _ = fixture.open() }
        #expect(!fixture.closed.contains(page))
        fixture.outbox = [:]
        fixture.handle(.received(page, ConnectionTests.request("/app.js")))
        #expect(fixture.reply(page).text == "one();")
    }

    @Test(
        "An unauthenticated client gets one response, which closes; nothing after its request is read (HT-T12)"
    )
    func oneRefusal() {
        var fixture = ServerFixture()
        let client = fixture.open()
        let request = Array("GET /1k.bin HTTP/1.1\r\n\(ServerFixture.hostLine)\r\n".utf8)
        let effects = fixture.handle(.received(client, [UInt8]((0..<2_500).flatMap { _ in request })))
        #expect(ConnectionTests.sends(effects) == 1)
        let reply = fixture.reply(client)
        #expect(reply.status == 403 && reply.fields["Connection"] == "close")
        fixture.flush(client)
        #expect(fixture.closed == [client])
        #expect(ConnectionTests.sends(fixture.log) == 1)
        let page = fixture.open()
        fixture.handle(.received(page, ConnectionTests.request("/app.js")))
        fixture.flush(page)
        fixture.outbox = [:]
        fixture.handle(.received(page, request))
        #expect(fixture.reply(page).fields["Connection"] == nil, "one that has shown the key may go on")
    }

    @Test(
        "Unauthenticated clients whose refusals wait make room first; a page's connection never does (HT-T12, S10)"
    )
    func refusedFirst() {
        var limits = LocalServer.Limits()
        limits.connections = 8
        var fixture = ServerFixture(limits: limits)
        let pages = (0..<4).map { _ in fixture.open() }
        for page in pages {
            fixture.handle(.received(page, ConnectionTests.request("/app.js")))
            fixture.flush(page)
        }
        let silent = fixture.open()
        let request = Array("GET /1k.bin HTTP/1.1\r\n\(ServerFixture.hostLine)\r\n".utf8)
        for _ in 0..<200 {
            let client = fixture.open()
            fixture.handle(.received(client, request))
        }
        #expect(!fixture.closed.contains(silent), "a page's next connection looks like this one")
        #expect(!pages.contains { fixture.closed.contains($0) })
        #expect(fixture.closed.count == 197)
        fixture.handle(.received(silent, ConnectionTests.request("/style.css")))
        #expect(fixture.reply(silent).text == "@font 1")
        #expect(fixture.log.count { $0 == .authenticated(silent) } == 1)
    }

    @Test("A half request of an authenticated page is not dropped for unauthenticated clients")
    func knownHalf() {
        var limits = LocalServer.Limits()
        limits.connections = 2
        var fixture = ServerFixture(limits: limits)
        let page = fixture.open()
        fixture.handle(.received(page, ConnectionTests.request("/app.js")))
        fixture.flush(page)
        fixture.handle(.received(page, Array("GET /style.css HT".utf8)))
        for _ in 0..<10 { _ = fixture.open() }
        #expect(!fixture.closed.contains(page))
    }

    @Test("A long answer has time as long as its peer takes some of it (HT-T2)")
    func progress() {
        var fixture = ServerFixture()
        let id = fixture.open()
        fixture.handle(.received(id, ConnectionTests.request("/app.js")))
        #expect(fixture.handle(.progressed(id)) == [.setTimer(.write(id), after: .seconds(30))])
        fixture.flush(id)
        #expect(fixture.handle(.progressed(id)).isEmpty)
    }

    @Test("Nothing is sent to the remote root twice, and nothing of it is kept (HT-X10, X16)")
    func once() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        proxy.fixture.handle(.upstream(proxy.upstream, .failed(.reset)))
        #expect(proxy.calls.count { if case .open = $0 { true } else { false } } == 1)
        #expect(proxy.fixture.upstreams.count == 1)
        proxy.fixture.flush(proxy.page)
        proxy.say(ProxyFixture.head("GET /api/x"))
        #expect(proxy.fixture.upstreams.count == 2)
    }
}
