import Core
import Testing
import Updater

@testable import AppHost

@Suite("Links (H4), and the page that a user was at (UX-06, UX-07)")
struct LinkTests {
    private let base = "http://localhost:12308"

    private func opened(_ links: [String] = []) throws -> (HostFixture, String) {
        var fixture = try HostFixture()
        fixture.links = links
        try fixture.launch()
        let (target, got) = fixture.show()
        #expect(got.text == "<p>v1</p>")
        return (fixture, target)
    }

    private func taken(_ fixture: HostFixture) -> [String] {
        fixture.effects.compactMap { if case .openLink(_, let url) = $0 { url } else { nil } }
    }

    @Test(
        "Native code takes over the links that it named, and no others",
        arguments: [
            ("/cart", true), ("/cart?of=7#top", true), ("/cart/7", false), ("/carts", false),
            ("/native/a/b", true), ("/native/", true), ("/native", false), ("/", false),
            ("/items/cart", false),
        ])
    func taken(path: String, isTaken: Bool) throws {
        var (fixture, page) = try opened(["/cart", "/native/*"])
        fixture.handle(.webView(.first, .navigating(.link, url: base + path)))
        #expect(taken(fixture) == (isTaken ? [base + path] : []))
        let answer = fixture.call(#"{"method":"openLink","params":{"url":"\#(path)"},"id":1}"#, from: page)
        #expect(answer.text.contains(#""result":true"#) == isTaken)
        #expect(taken(fixture).count == (isTaken ? 2 : 0))
        #expect(
            fixture.call(#"{"method":"nativeLinks"}"#, from: page).text
                == #"{"method":"nativeLinks","result":["/cart","/native/*"]}"#)
    }

    /// Path and query of the newest address, without items of the host's.
    private func address(_ fixture: HostFixture) -> String? { LinkText.target(of: fixture.address) }

    @Test(
        "What a deep link opened is shown first, over a rescue too, and then the start page is start page again"
    )
    func deepLink() throws {
        var fixture = try HostFixture()
        try fixture.launch(link: "/items/7?tab=2")
        #expect(address(fixture) == "/items/7?tab=2")
        let (target, got) = fixture.show()
        #expect(got.text == "<p>v1</p>" && target.hasPrefix("/items/7?tab=2&otalab-load="))
        fixture.handle(.webView(.first, .webProcessDied))
        #expect(address(fixture) == "/")
    }

    @Test("A first launch keeps its link over the loading screen")
    func overLoading() throws {
        var fixture = try HostFixture(embeds: nil)
        try fixture.launch(link: "/items/7")
        #expect(fixture.screen == .offline && fixture.address.isEmpty)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.user(.retry))
        #expect(address(fixture) == "/items/7")
        #expect(fixture.show().1.text == "<p>v2</p>")
    }

    @Test("A link to the running app is no switch (U6)")
    func running() throws {
        var (fixture, _) = try opened()
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        fixture.handle(.openLink("/items/9"))
        #expect(address(fixture) == "/items/9")
        #expect(fixture.show().1.text == "<p>v1</p>")
    }

    @Test(
        "What is no path of the app is no link",
        arguments: ["", "x", "//evil.example/", "/a\u{0}", "/a/../b"])
    func odd(link: String) throws {
        var (fixture, _) = try opened()
        let before = fixture.address
        fixture.handle(.openLink(link))
        #expect(fixture.address == before)
        var other = try HostFixture()
        try other.launch(link: link)
        #expect(address(other) == "/")
    }

    @Test("A link keeps its fragment, and brings no query items of the server's own")
    func fragment() throws {
        var fixture = try HostFixture()
        try fixture.launch(link: "/items/7?otalab-key=1&tab=2#/end?x")
        #expect(fixture.address.hasPrefix(base + "/items/7?tab=2&otalab-key="))
        #expect(fixture.address.hasSuffix("#/end?x"))
        #expect(!fixture.address.contains("otalab-key=1&"))
        _ = fixture.show()
        fixture.handle(.openLink("/#top"))
        #expect(fixture.address.hasPrefix(base + "/?otalab-key=") && fixture.address.hasSuffix("#top"))
        for link in ["/#\u{7}", "#top", "/a b#top"] {
            fixture.effects = []
            fixture.handle(.openLink(link))
            #expect(fixture.count { if case .load = $0 { true } else { false } } == 0, "\(link)")
            #expect(fixture.count { if case .log = $0 { true } else { false } } == 1, "\(link)")
        }
        var other = try HostFixture()
        try other.launch(link: "x")
        #expect(other.host.report.contains("a%20link%20that%20is%20no%20path"))
    }

    @Test("T4: what the page that is left shows takes no cover away; the document that comes does")
    func coverOfALink() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        let (page, _) = fixture.open(fixture.start)
        fixture.handle(.webView(.first, .committed(url: base + page)))
        let (next, _) = fixture.open("/items/7")
        fixture.handle(.webView(.first, .contentShown))
        #expect(fixture.screen == .cover)
        fixture.handle(.webView(.first, .committed(url: base + next)))
        fixture.handle(.webView(.first, .contentShown))
        #expect(fixture.screen == .page)
        fixture.handle(.openLink("/items/8"))
        fixture.handle(.webView(.first, .contentShown))
        #expect(fixture.screen == .cover, "the host requests the document")
        _ = fixture.show()
        #expect(fixture.screen == .page)
    }

    @Test("H4: a link that native code took over is reported once, although the web view requests it as well")
    func once() throws {
        var (fixture, page) = try opened(["/cart", "/native/*"])
        fixture.handle(.webView(.first, .navigating(.link, url: base + "/cart?of=7#top")))
        #expect(fixture.ask("/cart?of=7", referer: page, isDocument: true).status == 204)
        #expect(taken(fixture) == [base + "/cart?of=7#top"])
        // The next one is another click.
        #expect(fixture.ask("/cart?of=7", referer: page, isDocument: true).status == 204)
        #expect(taken(fixture).count == 2)
        // Another link, and the one from before.
        fixture.handle(.webView(.first, .navigating(.link, url: base + "/cart")))
        fixture.handle(.webView(.first, .navigating(.link, url: base + "/items/7")))
        #expect(fixture.ask("/cart", referer: page, isDocument: true).status == 204)
        #expect(taken(fixture).count == 4)
    }

    @Test("H4: what a script navigates to is native code's too, and the page stays")
    func byScript() throws {
        var (fixture, page) = try opened(["/cart", "/native/*"])
        let got = fixture.ask("/cart?of=7", referer: page, isDocument: true)
        #expect(got.status == 204 && got.text.isEmpty)
        #expect(taken(fixture) == ["/cart?of=7"])
        fixture.handle(.webView(.first, .navigating(.other, url: base + "/native/a")))
        fixture.handle(.webView(.first, .navigating(.form, url: base + "/cart")))
        fixture.handle(.webView(.first, .addressChanged(url: base + "/cart#top")))
        fixture.handle(.openLink("/cart?deep"))
        #expect(
            taken(fixture).dropFirst() == [
                base + "/native/a", base + "/cart", base + "/cart#top", "/cart?deep",
            ])
        fixture.handle(.webView(.first, .navigating(.history, url: base + "/cart")))
        #expect(taken(fixture).count == 5)
        #expect(fixture.ask("/items/7", referer: page, isDocument: true).status == 307)
    }

    @Test(
        "A reload, a step in the history, a load of the host's own and a page's first document stay the app's"
    )
    func notTaken() throws {
        var (fixture, page) = try opened(["/cart", "/"])
        for kind in [AppHost.NavigationKind.reload, .history] {
            fixture.handle(.webView(.first, .navigating(kind, url: base + "/cart")))
            #expect(fixture.ask("/cart", referer: page, isDocument: true).status == 307, "\(kind)")
        }
        let ownLoad = base + "/cart?otalab-load=00000000000000aa"
        fixture.handle(.webView(.first, .navigating(.other, url: ownLoad)))
        #expect(fixture.ask("/cart", referer: page, isDocument: true, isReload: true).status == 307)
        #expect(fixture.ask("/cart" + page.dropFirst(), isDocument: true).status != 204)
        #expect(taken(fixture).isEmpty)
        fixture.handle(.webView(.first, .documentGone(url: base + page)))
        #expect(fixture.ask("/cart", referer: page, isDocument: true).status == 307)
        #expect(taken(fixture).isEmpty, "no page is there that could stay")
    }

    @Test("A link that native code takes over ends what the view announced before")
    func announcedBefore() throws {
        var (fixture, page) = try opened(["/cart"])
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        fixture.handle(.webView(.first, .navigating(.other, url: base + "/items/7")))
        #expect(fixture.ask("/cart", referer: page, isDocument: true).status == 204)
        #expect(fixture.host.webViews.first.announcedNavigation == nil)
    }

    @Test(
        "What a view announced counts for the next document that it requests, shown or not, and for no other"
    )
    func announcedOnce() throws {
        var (fixture, page) = try opened()
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        fixture.handle(.webView(.first, .navigating(.link, url: base + "/items/7")))
        _ = fixture.open("/items/7")
        #expect(fixture.host.webViews.first.announcedNavigation == nil)
        #expect(fixture.host.webViews.first.target == "/items/7")
        #expect(fixture.open(page, isReload: true).1.text == "<p>v2</p>")
    }

    @Test("A reload of a page beside the first, or of another page's address, is no moment to switch (U6)")
    func reloadBeside() throws {
        var (fixture, page) = try opened()
        let side = WebViewID(1)
        fixture.handle(.webView(side, .navigating(.other, url: base + "/help")))
        let (help, _) = fixture.open("/help")
        fixture.handle(.webView(side, .committed(url: base + help)))
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        #expect(fixture.open(help, isReload: true).1.text == "<p>v1</p>")
        fixture.handle(.webView(side, .navigating(.reload, url: base + help)))
        #expect(fixture.open("/help").1.text == "<p>v1</p>")
        let elsewhere = "/?otalab-load=00000000000000aa"
        #expect(fixture.open(elsewhere, isReload: true).1.text == "<p>v1</p>")
        #expect(fixture.open(page).1.text == "<p>v1</p>", "without a sign of a reload it is none")
        #expect(fixture.open(page, isReload: true).1.text == "<p>v2</p>")
    }

    @Test("What a view that is closed announced counts for no other view (U6)")
    func closedView() throws {
        var fixture = try HostFixture(kind: .browser)
        try fixture.launch()
        let (page, _) = fixture.open(fixture.start)
        _ = fixture.ask("/app.js", referer: page)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        _ = fixture.open("/")
        let side = WebViewID(1)
        fixture.handle(.webView(side, .navigating(.link, url: base + "/")))
        fixture.handle(.webView(side, .closed))
        #expect(fixture.open("/", isReload: true).1.text == "<p>v2</p>")
    }

    @Test(
        "A fragment is of visible ASCII; a link with another is none",
        arguments: [("\u{20}", false), ("!", true), ("~", true), ("\u{7f}", false), ("ä", false)])
    func fragmentBorders(character: String, isLink: Bool) throws {
        var (fixture, _) = try opened()
        fixture.effects = []
        fixture.handle(.openLink("/items/7#a" + character))
        #expect(fixture.count { if case .load = $0 { true } else { false } } == (isLink ? 1 : 0))
        #expect(!isLink || fixture.address.hasSuffix("#a" + character))
    }

    @Test("A URL is this app's with its scheme, one of the names of the loopback, and its port")
    func own() {
        for (url, isOwn) in [
            ("http://localhost:12308/a", true), ("http://127.0.0.1:12308", true),
            ("http://[::1]:12308/", true), ("https://localhost:12308/", false),
            ("http://localhost:12309/", false), ("http://localhost/", false), ("/a", false),
            ("http://other.example:12308/", false), ("ftp://localhost:12308/", false),
        ] {
            #expect(LinkText.isOwn(url, port: 12_308) == isOwn, "\(url)")
        }
    }

    @Test("A target is the path and query of a URL with scheme and host, or with neither")
    func targets() {
        for (url, target) in [
            ("http://localhost:1/a?b#c", "/a?b"), ("/a?b&otalab-load=00000000000000aa", "/a?b"), ("/", "/"),
            ("//other.example/a", nil), ("mailto:a@b.example", nil), ("", nil), ("a", nil),
        ] {
            #expect(LinkText.target(of: url) == target, "\(url)")
        }
    }

    @Test("A pattern names a path or the beginning of paths, encoded or not, without query and fragment")
    func patterns() {
        for (pattern, target, fits) in [
            ("/a", "/a", true), ("/a", "/a?b", true), ("/a", "/a#b", true), ("/a", "/ab", false),
            ("/a", "/%61", true), ("/a*", "/%61b", true), ("/a*", "/b", false), ("/*", "/", true),
            ("*", "/x", true), ("/a%20b", "/a%20b", true), ("/a b", "/a%20b", true), ("/a b", "/ab", false),
        ] {
            #expect(LinkText.fits(pattern, target) == fits, "\(pattern) \(target)")
        }
    }

    @Test("The load of a document is the first one in its query, before the fragment")
    func loadOfDocument() {
        let load = PageLoadToken(0xaa)
        for (url, expected) in [
            ("/?otalab-load=00000000000000aa", load), ("/a?b=1&otalab-load=00000000000000aa#c", load),
            ("/?otalab-load=00000000000000aa&otalab-load=00000000000000bb", load), ("/", nil), ("/?", nil),
            ("/?#otalab-load=00000000000000aa", nil), ("/?x-otalab-load=00000000000000aa", nil),
            ("/?otalab-load=aa", nil), ("/?otalab-load=", nil),
        ] {
            #expect(DocumentURL.load(url) == expected, "\(url)")
        }
    }

    @Test("H4: an app opened by a link of native code shows its start page behind that")
    func openedByNativeLink() throws {
        var fixture = try HostFixture()
        fixture.links = ["/cart"]
        try fixture.launch(link: "/cart")
        #expect(taken(fixture) == ["/cart"])
        #expect(address(fixture) == "/")
    }

    @Test(
        "H7: links that leave the routes that are meant for the app are native code's, other sites included",
        arguments: [
            ("/", false), ("/items/7", false), ("/item%73/7", false), ("/help", true), ("/cart", true),
            ("http://localhost:12308/items/7", false), ("https://other.example/items/7", true),
            ("mailto:a@b.example", false),
        ])
    func allowed(url: String, isTaken: Bool) throws {
        var fixture = try HostFixture()
        fixture.links = ["/cart"]
        fixture.allowedRoutes = ["/", "/items/*", "/cart"]
        try fixture.launch()
        let (page, _) = fixture.show()
        fixture.handle(.webView(.first, .navigating(.link, url: url.hasPrefix("/") ? base + url : url)))
        #expect(taken(fixture).isEmpty != isTaken)
        #expect(
            fixture.call(#"{"method":"linkRules"}"#, from: page).text.contains(
                #"{"native":["/cart"],"allowed":["/","/items/*","/cart"]}"#))
    }

    @Test("Links to other sites are the platform's, whatever their path, if no routes are stated")
    func otherSites() throws {
        var (fixture, _) = try opened(["/cart"])
        fixture.handle(.webView(.first, .navigating(.link, url: "https://other.example/cart")))
        fixture.handle(.webView(.first, .navigating(.link, url: "http://localhost:8080/cart")))
        #expect(taken(fixture).isEmpty)
    }

    @Test("G2: a reload of a page whose address does not name its load switches like any other")
    func plainAddress() throws {
        var fixture = try HostFixture(kind: .browser)
        try fixture.launch()
        let (page, _) = fixture.open(fixture.start)
        _ = fixture.ask("/app.js", referer: page)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        #expect(fixture.open("/other", isReload: true).1.text == "<p>v1</p>")
        _ = fixture.open("/")
        #expect(fixture.open("/", isReload: true).1.text == "<p>v2</p>")
    }

    @Test("U6: a reload is one where the page has changed its address since it asked for it")
    func reloadOfTheAddressBefore() throws {
        for changes in [1, 2] {
            var fixture = try HostFixture()
            try fixture.launch()
            _ = fixture.show()
            fixture.offered = HostFixture.Version("v2", 2)
            fixture.handle(.check)
            for change in 1...changes {
                fixture.handle(.webView(.first, .addressChanged(url: base + "/step/\(change)")))
            }
            let got = fixture.open("/", isReload: true).1
            #expect(got.text == (changes == 1 ? "<p>v2</p>" : "<p>v1</p>"), "one address is remembered")
        }
    }

    @Test("A push in background shows the new version at the same address, also one that the page set itself")
    func keepsPlace() throws {
        var (fixture, _) = try opened()
        _ = fixture.show("/items/7?tab=2")
        fixture.handle(
            .webView(.first, .addressChanged(url: base + "/items/8?otalab-load=0123456789abcdef&tab=3#end")))
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.background)
        fixture.handle(.push)
        fixture.wait(.seconds(1))
        #expect(address(fixture) == "/items/8?tab=3" && fixture.address.hasSuffix("#end"))
        #expect(fixture.show().1.text == "<p>v2</p>")
    }

    @Test(
        "A file is not opened again: the next version may not have it; a dot in a folder makes no file",
        arguments: [
            ("/index.html", "/"), ("/a.b/", "/a.b/"), ("/a.b/c", "/a.b/c"), ("/c?d.e", "/c?d.e"),
        ])
    func file(shown: String, next: String) throws {
        var (fixture, _) = try opened()
        _ = fixture.show(shown)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.background)
        fixture.handle(.push)
        fixture.wait(.seconds(1))
        #expect(address(fixture) == next)
    }
}
