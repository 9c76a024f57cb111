import Core
import HTTP1
import LocalServer
import Testing

@Suite("API requests and answers that come slowly, or too fast (S7)")
struct ProxyPaceTests {
    @Test("Time-outs: connecting, the first byte, silence in a body, a page that does not go on (HT-X11)")
    func timeouts() throws {
        var connecting = try ProxyDesk()
        connecting.say(ProxyDesk.head("GET /api/x"))
        #expect(connecting.desk.log.contains(.setTimer(.upstream(connecting.page), after: .seconds(15))))
        connecting.desk.tell(.timer(.upstream(connecting.page)))
        #expect(connecting.desk.reply(connecting.page).status == 504)
        var silent = try ProxyDesk()
        silent.say(ProxyDesk.head("GET /api/x"))
        silent.connect()
        silent.desk.tell(.timer(.upstream(silent.page)))
        #expect(silent.desk.reply(silent.page).status == 504)
        var dripping = try ProxyDesk()
        dripping.say(ProxyDesk.head("GET /api/x"))
        dripping.connect()
        dripping.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        dripping.desk.tell(.timer(.upstream(dripping.page)))
        #expect(dripping.desk.closed == [dripping.page])
        #expect(!dripping.desk.reply(dripping.page).isWhole)
        var slow = try ProxyDesk()
        slow.say(ProxyDesk.head("POST /api/x", ["Content-Length: 9"]) + "abc")
        slow.connect()
        slow.desk.tell(.timer(.upstream(slow.page)))
        #expect(slow.desk.reply(slow.page).status == 408)
    }

    @Test("A body that drips is given up after a minute, however often a byte of it comes (HT-T2)")
    func drippingBody() throws {
        var proxy = try ProxyDesk()
        proxy.say(ProxyDesk.head("POST /api/x", ["Content-Length: 1000000"]))
        proxy.connect()
        for second in 1...59 {
            proxy.desk.now = Instant.zero + .seconds(Int64(second))
            proxy.say("12345678")
            proxy.pump()
        }
        #expect(proxy.heard.isEmpty)
        proxy.desk.now = Instant.zero + .seconds(60)
        proxy.say("9")
        #expect(proxy.desk.reply(proxy.page).status == 408)
        #expect(proxy.calls.last == .close)
    }

    @Test(
        "A body that comes fast enough takes as long as it likes; a slow remote root is not the page's fault")
    func longBody() throws {
        var proxy = try ProxyDesk()
        proxy.say(ProxyDesk.head("POST /api/x", ["Content-Length: 1000000"]))
        proxy.connect()
        for second in 1...180 {
            proxy.desk.now = Instant.zero + .seconds(Int64(second))
            proxy.say(String(repeating: "a", count: 1_100))
            proxy.pump()
        }
        #expect(proxy.heard.isEmpty)
        // The remote root takes nothing for two minutes: what waits fills up, the page is not read.
        for _ in 0..<2 { proxy.say(String(repeating: "b", count: 70_000)) }
        #expect(proxy.desk.hearings[proxy.page] == .never)
        proxy.desk.now = Instant.zero + .seconds(300)
        proxy.pump()
        proxy.say("c")
        proxy.pump()
        #expect(proxy.heard.isEmpty)
    }

    @Test("Nothing is read from the remote root before the page has taken what came (HT-T8, X14)")
    func backPressureDown() throws {
        var proxy = try ProxyDesk()
        proxy.say(ProxyDesk.head("GET /api/x"))
        proxy.connect()
        proxy.desk.tell(
            .upstream(proxy.upstream, .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nabc".utf8))))
        let asked = proxy.calls.count { $0 == .receive }
        #expect(asked == 1)
        proxy.desk.flush(proxy.page)
        #expect(proxy.calls.count { $0 == .receive } == 2)
    }

    @Test("The page is not heard while too much of its body waits to go up (HT-T8)")
    func backPressureUp() throws {
        var proxy = try ProxyDesk()
        proxy.say(ProxyDesk.head("POST /api/x", ["Content-Length: 1000000"]))
        #expect(proxy.desk.hearings[proxy.page] == .always)
        for _ in 0..<5 { proxy.say(String(repeating: "a", count: 20_000)) }
        #expect(proxy.desk.hearings[proxy.page] == .never)
        proxy.connect()
        #expect(proxy.desk.hearings[proxy.page] == .always)
        #expect(proxy.got.count > 100_000)
    }
}
