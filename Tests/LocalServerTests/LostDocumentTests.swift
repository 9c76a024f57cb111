import Core
import HTTP1
import LocalServer
import Testing

@Suite("A document that is requested by a peer which goes before it has it")
struct LostDocumentTests {
    private func request(_ target: String = "/", _ more: String = "") -> [UInt8] {
        Array(
            ("GET \(target) HTTP/1.1\r\n\(ServerFixture.hostLine)\(ServerFixture.keyLine)"
                + "Sec-Fetch-Dest: document\r\nAccept: text/html\r\n\(more)\r\n").utf8)
    }

    private func lost(_ fixture: ServerFixture) -> [PageLoadToken] {
        fixture.log.compactMap { if case .documentNotTaken(let token) = $0 { token } else { nil } }
    }

    private func gone(_ fixture: ServerFixture) -> [LocalServer.NavigationID] {
        fixture.log.compactMap { if case .navigationGone(let id) = $0 { id } else { nil } }
    }

    @Test("While the host decides, the navigation is gone, once; no load is there yet")
    func undecided() {
        for isClosed in [true, false] {
            var fixture = ServerFixture()
            fixture.hostAnswers = false
            let id = fixture.open()
            fixture.handle(.received(id, request()))
            fixture.handle(isClosed ? .closed(id, nil) : .finished(id))
            if !isClosed {
                // The half that is left may still wait for the answer, until it is sent.
                #expect(gone(fixture).isEmpty)
                fixture.handle(.closed(id, nil))
            }
            fixture.handle(.closed(id, nil))
            #expect(gone(fixture) == [LocalServer.NavigationID(1)] && lost(fixture).isEmpty)
        }
    }

    @Test("A redirect that is not followed: not sent, sent, or sent to a peer that has ended its side")
    func redirect() {
        for way in 0..<4 {
            var fixture = ServerFixture()
            let id = fixture.open()
            fixture.handle(.received(id, request()))
            switch way {
            case 0: fixture.handle(.closed(id, nil))
            case 1:
                fixture.flush(id)
                fixture.handle(.closed(id, nil))
            case 2:
                fixture.flush(id)
                #expect(lost(fixture).isEmpty)
                fixture.handle(.finished(id))
            default:
                fixture.handle(.finished(id))
                #expect(lost(fixture).isEmpty)
                fixture.flush(id)
            }
            #expect(lost(fixture) == [PageLoadToken(2)], "\(way)")
            #expect(gone(fixture).isEmpty)
        }
    }

    @Test("The load stays: its document is sent on another connection, without a second redirect")
    func comesBack() throws {
        var fixture = ServerFixture()
        let id = fixture.open()
        fixture.handle(.received(id, request()))
        fixture.flush(id)
        let location = try #require(fixture.reply(id).location)
        fixture.handle(.closed(id, nil))
        #expect(fixture.ask(location, ServerFixture.document).status == 200)
        #expect(fixture.count { if case .navigationRequested = $0 { true } else { false } } == 1)
        #expect(lost(fixture).count == 1)
    }

    @Test("A document that had not left is not taken; one that was sent, is shown or has ended is no matter")
    func document() throws {
        for way in 0..<5 {
            var fixture = ServerFixture()
            let first = fixture.open()
            fixture.handle(.received(first, request()))
            fixture.flush(first)
            let location = try #require(fixture.reply(first).location)
            let token = try #require(ServerFixture.token(in: location))
            let id = fixture.open()
            fixture.handle(.received(id, request(location)))
            switch way {
            case 0: break
            case 1: fixture.handle(.finished(id))
            case 2: fixture.flush(id)
            case 3: fixture.handle(.committed(token))
            default: fixture.handle(.ended(token))
            }
            if way == 1 { fixture.flush(id) } else { fixture.handle(.closed(id, nil)) }
            #expect(lost(fixture) == (way < 2 ? [token] : []), "\(way)")
            fixture.handle(.closed(first, nil))
            #expect(lost(fixture).count == (way < 2 ? 1 : 0), "\(way)")
        }
    }

    @Test("Where the server itself ends a connection it reports nothing: stopped, a disk error, closed")
    func ownEnds() {
        for way in 0..<4 {
            var fixture = ServerFixture()
            fixture.hostAnswers = way != 0
            let id = fixture.open()
            fixture.handle(.received(id, request("/", way == 3 ? "Connection: close\r\n" : "")))
            switch way {
            case 0, 1: fixture.handle(.stopped)
            case 2: fixture.handle(.closed(id, DiskError(.inputOutput, .read)))
            default: fixture.flush(id)
            }
            #expect(gone(fixture).isEmpty && lost(fixture).isEmpty, "\(way)")
        }
    }
}
