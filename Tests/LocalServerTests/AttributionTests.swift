import Core
import HTTP1
import LocalServer
import Testing

/// Two versions; the page of v1 is open when the document of v2 is asked for.
@Suite("A request is answered from the version of the page load that sent it (S1)")
struct AttributionTests {
    /// v1 is shown and in use, v2's index has been answered and is not shown yet.
    static func overlap() throws -> (Desk, old: PageLoadToken, new: PageLoadToken) {
        var desk = Desk()
        let old = try #require(desk.navigate("/").load)
        desk.tell(.committed(old))
        desk.site = Desk.v2
        desk.tell(.current(Desk.v2))
        let new = try #require(desk.navigate("/next", [Desk.referer(old)]).load)
        return (desk, old, new)
    }

    @Test("Late requests of the old page, by Referer, while the cookie is already the new one's")
    func lateByReferer() throws {
        var (desk, old, new) = try AttributionTests.overlap()
        #expect(desk.cookies["otalab-load"] == new.text)
        #expect(desk.part("/app.js", "script", [Desk.referer(old)]).text == "one();")
        #expect(desk.part("/app.js", "script", [Desk.referer(new)]).text == "two();")
        #expect(desk.part("/app.js", "script", [Desk.referer(old)]).text == "one();")
    }

    @Test("Late requests of the old page whose URL lost its token (pushState), by the cookie")
    func lateByCookie() throws {
        var (desk, _, new) = try AttributionTests.overlap()
        let plain = ["Referer: http://localhost:\(Desk.port)/account/7"]
        #expect(desk.part("/app.js", "script", plain).text == "one();", "the new document is not in use yet")
        desk.tell(.committed(new))
        #expect(desk.part("/app.js", "script", plain).text == "two();")
    }

    @Test("The new document's first own request says that it is in use, once")
    func seen() throws {
        var (desk, _, new) = try AttributionTests.overlap()
        #expect(!desk.log.contains(.seen(new)))
        _ = desk.part("/app.js", "script", [Desk.referer(new)])
        _ = desk.part("/app.js", "script", [Desk.referer(new)])
        #expect(desk.count { $0 == .seen(new) } == 1)
        #expect(desk.part("/app.js", "script").text == "two();", "from now on the cookie is the new load's")
    }

    @Test("Documents that were never shown don't stand between the cookie and the page that asks")
    func abandonedNavigations() throws {
        var (desk, _, _) = try AttributionTests.overlap()
        _ = desk.navigate("/a")
        _ = desk.navigate("/b")
        #expect(desk.part("/app.js", "script").text == "one();")
    }

    @Test("A style sheet's URL is given its load's token, so that its font names the load")
    func styleSheet() throws {
        var (desk, old, _) = try AttributionTests.overlap()
        let redirect = desk.part("/style.css?x=1", "style", [Desk.referer(old)])
        #expect(redirect.status == 307)
        #expect(redirect.fields["Cache-Control"] == "no-store")
        let sheet = try #require(redirect.location)
        #expect(sheet == "/style.css?x=1&otalab-load=\(old.text)")
        #expect(desk.part(sheet, "style", [Desk.referer(old)]).text == "@font 1")
        let font = desk.part("/font.woff2", "font", ["Referer: http://localhost:\(Desk.port)\(sheet)"])
        #expect(font.text == "font of v1")
    }

    @Test(
        "What refers to more gets a token of its own; what does not, and a service worker, does not",
        arguments: [
            ("style", "no-cors", true), ("script", "cors", true), ("worker", "same-origin", true),
            ("iframe", "navigate", true), ("script", "no-cors", false), ("image", "no-cors", false),
            ("font", "cors", false), ("serviceworker", "same-origin", false), ("empty", "cors", false),
        ])
    func redirected(destination: String, mode: String, isRedirected: Bool) throws {
        var desk = Desk()
        let load = try #require(desk.navigate("/").load)
        let fields = ["Sec-Fetch-Dest: \(destination)", "Sec-Fetch-Mode: \(mode)", Desk.referer(load)]
        #expect((desk.ask("/app.js", fields).status == 307) == isRedirected)
    }

    @Test("An old browser without Sec-Fetch: style sheets and modules are known by their extension")
    func withoutSecFetch() throws {
        var desk = Desk()
        let load = try #require(desk.navigate("/").load)
        #expect(desk.ask("/style.css", [Desk.referer(load)]).status == 307)
        #expect(desk.ask("/app.js", [Desk.referer(load)]).status == 200)
    }

    @Test("A token of a load that is over says that the request belongs to none, not that it is the cookie's")
    func endedToken() throws {
        var (desk, old, new) = try AttributionTests.overlap()
        desk.tell(.committed(new))
        desk.tell(.ended(old))
        desk.tell(.current(Desk.v1))
        #expect(desk.part("/app.js", "script", [Desk.referer(old)]).text == "one();", "from current")
        #expect(desk.part("/app.js", "script", [Desk.referer(new)]).text == "two();")
    }

    @Test(
        "Nothing names a load: a URL fixed by its hash is answered by whichever version has it, else current")
    func unattributed() throws {
        var (desk, _, _) = try AttributionTests.overlap()
        desk.cookies["otalab-load"] = nil
        #expect(desk.part("/v1.0123abcd.js", "script").text == "fixed(v1);")
        #expect(desk.part("/v2.0123abcd.js", "script").text == "fixed(v2);")
        #expect(desk.part("/app.js", "script").text == "two();")
    }

    @Test("A foreign Referer names nobody, though it carries a token")
    func foreignReferer() throws {
        var (desk, old, new) = try AttributionTests.overlap()
        desk.tell(.committed(new))
        let foreign = "Referer: http://evil.example/?otalab-load=\(old.text)"
        #expect(desk.part("/app.js", "script", [foreign]).text == "two();", "the cookie decides")
    }

    @Test("A version stays while an answer of its ended load is on its way")
    func endedWhileSending() throws {
        var desk = Desk()
        let load = try #require(desk.navigate("/").load)
        let id = desk.open()
        let text =
            "GET /app.js HTTP/1.1\r\n\(Desk.hostLine)\(Desk.keyLine)\(Desk.referer(load))\r\n\r\n"
        desk.tell(.received(id, Array(text.utf8)))
        #expect(desk.log.last { if case .sending = $0 { true } else { false } } == .sending(load, true))
        desk.tell(.ended(load))
        #expect(desk.log.last { if case .sending = $0 { true } else { false } } == .sending(load, true))
        #expect(desk.disk.open.count == 1)
        desk.flush(id)
        #expect(desk.log.last { if case .sending = $0 { true } else { false } } == .sending(load, false))
        #expect(desk.reply(id).text == "one();")
        #expect(desk.disk.open.isEmpty)
    }

    @Test("Files of the app package belong to no version and are there without one")
    func www() throws {
        var desk = Desk(www: true, current: nil)
        #expect(desk.part("/cordova.js", "script").text == "bridge")
        #expect(desk.part("/app.js", "script").status == 503)
        let load = try #require(desk.navigate("/").load)
        #expect(desk.part("/cordova.js", "script", [Desk.referer(load)]).text == "bridge")
        let answers = desk.log.compactMap { effect in
            if case .answered(let answer) = effect { answer } else { nil }
        }
        #expect(answers.last?.site == "www" && answers.last?.load == nil)
    }
}
