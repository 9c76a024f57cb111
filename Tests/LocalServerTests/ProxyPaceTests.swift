import Core
import HTTP1
import LocalServer
import Testing

@Suite("API requests and answers that come slowly, or too fast (S7)")
struct ProxyPaceTests {
    @Test("Time-outs: connecting, the first byte, silence in a body, a page that does not go on (HT-X11)")
    func timeouts() throws {
        var connecting = try ProxyFixture()
        connecting.say(ProxyFixture.head("GET /api/x"))
        #expect(connecting.fixture.log.contains(.setTimer(.upstream(connecting.page), after: .seconds(15))))
        connecting.fixture.handle(.timer(.upstream(connecting.page)))
        #expect(connecting.fixture.reply(connecting.page).status == 504)
        var silent = try ProxyFixture()
        silent.say(ProxyFixture.head("GET /api/x"))
        silent.connect()
        silent.fixture.handle(.timer(.upstream(silent.page)))
        #expect(silent.fixture.reply(silent.page).status == 504)
        var dripping = try ProxyFixture()
        dripping.say(ProxyFixture.head("GET /api/x"))
        dripping.connect()
        dripping.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        dripping.fixture.handle(.timer(.upstream(dripping.page)))
        #expect(dripping.fixture.closed == [dripping.page])
        #expect(!dripping.fixture.reply(dripping.page).isWhole)
        var slow = try ProxyFixture()
        slow.say(ProxyFixture.head("POST /api/x", ["Content-Length: 9"]) + "abc")
        slow.connect()
        slow.fixture.handle(.timer(.upstream(slow.page)))
        #expect(slow.fixture.reply(slow.page).status == 408)
    }

    @Test("A body that drips is given up after a minute, however often a byte of it comes (HT-T2)")
    func drippingBody() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: 1000000"]))
        proxy.connect()
        for second in 1...59 {
            proxy.fixture.now = Instant.zero + .seconds(Int64(second))
            proxy.say("12345678")
            proxy.pump()
        }
        #expect(proxy.received.isEmpty)
        proxy.fixture.now = Instant.zero + .seconds(60)
        proxy.say("9")
        #expect(proxy.fixture.reply(proxy.page).status == 408)
        #expect(proxy.calls.last == .close)
    }

    @Test(
        "A body that comes fast enough takes as long as it likes; a slow remote root is not the page's fault")
    func longBody() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: 1000000"]))
        proxy.connect()
        for second in 1...180 {
            proxy.fixture.now = Instant.zero + .seconds(Int64(second))
            proxy.say(String(repeating: "a", count: 1_100))
            proxy.pump()
        }
        #expect(proxy.received.isEmpty)
        // The remote root takes nothing for two minutes: what waits fills up, the page is not read.
        for _ in 0..<2 { proxy.say(String(repeating: "b", count: 70_000)) }
        #expect(proxy.fixture.readInterests[proxy.page] == .never)
        proxy.fixture.now = Instant.zero + .seconds(300)
        proxy.pump()
        proxy.say("c")
        proxy.pump()
        #expect(proxy.received.isEmpty)
    }

    @Test("Nothing is read from the remote root before the page has taken what came (HT-T8, X14)")
    func backPressureDown() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        proxy.fixture.handle(
            .upstream(proxy.upstream, .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nabc".utf8))))
        let requested = proxy.calls.count { $0 == .receive }
        #expect(requested == 1)
        proxy.fixture.flush(proxy.page)
        #expect(proxy.calls.count { $0 == .receive } == 2)
    }

    @Test("The page is not read while too much of its body waits for the remote root (HT-T8)")
    func backPressureUp() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: 1000000"]))
        #expect(proxy.fixture.readInterests[proxy.page] == .always)
        for _ in 0..<5 { proxy.say(String(repeating: "a", count: 20_000)) }
        #expect(proxy.fixture.readInterests[proxy.page] == .never)
        proxy.connect()
        #expect(proxy.fixture.readInterests[proxy.page] == .always)
        #expect(proxy.got.count > 100_000)
    }
}
