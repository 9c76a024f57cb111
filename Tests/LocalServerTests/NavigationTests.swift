import Core
import HTTP1
import LocalServer
import Testing

@Suite("Documents: each navigation is a page load of its own, pinned to one version (S1, S3)")
struct NavigationTests {
    @Test("The start URL becomes a URL without the key; the key becomes a cookie no script can read (S6)")
    func start() throws {
        var desk = Desk()
        desk.cookies = [:]
        let token = PageLoadToken(77)
        desk.tokens = [token]
        desk.tell(.announced(token))
        let first = desk.ask("/?otalab-key=\(Desk.key)&otalab-load=\(token.text)", Desk.document)
        #expect(first.status == 307)
        #expect(first.location == "/?otalab-load=\(token.text)")
        let cookie = try #require(first.fields["Set-Cookie"])
        #expect(cookie == "otalab-key=\(Desk.key); Path=/; HttpOnly; SameSite=Strict")
        #expect(desk.count { if case .navigationAsked = $0 { true } else { false } } == 0)
        let second = desk.ask(try #require(first.location), Desk.document)
        #expect(second.status == 200)
        #expect(second.text == "<p>v1</p>")
        #expect(second.fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(second.fields["Cache-Control"] == "no-cache")
        #expect(desk.cookies["otalab-load"] == token.text)
        #expect(desk.log.contains(.indexServed(token)))
        #expect(desk.log.contains(.sending(token, true)) && desk.log.contains(.sending(token, false)))
    }

    @Test("A navigation without a token is asked of the host and sent on to a URL with a fresh one")
    func fresh() {
        var desk = Desk()
        let (reply, load) = desk.navigate("/account/7?tab=2")
        #expect(reply.text == "<p>v1</p>")
        #expect(load != nil)
        #expect(desk.count { if case .navigationAsked = $0 { true } else { false } } == 1)
        let asked = desk.log.compactMap { effect in
            if case .navigationAsked(let navigation) = effect { navigation } else { nil }
        }
        #expect(asked.first?.target == "/account/7?tab=2")
        #expect(asked.first?.token == nil)
    }

    @Test("A reload of a used token is asked again, with that token, and told to be a reload")
    func reload() throws {
        var desk = Desk()
        let (_, load) = desk.navigate("/")
        let first = try #require(load)
        desk.site = Desk.v2
        let (reply, next) = desk.navigate("/?otalab-load=\(first.text)", ["Cache-Control: max-age=0"])
        #expect(reply.text == "<p>v2</p>")
        #expect(next != first)
        let asked = desk.log.compactMap { effect in
            if case .navigationAsked(let navigation) = effect { navigation } else { nil }
        }
        #expect(asked.last?.token == first)
        #expect(asked.last?.isReload == true)
        #expect(asked.first?.isReload == false)
        #expect(asked.last?.target == "/", "the host never sees this server's own items")
    }

    @Test("A switch between the redirect and the second request changes nothing: the answer was given")
    func pinnedAtTheAnswer() throws {
        var desk = Desk()
        let redirect = desk.ask("/", Desk.document)
        desk.site = Desk.v2
        desk.tell(.current(Desk.v2))
        let reply = desk.ask(try #require(redirect.location), Desk.document)
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
        var desk = Desk()
        var reply = desk.ask(target, fields)
        if reply.status == 307 { reply = desk.ask(try #require(reply.location), fields) }
        #expect(reply.status == status)
        if let text { #expect(reply.text == text) }
    }

    @Test("HEAD learns the index's head without being a page load (HT-C1)")
    func head() {
        var desk = Desk()
        let reply = desk.ask("/account", Desk.document, method: "HEAD")
        #expect(reply.status == 200)
        #expect(reply.fields["Content-Length"] == "9")
        #expect(reply.body.isEmpty)
        #expect(desk.count { if case .navigationAsked = $0 { true } else { false } } == 0)
        #expect(desk.disk.opened.isEmpty)
    }

    @Test("Nothing can be shown: 503 with a plain sentence, and the connection goes on")
    func unavailable() {
        var desk = Desk()
        desk.hostAnswers = false
        let id = desk.open()
        let text =
            "GET / HTTP/1.1\r\n\(Desk.hostLine)\(Desk.keyLine)Sec-Fetch-Dest: document\r\n\r\n"
        desk.tell(.received(id, Array(text.utf8)))
        #expect(desk.outbox[id] == nil, "the answer waits for the host")
        desk.tell(.answerNavigation(LocalServer.NavigationID(1), .unavailable))
        desk.flush(id)
        let reply = desk.reply(id)
        #expect(reply.status == 503)
        #expect(reply.fields["Cache-Control"] == "no-store")
        #expect(reply.fields["Connection"] == nil)
    }

    @Test("An answer for a navigation whose connection is gone is dropped")
    func gone() {
        var desk = Desk()
        desk.hostAnswers = false
        let id = desk.open()
        let text =
            "GET / HTTP/1.1\r\n\(Desk.hostLine)\(Desk.keyLine)Sec-Fetch-Dest: document\r\n\r\n"
        desk.tell(.received(id, Array(text.utf8)))
        desk.tell(.closed(id, nil))
        #expect(
            desk.tell(.answerNavigation(LocalServer.NavigationID(1), .page(PageLoadToken(9), Desk.v1)))
                .isEmpty)
        #expect(desk.disk.open.isEmpty)
    }

    @Test("An index that can't be read is told, is no start, and is not half sent (R10)")
    func unreadableIndex() throws {
        var desk = Desk()
        let path = DiskPath(.data, "v1/index.html")
        desk.disk.failing[path] = .inputOutput
        let (reply, load) = desk.navigate("/")
        #expect(reply.status == 500)
        let error = DiskError(.inputOutput, .open, path)
        #expect(desk.log.contains(.readFailed(site: "v1", path, error)))
        #expect(!desk.log.contains(.indexServed(try #require(load))))
        desk.disk.failing = [:]
        desk.disk.files[path] = Array("<p>".utf8)
        #expect(desk.navigate("/").reply.status == 500, "a file of another length than accepted is damaged")
        #expect(desk.disk.open.isEmpty)
    }

    @Test("A redirect leads to a path of this server, whatever the path looks like (HT-F7)")
    func noOpenRedirect() {
        var desk = Desk()
        for target in ["//evil.com", "//evil.com/..", "/%2f/evil.com", "/\\evil.com", "/.//evil.com", "///"] {
            let reply = desk.ask(target, Desk.document)
            #expect(reply.status == 404 || reply.status == 400, "\(target)")
            #expect(reply.location == nil)
        }
    }
}
