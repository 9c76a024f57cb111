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
        let row = RouteRow(try #require(RoutePattern(pattern)), .handler("m"))
        var desk = Desk { $0.routes = RouteTable([row]) }
        _ = desk.ask(target)
        #expect(desk.log.contains { if case .handlerAsked = $0 { true } else { false } } == fits)
    }

    @Test(
        "What is no pattern is nil",
        arguments: ["", "api", "/api/**/x", "/a//b", "/a/../b", "/./a", "/a?b", "/a#b", "/a//**"])
    func noPatterns(text: String) { #expect(RoutePattern(text) == nil) }

    private static func desk(_ rows: [(String, RouteTarget)]) -> Desk {
        Desk { configuration in
            configuration.routes = RouteTable(
                rows.compactMap { row in RoutePattern(row.0).map { RouteRow($0, row.1) } })
        }
    }

    @Test("The first row that fits answers: file, then site, whatever the names look like (FINCH, G2)")
    func ordered() {
        var desk = RouteTests.desk([("/app.js", .file), ("/lost/**", .file), ("/**", .site)])
        #expect(desk.ask("/app.js").text == "one();")
        #expect(desk.ask("/lost/app.js").status == 404)
        #expect(desk.navigate("/lost/x").reply.status == 404, "never the index")
        #expect(desk.navigate("/u/jo.js").reply.text == "<p>v1</p>")
        #expect(desk.navigate("/app.css").reply.text == "<p>v1</p>")
        #expect(desk.ask("/style.css", ["Sec-Fetch-Dest: style"]).status == 404, "the site row comes first")
        #expect(desk.ask("/x", ["Accept: */*"]).status == 404)
        #expect(desk.ask("/x", method: "POST").status == 405)
    }

    @Test("An API pattern never gets the index, with or without an extension (S3)")
    func apiNeverIndex() {
        var desk = RouteTests.desk([("/api/**", .remote(upgrades: false)), ("/**", .site)])
        #expect(desk.navigate("/api/game/1").reply.status == 502)
        #expect(desk.navigate("/x/api/1").reply.text == "<p>v1</p>", "a component further in is none")
    }

    @Test("Files under a base path, an index, an age, ranges and validators (8fit, F10; S5)")
    func folder() {
        let paths = ["/static/a.js", "/static/index.html"]
        let files = paths.map { route in
            SiteFile(
                route: route, path: DiskPath(.package, "base\(route)"), size: 4, tag: "b\(route.utf8.count)")
        }
        let site = Site(name: "static", index: "", files: files)
        var desk = RouteTests.desk([("/static/**", .folder(site, age: .hours(1)))])
        for file in files { desk.disk.files[file.path] = Array("base".utf8) }
        let reply = desk.ask("/static/a.js")
        #expect(reply.text == "base")
        #expect(reply.fields["Cache-Control"] == "private, max-age=3600")
        #expect(reply.fields["ETag"] == "\"b12\"")
        #expect(desk.ask("/static/").text == "base")
        #expect(desk.ask("/static/a.js", ["Range: bytes=1-2"]).text == "as")
        #expect(desk.ask("/static/a.js", ["If-None-Match: \"b12\""]).status == 304)
        #expect(desk.ask("/static/missing").status == 404)
        #expect(desk.ask("/static/../app.js").status == 404)
        #expect(desk.ask("/static/a.js", method: "PUT").status == 405)
        #expect(desk.ask("/app.js").fields["Cache-Control"] == "no-cache", "never inside a version")
    }

    @Test("Without rows everything is as before")
    func noRows() {
        var desk = RouteTests.desk([])
        #expect(desk.navigate("/u/1").reply.text == "<p>v1</p>")
        #expect(desk.ask("/app.js").text == "one();")
    }
}

@Suite("Native code answers what a row gives it")
struct HandlerTests {
    private static func desk() throws -> Desk {
        let rows = [RouteRow(try #require(RoutePattern("/cart/**")), .handler("cart"))]
        return Desk { $0.routes = RouteTable(rows + [RouteRow.remote("/api/**")].compactMap { $0 }) }
    }

    private func asked(_ effects: [LocalServer.Effect]) -> [(
        LocalServer.HandlerCall, LocalServer.HandlerRequest
    )] {
        effects.compactMap {
            if case .handlerAsked(let call, let request) = $0 { (call, request) } else { nil }
        }
    }

    @Test("It is asked with the whole request, and its answer goes out as it says, framed by the server")
    func answers() throws {
        var desk = try HandlerTests.desk()
        let id = desk.open()
        let head = ProxyDesk.head("POST /cart/7?a=1&otalab-load=00000000000000aa", ["Content-Length: 3"])
        desk.tell(.received(id, Array((head + "abc").utf8)))
        let (call, request) = try #require(asked(desk.log).first)
        #expect(request.handler == "cart" && request.method == .post && request.body == Array("abc".utf8))
        #expect(request.target == "/cart/7?a=1")
        #expect(desk.outbox[id] == nil)
        var fields = HeaderFields()
        fields.append("X-Cart", "7")
        for name in ["content-length", "Transfer-Encoding", "Connection"] { fields.append(name, "1") }
        let answer = LocalServer.HandlerAnswer(.notFound, fields: fields, body: Array("gone".utf8))
        desk.tell(.handlerAnswer(call, answer))
        let reply = desk.reply(id)
        #expect(reply.status == 404 && reply.text == "gone" && reply.isWhole)
        #expect(reply.fields["X-Cart"] == "7" && reply.fields.all("Content-Length") == ["4"])
        #expect(!reply.fields.contains("Transfer-Encoding"))
        #expect(desk.tell(.handlerAnswer(call, answer)).isEmpty, "only once")
    }

    @Test(
        "Strangers are refused before; an answer to a peer that has gone is nothing; no status is no answer")
    func refused() throws {
        var desk = try HandlerTests.desk()
        #expect(desk.ask("/cart/1", isAnonymous: true).status == 403)
        #expect(asked(desk.log).isEmpty)
        let gone = desk.open()
        desk.tell(.received(gone, Array(ProxyDesk.head("GET /cart/1").utf8)))
        desk.tell(.closed(gone, nil))
        let (call, _) = try #require(asked(desk.log).last)
        #expect(desk.tell(.handlerAnswer(call, LocalServer.HandlerAnswer())).isEmpty)
        let id = desk.open()
        desk.tell(.received(id, Array(ProxyDesk.head("GET /cart/1").utf8)))
        let (next, _) = try #require(asked(desk.log).last)
        desk.tell(.handlerAnswer(next, LocalServer.HandlerAnswer(StatusCode(101))))
        #expect(desk.reply(id).status == 500)
    }

    @Test("Another table counts from the next request on")
    func routes() throws {
        var desk = try HandlerTests.desk()
        #expect(desk.ask("/api/x").status == 502, "no remote root is configured")
        desk.tell(.routes(RouteTable([RouteRow(try #require(RoutePattern("/api/**")), .handler("api"))])))
        _ = desk.ask("/api/x")
        #expect(asked(desk.log).map(\.1.handler) == ["api"])
        #expect(desk.ask("/cart/1").status == 404)
    }
}
