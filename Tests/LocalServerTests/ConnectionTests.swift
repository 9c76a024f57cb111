import Core
import HTTP1
import LocalServer
import Testing

@Suite("Connections: in order, one at a time, bounded in number, time and memory")
struct ConnectionTests {
    static func request(_ target: String, _ more: String = "", version: String = "1.1") -> [UInt8] {
        Array(
            "GET \(target) HTTP/\(version)\r\n\(ServerFixture.hostLine)Cookie: otalab-key-12308=\(ServerFixture.key)\r\n\(more)\r\n"
                .utf8)
    }

    static func sends(_ effects: [LocalServer.Effect]) -> Int {
        effects.count { if case .send = $0 { true } else { false } }
    }

    @Test("Requests in one packet are answered in order, the next when the one before has left (HT-P13)")
    func pipelining() {
        var fixture = ServerFixture()
        let id = fixture.open()
        let three = ConnectionTests.request("/app.js") + ConnectionTests.request("/missing.js")
        let effects = fixture.handle(.received(id, three + ConnectionTests.request("/style.css")))
        #expect(ConnectionTests.sends(effects) == 1)
        #expect(fixture.reply(id).text == "one();")
        fixture.unsent = []
        #expect(ConnectionTests.sends(fixture.handle(.sent(id))) == 1)
        #expect(fixture.reply(id).status == 404)
        fixture.unsent = []
        #expect(ConnectionTests.sends(fixture.handle(.sent(id))) == 1)
        #expect(fixture.reply(id).text == "@font 1")
        #expect(fixture.closed.isEmpty)
    }

    @Test("A request byte by byte gets the answer of the request at once")
    func byteByByte() {
        var whole = ServerFixture()
        var single = ServerFixture()
        let bytes = ConnectionTests.request("/app.js?x", "Range: bytes=1-2\r\n")
        let first = whole.open()
        let second = single.open()
        whole.handle(.received(first, bytes))
        for byte in bytes { single.handle(.received(second, [byte])) }
        #expect(whole.outbox[first] == single.outbox[second])
        #expect(whole.server == single.server)
    }

    @Test(
        "Who keeps a connection open (HT-T1)",
        arguments: [
            ("1.1", "", false, nil), ("1.1", "Connection: x, Close\r\n", true, "close"),
            ("1.0", "", true, "close"),
            ("1.0", "Connection: keep-alive\r\n", false, "keep-alive"),
        ] as [(String, String, Bool, String?)])
    func keepAlive(version: String, field: String, closes: Bool, answer: String?) {
        var fixture = ServerFixture()
        let id = fixture.open()
        fixture.handle(.received(id, ConnectionTests.request("/app.js", field, version: version)))
        fixture.flush(id)
        #expect(fixture.reply(id).fields["Connection"] == answer)
        #expect(fixture.closed == (closes ? [id] : []))
    }

    @Test("After time in which the process did not run every time limit begins anew (HT-T11, S10)")
    func frozen() {
        var fixture = ServerFixture()
        let head = fixture.open()
        let idle = fixture.open()
        fixture.handle(.received(idle, ConnectionTests.request("/app.js")))
        fixture.flush(idle)
        let writing = fixture.open()
        fixture.handle(.received(writing, ConnectionTests.request("/app.js")))
        #expect(
            fixture.handle(.frozen) == [
                .setTimer(.head(head), after: .seconds(10)), .setTimer(.idle(idle), after: .seconds(60)),
                .setTimer(.write(writing), after: .seconds(30)),
            ])
        fixture.flush(writing)
        #expect(fixture.closed.isEmpty)
        #expect(fixture.log.last == .setTimer(.idle(writing), after: .seconds(60)))
    }

    @Test("Time-outs: for a head from its first byte, for idling, for a peer that does not read (HT-T2, T10)")
    func timeouts() {
        var fixture = ServerFixture()
        let slow = fixture.open()
        fixture.handle(.received(slow, Array("GET / HT".utf8)))
        fixture.handle(.received(slow, Array("TP/1.1\r\n".utf8)))
        fixture.handle(.timer(.head(slow)))
        fixture.flush(slow)
        #expect(fixture.reply(slow).status == 408)
        #expect(fixture.closed == [slow])
        let silent = fixture.open()
        fixture.handle(.timer(.head(silent)))
        #expect(fixture.closed == [slow, silent])
        #expect(fixture.outbox[silent] == nil)
        let idle = fixture.open()
        fixture.handle(.received(idle, ConnectionTests.request("/app.js")))
        fixture.flush(idle)
        #expect(fixture.log.last == .setTimer(.idle(idle), after: .seconds(60)))
        fixture.handle(.timer(.idle(idle)))
        #expect(fixture.closed == [slow, silent, idle])
        let deaf = fixture.open()
        fixture.handle(.received(deaf, ConnectionTests.request("/app.js")))
        #expect(fixture.disk.open.count == 1)
        fixture.handle(.timer(.write(deaf)))
        #expect(fixture.closed == [slow, silent, idle, deaf])
        #expect(fixture.disk.open.isEmpty)
        #expect(fixture.handle(.timer(.write(deaf))).isEmpty, "a timer of a closed connection is nothing")
        #expect(fixture.handle(.sent(deaf)).isEmpty)
        #expect(fixture.handle(.received(deaf, [65])).isEmpty)
    }

    @Test("A head that drips in does not get more time (HT-T2)")
    func absoluteDeadline() {
        var fixture = ServerFixture()
        let id = fixture.open()
        for byte in ConnectionTests.request("/app.js").dropLast() { fixture.handle(.received(id, [byte])) }
        #expect(fixture.count { if case .setTimer(.head(id), _) = $0 { true } else { false } } == 1)
    }

    @Test("Ten thousand connections at once never cost a busy one its answer (HT-T3)")
    func flood() {
        var fixture = ServerFixture()
        let busy = fixture.open()
        fixture.handle(.received(busy, ConnectionTests.request("/app.js")))
        for _ in 0..<10_000 { _ = fixture.open() }
        #expect(fixture.closed.count == 10_000 - 64, "half of the places are a page's")
        #expect(!fixture.closed.contains(busy))
        fixture.flush(busy)
        #expect(fixture.reply(busy).text == "one();")
    }

    @Test(
        "At the cap the page's longest idle connection makes room for its new one; where none is idle, none")
    func cap() {
        var limits = LocalServer.Limits()
        limits.connections = 3
        var fixture = ServerFixture(limits: limits)
        let first = fixture.open()
        let second = fixture.open()
        #expect(fixture.closed == [first], "of three connections one is for unauthenticated clients")
        let request = ConnectionTests.request("/app.js")
        fixture.handle(.received(second, request))
        let third = fixture.open()
        fixture.handle(.received(third, request))
        for id in [second, third] { fixture.flush(id) }
        fixture.handle(.received(second, request))
        fixture.flush(second)
        let fourth = fixture.open()
        #expect(fixture.closed == [first], "the key has not been shown")
        fixture.handle(.received(fourth, request))
        #expect(fixture.closed == [first, third])
        fixture.handle(.received(second, request))
        let fifth = fixture.open()
        fixture.handle(.received(fifth, request))
        #expect(fixture.closed == [first, third], "all are busy")
        #expect(fixture.reply(fifth).fields["Connection"] == "close")
        let sixth = fixture.open()
        #expect(fixture.closed == [first, third, sixth])
        fixture.flush(fifth)
        #expect(fixture.closed == [first, third, sixth, fifth])
    }

    @Test("When the server stops every connection is closed, whatever it was doing, and its files (S8)")
    func closedWhenStopped() {
        var fixture = ServerFixture()
        let idle = fixture.open()
        fixture.handle(.received(idle, ConnectionTests.request("/app.js")))
        fixture.flush(idle)
        let silent = fixture.open()
        let half = fixture.open()
        fixture.handle(.received(half, Array("GET / HT".utf8)))
        let sending = fixture.open()
        fixture.handle(.received(sending, ConnectionTests.request("/app.js")))
        fixture.hostAnswers = false
        let waiting = fixture.open()
        fixture.handle(.received(waiting, ConnectionTests.request("/", "Accept: text/html\r\n")))
        fixture.handle(.stopped)
        #expect(fixture.closed.sorted() == [idle, silent, half, sending, waiting])
        #expect(fixture.disk.open.isEmpty)
        let new = fixture.open()
        fixture.handle(.received(new, ConnectionTests.request("/app.js")))
        #expect(fixture.reply(new).text == "one();")
    }

    @Test("What waits behind an unanswered request is bounded; the connection closes after that answer")
    func backlog() {
        var fixture = ServerFixture()
        let id = fixture.open()
        fixture.handle(.received(id, ConnectionTests.request("/app.js")))
        for _ in 0..<100 { fixture.handle(.received(id, [UInt8](repeating: 65, count: 4_096))) }
        fixture.flush(id)
        #expect(fixture.reply(id).text == "one();")
        #expect(fixture.closed == [id])
        #expect(ConnectionTests.sends(fixture.log) == 1, "what waited is dropped, not read as a request")
    }

    @Test(
        "An unused body is read to its end and is no request; a refused one is not waited for (HT-P12)")
    func bodies() {
        var fixture = ServerFixture()
        let id = fixture.open()
        let inner = "GET /style.css HTTP/1.1\r\n\(ServerFixture.hostLine)\r\n"
        let post =
            "POST /app.js HTTP/1.1\r\n\(ServerFixture.hostLine)Cookie: otalab-key-12308=\(ServerFixture.key)\r\n"
            + "Content-Length: \(inner.utf8.count)\r\n\r\n"
        fixture.handle(.received(id, Array(post.utf8)))
        #expect(fixture.outbox[id] == nil)
        fixture.handle(.received(id, Array(inner.utf8)))
        fixture.flush(id)
        #expect(fixture.reply(id).status == 405)
        #expect(fixture.closed.isEmpty)
        fixture.handle(.received(id, ConnectionTests.request("/app.js")))
        #expect(fixture.reply(id).text == "one();")

        let client = fixture.open()
        fixture.handle(
            .received(
                client, Array("POST / HTTP/1.1\r\n\(ServerFixture.hostLine)Content-Length: 9\r\n\r\n".utf8)))
        fixture.flush(client)
        let reply = fixture.reply(client)
        #expect(reply.status == 403 && reply.fields["Connection"] == "close")
        #expect(fixture.closed == [client])
    }

    @Test("A message over the bridge is the host's to answer, for the load that sent it (R6, N5)")
    func bridge() throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        fixture.cookies["otalab-load-12308"] = nil
        let id = fixture.open()
        let head =
            "POST /__otalab/bridge HTTP/1.1\r\n\(ServerFixture.hostLine)Cookie: otalab-key-12308=\(ServerFixture.key)\r\n"
            + "Origin: http://localhost:12308\r\n"
        let named =
            head
            + "\(ServerFixture.referer(load))\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n3\r\na\":\r\n"
        fixture.handle(.received(id, Array(named.utf8)))
        let effects = fixture.handle(.received(id, Array("2\r\n1}\r\n0\r\n\r\n".utf8)))
        let call = LocalServer.BridgeCallID(1)
        #expect(effects.contains(.bridge(call, load, Array("{\"a\":1}".utf8))))
        fixture.handle(.bridgeAnswer(call, Array("{}".utf8)))
        fixture.flush(id)
        let reply = fixture.reply(id, "POST")
        #expect(reply.status == 200 && reply.text == "{}")
        #expect(reply.fields["Content-Type"] == "application/json; charset=utf-8")
        #expect(fixture.handle(.bridgeAnswer(call, [])).isEmpty, "an answer comes once")
        #expect(
            fixture.ask("/__otalab/bridge", method: "POST", body: "{}").status == 403, "no load, no message")
    }

    @Test("A peer that expects 100 Continue gets it, then its body is read; a refused one gets none (HT-T6)")
    func expectContinue() throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        let id = fixture.open()
        let head =
            "POST /__otalab/bridge HTTP/1.1\r\n\(ServerFixture.hostLine)Expect: 100-continue\r\nContent-Length: 2\r\n"
        let own =
            head + "Cookie: otalab-key-12308=\(ServerFixture.key)\r\n\(ServerFixture.referer(load))\r\n\r\n"
        fixture.handle(.received(id, Array(own.utf8)))
        #expect(fixture.outbox.removeValue(forKey: id) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        fixture.handle(.received(id, Array("{}".utf8)))
        #expect(
            !fixture.log.contains { if case .bridge = $0 { true } else { false } }, "100 has not left yet")
        fixture.flush(id)
        #expect(fixture.log.contains(.bridge(LocalServer.BridgeCallID(1), load, Array("{}".utf8))))
        let client = fixture.open()
        fixture.handle(.received(client, Array((head + "\r\n").utf8)))
        #expect(fixture.reply(client, "POST").status == 403)
        #expect(fixture.ask("/app.js", ["Expect: tea"]).status == 417)
    }

    @Test("A message longer than allowed is refused before it is read, or when it grows too long (HT-P10)")
    func longMessages() throws {
        var limits = LocalServer.Limits()
        limits.bodyBytes = 8
        var fixture = ServerFixture(limits: limits)
        #expect(fixture.ask("/__otalab/bridge", method: "POST", body: "123456789").status == 413)
        let id = fixture.open()
        let text =
            "POST /__otalab/bridge HTTP/1.1\r\n\(ServerFixture.hostLine)Cookie: otalab-key-12308=\(ServerFixture.key)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n"
        fixture.handle(.received(id, Array(text.utf8)))
        fixture.flush(id)
        #expect(fixture.reply(id, "POST").status == 413)
        #expect(fixture.closed.contains(id))
    }

    @Test("When the socket is lost every connection is closed, with its file, timers and pending requests")
    func stopped() {
        var fixture = ServerFixture()
        fixture.hostAnswers = false
        let sending = fixture.open()
        fixture.handle(.received(sending, ConnectionTests.request("/app.js")))
        let waiting = fixture.open()
        fixture.handle(.received(waiting, ConnectionTests.request("/", "Sec-Fetch-Dest: document\r\n")))
        let effects = fixture.handle(.stopped)
        #expect(fixture.disk.open.isEmpty)
        #expect(effects.contains(.cancelTimer(.write(sending))))
        #expect(fixture.handle(.sent(sending)).isEmpty)
        let answer = LocalServer.NavigationAnswer.page(PageLoadToken(5), ServerFixture.v1)
        #expect(fixture.handle(.navigationAnswer(LocalServer.NavigationID(1), answer)).isEmpty)
        #expect(fixture.ask("/app.js").text == "one();", "and it goes on with new ones")
    }

    @Test("A server is a value: a copy in the middle of a request goes its own way")
    func copies() {
        var fixture = ServerFixture()
        let id = fixture.open()
        let bytes = ConnectionTests.request("/app.js")
        fixture.handle(.received(id, Array(bytes.prefix(20))))
        var copy = fixture
        fixture.handle(.received(id, Array(bytes.dropFirst(20))))
        #expect(copy.server != fixture.server)
        copy.handle(.received(id, Array(bytes.dropFirst(20))))
        #expect(copy.server == fixture.server)
        #expect(copy.outbox == fixture.outbox)
    }

    @Test("Three thousand mutilated requests: an answer, silence or a close, no crash, no file left open")
    func mutilated() {
        var fixture = ServerFixture()
        var choice = KeyedHash(key: KeyedHash.Key(low: 11, high: 13))
        let odd: [UInt8] = [0, 9, 10, 13, 32, 37, 47, 46, 58, 255]
        for round in 0..<3_000 {
            choice.update(UInt64(round))
            let word = choice.finish()
            var bytes = ConnectionTests.request(
                ["/app.js", "/", "/a%2fb?x"][round % 3], "Range: bytes=0-1\r\n")
            for turn in 0..<3 {
                let index = Int(word >> UInt64(turn * 16) & 0xffff) % bytes.count
                let byte = odd[Int(word >> UInt64(turn * 16 + 8) % 10)]
                if turn == 1 { bytes.insert(byte, at: index) } else { bytes[index] = byte }
            }
            let id = fixture.open()
            fixture.handle(.received(id, bytes))
            fixture.flush(id)
            fixture.outbox = [:]
            fixture.log = []
            fixture.handle(.closed(id, nil))
            guard fixture.disk.open.isEmpty else {
                Issue.record("a file is left open after \(String(decoding: bytes, as: UTF8.self))")
                return
            }
        }
        #expect(fixture.ask("/app.js").text == "one();")
    }
}
