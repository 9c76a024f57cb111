import Core
import HTTP1
import LocalServer
import Testing

@Suite("What every answer says, and what none does")
struct HardeningTests {
    @Test("A document can't be framed by a stranger, and tells strangers nothing of its address (HT-H11)")
    func framing() {
        var desk = Desk()
        let reply = desk.navigate("/").reply
        #expect(reply.fields["Content-Security-Policy"] == "frame-ancestors 'self'")
        #expect(reply.fields["Referrer-Policy"] == "same-origin")
        #expect(desk.ask("/missing").fields["X-Content-Type-Options"] == "nosniff")
    }

    @Test("Files have one representation: no coding is chosen, and ranges are of the stored bytes (HT-C10)")
    func oneRepresentation() {
        var desk = Desk()
        let reply = desk.ask("/app.js", ["Accept-Encoding: br, gzip", "Range: bytes=0-2"])
        #expect(reply.text == "one")
        #expect(!reply.fields.contains("Content-Encoding") && !reply.fields.contains("Vary"))
        #expect(reply.fields["Accept-Ranges"] == "bytes")
    }

    @Test("A protocol that nobody here speaks is not switched to (HT-X12)")
    func noUpgrade() {
        var desk = Desk()
        for upgrade in ["websocket", "h2c", "TLS/1.0"] {
            let reply = desk.ask("/app.js", ["Upgrade: \(upgrade)", "Connection: Upgrade"])
            #expect(reply.status == 200 && reply.text == "one();")
        }
    }

    @Test("A stranger that says little makes room before a page that rests, whoever came first (HT-T3)")
    func strangersFirst() {
        var limits = LocalServer.Limits()
        limits.connections = 3
        var desk = Desk(limits: limits)
        let page = desk.open()
        desk.tell(.received(page, ConnectionTests.request("/app.js")))
        desk.flush(page)
        let first = desk.open()
        desk.tell(.received(first, Array("GET / HT".utf8)))
        let second = desk.open()
        #expect(desk.closed == [first])
        _ = desk.open()
        #expect(desk.closed == [first, second])
        for _ in 0..<100 { _ = desk.open() }
        #expect(!desk.closed.contains(page))
        desk.outbox = [:]
        desk.tell(.received(page, ConnectionTests.request("/app.js")))
        #expect(desk.reply(page).text == "one();")
    }

    @Test("A stranger gets one answer, which closes; of what waits behind it nothing is read (HT-T12)")
    func oneRefusal() {
        var desk = Desk()
        let stranger = desk.open()
        let request = Array("GET /1k.bin HTTP/1.1\r\n\(Desk.hostLine)\r\n".utf8)
        let effects = desk.tell(.received(stranger, [UInt8]((0..<2_500).flatMap { _ in request })))
        #expect(ConnectionTests.sends(effects) == 1)
        let reply = desk.reply(stranger)
        #expect(reply.status == 403 && reply.fields["Connection"] == "close")
        desk.flush(stranger)
        #expect(desk.closed == [stranger])
        #expect(ConnectionTests.sends(desk.log) == 1)
        let page = desk.open()
        desk.tell(.received(page, ConnectionTests.request("/app.js")))
        desk.flush(page)
        desk.outbox = [:]
        desk.tell(.received(page, request))
        #expect(desk.reply(page).fields["Connection"] == nil, "one that has shown the key may go on")
    }

    @Test("Strangers whose refusals wait make room first; a page's connection never does (HT-T12, S10)")
    func refusedFirst() {
        var limits = LocalServer.Limits()
        limits.connections = 8
        var desk = Desk(limits: limits)
        let pages = (0..<4).map { _ in desk.open() }
        for page in pages {
            desk.tell(.received(page, ConnectionTests.request("/app.js")))
            desk.flush(page)
        }
        let silent = desk.open()
        let request = Array("GET /1k.bin HTTP/1.1\r\n\(Desk.hostLine)\r\n".utf8)
        for _ in 0..<200 {
            let stranger = desk.open()
            desk.tell(.received(stranger, request))
        }
        #expect(!desk.closed.contains(silent), "a page's next connection looks like this one")
        #expect(!pages.contains { desk.closed.contains($0) })
        #expect(desk.closed.count == 197)
        desk.tell(.received(silent, ConnectionTests.request("/style.css")))
        #expect(desk.reply(silent).text == "@font 1")
        #expect(desk.log.count { $0 == .admitted(silent) } == 1)
    }

    @Test("A half request of a known page is not dropped for strangers")
    func knownHalf() {
        var limits = LocalServer.Limits()
        limits.connections = 2
        var desk = Desk(limits: limits)
        let page = desk.open()
        desk.tell(.received(page, ConnectionTests.request("/app.js")))
        desk.flush(page)
        desk.tell(.received(page, Array("GET /style.css HT".utf8)))
        for _ in 0..<10 { _ = desk.open() }
        #expect(!desk.closed.contains(page))
    }

    @Test("A long answer has time as long as its peer takes some of it (HT-T2)")
    func progress() {
        var desk = Desk()
        let id = desk.open()
        desk.tell(.received(id, ConnectionTests.request("/app.js")))
        #expect(desk.tell(.progressed(id)) == [.setTimer(.write(id), after: .seconds(30))])
        desk.flush(id)
        #expect(desk.tell(.progressed(id)).isEmpty)
    }

    @Test("Nothing is sent to the remote root twice, and nothing of it is kept (HT-X10, X16)")
    func once() throws {
        var proxy = try ProxyDesk()
        proxy.say(ProxyDesk.head("GET /api/x"))
        proxy.connect()
        proxy.desk.tell(.upstream(proxy.upstream, .failed(.reset)))
        #expect(proxy.calls.count { if case .open = $0 { true } else { false } } == 1)
        #expect(proxy.desk.upstreams.count == 1)
        proxy.desk.flush(proxy.page)
        proxy.say(ProxyDesk.head("GET /api/x"))
        #expect(proxy.desk.upstreams.count == 2)
    }
}
