import Core
import HTTP1
import LocalServer
import Testing

@Suite("Routes: a table of ordered patterns")
struct RouteTests {
    @Test(
        "A pattern takes segments as they are decoded",
        arguments: [
            ("/api/**", "/api/x", true), ("/api/**", "/api/x/y", true), ("/api/**", "/api/", true),
            ("/api/**", "/api", false), ("/api/**", "/apix", false), ("/api/**", "/a/api/x", false),
            ("/game/*/score", "/game/7/score", true), ("/game/*/score", "/game//score", false),
            ("/game/*/score", "/game/7/8/score", false), ("/**", "/", true), ("/**", "/x", true),
            ("/a b", "/a%20b", true), ("/x/y", "/x%2fy", false), ("/status", "/status?x=/y", true),
            ("/status", "/status/", false), ("/status/", "/status/", true),
            ("/api/**", "/api/%2e%2e/x", false),
            ("/api/**", "/api/x%5c..%5cy", false), ("/**", "//x", false),
        ])
    func patterns(pattern: String, target: String, fits: Bool) throws {
        let entry = RouteEntry(try #require(RoutePattern(pattern)), .handler("m"))
        var fixture = ServerFixture { $0.routes = RouteTable([entry]) }
        _ = fixture.ask(target)
        #expect(fixture.log.contains { if case .handlerRequested = $0 { true } else { false } } == fits)
    }

    @Test(
        "What is no pattern is nil",
        arguments: ["", "api", "/api/**/x", "/a//b", "/a/../b", "/./a", "/a?b", "/a#b", "/a//**"])
    func noPatterns(text: String) { #expect(RoutePattern(text) == nil) }

    private static func fixture(_ rows: [(String, RouteTarget)]) -> ServerFixture {
        ServerFixture { configuration in
            configuration.routes = RouteTable(
                rows.compactMap { row in RoutePattern(row.0).map { RouteEntry($0, row.1) } })
        }
    }

    @Test("The first entry that matches answers: file, then site, whatever the names look like (FINCH, G2)")
    func ordered() {
        var fixture = RouteTests.fixture([("/app.js", .file), ("/lost/**", .file), ("/**", .site)])
        #expect(fixture.ask("/app.js").text == "one();")
        #expect(fixture.ask("/lost/app.js").status == 404)
        #expect(fixture.navigate("/lost/x").reply.status == 404, "never the index")
        #expect(fixture.navigate("/u/jo.js").reply.text == "<p>v1</p>")
        #expect(fixture.navigate("/app.css").reply.text == "<p>v1</p>")
        #expect(
            fixture.ask("/style.css", ["Sec-Fetch-Dest: style"]).status == 404, "the site entry comes first")
        #expect(fixture.ask("/x", ["Accept: */*"]).status == 404)
        #expect(fixture.ask("/x", method: "POST").status == 405)
    }

    @Test("An API pattern never gets the index, with or without an extension (S3)")
    func apiNeverIndex() {
        var fixture = RouteTests.fixture([("/api/**", .remote(upgrades: false)), ("/**", .site)])
        #expect(fixture.navigate("/api/game/1").reply.status == 502)
        #expect(fixture.navigate("/x/api/1").reply.text == "<p>v1</p>", "a component further in is none")
    }

    @Test("Files under a base path, an index, an age, ranges and validators (8fit, F10; S5)")
    func folder() {
        let paths = ["/static/a.js", "/static/index.html"]
        let files = paths.map { route in
            ServedFile(
                route: route, path: DiskPath(.package, "base\(route)"), size: 4, tag: "b\(route.utf8.count)")
        }
        let site = Site(name: "static", index: "", files: files)
        var fixture = RouteTests.fixture([("/static/**", .folder(site, age: .hours(1)))])
        for file in files { fixture.disk.files[file.path] = Array("base".utf8) }
        let reply = fixture.ask("/static/a.js")
        #expect(reply.text == "base")
        #expect(reply.fields["Cache-Control"] == "private, max-age=3600")
        #expect(reply.fields["ETag"] == "\"b12\"")
        #expect(fixture.ask("/static/").text == "base")
        #expect(fixture.ask("/static/a.js", ["Range: bytes=1-2"]).text == "as")
        #expect(fixture.ask("/static/a.js", ["If-None-Match: \"b12\""]).status == 304)
        #expect(fixture.ask("/static/missing").status == 404)
        #expect(fixture.ask("/static/../app.js").status == 404)
        #expect(fixture.ask("/static/a.js", method: "PUT").status == 405)
        #expect(fixture.ask("/app.js").fields["Cache-Control"] == "no-cache", "never inside a version")
    }

    @Test("Without rows everything is as before")
    func noRows() {
        var fixture = RouteTests.fixture([])
        #expect(fixture.navigate("/u/1").reply.text == "<p>v1</p>")
        #expect(fixture.ask("/app.js").text == "one();")
    }
}

@Suite("Native code answers what an entry gives it")
struct HandlerTests {
    private static func fixture() throws -> ServerFixture {
        let rows = [RouteEntry(try #require(RoutePattern("/cart/**")), .handler("cart"))]
        return ServerFixture {
            $0.routes = RouteTable(rows + [RouteEntry.remote("/api/**")].compactMap { $0 })
        }
    }

    private func calls(_ effects: [LocalServer.Effect]) -> [(
        LocalServer.HandlerCallID, LocalServer.HandlerRequest
    )] {
        effects.compactMap {
            if case .handlerRequested(let call, let request) = $0 { (call, request) } else { nil }
        }
    }

    @Test("It gets the whole request, and its answer is sent unchanged, framed by the server")
    func answers() throws {
        var fixture = try HandlerTests.fixture()
        let id = fixture.open()
        let head = ProxyFixture.head("POST /cart/7?a=1&otalab-load=00000000000000aa", ["Content-Length: 3"])
        fixture.handle(.received(id, Array((head + "abc").utf8)))
        let (call, request) = try #require(calls(fixture.log).first)
        #expect(request.handler == "cart" && request.method == .post && request.body == Array("abc".utf8))
        #expect(request.target == "/cart/7?a=1")
        #expect(fixture.outbox[id] == nil)
        var fields = HeaderFields()
        fields.append("X-Cart", "7")
        for name in ["content-length", "Transfer-Encoding", "Connection"] { fields.append(name, "1") }
        let answer = LocalServer.HandlerAnswer(.notFound, fields: fields, body: Array("gone".utf8))
        fixture.handle(.handlerAnswer(call, answer))
        let reply = fixture.reply(id)
        #expect(reply.status == 404 && reply.text == "gone" && reply.isWhole)
        #expect(reply.fields["X-Cart"] == "7" && reply.fields.all("Content-Length") == ["4"])
        #expect(!reply.fields.contains("Transfer-Encoding"))
        #expect(fixture.handle(.handlerAnswer(call, answer)).isEmpty, "only once")
    }

    @Test(
        "Strangers are refused before; an answer to a peer that has gone is nothing; no status is no answer")
    func refused() throws {
        var fixture = try HandlerTests.fixture()
        #expect(fixture.ask("/cart/1", isAnonymous: true).status == 403)
        #expect(calls(fixture.log).isEmpty)
        let gone = fixture.open()
        fixture.handle(.received(gone, Array(ProxyFixture.head("GET /cart/1").utf8)))
        fixture.handle(.closed(gone, nil))
        let (call, _) = try #require(calls(fixture.log).last)
        #expect(fixture.handle(.handlerAnswer(call, LocalServer.HandlerAnswer())).isEmpty)
        let id = fixture.open()
        fixture.handle(.received(id, Array(ProxyFixture.head("GET /cart/1").utf8)))
        let (next, _) = try #require(calls(fixture.log).last)
        fixture.handle(.handlerAnswer(next, LocalServer.HandlerAnswer(StatusCode(101))))
        #expect(fixture.reply(id).status == 500)
    }

    @Test("Another table counts from the next request on")
    func routes() throws {
        var fixture = try HandlerTests.fixture()
        #expect(fixture.ask("/api/x").status == 502, "no remote root is configured")
        fixture.handle(
            .routes(RouteTable([RouteEntry(try #require(RoutePattern("/api/**")), .handler("api"))])))
        _ = fixture.ask("/api/x")
        #expect(calls(fixture.log).map(\.1.handler) == ["api"])
        #expect(fixture.ask("/cart/1").status == 404)
    }
}
