import Core
import HTTP1
import LocalServer
import ModuleTestSupport
import Testing

@Suite("Documents: each navigation is a separate page load, pinned to one version (S1, S3)")
struct NavigationTests {
    private static let token = PageLoadToken(77)

    /// The first request of a document that the host opens: its URL has the session's key and the load's
    /// token.
    /// - Parameter target: with its last separator, `?` or `&`.
    private func opened(_ target: String, _ fields: [String]) -> (fixture: ServerFixture, first: PeerReply) {
        var fixture = ServerFixture()
        fixture.cookies = [:]
        fixture.tokens = [Self.token]
        let own = "otalab-key=\(ServerFixture.key)&otalab-load=\(Self.token.text)"
        let first = fixture.ask(target + own, fields)
        return (fixture, first)
    }

    @Test("The start URL becomes a URL without the key; the key becomes a cookie no script can read (S6)")
    func start() throws {
        let token = Self.token
        var (fixture, first) = opened("/?", ServerFixture.document)
        #expect(first.status == 307)
        #expect(first.location == "/?otalab-load=\(token.text)")
        let cookie = try #require(first.fields["Set-Cookie"])
        #expect(cookie == "otalab-key-12308=\(ServerFixture.key); Path=/; HttpOnly; SameSite=Strict")
        #expect(fixture.count { if case .navigationRequested = $0 { true } else { false } } == 0)
        let second = fixture.ask(try #require(first.location), ServerFixture.document)
        #expect(second.status == 200)
        #expect(second.text == "<p>v1</p>")
        #expect(second.fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(second.fields["Cache-Control"] == "no-cache")
        #expect(fixture.cookies["otalab-load-12308"] == token.text)
        #expect(fixture.log.contains(.indexServed(token)))
        #expect(fixture.log.contains(.sending(token, true)) && fixture.log.contains(.sending(token, false)))
    }

    @Test(
        "A start URL that leads to a file makes the key a cookie, with or without Fetch Metadata (S6)",
        arguments: [["Accept: text/html,*/*;q=0.8"], ["Sec-Fetch-Dest: document"]])
    func startAtFile(fields: [String]) throws {
        let token = Self.token
        var (fixture, first) = opened("/app.js?a=1&", fields)
        #expect(first.status == 307)
        #expect(first.location == "/app.js?a=1&otalab-load=\(token.text)")
        #expect(fixture.cookies["otalab-key-12308"] == ServerFixture.key)
        let second = fixture.ask(try #require(first.location), fields)
        #expect(second.status == 200)
        #expect(fixture.ask("/app.js?a=1", fields).status != 403, "the page goes back")
    }

    @Test(
        "What the host opens is a document: a path that looks like a missing file gets the index (S3)",
        arguments: [["Accept: text/html,*/*;q=0.8"], ["Sec-Fetch-Dest: document"]])
    func startAtMissingFile(fields: [String]) throws {
        let token = Self.token
        var (fixture, first) = opened("/gone.js?", fields)
        #expect(first.location == "/gone.js?otalab-load=\(token.text)")
        let second = fixture.ask(try #require(first.location), fields)
        #expect(second.status == 200)
        #expect(second.text == "<p>v1</p>")
        #expect(fixture.log.contains(.indexServed(token)))
        fixture.handle(.committed(token))
        for _ in 1...2 {
            let reloaded = fixture.ask("/gone.js", fields)
            #expect(reloaded.status == 307, "a reload is another load, also of a page that removed the token")
            #expect(fixture.ask(try #require(reloaded.location), fields).text == "<p>v1</p>")
        }
        #expect(fixture.ask("/gone.js", ["Accept: */*"]).status == 404, "no document")
        #expect(fixture.ask("/other.js", ["Accept: text/html"]).status == 404, "a link of the page")
    }

    @Test(
        "Well-known paths and the icon get no index where the host opens them either, but a page load (S3)",
        arguments: ["/favicon.ico", "/.well-known/x"])
    func startAtWellKnown(path: String) throws {
        let token = Self.token
        var (fixture, first) = opened("\(path)?", ServerFixture.document)
        #expect(first.location == "\(path)?otalab-load=\(token.text)")
        #expect(fixture.ask(try #require(first.location), ServerFixture.document).status == 404)
        #expect(fixture.count { if case .navigationRequested = $0 { true } else { false } } == 1)
    }

    @Test("An address that the remote root answers makes the key a cookie, and the host is told (S6, R13)")
    func startElsewhere() throws {
        var proxy = try ProxyFixture()
        proxy.fixture.cookies = [:]
        let token = PageLoadToken(77)
        let fields = ServerFixture.document
        func elsewhere() -> [PageLoadToken] {
            proxy.fixture.log.compactMap { if case .documentElsewhere(let token) = $0 { token } else { nil } }
        }
        let first = proxy.fixture.ask(
            "/api/x?a=1&otalab-key=\(ServerFixture.key)&otalab-load=\(token.text)", fields)
        #expect(first.status == 307 && first.location == "/api/x?a=1&otalab-load=\(token.text)")
        #expect(proxy.fixture.cookies["otalab-key-12308"] == ServerFixture.key)
        #expect(elsewhere().isEmpty)
        let fetch = "GET /api/x?otalab-load=\(token.text) HTTP/1.1\r\n\(ServerFixture.hostLine)"
        proxy.say(fetch + ServerFixture.keyLine + "Sec-Fetch-Dest: empty\r\n\r\n")
        #expect(elsewhere().isEmpty, "no document")
        proxy.connect()
        proxy.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        proxy.say(fetch + ServerFixture.keyLine + "Sec-Fetch-Dest: document\r\n\r\n")
        #expect(elsewhere() == [token])
    }

    @Test("A navigation without a token goes to the host and is redirected to a URL with a fresh one")
    func fresh() {
        var fixture = ServerFixture()
        let (reply, load) = fixture.navigate("/account/7?tab=2")
        #expect(reply.text == "<p>v1</p>")
        #expect(load != nil)
        #expect(fixture.count { if case .navigationRequested = $0 { true } else { false } } == 1)
        let navigations = fixture.log.compactMap { effect in
            if case .navigationRequested(let navigation) = effect { navigation } else { nil }
        }
        #expect(navigations.first?.target == "/account/7?tab=2")
        #expect(navigations.first?.token == nil)
    }

    @Test("A reload of a used token goes to the host again, with that token, marked as a reload")
    func reload() throws {
        var fixture = ServerFixture()
        let (_, load) = fixture.navigate("/")
        let first = try #require(load)
        fixture.site = ServerFixture.v2
        let (reply, next) = fixture.navigate("/?otalab-load=\(first.text)", ["Cache-Control: max-age=0"])
        #expect(reply.text == "<p>v2</p>")
        #expect(next != first)
        let navigations = fixture.log.compactMap { effect in
            if case .navigationRequested(let navigation) = effect { navigation } else { nil }
        }
        #expect(navigations.last?.token == first)
        #expect(navigations.last?.isReload == true)
        #expect(navigations.first?.isReload == false)
        #expect(navigations.last?.target == "/", "the host never sees this server's own items")
    }

    @Test("A switch between the redirect and the second request changes nothing: the answer was given")
    func pinnedAtTheAnswer() throws {
        var fixture = ServerFixture()
        let redirect = fixture.ask("/", ServerFixture.document)
        fixture.site = ServerFixture.v2
        fixture.handle(.current(ServerFixture.v2))
        let reply = fixture.ask(try #require(redirect.location), ServerFixture.document)
        #expect(reply.text == "<p>v1</p>")
    }

    @Test(
        "The index answers document navigations and nothing else (S3)",
        arguments: [
            ("/", ["Sec-Fetch-Dest: document"], 200, "<p>v1</p>"),
            ("/", ["Sec-Fetch-Dest: empty", "Sec-Fetch-Mode: navigate"], 200, "<p>v1</p>"),
            ("/users/jo.doe", ["Sec-Fetch-Dest: document"], 200, "<p>v1</p>"),
            ("/missing.js", ["Sec-Fetch-Dest: document"], 200, "<p>v1</p>"),
            ("/module", ["Sec-Fetch-Dest: script"], 404, nil), ("/data", ["Sec-Fetch-Dest: empty"], 404, nil),
            ("/frame", ["Sec-Fetch-Dest: iframe", "Accept: text/html"], 404, nil),
            ("/users/jo.doe", ["Accept: text/html,*/*;q=0.8"], 200, "<p>v1</p>"),
            ("/users/jo", ["Accept: application/xml , Text/HTML;q=0.9"], 200, "<p>v1</p>"),
            ("/users/jo", ["Accept: */*"], 404, nil), ("/users/jo", [], 404, nil),
            ("/missing.js", ["Accept: text/html"], 404, nil),
            ("/missing.html", ["Accept: text/html"], 404, nil),
            ("/about.html", ["Accept: text/html"], 200, "about v1"),
            ("/about.html", ["Sec-Fetch-Dest: document"], 200, "about v1"),
            ("/favicon.ico", ["Sec-Fetch-Dest: document"], 404, nil),
            ("/.well-known/assetlinks.json", ["Sec-Fetch-Dest: document"], 404, nil),
            ("/.well-known/x", ["Accept: text/html"], 404, nil),
        ] as [(String, [String], Int, String?)])
    func indexRule(target: String, fields: [String], status: Int, text: String?) throws {
        var fixture = ServerFixture()
        var reply = fixture.ask(target, fields)
        if reply.status == 307 { reply = fixture.ask(try #require(reply.location), fields) }
        #expect(reply.status == status)
        if let text { #expect(reply.text == text) }
    }

    @Test("HEAD learns the index's head without being a page load (HT-C1)")
    func head() {
        var fixture = ServerFixture()
        let reply = fixture.ask("/account", ServerFixture.document, method: "HEAD")
        #expect(reply.status == 200)
        #expect(reply.fields["Content-Length"] == "9")
        #expect(reply.body.isEmpty)
        #expect(fixture.count { if case .navigationRequested = $0 { true } else { false } } == 0)
        #expect(fixture.disk.opened.isEmpty)
    }

    @Test("Nothing can be shown: 503 with a plain sentence, and the connection goes on")
    func unavailable() {
        var fixture = ServerFixture()
        fixture.hostAnswers = false
        let id = fixture.open()
        let text =
            "GET / HTTP/1.1\r\n\(ServerFixture.hostLine)\(ServerFixture.keyLine)Sec-Fetch-Dest: document\r\n\r\n"
        fixture.handle(.received(id, Array(text.utf8)))
        #expect(fixture.outbox[id] == nil, "the answer waits for the host")
        fixture.handle(.navigationAnswer(LocalServer.NavigationID(1), .unavailable))
        fixture.flush(id)
        let reply = fixture.reply(id)
        #expect(reply.status == 503)
        #expect(reply.fields["Cache-Control"] == "no-store")
        #expect(reply.fields["Connection"] == nil)
    }

    @Test("An answer for a navigation whose connection is gone is dropped")
    func gone() {
        var fixture = ServerFixture()
        fixture.hostAnswers = false
        let id = fixture.open()
        let text =
            "GET / HTTP/1.1\r\n\(ServerFixture.hostLine)\(ServerFixture.keyLine)Sec-Fetch-Dest: document\r\n\r\n"
        fixture.handle(.received(id, Array(text.utf8)))
        fixture.handle(.closed(id, nil))
        #expect(
            fixture.handle(
                .navigationAnswer(LocalServer.NavigationID(1), .page(PageLoadToken(9), ServerFixture.v1))
            )
            .isEmpty)
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("An index that can't be read is reported, is no start, and is not half sent (R10)")
    func unreadableIndex() throws {
        var fixture = ServerFixture()
        let path = DiskPath(.data, "v1/index.html")
        fixture.disk.failing[path] = .inputOutput
        let (reply, load) = fixture.navigate("/")
        #expect(reply.status == 500)
        let error = DiskError(.inputOutput, .open, path)
        #expect(fixture.log.contains(.readFailed(site: "v1", path, error)))
        #expect(!fixture.log.contains(.indexServed(try #require(load))))
        fixture.disk.failing = [:]
        fixture.disk.files[path] = Array("<p>".utf8)
        #expect(
            fixture.navigate("/").reply.status == 500, "a file of another length than accepted is damaged")
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("A redirect leads to a path of this server, whatever the path looks like (HT-F7)")
    func noOpenRedirect() {
        var fixture = ServerFixture()
        for target in ["//evil.com", "//evil.com/..", "/%2f/evil.com", "/\\evil.com", "/.//evil.com", "///"] {
            let reply = fixture.ask(target, ServerFixture.document)
            #expect(reply.status == 404 || reply.status == 400, "\(target)")
            #expect(reply.location == nil)
        }
    }
}
