import Core
import HTTP1
import Testing
import World

@testable import LocalServer

@Suite("One version per page (S1)")
struct PageLoadTests {
    private func cookie(_ token: UInt64) -> (String, String) {
        ("Cookie", "otalab-key=\(Bench.key); otalab-load=\(PageLoadToken(token).text)")
    }

    @Test("a document gets a token of its own in its URL; its files by Referer come from its version (HT-F8)")
    func referer() throws {
        var bench = try Bench()
        let old = try bench.load()
        #expect(old.1.text.hasSuffix("one"))
        #expect(old.url == "/?otalab-load=0000000000000011")
        bench.next = "v2"
        bench.send(.current(bench.site("v2")))
        let new = try bench.load(old.url)
        #expect(new.1.text.hasSuffix("two"))
        #expect(new.url != old.url)
        let origin = "http://localhost:12308"
        #expect(try bench.ask("/app.js", [("Referer", origin + old.url)]).text == "let version = 1")
        #expect(try bench.ask("/app.js", [("Referer", origin + new.url)]).text == "let version = 2")
    }

    @Test(
        "the cookie names the new load only when its document is committed; before that the old page asks"
    )
    func cookieRace() throws {
        var bench = try Bench()
        _ = try bench.load()
        bench.send(.committed(PageLoadToken(0x11)))
        bench.next = "v2"
        _ = try bench.load("/?otalab-load=0000000000000011")
        #expect(try bench.ask("/app.js", [cookie(0x12)]).text == "let version = 1")
        bench.send(.committed(PageLoadToken(0x12)))
        #expect(try bench.ask("/app.js", [cookie(0x12)]).text == "let version = 2")
    }

    @Test("a style sheet is redirected to a URL with the load's token, so that its font names the load")
    func styleSheet() throws {
        var bench = try Bench()
        let page = try bench.load()
        bench.next = "v2"
        _ = try bench.load()
        let origin = "http://localhost:12308"
        let sheet = try bench.ask(
            "/style.css", [("Referer", origin + page.url), ("Sec-Fetch-Dest", "style")])
        let location = try #require(sheet.field("Location"))
        #expect(sheet.status == 307 && location == "/style.css?otalab-load=0000000000000011")
        #expect(try bench.ask(location, [("Sec-Fetch-Dest", "style")]).text.hasPrefix("a"))
        #expect(try bench.ask("/font.woff", [("Referer", origin + location)]).body == [1, 1, 1])
    }

    @Test("a load that has ended is forgotten when its last answer is out")
    func ended() throws {
        var bench = try Bench()
        _ = try bench.load()
        bench.send(.ended(PageLoadToken(0x11)))
        #expect(bench.server.pageLoads[PageLoadToken(0x11)] == nil)
        let sending = bench.effects.filter { effect in if case .sending = effect { true } else { false } }
        #expect(sending.count == 2)
    }

    @Test("a reload is told from a link by its request")
    func reload() throws {
        var bench = try Bench()
        let page = try bench.load()
        _ = try bench.load(page.url, [("Cache-Control", "max-age=0")])
        #expect(bench.navigations.map(\.isReload) == [false, true])
        #expect(bench.navigations.last?.token == PageLoadToken(0x11))
    }
}

@Suite("What the server answers")
struct AnswerTests {
    @Test("S3: the index answers navigations and nothing else")
    func index() throws {
        var bench = try Bench()
        let html = ("Accept", "text/html")
        #expect(try bench.load("/u/jo.doe").1.status == 200)
        #expect(try bench.ask("/missing.js", [html]).status == 404)
        #expect(try bench.ask("/settings", [("Sec-Fetch-Dest", "empty"), html]).status == 404)
        #expect(try bench.ask("/favicon.ico", [("Sec-Fetch-Dest", "document"), html]).status == 404)
        #expect(try bench.ask("/.well-known/x", [html]).status == 404)
        #expect(try bench.ask("/settings").status == 404)
    }

    @Test("S6: another host is misdirected, another app has no key, and a path reads nothing but routes")
    func doors() throws {
        var bench = try Bench()
        #expect(try bench.ask("/app.js", host: "evil.example:12308").status == 421)
        #expect(try bench.ask("/app.js", host: "localhost.:12308").status == 421)
        #expect(try bench.ask("/app.js", host: "localhost:80").status == 421)
        #expect(try bench.ask("/app.js", key: false).status == 403)
        #expect(try bench.ask("/app.js?otalab-key=\(Bench.key)", key: false).status == 200)
        for path in ["/../v2/app.js", "/%2e%2e/v2/app.js", "/v1%2fapp.js", "/APP.JS", "/app.js%00"] {
            #expect([400, 404].contains(try bench.ask(path).status), "\(path)")
        }
        #expect(try bench.ask("/app.js", [("Origin", "http://evil.example")]).status == 403)
    }

    @Test("methods: HEAD without a body, OPTIONS with Allow, others refused")
    func methods() throws {
        var bench = try Bench()
        let head = try bench.ask("/app.js", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty && head.field("Content-Length") == "15")
        #expect(try bench.ask("/app.js", method: "OPTIONS").field("Allow") == "GET, HEAD, OPTIONS")
        #expect(try bench.ask("/app.js", method: "DELETE").status == 405)
        #expect(try bench.ask("/app.js", method: "BREW").status == 501)
    }

    @Test("S5: entity tags by list and weak comparison give 304; nothing unhashed may be kept")
    func conditions() throws {
        var bench = try Bench()
        let whole = try bench.ask("/app.js")
        let tag = try #require(whole.field("ETag"))
        #expect(whole.field("Cache-Control") == "no-cache")
        #expect(try bench.ask("/app.js", [("If-None-Match", "\"x\", W/\(tag)")]).status == 304)
        #expect(try bench.ask("/app.js", [("If-None-Match", "\"x\"")]).status == 200)
        #expect(try bench.ask("/app.js", [("If-Match", "\"x\"")]).status == 412)
    }

    @Test("ranges: one part, a suffix, none that can be sent, and If-Range")
    func ranges() throws {
        var bench = try Bench()
        let part = try bench.ask("/app.js", [("Range", "bytes=4-10")])
        #expect(part.status == 206 && part.text == "version")
        #expect(part.field("Content-Range") == "bytes 4-10/15")
        #expect(try bench.ask("/app.js", [("Range", "bytes=-1")]).text == "1")
        #expect(try bench.ask("/app.js", [("Range", "bytes=99-")]).status == 416)
        #expect(try bench.ask("/app.js", [("Range", "bytes=0-1"), ("If-Range", "\"old\"")]).status == 200)
    }

    @Test("pipelined requests are answered in order, one at a time")
    func pipelining() throws {
        var bench = try Bench()
        let id = ConnectionID(99)
        bench.send(.opened(id))
        let one = "GET /app.js HTTP/1.1\r\nHost: localhost:12308\r\nCookie: otalab-key=\(Bench.key)\r\n\r\n"
        bench.send(.received(id, Array((one + one + one).utf8)))
        func sends() -> Int { bench.effects.count { if case .send(id, _) = $0 { true } else { false } } }
        #expect(sends() == 1)
        bench.send(.sent(id))
        #expect(sends() == 2)
        bench.send(.sent(id))
        #expect(sends() == 3)
    }

    @Test("a file that can't be read is told, and the answer says so")
    func readError() throws {
        var bench = try Bench()
        bench.disk.add(DiskFault(.open, .inputOutput))
        #expect(try bench.ask("/app.js").status == 500)
        #expect(bench.effects.contains { if case .readFailed(site: "v1", _, _) = $0 { true } else { false } })
    }

    @Test("a newcomer too many takes the place of the one that has been silent for the longest time")
    func eviction() throws {
        var bench = try Bench()
        var configuration = bench.server.configuration
        configuration.limits.connections = 4
        bench.server = LocalServer(configuration)
        for number in 1...3 { bench.send(.opened(ConnectionID(UInt32(number)))) }
        #expect(bench.server.connections.all.map(\.id.number) == [2, 3], "half of the places are a page's")
    }
}
