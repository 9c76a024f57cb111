import Core
import HTTP1
import LocalServer
import Testing

@Suite("Only own pages, by own names, with known methods, for files that exist (S6)")
struct RequestPolicyTests {
    @Test(
        "Only our loopback names with our port are answered, before anything else (HT-H2, H3, H4)",
        arguments: [
            ("Host: localhost:12308\r\n", 200), ("Host: LOCALHOST:12308\r\n", 200),
            ("Host: 127.0.0.1:12308\r\n", 200), ("Host: [::1]:12308\r\n", 200), ("Host: localhost\r\n", 421),
            ("Host: localhost:80\r\n", 421), ("Host: localhost.:12308\r\n", 421),
            ("Host: evil.localhost:12308\r\n", 421), ("Host: evil.com:12308\r\n", 421),
            ("Host: localhost:12308.evil.com\r\n", 400), ("Host: 0.0.0.0:12308\r\n", 421), ("Host:\r\n", 421),
            ("", 400), ("Host: localhost:12308\r\nHost: localhost:12308\r\n", 400),
            ("Host: u@localhost:12308\r\n", 400),
        ])
    func host(line: String, status: Int) {
        var fixture = ServerFixture()
        #expect(fixture.ask("/app.js", host: line).status == status)
    }

    @Test("An absolute target overrides Host (HT-H4)")
    func absoluteTarget() {
        var fixture = ServerFixture()
        #expect(fixture.ask("http://localhost:12308/app.js", host: "Host: evil.com\r\n").status == 200)
        #expect(fixture.ask("http://evil.com/app.js").status == 421)
        #expect(fixture.ask("https://localhost:12308/app.js").status == 421)
    }

    @Test("Without the session key nothing is answered, not even what does not exist (HT-H5, H10)")
    func key() {
        var fixture = ServerFixture()
        for target in ["/app.js", "/", "/missing", "/__otalab/bridge"] {
            #expect(fixture.ask(target, isAnonymous: true).status == 403)
        }
        #expect(fixture.ask("/app.js?otalab-key=\(ServerFixture.key)", isAnonymous: true).status == 200)
        #expect(
            fixture.ask("/app.js?otalab-key=\(ServerFixture.key.dropLast())x", isAnonymous: true).status
                == 403)
        #expect(fixture.ask("/app.js?otalab-key=", isAnonymous: true).status == 403)
        let two = "Cookie: otalab-key-12308=stranger; otalab-key-12308=\(ServerFixture.key)"
        #expect(fixture.ask("/app.js", [two], isAnonymous: true).status == 200, "other ports set cookies too")
        #expect(
            fixture.ask("/app.js", ["Cookie: xotalab-key-12308=\(ServerFixture.key)"], isAnonymous: true)
                .status
                == 403)
        var keyless = ServerFixture()
        keyless.server = LocalServer(LocalServer.Configuration(port: ServerFixture.port, sessionKey: ""))
        #expect(
            keyless.ask("/app.js?otalab-key=", ["Cookie: otalab-key-12308="], isAnonymous: true).status == 403
        )
    }

    @Test(
        "The key's cookie is this port's: another app's key on the same host is neither it nor in its way (HT-H12)"
    )
    func keyOfAnotherPort() {
        var fixture = ServerFixture()
        let other = "otalab-key-12309=\(String(ServerFixture.key.reversed()))"
        #expect(
            fixture.ask("/app.js", ["Cookie: otalab-key-12309=\(ServerFixture.key)"], isAnonymous: true)
                .status
                == 403)
        #expect(
            fixture.ask("/app.js", ["Cookie: otalab-key=\(ServerFixture.key)"], isAnonymous: true).status
                == 403)
        let both = "Cookie: \(other); otalab-key-12308=\(ServerFixture.key); otalab-load-12309=0"
        #expect(fixture.ask("/app.js", [both], isAnonymous: true).status == 200)
        var second = ServerFixture { $0.port = 12_309 }
        second.tokens = [PageLoadToken(0xaa)]
        let start = "/?otalab-key=\(ServerFixture.key)&otalab-load=00000000000000aa"
        let host = "Host: localhost:12309\r\n"
        let first = second.ask(start, ServerFixture.document, isAnonymous: true, host: host)
        #expect(first.status == 307 && first.cookies.map(\.name) == ["otalab-key-12309"])
        let document = second.ask(first.location ?? "", ServerFixture.document, host: host)
        #expect(document.cookies.map(\.name) == ["otalab-load-12309"])
    }

    @Test(
        "A bridge message needs more than cookies, which every port of the host gets (HT-H12)",
        arguments: [
            ([], 403), (["Sec-Fetch-Site: none"], 403), (["Origin: http://localhost:12309"], 403),
            (["Origin: http://localhost:12308"], 200), (["Sec-Fetch-Site: same-origin"], 200),
            (["Sec-Fetch-Site: same-site"], 403),
        ])
    func cookiesAlone(fields: [String], status: Int) throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        // The document is in use, so that its cookie names it.
        _ = fixture.part("/app.js?otalab-load=\(load.text)", "script")
        #expect(fixture.cookies.keys.sorted() == ["otalab-key-12308", "otalab-load-12308"])
        let reply = fixture.ask("/__otalab/bridge", fields, method: "POST", body: "{}")
        let isHanded = fixture.log.contains { if case .bridge = $0 { true } else { false } }
        #expect(isHanded == (status == 200) && reply.status == (status == 200 ? 0 : status))
    }

    @Test(
        "A frame of a page elsewhere gets neither a document nor a file, though the browser sends the key (HT-H13)",
        arguments: ["iframe", "frame", "fencedframe", "embed", "object"])
    func framedElsewhere(destination: String) {
        for (site, status) in [("same-site", 403), ("cross-site", 403), ("same-origin", 200)] {
            for target in ["/about.html", "/app.js", "/index.html"] {
                var fixture = ServerFixture()
                let fields = [
                    "Sec-Fetch-Dest: \(destination)", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Site: \(site)",
                    "Accept: text/html",
                ]
                #expect(fixture.ask(target, fields).status == status, "\(site) \(target)")
            }
        }
    }

    @Test("An answer that refuses says why to the log, without a word of the request")
    func reasons() {
        var fixture = ServerFixture()
        _ = fixture.ask("/app.js", isAnonymous: true)
        _ = fixture.ask("/app.js", ["Origin: http://evil.com"])
        _ = fixture.ask("/app.js", host: "Host: evil.com\r\n")
        _ = fixture.ask("/app.js")
        let reasons = fixture.log.compactMap { effect in
            if case .answered(let answer) = effect { answer.refusal ?? "none" } else { nil }
        }
        #expect(
            reasons == ["no session key", "not from a page of this server", "not this server's host", "none"])
    }

    @Test("The key stands in no log")
    func keyIsNotLogged() {
        var fixture = ServerFixture()
        _ = fixture.ask("/app.js?otalab-key=\(ServerFixture.key)&x=1", isAnonymous: true)
        let targets = fixture.log.compactMap { effect in
            if case .answered(let answer) = effect { answer.target } else { nil }
        }
        #expect(targets == ["/app.js?x=1"])
    }

    @Test(
        "Foreign pages are turned away, with our cookie too (HT-H6)",
        arguments: [
            (["Origin: http://localhost:12308"], 200), (["Origin: http://evil.com"], 403),
            (["Origin: null"], 403),
            (["Origin: http://127.0.0.1:12308"], 403), (["Origin: https://localhost:12308"], 403),
            (["Sec-Fetch-Site: same-origin"], 200), (["Sec-Fetch-Site: none"], 200),
            (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-site"], 403),
            (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
        ])
    func foreign(fields: [String], status: Int) {
        var fixture = ServerFixture()
        #expect(fixture.ask("/app.js", fields).status == status)
    }

    @Test("A preflight finds nothing that allows it (HT-H7, H8)")
    func preflight() {
        var fixture = ServerFixture()
        let fields = [
            "Origin: http://evil.com", "Access-Control-Request-Method: PUT",
            "Access-Control-Request-Private-Network: true",
        ]
        for isAnonymous in [true, false] {
            let reply = fixture.ask("/app.js", fields, method: "OPTIONS", isAnonymous: isAnonymous)
            #expect(reply.status == 403)
            #expect(!reply.fields.fields.contains { $0.name.lowercased().hasPrefix("access-control") })
        }
    }

    @Test(
        "Methods (HT-C2)",
        arguments: [
            ("OPTIONS", "/app.js", 204, "GET, HEAD, OPTIONS"), ("OPTIONS", "*", 204, "GET, HEAD, OPTIONS"),
            ("POST", "/app.js", 405, "GET, HEAD, OPTIONS"), ("DELETE", "/app.js", 405, "GET, HEAD, OPTIONS"),
            ("TRACE", "/app.js", 405, "GET, HEAD, OPTIONS"), ("BREW", "/app.js", 501, nil),
            ("get", "/app.js", 501, nil), ("CONNECT", "localhost:12308", 405, "GET, HEAD, OPTIONS"),
            ("CONNECT", "evil.com:443", 421, nil), ("GET", "/__otalab/bridge", 405, "POST, OPTIONS"),
            ("OPTIONS", "/__otalab/bridge", 204, "POST, OPTIONS"),
        ])
    func methods(method: String, target: String, status: Int, allow: String?) {
        var fixture = ServerFixture()
        let reply = fixture.ask(target, method: method)
        #expect(reply.status == status)
        #expect(reply.fields["Allow"] == allow)
    }

    @Test(
        "However the path is written, nothing but the version's files is read (HT-F1, F2, F3, F4, F6)",
        arguments: [
            ("/app.js", 200), ("/%61pp.js", 200), ("/app.js?x=/../", 200), ("/app.js/", 404),
            ("/APP.js", 404),
            ("/../v2/app.js", 404), ("/%2e%2e/v2/app.js", 404), ("/..%2fv2%2fapp.js", 404),
            ("/%252e%252e/x", 404),
            ("/./app.js", 404), ("//app.js", 404), ("/%5c..%5capp.js", 404), ("/app.js%00", 400),
            ("/%zz", 400),
            ("/app.js%20", 404), ("/app.js.", 404), ("/app.js::$DATA", 404), ("/%c0%af", 404), ("/%ff", 404),
            ("/etc/passwd", 404), ("/index.html%3fx", 404), ("/v1/app.js", 404),
        ])
    func paths(target: String, status: Int) {
        var fixture = ServerFixture()
        #expect(fixture.ask(target).status == status)
        #expect(fixture.disk.opened == (status == 200 ? [DiskPath(.data, "v1/app.js")] : []))
    }

    @Test("Our own words repeat nothing of the request (CVE-2020-13697)")
    func noEcho() {
        var fixture = ServerFixture()
        let reply = fixture.ask("/%3Cscript%3Ealert(1)%3C/script%3E", ["X-Evil: needle"])
        #expect(reply.status == 404)
        #expect(!reply.text.contains("script") && !reply.text.contains("needle"))
        #expect(reply.fields["Content-Type"] == "text/plain; charset=utf-8")
        #expect(reply.fields["X-Content-Type-Options"] == "nosniff")
    }

    @Test("A malformed request is answered with its status, and the connection closed behind it")
    func malformed() {
        for (text, status) in [
            ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET / HTTP/3.0\r\n\r\n", 505),
            ("GET /\(String(repeating: "a", count: 9_000))", 414),
            ("GET / HTTP/1.1\r\n\(ServerFixture.hostLine)X: \(String(repeating: "a", count: 40_000))", 431),
            ("POST / HTTP/1.1\r\n\(ServerFixture.hostLine)Transfer-Encoding: gzip\r\n\r\n", 501),
        ] {
            var fixture = ServerFixture()
            let id = fixture.open()
            fixture.handle(.received(id, Array(text.utf8)))
            fixture.handle(.received(id, Array("GET /app.js HTTP/1.1\r\n\(ServerFixture.hostLine)\r\n".utf8)))
            fixture.flush(id)
            let reply = fixture.reply(id)
            #expect(reply.status == status)
            #expect(reply.fields["Connection"] == "close")
            #expect(fixture.closed == [id])
            #expect(fixture.count { if case .send = $0 { true } else { false } } == 1)
        }
    }
}
