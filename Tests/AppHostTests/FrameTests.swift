import Core
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("S1, S3: a frame of an old web view, which sends no Sec-Fetch fields, is no page")
struct FrameTests {
    private let own = "http://localhost:12308"

    /// A page of v1 in front, with v2 pending; the web view announces each document that it requests.
    private func shown(announces: Bool = true) throws -> (HostFixture, page: String) {
        var fixture = try HostFixture(embeds: version("v1", 1))
        fixture.announcesDocuments = announces
        fixture.sendsFetchMetadata = false
        fixture.offered = version("v2", 2)
        try fixture.launch()
        let (page, got) = fixture.show()
        #expect(got.text == "<p>v1</p>")
        fixture.wait(.seconds(60))
        let hasPending = fixture.effects.contains { effect in
            if case .status(let status) = effect { status.pending != nil } else { false }
        }
        #expect(hasPending)
        return (fixture, page)
    }

    private func version(_ id: String, _ serial: Int) -> HostFixture.Version {
        var version = HostFixture.Version(id, serial)
        version.files.append(("/help.html", Array("<p>help of \(id)</p>".utf8)))
        return version
    }

    private func loads(_ fixture: HostFixture) -> Int {
        fixture.count { if case .pageLoad = $0 { true } else { false } }
    }

    @Test("What no view announced is a frame's: the page's version answers it, under the page's load")
    func frame() throws {
        var (fixture, page) = try shown()
        let before = loads(fixture)
        let (target, got) = fixture.open("/help.html", referer: page)
        #expect(got.status == 200 && got.text == "<p>help of v1</p>")
        #expect(DocumentURL.load(own + target) == DocumentURL.load(own + page))
        #expect(loads(fixture) == before && fixture.screen == .page)
        // Again, as the reload of a frame.
        let again = fixture.ask(target, referer: page, isDocument: true, isReload: true)
        #expect(again.status == 200 && loads(fixture) == before)
        #expect(fixture.host.webViews.first.load == DocumentURL.load(own + page))
    }

    @Test("A frame never gets the index: its address has a file or 404", arguments: ["/", "/cart"])
    func frameWithoutFile(target: String) throws {
        var (fixture, page) = try shown()
        let before = loads(fixture)
        #expect(fixture.open(target, referer: page).1.status == 404)
        #expect(loads(fixture) == before && fixture.screen == .page)
    }

    @Test("A view that announces its documents is answered as before, each kind by its rule (U6)")
    func announced() throws {
        var (fixture, page) = try shown()
        let plain = "/?from=list"
        fixture.handle(.webView(.first, .navigating(.link, url: own + plain)))
        let (linked, link) = fixture.open(plain)
        #expect(link.text == "<p>v1</p>")
        #expect(DocumentURL.load(own + linked) != DocumentURL.load(own + page))
        fixture.handle(.webView(.first, .committed(url: own + linked)))
        fixture.handle(.webView(.first, .contentShown))
        fixture.handle(.webView(.first, .navigating(.reload, url: own + linked)))
        #expect(fixture.open(linked, isReload: true).1.text == "<p>v2</p>")
    }

    @Test("A platform that does not say why: Cache-Control distinguishes a reload from a link (U6)")
    func unknownKind() throws {
        var (fixture, page) = try shown()
        fixture.handle(.webView(.first, .navigating(.unknown, url: own + "/?a")))
        #expect(fixture.open("/?a").1.text == "<p>v1</p>")
        fixture.handle(.webView(.first, .navigating(.unknown, url: own + page)))
        #expect(fixture.open(page, isReload: true).1.text == "<p>v2</p>")
    }

    @Test("A kind that was announced for the address stands, whatever the request says")
    func knownKind() throws {
        var (fixture, page) = try shown()
        fixture.handle(.webView(.first, .navigating(.link, url: own + page)))
        fixture.handle(.webView(.first, .navigating(.unknown, url: own + page)))
        #expect(fixture.open(page, isReload: true).1.text == "<p>v1</p>")
    }

    @Test("A document that a view waits for may be requested again: its connection was lost")
    func sentAgain() throws {
        var (fixture, _) = try shown()
        fixture.handle(.webView(.first, .navigating(.link, url: own + "/?a")))
        let first = fixture.ask("/?a", isDocument: true)
        #expect(first.status == 307)
        fixture.handle(.connection(first.connection, .closed(nil)))
        #expect(fixture.open("/?a").1.status == 200)
    }

    @Test("A frame that the page adds while a link is on its way is still the page's")
    func besideALink() throws {
        var (fixture, page) = try shown()
        fixture.handle(.webView(.first, .navigating(.link, url: own + "/?a")))
        #expect(fixture.open("/help.html", referer: page).1.text == "<p>help of v1</p>")
        let (linked, got) = fixture.open("/?a")
        #expect(got.status == 200 && DocumentURL.load(own + linked) != DocumentURL.load(own + page))
    }

    @Test("A shell that does not announce all keeps what it had: any document is a page")
    func withoutPromise() throws {
        var (fixture, page) = try shown(announces: false)
        let before = loads(fixture)
        _ = fixture.open("/help.html", referer: page)
        #expect(loads(fixture) == before + 1)
    }
}
