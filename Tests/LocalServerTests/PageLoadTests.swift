import Core
import HTTP1
import Testing
import World

@testable import LocalServer

@Suite("One version per page (S1)")
struct PageLoadTests {
    private func cookie(_ token: UInt64) -> (String, String) {
        ("Cookie", "otalab-key-12308=\(BrowserFixture.key); otalab-load-12308=\(PageLoadToken(token).text)")
    }

    @Test("a document gets its own token in its URL; its files by Referer come from its version (HT-F8)")
    func referer() throws {
        var fixture = try BrowserFixture()
        let old = try fixture.load()
        #expect(old.1.text.hasSuffix("one"))
        #expect(old.url == "/?otalab-load=0000000000000011")
        fixture.next = "v2"
        fixture.send(.current(fixture.site("v2")))
        let new = try fixture.load(old.url)
        #expect(new.1.text.hasSuffix("two"))
        #expect(new.url != old.url)
        let origin = "http://localhost:12308"
        #expect(try fixture.ask("/app.js", [("Referer", origin + old.url)]).text == "let version = 1")
        #expect(try fixture.ask("/app.js", [("Referer", origin + new.url)]).text == "let version = 2")
    }

    @Test(
        "the cookie names the new load only when its document is committed; before that the old page asks"
    )
    func cookieRace() throws {
        var fixture = try BrowserFixture()
        _ = try fixture.load()
        fixture.send(.committed(PageLoadToken(0x11)))
        fixture.next = "v2"
        _ = try fixture.load("/?otalab-load=0000000000000011")
        #expect(try fixture.ask("/app.js", [cookie(0x12)]).text == "let version = 1")
        fixture.send(.committed(PageLoadToken(0x12)))
        #expect(try fixture.ask("/app.js", [cookie(0x12)]).text == "let version = 2")
    }

    @Test("a style sheet is redirected to a URL with the load's token, so that its font names the load")
    func styleSheet() throws {
        var fixture = try BrowserFixture()
        let page = try fixture.load()
        fixture.next = "v2"
        _ = try fixture.load()
        let origin = "http://localhost:12308"
        let sheet = try fixture.ask(
            "/style.css", [("Referer", origin + page.url), ("Sec-Fetch-Dest", "style")])
        let location = try #require(sheet.location)
        #expect(sheet.status == 307 && location == "/style.css?otalab-load=0000000000000011")
        #expect(try fixture.ask(location, [("Sec-Fetch-Dest", "style")]).text.hasPrefix("a"))
        #expect(try fixture.ask("/font.woff", [("Referer", origin + location)]).body == [1, 1, 1])
    }

    @Test("a load that has ended is forgotten when its last answer is out")
    func ended() throws {
        var fixture = try BrowserFixture()
        _ = try fixture.load()
        fixture.send(.ended(PageLoadToken(0x11)))
        #expect(fixture.server.pageLoads[PageLoadToken(0x11)] == nil)
        let sending = fixture.effects.filter { effect in if case .sending = effect { true } else { false } }
        #expect(sending.count == 2)
    }

    @Test("a reload is distinguished from a link by its request")
    func reload() throws {
        var fixture = try BrowserFixture()
        let page = try fixture.load()
        _ = try fixture.load(page.url, [("Cache-Control", "max-age=0")])
        #expect(fixture.navigations.map(\.isReload) == [false, true])
        #expect(fixture.navigations.last?.token == PageLoadToken(0x11))
    }
}

@Suite("What the server answers")
struct AnswerTests {
    @Test("S3: the index answers navigations and nothing else")
    func index() throws {
        var fixture = try BrowserFixture()
        let html = ("Accept", "text/html")
        #expect(try fixture.load("/u/jo.doe").1.status == 200)
        #expect(try fixture.ask("/missing.js", [html]).status == 404)
        #expect(try fixture.ask("/settings", [("Sec-Fetch-Dest", "empty"), html]).status == 404)
        #expect(try fixture.ask("/favicon.ico", [("Sec-Fetch-Dest", "document"), html]).status == 404)
        #expect(try fixture.ask("/.well-known/x", [html]).status == 404)
        #expect(try fixture.ask("/settings").status == 404)
    }

    @Test("S6: another host is misdirected, another app has no key, and a path reads nothing but routes")
    func doors() throws {
        var fixture = try BrowserFixture()
        #expect(try fixture.ask("/app.js", host: "evil.example:12308").status == 421)
        #expect(try fixture.ask("/app.js", host: "localhost.:12308").status == 421)
        #expect(try fixture.ask("/app.js", host: "localhost:80").status == 421)
        #expect(try fixture.ask("/app.js", key: false).status == 403)
        #expect(try fixture.ask("/app.js?otalab-key=\(BrowserFixture.key)", key: false).status == 200)
        for path in ["/../v2/app.js", "/%2e%2e/v2/app.js", "/v1%2fapp.js", "/APP.JS", "/app.js%00"] {
            #expect([400, 404].contains(try fixture.ask(path).status), "\(path)")
        }
        #expect(try fixture.ask("/app.js", [("Origin", "http://evil.example")]).status == 403)
    }

    @Test("methods: HEAD without a body, OPTIONS with Allow, others refused")
    func methods() throws {
        var fixture = try BrowserFixture()
        let head = try fixture.ask("/app.js", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty && head.fields["Content-Length"] == "15")
        #expect(try fixture.ask("/app.js", method: "OPTIONS").fields["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try fixture.ask("/app.js", method: "DELETE").status == 405)
        #expect(try fixture.ask("/app.js", method: "BREW").status == 501)
    }

    @Test("S5: entity tags by list and weak comparison give 304; nothing unhashed may be kept")
    func conditions() throws {
        var fixture = try BrowserFixture()
        let whole = try fixture.ask("/app.js")
        let tag = try #require(whole.fields["ETag"])
        #expect(whole.fields["Cache-Control"] == "no-cache")
        #expect(try fixture.ask("/app.js", [("If-None-Match", "\"x\", W/\(tag)")]).status == 304)
        #expect(try fixture.ask("/app.js", [("If-None-Match", "\"x\"")]).status == 200)
        #expect(try fixture.ask("/app.js", [("If-Match", "\"x\"")]).status == 412)
    }

    @Test("ranges: one part, a suffix, none that can be sent, and If-Range")
    func ranges() throws {
        var fixture = try BrowserFixture()
        let part = try fixture.ask("/app.js", [("Range", "bytes=4-10")])
        #expect(part.status == 206 && part.text == "version")
        #expect(part.fields["Content-Range"] == "bytes 4-10/15")
        #expect(try fixture.ask("/app.js", [("Range", "bytes=-1")]).text == "1")
        #expect(try fixture.ask("/app.js", [("Range", "bytes=99-")]).status == 416)
        #expect(try fixture.ask("/app.js", [("Range", "bytes=0-1"), ("If-Range", "\"old\"")]).status == 200)
    }

    @Test("pipelined requests are answered in order, one at a time")
    func pipelining() throws {
        var fixture = try BrowserFixture()
        let id = ConnectionID(99)
        fixture.send(.opened(id))
        let one =
            "GET /app.js HTTP/1.1\r\nHost: localhost:12308\r\nCookie: otalab-key-12308=\(BrowserFixture.key)\r\n\r\n"
        fixture.send(.received(id, Array((one + one + one).utf8)))
        func sends() -> Int { fixture.effects.count { if case .send(id, _) = $0 { true } else { false } } }
        #expect(sends() == 1)
        fixture.send(.sent(id))
        #expect(sends() == 2)
        fixture.send(.sent(id))
        #expect(sends() == 3)
    }

    @Test("a file that can't be read is reported, and answered with 500")
    func readError() throws {
        var fixture = try BrowserFixture()
        fixture.disk.add(DiskFault(.open, .inputOutput))
        #expect(try fixture.ask("/app.js").status == 500)
        #expect(
            fixture.effects.contains { if case .readFailed(site: "v1", _, _) = $0 { true } else { false } })
    }

    @Test("one unauthenticated connection too many replaces the one that was silent for the longest time")
    func eviction() throws {
        var fixture = try BrowserFixture()
        var configuration = fixture.server.configuration
        configuration.limits.connections = 4
        fixture.server = LocalServer(configuration)
        for number in 1...3 { fixture.send(.opened(ConnectionID(UInt32(number)))) }
        #expect(
            fixture.server.connections.all.map(\.id.rawValue) == [2, 3], "half of the places are a page's")
    }
}
