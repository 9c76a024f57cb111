import Core
import HTTP1
import Testing

@testable import LocalServer

@Suite("The values that keep the state of connections and of calls to the host")
struct ConnectionStateTests {
    private let id = ConnectionID(7)

    @Test("A fresh connection has nothing; a cancelled timer is gone, and one that is replaced is named once")
    func timers() {
        var connection = Connection(id: id, limits: LocalServer.Limits())
        #expect(connection.state == .reading && connection.request == nil && connection.requestBody == [])
        #expect(!connection.isOverrun && !connection.peerHasFinished && !connection.isAuthenticated)
        #expect(connection.timer == nil && connection.timerSpan == .zero && connection.exchange == nil)
        #expect(connection.response == Connection.ResponseInProgress() && connection.lastUse == 0)
        #expect(connection.setTimer(.head(id), .seconds(1)) == nil)
        #expect(connection.timer == .head(id) && connection.timerSpan == .seconds(1))
        #expect(connection.setTimer(.head(id), .seconds(2)) == nil && connection.timerSpan == .seconds(2))
        #expect(connection.setTimer(.idle(id), .seconds(3)) == .head(id))
        #expect(connection.clearTimer() == .idle(id) && connection.timer == nil)
        #expect(connection.clearTimer() == nil && connection.setTimer(.write(id), .seconds(4)) == nil)
    }

    @Test("While the host decides no timer runs, also after time in which the process did not run")
    func noTimerWhileWaiting() {
        var fixture = ServerFixture()
        fixture.hostAnswers = false
        let page = fixture.open()
        fixture.handle(.received(page, ConnectionTests.request("/", "Sec-Fetch-Dest: document\r\n")))
        #expect(fixture.log.contains(.cancelTimer(.head(page))))
        #expect(fixture.handle(.frozen).isEmpty)
        #expect(fixture.handle(.timer(.head(page))).isEmpty && fixture.closed.isEmpty)
        let answer = fixture.handle(.navigationAnswer(LocalServer.NavigationID(1), .unavailable))
        #expect(!answer.contains(.cancelTimer(.head(page))))
    }

    @Test("Half a request behind an answered one has its own time limit (HT-T2)")
    func halfRequest() {
        var fixture = ServerFixture()
        let page = fixture.open()
        fixture.handle(.received(page, ConnectionTests.request("/app.js") + Array("GET / HT".utf8)))
        fixture.log = []
        fixture.flush(page)
        #expect(fixture.log.last == .setTimer(.head(page), after: .seconds(10)))
        fixture.log = []
        fixture.handle(.received(page, Array("TP/1.1\r\n".utf8)))
        #expect(fixture.log.isEmpty, "its time has begun")
    }

    @Test("States say whether bytes are read and whether something is being sent")
    func states() {
        let all: [(Connection.State, isReading: Bool, isSending: Bool)] = [
            (.reading, true, false), (.waitingForVersion, false, false), (.waitingForBridge, false, false),
            (.waitingForHandler, false, false), (.sending, false, true), (.proxying, false, false),
            (.sendingContinue, false, true), (.closing, false, true),
        ]
        for (state, isReading, isSending) in all {
            var connection = Connection(id: id, limits: LocalServer.Limits())
            connection.state = state
            #expect(connection.isReading == isReading && connection.isSending == isSending, "\(state)")
            #expect((connection.append([65]) == true) == (state != .closing), "\(state)")
        }
    }

    @Test("Content of a message is its own, not that of the one before on its connection")
    func bodies() throws {
        let entry = RouteEntry(try #require(RoutePattern("/cart")), .handler("cart"))
        var fixture = ServerFixture { $0.routes = RouteTable([entry]) }
        let page = fixture.open()
        for (call, body) in [(1, "one"), (2, "second")] as [(UInt32, String)] {
            let head = ProxyFixture.head("POST /cart", ["Content-Length: \(body.utf8.count)"])
            fixture.handle(.received(page, Array((head + body).utf8)))
            let requests = fixture.log.compactMap { effect in
                if case .handlerRequested(_, let request) = effect { request } else { nil }
            }
            #expect(requests.last?.body == Array(body.utf8) && requests.count == Int(call))
            fixture.handle(
                .handlerAnswer(LocalServer.HandlerCallID(call), LocalServer.HandlerAnswer(.noContent)))
            fixture.flush(page)
        }
    }

    @Test("The limit of a message's body counts again behind an API request, whose body has none")
    func limitAfterExchange() throws {
        var limits = LocalServer.Limits()
        limits.bodyBytes = 8
        var proxy = try ProxyFixture(limits: limits)
        let chunk = "a\r\n0123456789\r\n0\r\n\r\n"
        proxy.say(ProxyFixture.head("POST /api/x", ["Transfer-Encoding: chunked"]) + chunk)
        proxy.connect()
        proxy.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(proxy.fixture.reply(proxy.page).status == 200)
        proxy.say(ProxyFixture.head("POST /__otalab/bridge", ["Transfer-Encoding: chunked"]) + chunk)
        #expect(proxy.fixture.reply(proxy.page).status == 413)
    }

    @Test("A refused request is answered for itself, not for the one before it on its connection")
    func nothingOfTheLastRequest() {
        var fixture = ServerFixture()
        let page = fixture.open()
        fixture.handle(.received(page, Array(ProxyFixture.head("HEAD /app.js").utf8)))
        fixture.flush(page)
        #expect(fixture.reply(page, "HEAD").status == 200)
        fixture.log = []
        fixture.handle(.received(page, Array("BAD\r\n".utf8)))
        let reply = fixture.reply(page)
        #expect(reply.status == 400 && reply.isWhole && !reply.text.isEmpty)
        let entries = fixture.log.compactMap { effect in
            if case .answered(let entry) = effect { entry.method + entry.target } else { nil }
        }
        #expect(entries == [""])
    }

    @Test("Connections are found by id and by upstream, and the one used last is known")
    func table() {
        var table = ConnectionTable(limits: LocalServer.Limits())
        #expect(table.last == nil && table.index(of: id) == nil && table.all.isEmpty)
        let ids = (1...3).map { ConnectionID($0) }
        for id in ids { table.add(id) }
        #expect(table.all.map(\.lastUse) == [1, 2, 3] && table.indices == 0..<3 && table.last?.id == ids[2])
        table.markUsed(0)
        #expect(table.all.map(\.lastUse) == [4, 2, 3])
        #expect(table.index(of: ids[1]) == 1 && table.proxyingIndex(of: ids[1]) == nil)
        #expect(table.index(of: UpstreamID(1)) == nil)
        table.remove(ids[1])
        #expect(table.all.map(\.id) == [ids[0], ids[2]] && table.index(of: ids[1]) == nil)
    }

    @Test(
        "Each call to the host has a new id, counted from 1, and is answered once, or ends with its connection"
    )
    func pendingCalls() {
        var calls = PendingCalls<LocalServer.BridgeCallID>()
        let other = ConnectionID(8)
        #expect([id, other, id].map { calls.add($0) } == [1, 2, 3].map { LocalServer.BridgeCallID($0) })
        #expect(calls.call(of: other) == LocalServer.BridgeCallID(2))
        #expect(calls.take(LocalServer.BridgeCallID(2)) == other)
        #expect(calls.take(LocalServer.BridgeCallID(2)) == nil && calls.call(of: other) == nil)
        calls.removeAll(of: other)
        #expect(calls.take(LocalServer.BridgeCallID(3)) == id)
        calls.removeAll(of: id)
        #expect(calls.take(LocalServer.BridgeCallID(1)) == nil)
        #expect(calls.add(id) == LocalServer.BridgeCallID(4))
        var host = HostCalls()
        _ = (host.navigations.add(id), host.bridge.add(id), host.handlers.add(id))
        host.removeAll(of: id)
        #expect(host.navigations.take(LocalServer.NavigationID(1)) == nil)
        #expect(host.bridge.take(LocalServer.BridgeCallID(1)) == nil)
        #expect(host.handlers.take(LocalServer.HandlerCallID(1)) == nil)
    }

    private func isOrdered<ID: Comparable>(_ one: ID, _ two: ID) -> Bool {
        one < two && !(two < one) && !(one < one)
    }

    @Test("Ids are in the order of their numbers, and equal ones are in none")
    func order() {
        #expect(isOrdered(ConnectionID(1), ConnectionID(2)) && isOrdered(UpstreamID(1), UpstreamID(2)))
        #expect(isOrdered(LocalServer.NavigationID(1), LocalServer.NavigationID(2)))
        #expect(isOrdered(LocalServer.BridgeCallID(1), LocalServer.BridgeCallID(2)))
        #expect(isOrdered(LocalServer.HandlerCallID(1), LocalServer.HandlerCallID(2)))
    }

    @Test(
        "A step that opened a file, or closed all connections, leaves no disk work for others; any other does"
    )
    func touchedDisk() {
        var fixture = ServerFixture()
        let page = fixture.open()
        #expect(!fixture.server.hasTouchedDisk)
        fixture.handle(.received(page, ConnectionTests.request("/app.js")))
        #expect(fixture.server.hasTouchedDisk)
        fixture.unsent = []
        fixture.handle(.sent(page))
        #expect(!fixture.server.hasTouchedDisk, "it closed one file that was read")
        fixture.handle(.received(page, ConnectionTests.request("/missing.js")))
        #expect(!fixture.server.hasTouchedDisk)
        fixture.handle(.stopped)
        #expect(fixture.server.hasTouchedDisk)
    }

    @Test("A peer that ends its side gets what it asked for; without a request its connection is closed")
    func finished() {
        var fixture = ServerFixture()
        let answered = fixture.open()
        fixture.handle(.received(answered, ConnectionTests.request("/app.js")))
        fixture.handle(.finished(answered))
        #expect(fixture.closed.isEmpty)
        fixture.flush(answered)
        #expect(fixture.reply(answered).text == "one();" && fixture.closed == [answered])
        for bytes in [[], Array("GET / HT".utf8)] as [[UInt8]] {
            let silent = fixture.open()
            if !bytes.isEmpty { fixture.handle(.received(silent, bytes)) }
            fixture.handle(.finished(silent))
            #expect(fixture.closed.last == silent && fixture.outbox[silent] == nil)
        }
    }

    @Test(
        "A request whose body does not come in time is 408; a peer that sends nothing is closed without a word"
    )
    func slowBody() {
        var fixture = ServerFixture()
        let page = fixture.open()
        fixture.handle(.received(page, Array(ProxyFixture.head("POST /x", ["Content-Length: 3"]).utf8)))
        fixture.handle(.timer(.head(page)))
        #expect(fixture.reply(page, "POST").status == 408)
        fixture.flush(page)
        #expect(fixture.closed == [page])
    }
}
