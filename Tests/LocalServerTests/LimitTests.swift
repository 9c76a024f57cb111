import Core
import HTTP1
import Testing

@testable import LocalServer

@Suite("Limits of the local server: their values, and what happens at each (HT-P10, T2, T3)")
struct LimitTests {
    @Test("Each limit has the value that the documentation states, and none is forgotten here")
    func values() {
        let expected: [String: String] = [
            "connections": "128", "requestLine": "8192", "headerBlock": "32768", "headerLines": "100",
            "bodyBytes": "1048576", "headTimeout": "\(TimeSpan.seconds(10))",
            "idleTimeout": "\(TimeSpan.seconds(60))", "writeTimeout": "\(TimeSpan.seconds(30))",
            "connectTimeout": "\(TimeSpan.seconds(15))", "answerTimeout": "\(TimeSpan.seconds(60))",
            "bodyBytesPerSecond": "1024", "tunnelTimeout": "\(TimeSpan.seconds(600))",
        ]
        let fields = Mirror(reflecting: LocalServer.Limits()).children.map { child in
            (child.label ?? "", "\(child.value)")
        }
        #expect(Dictionary(uniqueKeysWithValues: fields) == expected)
    }

    @Test("Half of the connections may be unauthenticated; of the page's, an eighth is left for its next one")
    func shares() {
        for (connections, unauthenticated, authenticated) in [
            (0, 1, 0), (1, 1, 0), (2, 1, 1), (3, 1, 2), (8, 4, 7), (16, 8, 14), (128, 64, 112),
        ] {
            var limits = LocalServer.Limits()
            limits.connections = connections
            #expect(limits.unauthenticated == unauthenticated && limits.authenticated == authenticated)
        }
    }

    /// The status of a request for a file with a request line of this length.
    private func status(ofLine length: Int) -> Int {
        var fixture = ServerFixture()
        let path = "/app.js?"
        let rest = length - "GET  HTTP/1.1".utf8.count - path.utf8.count
        return fixture.ask(path + String(repeating: "a", count: rest)).status
    }

    @Test(
        "A request line of 8 KiB is read, a longer one is 414; a field line of 8 KiB is read, a longer one 431"
    )
    func lines() {
        #expect(status(ofLine: 8_192) == 200 && status(ofLine: 8_193) == 414)
        for (length, status) in [(8_192, 200), (8_193, 431)] {
            var fixture = ServerFixture()
            let field = "X: " + String(repeating: "a", count: length - 3)
            #expect(fixture.ask("/app.js", [field]).status == status, "\(length)")
        }
    }

    @Test("A hundred field lines are read, one more is 431")
    func fieldLines() {
        for (count, status) in [(100, 200), (101, 431)] {
            var fixture = ServerFixture()
            // Host and Cookie are two of them.
            let fields = (2..<count).map { "X-\($0): a" }
            #expect(fixture.ask("/app.js", fields).status == status, "\(count)")
        }
    }

    @Test("Thirty-two KiB of field lines are read, more are 431")
    func fieldBlock() {
        func status(_ surplus: Int) -> Int {
            var fixture = ServerFixture()
            let own = ServerFixture.hostLine.utf8.count + ServerFixture.keyLine.utf8.count
            var left = 32_768 - own + surplus
            var fields: [String] = []
            while left > 0 {
                // With its line end, which counts too.
                let length = left > 8_000 ? 4_000 : min(left, 8_000)
                fields.append("X: " + String(repeating: "a", count: length - 5))
                left -= length
            }
            return fixture.ask("/app.js", fields).status
        }
        #expect(status(-100) == 200 && status(100) == 431)
    }

    @Test(
        "A message of a mebibyte is read for bridge and handler, one byte more is 413",
        arguments: [true, false])
    func bodies(isChunked: Bool) throws {
        let entry = RouteEntry(try #require(RoutePattern("/cart")), .handler("cart"))
        for (count, isRead) in [(1_048_576, true), (1_048_577, false)] {
            var fixture = ServerFixture { $0.routes = RouteTable([entry]) }
            let id = fixture.open()
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            fixture.handle(.received(id, Array(ProxyFixture.head("POST /cart", [framing]).utf8)))
            var body = [UInt8](repeating: 65, count: count)
            if isChunked { body = ChunkedEncoder.chunk(body) + ChunkedEncoder.end }
            fixture.handle(.received(id, body))
            fixture.flush(id)
            let sizes = fixture.log.compactMap { effect in
                if case .handlerRequested(_, let request) = effect { request.body.count } else { nil }
            }
            #expect(sizes == (isRead ? [count] : []))
            #expect(fixture.reply(id, "POST").status == (isRead ? 0 : 413))
        }
    }

    @Test("What waits behind an unanswered request may be 128 KiB; with one byte more nothing of it is read")
    func unread() {
        for (count, closes) in [(131_072, false), (131_073, true)] {
            var fixture = ServerFixture()
            let id = fixture.open()
            fixture.handle(.received(id, ConnectionTests.request("/app.js")))
            let next = ConnectionTests.request("/style.css")
            let line = "X: "
            var rest = count - next.count
            fixture.handle(.received(id, next))
            while rest > 0 {
                let length = min(rest, 4_096)
                fixture.handle(.received(id, Array(line.utf8.prefix(length))))
                fixture.handle(.received(id, [UInt8](repeating: 65, count: max(length - 3, 0))))
                rest -= length
            }
            fixture.unsent = []
            fixture.handle(.sent(id))
            #expect((fixture.closed == [id]) == closes, "\(count)")
        }
    }

    @Test("A hundred and twelve connections are a page's before the next one closes an idle one")
    func authenticated() {
        var fixture = ServerFixture()
        var pages: [ConnectionID] = []
        for _ in 0..<113 {
            let page = fixture.open()
            fixture.handle(.received(page, ConnectionTests.request("/app.js")))
            fixture.flush(page)
            pages.append(page)
            #expect(fixture.closed == (pages.count > 112 ? [pages[0]] : []), "\(pages.count)")
        }
    }

    @Test("Each wait has its time limit: head, idle, write; connecting, an answer, a tunnel")
    func times() throws {
        var proxy = try ProxyFixture(upgrades: true)
        let page = proxy.page
        func last(_ name: LocalServer.TimerName) -> TimeSpan? {
            let spans = proxy.fixture.log.compactMap { effect in
                if case .setTimer(name, let span) = effect { span } else { nil }
            }
            return spans.last
        }
        #expect(last(.head(page)) == .seconds(10))
        proxy.say(ProxyFixture.head("GET /app.js"))
        #expect(last(.write(page)) == .seconds(30))
        proxy.fixture.flush(page)
        #expect(last(.idle(page)) == .seconds(60))
        proxy.say(ProxyFixture.head("GET /api/x", ["Upgrade: websocket", "Connection: upgrade"]))
        #expect(last(.upstream(page)) == .seconds(15))
        proxy.connect()
        #expect(last(.upstream(page)) == .seconds(60))
        proxy.answer("HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
        #expect(last(.upstream(page)) == .seconds(600))
        proxy.say("a")
        proxy.pump()
        #expect(last(.upstream(page)) == .seconds(600))
    }
}
