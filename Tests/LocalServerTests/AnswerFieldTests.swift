import Core
import HTTP1
import Testing

@testable import LocalServer

@Suite("Each answer of the server: what the log has of it, and its type, cache and frame (S5, HT-H11)")
struct AnswerFieldTests {
    private func entries(_ fixture: ServerFixture) -> [LocalServer.AccessLogEntry] {
        fixture.log.compactMap { if case .answered(let entry) = $0 { entry } else { nil } }
    }

    @Test("The log has method, target, status, type, load and version of each answer, and why it refuses")
    func log() throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        fixture.log = []
        _ = fixture.part("/app.js?a=1", "script", [ServerFixture.referer(load)])
        _ = fixture.ask("/missing", method: "HEAD")
        _ = fixture.ask("/font.woff2", isAnonymous: true)
        #expect(
            entries(fixture) == [
                LocalServer.AccessLogEntry(
                    method: "GET", target: "/app.js?a=1", status: 200,
                    type: "text/javascript; charset=utf-8", load: load, site: "v1"),
                LocalServer.AccessLogEntry(
                    method: "HEAD", target: "/missing", status: 404, type: "text/plain; charset=utf-8",
                    load: load, site: "v1", refusal: "nothing is there"),
                LocalServer.AccessLogEntry(
                    method: "GET", target: "/font.woff2", status: 403, type: "text/plain; charset=utf-8",
                    load: nil, site: nil, refusal: "no session key"),
            ])
    }

    @Test("The log has an answer of the remote root as such, with its status and type, and no key")
    func remoteLog() throws {
        var proxy = try ProxyFixture(upgrades: true)
        proxy.say(ProxyFixture.head("PUT /api/x?otalab-key=\(ServerFixture.key)&a=1"))
        proxy.connect()
        proxy.answer("HTTP/1.1 418 T\r\nContent-Length: 0\r\nContent-Type: a/b\r\n\r\n")
        #expect(
            entries(proxy.fixture) == [
                LocalServer.AccessLogEntry(
                    method: "PUT", target: "/api/x?a=1", status: 418, type: "a/b", load: nil, site: nil,
                    isRemote: true)
            ])
    }

    private func type(_ type: String?, _ route: String = "/a.bin") -> String {
        let file = ServedFile(route: route, path: DiskPath(.data, "a"), size: 1, tag: "a", type: type)
        return FileResponse.mediaType(of: file)
    }

    @Test("A stated type gets a charset where it is a text without one; else the extension gives the type")
    func types() {
        #expect(type("text/plain") == "text/plain; charset=utf-8")
        #expect(type("application/json") == "application/json; charset=utf-8")
        #expect(type("text/plain; charset=latin1") == "text/plain; charset=latin1")
        #expect(type("application/json;charset=x") == "application/json;charset=x")
        #expect(type("application/jsonp") == "application/jsonp" && type("image/png") == "image/png")
        #expect(type(nil, "/a.js") == "text/javascript; charset=utf-8")
    }

    @Test(
        "Documents that can run scripts are framed by this server's own pages alone, other types by any page"
    )
    func frames() {
        for (type, isDocument) in [
            ("text/html", true), ("TEXT/HTML;charset=utf-8", true), ("application/xhtml+xml", true),
            ("image/svg+xml ; a=b", true), ("text/xml\t;a", true), ("application/xml", true),
            ("text/plain", false), ("text/htmlx", false), ("x/text/html", false), ("", false),
        ] {
            var fields = HeaderFields()
            FramingPolicy.append(to: &fields, type: type)
            #expect(fields["X-Frame-Options"] == (isDocument ? "SAMEORIGIN" : nil), "\(type)")
            #expect(fields["Content-Security-Policy"] == (isDocument ? "frame-ancestors 'self'" : nil))
        }
        var none = HeaderFields()
        FramingPolicy.append(to: &none, type: nil)
        #expect(none.fields.isEmpty)
    }

    @Test("Refusals, redirects and lists of methods are never kept by a cache; only a start URL sets the key")
    func caching() {
        var fixture = ServerFixture()
        let answers = [
            fixture.ask("/missing"), fixture.ask("/app.js", method: "OPTIONS"),
            fixture.ask("/app.js", method: "PUT"), fixture.ask("/", ServerFixture.document),
        ]
        #expect(answers.map(\.status) == [404, 204, 405, 307])
        for answer in answers {
            #expect(answer.fields["Cache-Control"] == "no-store" && answer.cookies.isEmpty)
        }
        #expect(!answers[1].fields.contains("Content-Length") && answers[2].fields["Content-Length"] == "0")
        let start = fixture.ask("/?otalab-key=\(ServerFixture.key)", ServerFixture.document)
        #expect(start.status == 307 && start.cookies.map(\.name) == ["otalab-key-12308"])
    }

    @Test("No room for another file is 503, a file that fails is 500, and none stays open (R10)")
    func noRoom() {
        let path = DiskPath(.data, "v1/app.js")
        for (code, status) in [
            (DiskError.Code.tooManyOpen, 503), (.noMemory, 503), (.inputOutput, 500), (.denied, 500),
        ] {
            var fixture = ServerFixture()
            fixture.disk.failing[path] = code
            #expect(fixture.ask("/app.js").status == status, "\(code)")
            let isRoom = fixture.log.contains(.noRoomForFile(path, DiskError(code, .open, path)))
            #expect(isRoom == (status == 503))
            fixture.disk.failing = [:]
            fixture.disk.withoutSize = [path]
            #expect(fixture.ask("/app.js").status == 500 && fixture.disk.open.isEmpty)
        }
    }

    @Test("A handler's answer has a status from 200 to 599, and content where the status has any")
    func handlerStatus() throws {
        let entry = RouteEntry(try #require(RoutePattern("/cart")), .handler("cart"))
        for (code, status, body) in [
            (100, 500, nil), (199, 500, nil), (200, 200, "a"), (204, 204, ""), (304, 304, ""),
            (599, 599, "a"),
            (600, 500, nil),
        ] as [(Int, Int, String?)] {
            var fixture = ServerFixture { $0.routes = RouteTable([entry]) }
            let page = fixture.open()
            fixture.handle(.received(page, ConnectionTests.request("/cart")))
            fixture.handle(
                .handlerAnswer(
                    LocalServer.HandlerCallID(1),
                    LocalServer.HandlerAnswer(StatusCode(code), body: [UInt8(ascii: "a")])))
            let reply = fixture.reply(page)
            #expect(reply.status == status, "\(code)")
            if let body { #expect(reply.text == body) }
        }
    }

    @Test("A document of the app package is answered for its load, and only HTML is a start")
    func packageDocument() throws {
        var fixture = ServerFixture(www: true)
        let (reply, load) = fixture.navigate("/cordova.js")
        #expect(reply.text == "bridge" && load != nil)
        #expect(!fixture.log.contains { if case .indexServed = $0 { true } else { false } })
        let (html, other) = fixture.navigate("/about.html")
        #expect(html.text == "about v1")
        #expect(fixture.log.contains(.indexServed(try #require(other))))
    }

    @Test("A window may be opened from anywhere, because it has the key; what is sent in it may not")
    func navigationsFromElsewhere() {
        let fields = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document"]
        for (method, status) in [("GET", 307), ("HEAD", 200), ("POST", 403), ("PUT", 403)] {
            var fixture = ServerFixture()
            #expect(fixture.ask("/", fields, method: method).status == status, "\(method)")
        }
        var fixture = ServerFixture()
        let noNavigation = ["Sec-Fetch-Mode: cors", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document"]
        #expect(fixture.ask("/", noNavigation).status == 403)
    }

    @Test("A request without a path needs the key as any other does")
    func withoutPath() {
        for (method, target, status) in [("OPTIONS", "*", 204), ("CONNECT", "localhost:12308", 405)] {
            var fixture = ServerFixture()
            #expect(fixture.ask(target, method: method).status == status)
            #expect(
                fixture.ask(target, method: method, isAnonymous: true).status == (status == 405 ? 405 : 403))
        }
    }

    @Test("On port 80 this server's host may be named without a port")
    func port80() {
        for (host, port, status) in [
            ("localhost", 80, 200), ("localhost:80", 80, 200), ("localhost", 81, 421),
            ("localhost:81", 80, 421),
        ] as [(String, UInt16, Int)] {
            var fixture = ServerFixture { $0.port = port }
            let key = "Cookie: otalab-key-\(port)=\(ServerFixture.key)"
            let reply = fixture.ask("/app.js", [key], isAnonymous: true, host: "Host: \(host)\r\n")
            #expect(reply.status == status, "\(host) \(port)")
        }
    }
}
