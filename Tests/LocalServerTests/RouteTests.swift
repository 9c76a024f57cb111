import Core
import HTTP1
import LocalServer
import Testing

@Suite("Routes: a table of ordered patterns, and mock handlers before it")
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
        let handler = MockHandler(
            name: "m", pattern: try #require(RoutePattern(pattern)),
            answers: [MockAnswer(body: Array("mock".utf8))])
        var desk = Desk { $0.mocks = MockBook([handler]) }
        #expect((desk.ask(target).text == "mock") == fits)
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

@Suite("Mock handlers stand in for the API (G6)")
struct MockTests {
    private static let file = """
        {
            format: "otalab-mocks-1", // as a person writes it
            mocks: [
                {
                    name: "score", path: "/api/game/*/score", methods: ["GET"],
                    answers: [
                        { status: 503, headers: { "Retry-After": "1", "Set-Cookie": ["a=1", "b=2"] }, delay: "2 s" },
                        { json: { score: 7, top: [1, 2] } },
                    ],
                },
                { name: "rest", path: "/api/**", answers: [{ body: "one" }, { status: 204 }], repeats: true },
                { name: "off", path: "/off", on: false, answers: [{ body: "off" }] },
            ],
        }
        """

    private static func desk() throws -> Desk {
        let book = try MockFile.read(Array(file.utf8))
        return Desk { configuration in
            configuration.mocks = book
            configuration.routes = RouteTable([RouteRow.remote("/api/**")].compactMap { $0 })
        }
    }

    @Test(
        "A sequence of answers with status, headers, body and delay; behind the last it stays or begins again"
    )
    func sequence() throws {
        var desk = try MockTests.desk()
        let id = desk.open()
        desk.tell(.received(id, Array(ProxyDesk.head("GET /api/game/7/score").utf8)))
        #expect(desk.outbox[id] == nil)
        #expect(desk.log.last == .setTimer(.mock(id), after: .seconds(2)))
        desk.tell(.timer(.mock(id)))
        let late = desk.reply(id)
        #expect(late.status == 503 && late.isWhole)
        #expect(late.fields["Retry-After"] == "1")
        #expect(late.fields.all("Set-Cookie") == ["a=1", "b=2"])
        for _ in 0..<2 {
            let reply = desk.ask("/api/game/7/score")
            #expect(reply.text == #"{"score":7,"top":[1,2]}"#)
            #expect(reply.fields["Content-Type"] == "application/json; charset=utf-8")
        }
        #expect(desk.ask("/api/x", method: "POST", body: "abc").text == "one")
        #expect(desk.ask("/api/x").status == 204)
        #expect(desk.ask("/api/game/7/score", method: "DELETE").text == "one")
        #expect(desk.upstreams.isEmpty)
    }

    @Test("Switched off, the remote root answers; switched on, the sequence begins anew")
    func switches() throws {
        var desk = try MockTests.desk()
        #expect(desk.ask("/off").status == 404)
        desk.tell(.mock("off", isOn: true))
        #expect(desk.ask("/off").text == "off")
        #expect(desk.ask("/api/x").text == "one")
        desk.tell(.mock("rest", isOn: false))
        desk.tell(.mock("unknown", isOn: false))
        #expect(desk.ask("/api/x").status == 502, "no remote root is configured")
        desk.tell(.mock("rest", isOn: true))
        #expect(desk.ask("/api/x").text == "one")
    }

    @Test("A handler's peer that goes away takes its timer along; strangers get no mock")
    func gone() throws {
        var desk = try MockTests.desk()
        let id = desk.open()
        desk.tell(.received(id, Array(ProxyDesk.head("GET /api/game/7/score").utf8)))
        #expect(desk.tell(.closed(id, nil)).contains(.cancelTimer(.mock(id))))
        #expect(desk.tell(.timer(.mock(id))).isEmpty)
        #expect(desk.ask("/api/x", isAnonymous: true).status == 403)
    }

    @Test(
        "A faulty file is refused with the fault's place",
        arguments: [
            ("[]", "must be an object"), ("{}", "does not say that it is one"),
            ("{format: 'otalab-mocks-1'}", "mocks must be a list"),
            ("{format: 'otalab-mocks-1', mock: []}", "has no \"mock\""),
            ("{format: 'otalab-mocks-1', mocks: [{path: 'x', answers: [{}]}]}", "path must be"),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: []}]}", "at least one"),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{status: 101}]}]}",
                "from 200 to 599"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{body: 'a', json: 1}]}]}",
                "one body"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{delay: '11 min'}]}]}",
                "at most 10 min"
            ),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{delay: 5}]}]}", "at most 10 min"),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{headers: {'content-length': '1'}}]}]}",
                "frames its answers itself"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', methods: 'TRACE', answers: [{}]}]}",
                "never reaches"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{name: 'a', path: '/x', answers: [{}]}, {name: 'a', path: '/y', answers: [{}]}]}",
                "two handlers"
            ),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{}], on: 1}]}", "true or false"),
        ])
    func faults(text: String, message: String) {
        do throws(JSONFault) {
            _ = try MockFile.read(Array(text.utf8))
            Issue.record("it is read")
        } catch {
            #expect(error.message.contains(message), "\(error.message)")
            #expect(error.span.end <= text.utf8.count)
        }
    }
}
