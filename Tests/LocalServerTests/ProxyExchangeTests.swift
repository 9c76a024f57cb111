import Core
import HTTP1
import Testing

@testable import LocalServer

@Suite("One API request and its answer, as values (S7)")
struct ProxyExchangeTests {
    private func exchange(_ method: RequestMethod = .post, isUpgrade: Bool = false) throws -> ProxyExchange {
        let target = RequestHead.Target.origin(try RequestTarget(Array("/api/x".utf8)))
        let head = RequestHead(method, target, fields: ["Host": "localhost"], framing: .length(3))
        let policy = RequestPolicy(LocalServer.Configuration(port: 1, sessionKey: "a"))
        return ProxyExchange(
            UpstreamID(1), head, to: try RemoteRoot("http://api.example"), policy, isUpgrade: isUpgrade,
            at: .zero)
    }

    @Test("A fresh exchange has sent and got nothing")
    func fresh() throws {
        var exchange = try exchange()
        #expect(!exchange.isConnected && !exchange.isRequestComplete && !exchange.isPagePaused)
        #expect(!exchange.isSendingToPage && !exchange.isResponseComplete && !exchange.keepsPageConnection)
        #expect(!exchange.isTunnel && !exchange.isUpgrade && !exchange.hasHead && !exchange.isWaitingForPage)
        #expect(exchange.takeForPage() == nil && exchange.nextEvent() == nil)
        #expect(exchange.updateReadInterest(at: .zero) == nil)
    }

    @Test("Nothing goes up before the connection is there, and one portion at a time after that")
    func upwards() throws {
        var exchange = try exchange()
        #expect(exchange.nextCommand() == nil && exchange.beginReceiving() == false)
        exchange.connected()
        guard case .send(let head)? = exchange.nextCommand() else {
            Issue.record("the head is not sent")
            return
        }
        #expect(String(decoding: head, as: UTF8.self).hasPrefix("POST /api/x HTTP/1.1\r\n"))
        _ = exchange.receiveBody([1, 2], at: .zero, atLeast: 0)
        #expect(exchange.nextCommand() == nil, "the head has not left")
        exchange.sentToRemote()
        #expect(exchange.nextCommand() == .send([1, 2]) && exchange.nextCommand() == nil)
        exchange.sentToRemote()
        #expect(exchange.nextCommand() == nil)
        exchange.endTunnel()
        #expect(exchange.nextCommand() == .finish && exchange.nextCommand() == nil, "once")
        exchange.endResponse()
        _ = exchange.receiveBody([3], at: .zero, atLeast: 0)
        #expect(exchange.nextCommand() == nil, "a complete answer needs nothing more")
    }

    @Test("The remote root waits for the page where all that came has left and the request is not complete")
    func waiting() throws {
        var exchange = try exchange()
        exchange.connected()
        #expect(!exchange.isWaitingForPage, "the head is still here")
        _ = exchange.nextCommand()
        #expect(!exchange.isWaitingForPage, "the head has not left")
        exchange.sentToRemote()
        #expect(exchange.isWaitingForPage)
        exchange.endRequest()
        #expect(!exchange.isWaitingForPage && exchange.isRequestComplete)
    }

    @Test("64 KiB may wait for the remote root; with one byte more the page is not read until they have left")
    func pauses() throws {
        var exchange = try exchange()
        exchange.connected()
        _ = exchange.nextCommand()
        exchange.receiveThroughTunnel([UInt8](repeating: 65, count: 65_536))
        #expect(exchange.updateReadInterest(at: .zero) == nil && !exchange.isPagePaused)
        exchange.receiveThroughTunnel([65])
        #expect(exchange.updateReadInterest(at: .zero) == .never && exchange.isPagePaused)
        #expect(exchange.updateReadInterest(at: .zero) == nil)
        exchange.sentToRemote()
        _ = exchange.nextCommand()
        #expect(exchange.updateReadInterest(at: .zero) == .always && !exchange.isPagePaused)
    }

    @Test("A portion is requested once until it has come")
    func receives() throws {
        var exchange = try exchange()
        exchange.connected()
        #expect(exchange.beginReceiving() == true && exchange.beginReceiving() == false)
        exchange.receive([])
        #expect(exchange.beginReceiving() == true)
    }

    @Test("What goes to the page is handed over once, and counts as being sent until it has left")
    func downwards() throws {
        var exchange = try exchange()
        exchange.addContinue()
        #expect(exchange.takeForPage() == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        #expect(exchange.isSendingToPage && exchange.takeForPage() == nil && !exchange.hasHead)
        exchange.sentToPage()
        #expect(!exchange.isSendingToPage)
        exchange.addHead(ResponseHead(.ok), .length(1), date: nil, keepsPageConnection: true)
        #expect(exchange.hasHead && exchange.keepsPageConnection)
        _ = exchange.takeForPage()
        exchange.addBody([7])
        #expect(exchange.takeForPage() == [7])
        exchange.endResponse()
        #expect(exchange.takeForPage() == nil && exchange.isResponseComplete)
    }

    @Test(
        "A tunnel ends when the remote root's side has; an upgrade needs both fields, and that it was asked for"
    )
    func tunnel() throws {
        let good: HeaderFields = ["Upgrade": "WebSocket", "Connection": "x, Upgrade"]
        for (fields, isUpgrade, may) in [
            (good, true, true), (good, false, false), (["Upgrade": "websocket"], true, false),
            (["Connection": "upgrade"], true, false),
            (["Upgrade": "h2c", "Connection": "upgrade"], true, false),
            (["Upgrade": "websocket, h2c", "Connection": "upgrade"], true, false),
        ] as [(HeaderFields, Bool, Bool)] {
            let exchange = try exchange(.get, isUpgrade: isUpgrade)
            #expect(exchange.mayUpgrade(ResponseHead(.switchingProtocols, fields: fields)) == may)
        }
        var exchange = try exchange(.get, isUpgrade: true)
        exchange.beginTunnel(ResponseHead(.switchingProtocols), date: nil)
        #expect(exchange.isTunnel && exchange.hasHead && !exchange.isResponseComplete)
        exchange.completeTunnel()
        #expect(exchange.isResponseComplete)
    }

    @Test("A body needs 1,024 bytes a second over each whole minute, from its beginning or from a pause")
    func throughput() {
        let minute = Instant.zero + .seconds(60)
        for (bytes, isFast) in [(61_440, true), (61_439, false)] {
            var throughput = BodyThroughput(since: .zero)
            #expect(throughput.add(bytes - 1, at: minute - .microseconds(1), atLeast: 1_024) == true)
            #expect(throughput.add(1, at: minute, atLeast: 1_024) == isFast)
            // The next minute counts for itself.
            #expect(throughput.add(0, at: minute + .seconds(59), atLeast: 1_024) == true)
            #expect(throughput.add(1, at: minute + .seconds(60), atLeast: 1_024) == false)
        }
        var paused = BodyThroughput(since: .zero)
        #expect(paused.add(99_999, at: .zero + .seconds(30), atLeast: 1_024) == true)
        paused.restart(at: .zero + .seconds(30))
        #expect(paused.add(0, at: minute, atLeast: 1_024) == true, "the minute began anew")
        #expect(paused.add(0, at: .zero + .seconds(90), atLeast: 1_024) == false, "and so did its bytes")
        var slow = BodyThroughput(since: .zero)
        #expect(slow.add(120, at: .zero + .seconds(120), atLeast: 1) == true)
        #expect(slow.add(119, at: .zero + .seconds(240), atLeast: 1) == false)
    }

    @Test("Before the connection is there nothing but its opening is demanded; then head, then a portion")
    func commands() throws {
        var proxy = try ProxyFixture()
        let root = try RemoteRoot("http://api.example.com")
        proxy.say(ProxyFixture.head("POST /api/x", ["Content-Length: 3"]) + "abc")
        #expect(proxy.calls == [.open(root)])
        proxy.connect()
        #expect(proxy.calls.count == 3 && proxy.calls.last == .receive && proxy.text.hasSuffix("\r\n\r\nabc"))
    }

    @Test("A complete answer is the page's, whatever becomes of the connection to the remote root")
    func completeThenFailed() throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        proxy.fixture.handle(.upstream(proxy.upstream, .bytes(Array(answer.utf8))))
        proxy.fixture.handle(.upstream(proxy.upstream, .failed(.reset)))
        proxy.fixture.handle(.upstream(proxy.upstream, .ended))
        proxy.fixture.flush(proxy.page)
        let reply = proxy.fixture.reply(proxy.page)
        #expect(reply.text == "ok" && reply.isWhole && proxy.fixture.closed.isEmpty)
    }

    @Test("An answer that breaks off while a part of it is being sent ends both connections, after that part")
    func brokenWhileSending() throws {
        for event in [UpstreamEvent.failed(.reset), .ended, .bytes(Array("zz\r\n".utf8))] {
            var proxy = try ProxyFixture()
            proxy.say(ProxyFixture.head("GET /api/x"))
            proxy.connect()
            let begin = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
            proxy.fixture.handle(.upstream(proxy.upstream, .bytes(Array(begin.utf8))))
            proxy.fixture.handle(.upstream(proxy.upstream, event))
            #expect(proxy.calls.last == .close && proxy.fixture.closed.isEmpty, "\(event)")
            proxy.fixture.flush(proxy.page)
            #expect(proxy.fixture.closed == [proxy.page])
            let reply = proxy.fixture.reply(proxy.page)
            #expect(reply.text == "a" && !reply.isWhole)
        }
    }

    @Test("A page of HTTP/1.0 that keeps its connection gets a field for it, where the answer has a length")
    func oldPageKeeps() throws {
        for (framing, kept) in [("Content-Length: 2\r\n\r\nok", true), ("\r\nok", false)] {
            var proxy = try ProxyFixture()
            let head = ProxyFixture.head("GET /api/x", ["Connection: keep-alive"])
            proxy.say(head.replacing("HTTP/1.1", with: "HTTP/1.0"))
            proxy.connect()
            proxy.answer("HTTP/1.1 200 OK\r\n" + framing)
            if !kept { proxy.end() }
            let reply = proxy.fixture.reply(proxy.page)
            #expect(reply.text == "ok" && reply.fields["Connection"] == (kept ? "keep-alive" : "close"))
            #expect(proxy.fixture.closed.isEmpty == kept)
        }
    }

    @Test("An answer to HEAD and a 304 keep the length that they announce; a 204 announces none")
    func announcedLength() throws {
        for (method, status, length) in [
            ("HEAD", "200 OK", "5"), ("GET", "304 Not Modified", "5"), ("GET", "204 No Content", nil),
        ] as [(String, String, String?)] {
            var proxy = try ProxyFixture()
            proxy.say(ProxyFixture.head("\(method) /api/x"))
            proxy.connect()
            proxy.answer("HTTP/1.1 \(status)\r\nContent-Length: 5\r\n\r\n")
            #expect(proxy.fixture.reply(proxy.page, method).fields["Content-Length"] == length)
        }
    }
}
