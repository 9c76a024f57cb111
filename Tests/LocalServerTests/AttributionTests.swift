import Core
import HTTP1
import LocalServer
import Testing

/// Two versions; the page of v1 is open when the document of v2 is asked for.
@Suite("A request is answered from the version of the page load that sent it (S1)")
struct AttributionTests {
    /// v1 is shown and in use, v2's index has been answered and is not shown yet.
    static func overlap() throws -> (ServerFixture, old: PageLoadToken, new: PageLoadToken) {
        var fixture = ServerFixture()
        let old = try #require(fixture.navigate("/").load)
        fixture.handle(.committed(old))
        fixture.site = ServerFixture.v2
        fixture.handle(.current(ServerFixture.v2))
        let new = try #require(fixture.navigate("/next", [ServerFixture.referer(old)]).load)
        return (fixture, old, new)
    }

    @Test("Late requests of the old page, by Referer, while the cookie is already the new one's")
    func lateByReferer() throws {
        var (fixture, old, new) = try AttributionTests.overlap()
        #expect(fixture.cookies["otalab-load-12308"] == new.text)
        #expect(fixture.part("/app.js", "script", [ServerFixture.referer(old)]).text == "one();")
        #expect(fixture.part("/app.js", "script", [ServerFixture.referer(new)]).text == "two();")
        #expect(fixture.part("/app.js", "script", [ServerFixture.referer(old)]).text == "one();")
    }

    @Test("Late requests of the old page whose URL lost its token (pushState), by the cookie")
    func lateByCookie() throws {
        var (fixture, _, new) = try AttributionTests.overlap()
        let plain = ["Referer: http://localhost:\(ServerFixture.port)/account/7"]
        #expect(
            fixture.part("/app.js", "script", plain).text == "one();", "the new document is not in use yet")
        fixture.handle(.committed(new))
        #expect(fixture.part("/app.js", "script", plain).text == "two();")
    }

    @Test("The new document's first own request says that it is in use, once")
    func seen() throws {
        var (fixture, _, new) = try AttributionTests.overlap()
        #expect(!fixture.log.contains(.seen(new)))
        _ = fixture.part("/app.js", "script", [ServerFixture.referer(new)])
        _ = fixture.part("/app.js", "script", [ServerFixture.referer(new)])
        #expect(fixture.count { $0 == .seen(new) } == 1)
        #expect(
            fixture.part("/app.js", "script").text == "two();", "from now on the cookie is the new load's")
    }

    @Test("Documents that were never shown don't stand between the cookie and the page that asks")
    func abandonedNavigations() throws {
        var (fixture, _, _) = try AttributionTests.overlap()
        _ = fixture.navigate("/a")
        _ = fixture.navigate("/b")
        #expect(fixture.part("/app.js", "script").text == "one();")
    }

    @Test("A document that was never shown and has gone does not stand there either (G2, S1)")
    func goneNavigation() throws {
        var (fixture, _, new) = try AttributionTests.overlap()
        _ = fixture.navigate("/a")
        fixture.handle(.ended(new))
        #expect(fixture.part("/app.js", "script").text == "one();", "the page in front is the old one")
    }

    @Test("A style sheet's URL is given its load's token, so that its font names the load")
    func styleSheet() throws {
        var (fixture, old, _) = try AttributionTests.overlap()
        let redirect = fixture.part("/style.css?x=1", "style", [ServerFixture.referer(old)])
        #expect(redirect.status == 307)
        #expect(redirect.fields["Cache-Control"] == "no-store")
        let sheet = try #require(redirect.location)
        #expect(sheet == "/style.css?x=1&otalab-load=\(old.text)")
        #expect(fixture.part(sheet, "style", [ServerFixture.referer(old)]).text == "@font 1")
        let font = fixture.part(
            "/font.woff2", "font", ["Referer: http://localhost:\(ServerFixture.port)\(sheet)"])
        #expect(font.text == "font of v1")
    }

    @Test(
        "What causes further requests gets its own token; what does not, and a service worker, does not",
        arguments: [
            ("style", "no-cors", true), ("script", "cors", true), ("worker", "same-origin", true),
            ("iframe", "navigate", true), ("script", "no-cors", false), ("image", "no-cors", false),
            ("font", "cors", false), ("serviceworker", "same-origin", false), ("empty", "cors", false),
        ])
    func redirected(destination: String, mode: String, isRedirected: Bool) throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        let fields = [
            "Sec-Fetch-Dest: \(destination)", "Sec-Fetch-Mode: \(mode)", ServerFixture.referer(load),
        ]
        #expect((fixture.ask("/app.js", fields).status == 307) == isRedirected)
    }

    @Test("An old browser without Sec-Fetch: style sheets and modules are known by their extension")
    func withoutSecFetch() throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        #expect(fixture.ask("/style.css", [ServerFixture.referer(load)]).status == 307)
        #expect(fixture.ask("/app.js", [ServerFixture.referer(load)]).status == 200)
    }

    @Test("A token of a load that is over says that the request belongs to none, not that it is the cookie's")
    func endedToken() throws {
        var (fixture, old, new) = try AttributionTests.overlap()
        fixture.handle(.committed(new))
        fixture.handle(.ended(old))
        fixture.handle(.current(ServerFixture.v1))
        #expect(
            fixture.part("/app.js", "script", [ServerFixture.referer(old)]).text == "one();", "from current")
        #expect(fixture.part("/app.js", "script", [ServerFixture.referer(new)]).text == "two();")
    }

    @Test(
        "Nothing names a load: a URL fixed by its hash is answered by whichever version has it, else current")
    func unattributed() throws {
        var (fixture, _, _) = try AttributionTests.overlap()
        fixture.cookies["otalab-load-12308"] = nil
        #expect(fixture.part("/v1.0123abcd.js", "script").text == "fixed(v1);")
        #expect(fixture.part("/v2.0123abcd.js", "script").text == "fixed(v2);")
        #expect(fixture.part("/app.js", "script").text == "two();")
    }

    @Test("A foreign Referer names no load, though it carries a token")
    func foreignReferer() throws {
        var (fixture, old, new) = try AttributionTests.overlap()
        fixture.handle(.committed(new))
        let foreign = "Referer: http://evil.example/?otalab-load=\(old.text)"
        #expect(fixture.part("/app.js", "script", [foreign]).text == "two();", "the cookie decides")
    }

    @Test("A version stays while an answer of its ended load is on its way")
    func endedWhileSending() throws {
        var fixture = ServerFixture()
        let load = try #require(fixture.navigate("/").load)
        let id = fixture.open()
        let text =
            "GET /app.js HTTP/1.1\r\n\(ServerFixture.hostLine)\(ServerFixture.keyLine)\(ServerFixture.referer(load))\r\n\r\n"
        fixture.handle(.received(id, Array(text.utf8)))
        #expect(fixture.log.last { if case .sending = $0 { true } else { false } } == .sending(load, true))
        fixture.handle(.ended(load))
        #expect(fixture.log.last { if case .sending = $0 { true } else { false } } == .sending(load, true))
        #expect(fixture.disk.open.count == 1)
        fixture.flush(id)
        #expect(fixture.log.last { if case .sending = $0 { true } else { false } } == .sending(load, false))
        #expect(fixture.reply(id).text == "one();")
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("Files of the app package belong to no version and are there without one")
    func www() throws {
        var fixture = ServerFixture(www: true, current: nil)
        #expect(fixture.part("/cordova.js", "script").text == "bridge")
        #expect(fixture.part("/app.js", "script").status == 503)
        let load = try #require(fixture.navigate("/").load)
        #expect(fixture.part("/cordova.js", "script", [ServerFixture.referer(load)]).text == "bridge")
        let answers = fixture.log.compactMap { effect in
            if case .answered(let answer) = effect { answer } else { nil }
        }
        #expect(answers.last?.site == "www" && answers.last?.load == nil)
    }
}
