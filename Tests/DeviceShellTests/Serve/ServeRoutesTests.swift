import Foundation
import Testing

@testable import DeviceShell

@Suite("otalab serve app: routes, remote root and mock handlers, from files and flags", .serialized)
struct ServeRoutesTests {
    private static let package = [
        (path: "index.html", text: "<!doctype html><p>one</p>"), (path: "app.js", text: "one()"),
        (path: "assets/a.txt", text: "a"),
    ]
    private static let usual = ["--app", "com.example.real", "--port", "0", "--package", "package"]

    private func served(_ files: [(String, String)] = []) throws -> ServedProcess {
        let app = try ServedProcess(package: ServeRoutesTests.package)
        for (path, text) in files { try app.write(path, text) }
        return app
    }

    private func page(_ app: ServedProcess, _ flags: String...) throws -> PageClient {
        try app.begin(ServeRoutesTests.usual + flags)
        return try PageClient(try app.address())
    }

    @Test("A remote root alone takes what begins with /api/ and leaves the rest to the version (S7, F11)")
    func remoteAlone() throws {
        let root = try EchoRoot()
        let app = try served()
        let page = try page(app, "--remote", "http://127.0.0.1:\(root.port)/base")
        try app.line("route  /api/**", "http://127.0.0.1:\(root.port)/base")
        #expect(try page.get("/api/x?y=1").status == 200)
        #expect(root.heads.first?.hasPrefix("GET /base/api/x?y=1 HTTP/1.1") == true)
        #expect(try page.get("/app.js").body == Array("one()".utf8))
        #expect(root.heads.count == 1)
    }

    @Test("Routes of flags precede those of the file; folders, files and the site answer as configured")
    func rows() throws {
        let root = try EchoRoot()
        let routes = """
            {
              format: "otalab-routes-1", remote: "http://127.0.0.1:\(root.port)",
              routes: [
                { path: "/api/**", methods: ["GET"], to: "remote" },
                { path: "/static/**", to: "folder", folder: "shared", age: "30 min" },
                { path: "/assets/**", to: "file" },
                { path: "/**", to: "site" },
              ],
            }
            """
        let app = try served([("routes.json5", routes), ("shared/img/a.svg", "<svg/>"), ("more/b.txt", "b")])
        let page = try page(
            app, "--routes", "routes.json5", "--route", "/api/own/**=file", "--route", "/more/**=folder:more")
        #expect(try page.get("/api/x").status == 200)
        #expect(try page.get("/api/own/x").status == 404)
        #expect(root.heads.count == 1)
        let kept = try page.get("/static/img/a.svg")
        #expect(kept.body == Array("<svg/>".utf8))
        #expect(kept.field("Cache-Control") == "private, max-age=1800")
        #expect(kept.field("ETag") != nil && kept.field("Content-Type")?.hasPrefix("image/svg+xml") == true)
        #expect(try page.get("/more/b.txt").field("Cache-Control") == "private, max-age=3600")
        #expect(try page.get("/static/routes.json5").status == 404)
        #expect(try page.get("/assets/a.txt").status == 200)
        #expect(try page.get("/assets/none.txt").status == 404)
        #expect(try page.go(to: "/u/7").contains("one") || page.get("/u/7").status == 404)
        try app.line("route  GET /api/**", "http://127.0.0.1:\(root.port)")
        try app.line("route  /static/**  1 files, for 1800 s")
    }

    @Test(
        "Mock handlers replace the API, in sequence; switched off by the page the remote root answers (G6)"
    )
    func mocks() throws {
        let root = try EchoRoot()
        let mocks = """
            {
              format: "otalab-mocks-1",
              mocks: [
                {
                  name: "score", path: "/api/game/*/score", methods: ["GET"],
                  answers: [{ status: 503, headers: { "Retry-After": "1" } }, { json: { score: 7 } }],
                },
                { name: "later", path: "/api/later", on: false, answers: [{ body: "mock" }] },
              ],
            }
            """
        let app = try served([("mocks.json5", mocks)])
        let page = try page(
            app, "--mocks", "mocks.json5", "--remote", "http://127.0.0.1:\(root.port)")
        try app.line("mock   GET /api/game/*/score  score")
        try app.line("mock   /api/later  later, off")
        let first = try page.get("/api/game/7/score")
        #expect(first.status == 503 && first.field("Retry-After") == "1")
        for _ in 0..<2 {
            let next = try page.get("/api/game/7/score")
            #expect(next.status == 200 && String(decoding: next.body, as: UTF8.self).contains(#""score""#))
            #expect(next.field("Content-Type") == "application/json; charset=utf-8")
        }
        #expect(try page.get("/api/later").body != Array("mock".utf8))
        #expect(root.heads.count == 1)
        #expect(try call(page, "score", "false").contains(#""result":true"#))
        #expect(try page.get("/api/game/7/score").status == 200)
        #expect(root.heads.last?.hasPrefix("GET /api/game/7/score ") == true)
        #expect(try call(page, "later", "true").contains(#""result":true"#))
        #expect(try page.get("/api/later").body == Array("mock".utf8))
        // Switched on again, the sequence begins at its start.
        #expect(try call(page, "score", "true").contains(#""result":true"#))
        #expect(try page.get("/api/game/7/score").status == 503)
        // An unknown name is refused, and a message without one.
        #expect(try call(page, "none", "false").contains("no mock handler is named none"))
        #expect(try page.call(#"{"method":"setMock","params":{"on":true}}"#).contains("setMock wants"))
        #expect(try page.call(#"{"method":"setMock","params":{"name":"score"}}"#).contains("setMock wants"))
        #expect(root.heads.count == 2)
    }

    private func call(_ page: PageClient, _ name: String, _ isOn: String) throws -> String {
        try page.call(#"{"method":"setMock","params":{"name":"\#(name)","on":\#(isOn)},"id":1}"#)
    }

    /// The console says that it has passed the command on; the app's thread follows it right after.
    private func isAnswered(_ page: PageClient, _ path: String, _ status: Int) throws -> Bool {
        for _ in 0..<100 {
            if try page.get(path).status == status { return true }
            usleep(10_000)
        }
        return false
    }

    @Test("Mock handlers are switched at the console too, by their names; an unknown name is an error (G6)")
    func console() throws {
        let app = try served([("mocks.json5", ServeRoutesTests.consoleMocks)])
        let page = try page(app, "--mocks", "mocks.json5")
        #expect(try page.get("/api/score").body == Array("one".utf8))
        app.say("mock the score off")
        try app.line("mock", "the score is off")
        #expect(try isAnswered(page, "/api/score", 404))
        app.say("mock the score on")
        try app.line("mock", "the score is on")
        #expect(try isAnswered(page, "/api/score", 200))
        #expect(try page.get("/api/score").body == Array("one".utf8))
        app.say("mock none off")
        try app.line("no mock handler is named 'none'", "the score")
        app.say("mock")
        try app.line("mock score off")
        app.say("push twice")
        try app.line("push takes no 'twice'")
    }

    private static let consoleMocks = """
        { format: "otalab-mocks-1", mocks: [{ name: "the score", path: "/api/score", answers: [{ body: "one" }] }] }
        """

    @Test("As in a release, no page switches a mock handler, the API's root or the environment (F9)")
    func release() throws {
        let app = try served([("mocks.json5", ServeRoutesTests.consoleMocks)])
        let page = try page(app, "--mocks", "mocks.json5", "--release")
        for method in ["setMock", "setRemoteRoot", "switchEnvironment"] {
            let message = #"{"method":"\#(method)","params":{"name":"the score","on":false,"channel":"b"}}"#
            #expect(try page.call(message).contains("\(method) is off in this build"))
        }
        #expect(try page.get("/api/score").body == Array("one".utf8))
    }

    @Test("The page points the app at another remote root, and at an invalid one (F9)")
    func elsewhere() throws {
        let first = try EchoRoot()
        let second = try EchoRoot()
        let app = try served()
        let page = try page(app, "--remote", "http://127.0.0.1:\(first.port)")
        let url = "http://127.0.0.1:\(second.port)/b"
        #expect(
            try page.call(#"{"method":"setRemoteRoot","params":{"url":"\#(url)"}}"#).contains("true"))
        #expect(try page.get("/api/x").status == 200)
        #expect(first.heads.isEmpty && second.heads.first?.hasPrefix("GET /b/api/x ") == true)
        #expect(try page.call(#"{"method":"setRemoteRoot","params":{"url":"x"}}"#).contains("error"))
        #expect(try page.get("/api/x").status == 200)
        #expect(second.heads.count == 2)
    }

    @Test("A32: the version's own folder in --www is not answered a second time")
    func versionInside() throws {
        let app = try served([
            ("whole/application/index.html", "<!doctype html><p>inside</p>"), ("whole/plugin.js", "plugin"),
        ])
        try app.begin(
            ["--app", "com.example.real", "--port", "0", "--package", "whole/application", "--www", "whole"])
        let page = try PageClient(try app.address())
        #expect(page.document == "<!doctype html><p>inside</p>")
        #expect(try page.get("/plugin.js").body == Array("plugin".utf8))
        #expect(try page.get("/application/index.html").status == 404)
    }

    @Test("Answers carry the date of this machine (HT-C11, RFC 9110 §6.6.1)")
    func date() throws {
        let app = try served()
        let text = try #require(try page(app).get("/app.js").field("Date"))
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = try #require(format.date(from: text), "\(text)")
        #expect(abs(date.timeIntervalSinceNow) < 5)
    }

    @Test(
        "Invalid routes are refused before anything is served",
        arguments: [
            (["--route", "/api/**"], "--route can't be '/api/**'", "PATTERN=remote"),
            (["--route", "/api/**=elsewhere"], "--route can't be", "=folder:DIR"),
            (["--route", "/api=folder:shared"], "--route can't be", "=folder:DIR"),
            (["--route", "/x/**=folder:nope"], "there is no folder 'nope'", "--route"),
            (["--remote", "api.example.com"], "--remote can't be 'api.example.com'", "http://HOST"),
            (["--remote", "https://api.example.com"], "can't be reached over https", "proxy"),
            (["--routes", "none.json5"], "none.json5", "error"),
            (["--routes", "wrong.json5"], "wrong.json5:1:", "a route has no \"too\""),
            (["--routes", "mocks.json5"], "mocks.json5:1:", "one of routes"),
            (["--mocks", "mocks.json5"], "mocks.json5:1:", "answers must be a list"),
        ])
    func refusals(flags: [String], message: String, help: String) throws {
        let app = try served([
            (
                "wrong.json5",
                #"{ format: "otalab-routes-1", routes: [{ path: "/a", too: "remote", to: "remote" }] }"#
            ),
            ("mocks.json5", #"{ format: "otalab-mocks-1", mocks: [{ path: "/a" }] }"#),
        ])
        let answer = try app.refused(ServeRoutesTests.usual + flags)
        #expect(answer.code == 2)
        #expect(answer.errors.contains(message) && answer.errors.contains(help), "\(answer.errors)")
    }
}
