import Core
import HTTP1
import LocalServer
import Testing

@Suite("What a response must say otherwise on loopback http, and what old servers may send (S7)")
struct ProxyRewritingTests {
    @Test(
        "A query goes up byte for byte as browsers send it; a backslash in the path is refused (HT-P14)",
        arguments: [#"\"#, "|", "^", "`", "{", "}", "[", "]"])
    func query(byte: String) throws {
        var proxy = try ProxyFixture("http://api.example.com/v1")
        proxy.say(
            ProxyFixture.head(
                "GET /api/x?a=\(byte)b&\(byte)", ["Referer: http://localhost:12308/u?\(byte)"]))
        proxy.connect()
        #expect(proxy.lines[0] == "GET /v1/api/x?a=\(byte)b&\(byte) HTTP/1.1")
        #expect(proxy.lines.contains("Referer: http://api.example.com/v1/u?\(byte)"))
        var path = try ProxyFixture()
        path.say(ProxyFixture.head(#"GET /api/\x?y"#))
        path.fixture.flush(path.page)
        #expect(path.fixture.reply(path.page).status == 400)
        #expect(path.calls.isEmpty)
    }

    // MARK: - Cookies

    @Test(
        "Without Secure a cookie makes no demand that needs it, so that browsers keep it (HT-X20)",
        arguments: [
            ("a=1; Secure; SameSite=None; Partitioned", "a=1; SameSite=Lax"),
            ("a=1; partitioned ;Secure=1;HttpOnly", "a=1;HttpOnly"),
            ("__Host-a=1; Secure; Path=/", "otalab-__Host-a=1; Path=/"),
            (" __secure-a =b=c; secure", "otalab-__secure-a =b=c"),
            ("__Http-a=; Secure; HttpOnly", "otalab-__Http-a=; HttpOnly"),
            ("__Host-Http-a=1; Secure", "otalab-__Host-Http-a=1"),
            ("__hosts=1; Priority=High", "__hosts=1; Priority=High"), ("a=__Host-b", "a=__Host-b"),
            ("a=1;;HttpOnly", "a=1;;HttpOnly"), ("", ""), ("a=1;Domain=b;Secure;Partitioned", "a=1"),
            // Cookies of this server, and one that would go up under a name that the root did not give it.
            ("otalab-key =1", nil), ("otalab-load=1", nil), ("otalab-__Host-a=1", nil),
            ("otalab-x=1", "otalab-x=1"),
        ] as [(String, String?)])
    func setCookie(line: String, expected: String?) throws {
        let reply = try ProxyFixture.exchange(["Set-Cookie: \(line)"])
        #expect(reply.fields.all("Set-Cookie") == [expected].compactMap { $0 })
    }

    @Test(
        "The remote root gets its cookies under its names (HT-X20)",
        arguments: [
            ("otalab-__Host-a=1", "__Host-a=1"),
            ("b=2;  otalab-__Secure-a=x=y ;c", "b=2;  __Secure-a=x=y ;c"),
            ("otalab-key=no; otalab-__http-a=1; otalab-load=no; otalab-x=2", "__http-a=1; otalab-x=2"),
            ("a=otalab-__Host-b; __Host-c=1", "a=otalab-__Host-b; __Host-c=1"), ("otalab-load=no", nil),
            ("a=1;;otalab-key=2;b", "a=1;;b"),
        ] as [(String, String?)])
    func cookies(line: String, expected: String?) throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x", ["Cookie: \(line)"]))
        proxy.connect()
        #expect(
            proxy.lines.filter { $0.hasPrefix("Cookie: ") }
                == [expected.map { "Cookie: " + $0 }].compactMap { $0 })
    }

    @Test(
        "The base is removed from a cookie's path; one that no request reaches is dropped (HT-X21)",
        arguments: [
            ("a=1; Path=/v1/b/c", "a=1; Path=/c"), ("a=1; path = /v1/b", "a=1; Path=/"),
            ("a=1; Path=/v1/b/;HttpOnly", "a=1; Path=/;HttpOnly"), ("a=1; Path=/v1", "a=1; Path=/"),
            ("a=1; Path=/", "a=1; Path=/"), ("a=1; Path=/v1/", "a=1; Path=/"), ("a=1", "a=1"),
            ("a=1; Path=", "a=1; Path="), ("a=1; Path=x", "a=1; Path=x"), ("a=1; Path=/v", nil),
            ("a=1; Path=/v1/bc", nil), ("a=1; Path=/other", nil),
        ] as [(String, String?)])
    func cookiePath(line: String, expected: String?) throws {
        let reply = try ProxyFixture.exchange(
            ["Set-Cookie: \(line)"], root: "http://api.example.com/v1/b/")
        #expect(reply.fields.all("Set-Cookie") == [expected].compactMap { $0 })
        #expect(try ProxyFixture.exchange(["Set-Cookie: \(line)"]).fields["Set-Cookie"] != nil)
    }

    // MARK: - URLs

    @Test(
        "References below the remote root name the same resource here, others stay absolute (HT-X21)",
        arguments: [
            ("/v1/x?y#z", "/x?y#z"), ("/v1", "/"), ("/v1?x", "/?x"), ("https://api.example/v1/x", "/x"),
            ("HTTPS://API.example:443/v1/x?y", "/x?y"), ("//api.example/v1/x", "/x"),
            ("/v1/a/%2e/b/../c", "/a/c"), ("/v1/a/..", "/"),
            // Outside the base.
            ("/other?q=/v1/", "https://api.example/other?q=/v1/"), ("/v10/x", "https://api.example/v10/x"),
            ("/v1/../admin", "https://api.example/admin"), ("/v1/.%2E/admin", "https://api.example/admin"),
            ("https://api.example", "https://api.example/"), ("/", "https://api.example/"),
            // Another origin.
            ("http://api.example/v1/x", "http://api.example/v1/x"),
            ("https://api.example:8443/v1/x", "https://api.example:8443/v1/x"),
            ("https://api.example.evil/v1/x", "https://api.example.evil/v1/x"),
            ("https://u@api.example/v1/x", "https://u@api.example/v1/x"),
            ("//evil.example/v1/x", "https://evil.example/v1/x"), ("app:/v1/x", "app:/v1/x"),
            // Relative to the request's path.
            ("y?z", "y?z"), ("?z", "?z"), ("#z", "#z"), ("", ""), ("../y", "/api/y"), ("./y", "/api/a/y"),
            ("../../../y", "https://api.example/y"), ("../../../v1/y", "/y"), ("a:b", "a:b"),
            // Never a path that a browser takes for a host.
            ("/v1//evil.example/x", "/.//evil.example/x"), (#"/v1/\evil.example"#, #"/./\evil.example"#),
            ("https://api.example/v1//evil.example", "/.//evil.example"),
        ])
    func references(reference: String, expected: String) throws {
        let reply = try ProxyFixture.exchange(
            ["Location: \(reference)", "content-location: \(reference)"],
            root: "https://api.example/v1/", status: "302 Found")
        #expect(reply.fields.all("Location") == [expected])
        #expect(reply.fields.all("Content-Location") == [expected])
    }

    @Test(
        "Without a base only URLs of the remote root itself change (HT-X21)",
        arguments: [
            ("/x/../y", "/x/../y"), ("../y", "../y"), ("https://api.example/x/../y?z", "/x/../y?z"),
            ("https://api.example", "/"), ("https://api.example?x", "/?x"), ("//api.example/x", "/x"),
            ("https://api.example//evil.example", "/.//evil.example"),
            ("https://other.example/x", "https://other.example/x"),
            ("//other.example/x", "https://other.example/x"), ("/caf\u{e9}", "/caf\u{e9}"),
        ])
    func referencesWithoutBase(reference: String, expected: String) throws {
        let reply = try ProxyFixture.exchange(["Location: \(reference)"], root: "https://api.example")
        let got = reply.fields["Location"]?.unicodeScalars.map(\.value)
        #expect(got == expected.utf8.map(UInt32.init), "a value has one scalar for each byte")
    }

    // MARK: - Fields

    @Test("Clear-Site-Data would delete this server's key, so it is dropped (HT-X22)")
    func siteData() throws {
        let reply = try ProxyFixture.exchange([
            "clear-site-data: \"cookies\"", "X-A: 1", "Clear-Site-Data: *",
        ])
        #expect(!reply.fields.contains("Clear-Site-Data"))
        #expect(reply.fields["X-A"] == "1")
    }

    @Test("A response without Date gets one, where the server has a clock (HT-X23)")
    func date() throws {
        let clock = WallClock(seconds: 784_111_777, at: .zero)
        for (field, wallClock, expected) in [
            ("", clock, ["Sun, 06 Nov 1994 08:49:40 GMT"]),
            ("date: Mon, 07 Nov 1994 08:49:37 GMT\r\n", clock, ["Mon, 07 Nov 1994 08:49:37 GMT"]),
            ("", nil, []),
        ] as [(String, WallClock?, [String])] {
            for status in ["200 OK", "500 Broken"] {
                var proxy = try ProxyFixture(wallClock: wallClock)
                proxy.say(ProxyFixture.head("GET /api/x"))
                proxy.connect()
                proxy.fixture.now = .zero + .seconds(3)
                proxy.answer("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\(field)\r\n")
                #expect(proxy.fixture.reply(proxy.page).fields.all("Date") == expected)
            }
        }
    }

    @Test("A name with _ that is another spelling of a dropped field's is dropped (HT-X24)")
    func lookalikes() throws {
        var proxy = try ProxyFixture()
        proxy.say(
            ProxyFixture.head(
                "POST /api/x",
                [
                    "Content-Length: 1", "Content_Length: 9", "transfer_encoding: chunked",
                    "X_Forwarded_For: 1.2.3.4", "X-Forwarded_Host: evil", "X_Real_IP: 1", "Keep_Alive: 1",
                    "Proxy_Authorization: p", "HTTP2_Settings: a", "Connection: keep-alive, x-hop",
                    "X_Hop: 1", "X_Own: 1", "Content_Type: a/b",
                ]) + "a")
        proxy.connect()
        #expect(
            proxy.lines == [
                "POST /api/x HTTP/1.1", "Host: api.example.com", "X_Own: 1", "Content_Type: a/b",
                "Content-Length: 1", "Connection: close", "", "a",
            ])
    }

    @Test(
        "LF without CR and blanks before a colon are read, and never passed on (HT-X25)",
        arguments: [
            "HTTP/1.1 200 OK\nContent-Length : 2\nX-A\t: 1\n\nok",
            "HTTP/1.1 200 OK\nTransfer-Encoding : chunked\nX-A: 1\n\n1 ; a\no\n1\nk\n0\nX : y\n\n",
        ])
    func tolerance(answer: String) throws {
        var proxy = try ProxyFixture()
        proxy.say(ProxyFixture.head("GET /api/x"))
        proxy.connect()
        for byte in answer.unicodeScalars { proxy.answer(String(byte)) }
        #expect(proxy.received.contains("\r\nX-A: 1\r\n"))
        #expect(!proxy.received.replacing("\r\n", with: "").contains("\n"))
        let reply = proxy.fixture.reply(proxy.page)
        #expect(reply.status == 200 && reply.text == "ok" && reply.isWhole)
        for request in ["GET /api/x HTTP/1.1\n", "GET /api/x HTTP/1.1\r\nX : y\r\n"] {
            var page = try ProxyFixture()
            page.say(request + ServerFixture.hostLine + ServerFixture.keyLine + "\r\n")
            page.fixture.flush(page.page)
            #expect(page.fixture.reply(page.page).status == 400 && page.calls.isEmpty)
        }
    }
}
