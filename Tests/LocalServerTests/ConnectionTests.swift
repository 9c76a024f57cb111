import Core
import HTTP1
import LocalServer
import Testing

@Suite("Connections: in order, one at a time, bounded in number, time and memory")
struct ConnectionTests {
    static func request(_ target: String, _ more: String = "", version: String = "1.1") -> [UInt8] {
        Array(
            "GET \(target) HTTP/\(version)\r\n\(Desk.hostLine)Cookie: otalab-key=\(Desk.key)\r\n\(more)\r\n"
                .utf8)
    }

    static func sends(_ effects: [LocalServer.Effect]) -> Int {
        effects.count { if case .send = $0 { true } else { false } }
    }

    @Test("Requests in one packet are answered in order, the next when the one before has left (HT-P13)")
    func pipelining() {
        var desk = Desk()
        let id = desk.open()
        let three = ConnectionTests.request("/app.js") + ConnectionTests.request("/missing.js")
        let effects = desk.tell(.received(id, three + ConnectionTests.request("/style.css")))
        #expect(ConnectionTests.sends(effects) == 1)
        #expect(desk.reply(id).text == "one();")
        desk.unsent = []
        #expect(ConnectionTests.sends(desk.tell(.sent(id))) == 1)
        #expect(desk.reply(id).status == 404)
        desk.unsent = []
        #expect(ConnectionTests.sends(desk.tell(.sent(id))) == 1)
        #expect(desk.reply(id).text == "@font 1")
        #expect(desk.closed.isEmpty)
    }

    @Test("A request byte by byte gets the answer of the request at once")
    func byteByByte() {
        var whole = Desk()
        var single = Desk()
        let bytes = ConnectionTests.request("/app.js?x", "Range: bytes=1-2\r\n")
        let first = whole.open()
        let second = single.open()
        whole.tell(.received(first, bytes))
        for byte in bytes { single.tell(.received(second, [byte])) }
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
        var desk = Desk()
        let id = desk.open()
        desk.tell(.received(id, ConnectionTests.request("/app.js", field, version: version)))
        desk.flush(id)
        #expect(desk.reply(id).fields["Connection"] == answer)
        #expect(desk.closed == (closes ? [id] : []))
    }

    @Test("Time-outs: for a head from its first byte, for idling, for a peer that does not read (HT-T2, T10)")
    func timeouts() {
        var desk = Desk()
        let slow = desk.open()
        desk.tell(.received(slow, Array("GET / HT".utf8)))
        desk.tell(.received(slow, Array("TP/1.1\r\n".utf8)))
        desk.tell(.timer(.head(slow)))
        desk.flush(slow)
        #expect(desk.reply(slow).status == 408)
        #expect(desk.closed == [slow])
        let silent = desk.open()
        desk.tell(.timer(.head(silent)))
        #expect(desk.closed == [slow, silent])
        #expect(desk.outbox[silent] == nil)
        let idle = desk.open()
        desk.tell(.received(idle, ConnectionTests.request("/app.js")))
        desk.flush(idle)
        #expect(desk.log.last == .setTimer(.idle(idle), after: .seconds(60)))
        desk.tell(.timer(.idle(idle)))
        #expect(desk.closed == [slow, silent, idle])
        let deaf = desk.open()
        desk.tell(.received(deaf, ConnectionTests.request("/app.js")))
        #expect(desk.disk.open.count == 1)
        desk.tell(.timer(.write(deaf)))
        #expect(desk.closed == [slow, silent, idle, deaf])
        #expect(desk.disk.open.isEmpty)
        #expect(desk.tell(.timer(.write(deaf))).isEmpty, "a timer of a closed connection is nothing")
        #expect(desk.tell(.sent(deaf)).isEmpty)
        #expect(desk.tell(.received(deaf, [65])).isEmpty)
    }

    @Test("A head that drips in does not get more time (HT-T2)")
    func absoluteDeadline() {
        var desk = Desk()
        let id = desk.open()
        for byte in ConnectionTests.request("/app.js").dropLast() { desk.tell(.received(id, [byte])) }
        #expect(desk.count { if case .setTimer(.head(id), _) = $0 { true } else { false } } == 1)
    }

    @Test("Ten thousand connections at once never cost a busy one its answer (HT-T3)")
    func flood() {
        var desk = Desk()
        let busy = desk.open()
        desk.tell(.received(busy, ConnectionTests.request("/app.js")))
        for _ in 0..<10_000 { _ = desk.open() }
        #expect(desk.closed.count == 10_000 - 64, "half of the places are a page's")
        #expect(!desk.closed.contains(busy))
        desk.flush(busy)
        #expect(desk.reply(busy).text == "one();")
    }

    @Test(
        "At the cap the page's longest idle connection makes room for its new one; where none is idle, none")
    func cap() {
        var limits = LocalServer.Limits()
        limits.connections = 3
        var desk = Desk(limits: limits)
        let first = desk.open()
        let second = desk.open()
        #expect(desk.closed == [first], "of three places newcomers have one")
        let request = ConnectionTests.request("/app.js")
        desk.tell(.received(second, request))
        let third = desk.open()
        desk.tell(.received(third, request))
        for id in [second, third] { desk.flush(id) }
        desk.tell(.received(second, request))
        desk.flush(second)
        let fourth = desk.open()
        #expect(desk.closed == [first], "the key has not been shown")
        desk.tell(.received(fourth, request))
        #expect(desk.closed == [first, third])
        desk.tell(.received(second, request))
        let fifth = desk.open()
        desk.tell(.received(fifth, request))
        #expect(desk.closed == [first, third], "all are busy")
        #expect(desk.reply(fifth).fields["Connection"] == "close")
        let sixth = desk.open()
        #expect(desk.closed == [first, third, sixth])
        desk.flush(fifth)
        #expect(desk.closed == [first, third, sixth, fifth])
    }

    @Test("When the server stops every connection is closed, whatever it was doing, and its files (S8)")
    func closedWhenStopped() {
        var desk = Desk()
        let idle = desk.open()
        desk.tell(.received(idle, ConnectionTests.request("/app.js")))
        desk.flush(idle)
        let silent = desk.open()
        let half = desk.open()
        desk.tell(.received(half, Array("GET / HT".utf8)))
        let sending = desk.open()
        desk.tell(.received(sending, ConnectionTests.request("/app.js")))
        desk.hostAnswers = false
        let waiting = desk.open()
        desk.tell(.received(waiting, ConnectionTests.request("/", "Accept: text/html\r\n")))
        desk.tell(.stopped)
        #expect(desk.closed.sorted() == [idle, silent, half, sending, waiting])
        #expect(desk.disk.open.isEmpty)
        let new = desk.open()
        desk.tell(.received(new, ConnectionTests.request("/app.js")))
        #expect(desk.reply(new).text == "one();")
    }

    @Test("What waits behind an unanswered request is bounded; the connection closes after that answer")
    func backlog() {
        var desk = Desk()
        let id = desk.open()
        desk.tell(.received(id, ConnectionTests.request("/app.js")))
        for _ in 0..<100 { desk.tell(.received(id, [UInt8](repeating: 65, count: 4_096))) }
        desk.flush(id)
        #expect(desk.reply(id).text == "one();")
        #expect(desk.closed == [id])
        #expect(ConnectionTests.sends(desk.log) == 1, "what waited is dropped, not read as a request")
    }

    @Test(
        "A body nobody wants is read to its end and is no request; a refused one is not waited for (HT-P12)")
    func bodies() {
        var desk = Desk()
        let id = desk.open()
        let inner = "GET /style.css HTTP/1.1\r\n\(Desk.hostLine)\r\n"
        let post =
            "POST /app.js HTTP/1.1\r\n\(Desk.hostLine)Cookie: otalab-key=\(Desk.key)\r\n"
            + "Content-Length: \(inner.utf8.count)\r\n\r\n"
        desk.tell(.received(id, Array(post.utf8)))
        #expect(desk.outbox[id] == nil)
        desk.tell(.received(id, Array(inner.utf8)))
        desk.flush(id)
        #expect(desk.reply(id).status == 405)
        #expect(desk.closed.isEmpty)
        desk.tell(.received(id, ConnectionTests.request("/app.js")))
        #expect(desk.reply(id).text == "one();")

        let stranger = desk.open()
        desk.tell(
            .received(stranger, Array("POST / HTTP/1.1\r\n\(Desk.hostLine)Content-Length: 9\r\n\r\n".utf8)))
        desk.flush(stranger)
        let reply = desk.reply(stranger)
        #expect(reply.status == 403 && reply.fields["Connection"] == "close")
        #expect(desk.closed == [stranger])
    }

    @Test("A message over the bridge is the host's to answer, for the load that sent it (R6, N5)")
    func bridge() throws {
        var desk = Desk()
        let load = try #require(desk.navigate("/").load)
        desk.cookies["otalab-load"] = nil
        let id = desk.open()
        let head =
            "POST /__otalab/bridge HTTP/1.1\r\n\(Desk.hostLine)Cookie: otalab-key=\(Desk.key)\r\n"
            + "Origin: http://localhost:12308\r\n"
        let named =
            head + "\(Desk.referer(load))\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n3\r\na\":\r\n"
        desk.tell(.received(id, Array(named.utf8)))
        let effects = desk.tell(.received(id, Array("2\r\n1}\r\n0\r\n\r\n".utf8)))
        let call = LocalServer.BridgeCall(1)
        #expect(effects.contains(.bridge(call, load, Array("{\"a\":1}".utf8))))
        desk.tell(.bridgeAnswer(call, Array("{}".utf8)))
        desk.flush(id)
        let reply = desk.reply(id, "POST")
        #expect(reply.status == 200 && reply.text == "{}")
        #expect(reply.fields["Content-Type"] == "application/json; charset=utf-8")
        #expect(desk.tell(.bridgeAnswer(call, [])).isEmpty, "an answer comes once")
        #expect(desk.ask("/__otalab/bridge", method: "POST", body: "{}").status == 403, "no load, no message")
    }

    @Test("A peer that waits is invited, then heard; one that is refused is not invited (HT-T6)")
    func expectContinue() throws {
        var desk = Desk()
        let load = try #require(desk.navigate("/").load)
        let id = desk.open()
        let head =
            "POST /__otalab/bridge HTTP/1.1\r\n\(Desk.hostLine)Expect: 100-continue\r\nContent-Length: 2\r\n"
        let own = head + "Cookie: otalab-key=\(Desk.key)\r\n\(Desk.referer(load))\r\n\r\n"
        desk.tell(.received(id, Array(own.utf8)))
        #expect(desk.outbox.removeValue(forKey: id) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        desk.tell(.received(id, Array("{}".utf8)))
        #expect(!desk.log.contains { if case .bridge = $0 { true } else { false } }, "100 has not left yet")
        desk.flush(id)
        #expect(desk.log.contains(.bridge(LocalServer.BridgeCall(1), load, Array("{}".utf8))))
        let stranger = desk.open()
        desk.tell(.received(stranger, Array((head + "\r\n").utf8)))
        #expect(desk.reply(stranger, "POST").status == 403)
        #expect(desk.ask("/app.js", ["Expect: tea"]).status == 417)
    }

    @Test("A message longer than allowed is refused before it is read, or when it grows too long (HT-P10)")
    func longMessages() throws {
        var limits = LocalServer.Limits()
        limits.bodyBytes = 8
        var desk = Desk(limits: limits)
        #expect(desk.ask("/__otalab/bridge", method: "POST", body: "123456789").status == 413)
        let id = desk.open()
        let text =
            "POST /__otalab/bridge HTTP/1.1\r\n\(Desk.hostLine)Cookie: otalab-key=\(Desk.key)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n"
        desk.tell(.received(id, Array(text.utf8)))
        desk.flush(id)
        #expect(desk.reply(id, "POST").status == 413)
        #expect(desk.closed.contains(id))
    }

    @Test("When the socket is lost every connection is, with its file, its timers and its place in line")
    func stopped() {
        var desk = Desk()
        desk.hostAnswers = false
        let sending = desk.open()
        desk.tell(.received(sending, ConnectionTests.request("/app.js")))
        let waiting = desk.open()
        desk.tell(.received(waiting, ConnectionTests.request("/", "Sec-Fetch-Dest: document\r\n")))
        let effects = desk.tell(.stopped)
        #expect(desk.disk.open.isEmpty)
        #expect(effects.contains(.cancelTimer(.write(sending))))
        #expect(desk.tell(.sent(sending)).isEmpty)
        let answer = LocalServer.NavigationAnswer.page(PageLoadToken(5), Desk.v1)
        #expect(desk.tell(.answerNavigation(LocalServer.NavigationID(1), answer)).isEmpty)
        #expect(desk.ask("/app.js").text == "one();", "and it goes on with new ones")
    }

    @Test("A server is a value: a copy in the middle of a request goes its own way")
    func copies() {
        var desk = Desk()
        let id = desk.open()
        let bytes = ConnectionTests.request("/app.js")
        desk.tell(.received(id, Array(bytes.prefix(20))))
        var copy = desk
        desk.tell(.received(id, Array(bytes.dropFirst(20))))
        #expect(copy.server != desk.server)
        copy.tell(.received(id, Array(bytes.dropFirst(20))))
        #expect(copy.server == desk.server)
        #expect(copy.outbox == desk.outbox)
    }

    @Test("Three thousand mutilated requests: an answer, silence or a close, no crash, no file left open")
    func mutilated() {
        var desk = Desk()
        var choice = KeyedHash(key: KeyedHash.Key(low: 11, high: 13))
        let odd: [UInt8] = [0, 9, 10, 13, 32, 37, 47, 46, 58, 255]
        for round in 0..<3_000 {
            choice.update(UInt64(round))
            let word = choice.finish()
            var bytes = ConnectionTests.request(
                ["/app.js", "/", "/a%2fb?x"][round % 3], "Range: bytes=0-1\r\n")
            for turn in 0..<3 {
                let place = Int(word >> UInt64(turn * 16) & 0xffff) % bytes.count
                let byte = odd[Int(word >> UInt64(turn * 16 + 8) % 10)]
                if turn == 1 { bytes.insert(byte, at: place) } else { bytes[place] = byte }
            }
            let id = desk.open()
            desk.tell(.received(id, bytes))
            desk.flush(id)
            desk.outbox = [:]
            desk.log = []
            desk.tell(.closed(id, nil))
            guard desk.disk.open.isEmpty else {
                Issue.record("a file is left open after \(String(decoding: bytes, as: UTF8.self))")
                return
            }
        }
        #expect(desk.ask("/app.js").text == "one();")
    }
}
