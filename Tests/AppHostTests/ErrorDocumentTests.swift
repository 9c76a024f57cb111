import Core
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("A document that an error has replaced")
struct ErrorDocumentTests {
    private static let key = VersionKey(id: "v1", digest: Digest256(1, 2, 3, 4))
    private var views = WebViewTable()

    private mutating func show(_ load: UInt64) {
        _ = views.answer(PageLoadToken(load), with: Self.key, in: .first)
        _ = views.commit(PageLoadToken(load), in: .first)
    }

    @Test("With the commit of the error its load ends, and those of documents that were never shown")
    mutating func ends() {
        show(1)
        #expect(views.commitError(in: .first) == nil, "no error is due")
        _ = views.answer(PageLoadToken(2), with: Self.key, in: .first)
        views.answerWithError(in: .first)
        #expect(views.commitError(in: .first) == [PageLoadToken(1), PageLoadToken(2)])
        #expect(views.first.load == nil && views.first.version == nil && views.first.uncommitted.isEmpty)
        #expect(views.commitError(in: .first) == nil, "it has come")
    }

    @Test("A document may live on behind that of an error")
    mutating func livesOn() {
        show(1)
        views.answerWithError(in: .first)
        #expect(views.moveToBackground(in: .first, for: nil) == nil)
        #expect(views.commitError(in: .first) == [])
        #expect(views.first.load == nil && views.first.isInBackground(PageLoadToken(1)))
    }

    @Test("R6: a document of the remote root replaces a page: that one is left, or ended")
    func remoteDocument() throws {
        for isKept in [true, false] {
            var fixture = try HostFixture()
            try fixture.launch()
            _ = fixture.show()
            let load = try #require(fixture.host.webViews.first.load)
            // What is loaded before any page has a load, as `about:blank`, replaces none.
            fixture.handle(.webView(.first, .committed(url: "about:blank")))
            #expect(fixture.host.webViews.first.load == load)
            let url = "http://localhost:12308/api/"
            fixture.handle(
                .webView(.first, isKept ? .committedKeepingPrevious(url: url) : .committed(url: url)))
            #expect(fixture.host.webViews.first.load == nil)
            #expect(fixture.host.webViews.first.isInBackground(load) == isKept)
            #expect(fixture.screen == .page)
        }
    }

    @Test(
        "R13: the content of another server's document is due; where its process dies, the start page comes",
        arguments: ["http://localhost:12308/api/x?otalab-load=", "http://localhost:12308/api/elsewhere#"])
    func elsewhere(address: String) throws {
        for isShown in [true, false] {
            var fixture = try HostFixture()
            let pattern = try #require(RoutePattern("/api/**"))
            fixture.routes = RouteTable([RouteEntry(pattern, .handler("api"))])
            try fixture.launch(link: "/api/x")
            let load = try #require(DocumentURL.load(fixture.start))
            _ = fixture.open(fixture.start)
            fixture.handle(.webView(.first, .committed(url: address + load.text)))
            if isShown { fixture.handle(.webView(.first, .contentShown)) }
            fixture.wait(.seconds(19))
            #expect(fixture.screen == (isShown ? .page : .cover))
            fixture.wait(.seconds(1))
            #expect(fixture.screen == (isShown ? .page : .recovery))
            if !isShown { fixture.handle(.webView(.first, .contentShown)) }
            #expect(fixture.screen == .page, "content removes the screen")
            fixture.handle(.webView(.first, .webProcessDied))
            #expect(fixture.start.hasPrefix("/?otalab-key="))
        }
    }

    @Test("T4: the error of the first web view is covered, that of another one covers nothing")
    func covered() throws {
        for view in [WebViewID.first, WebViewID(1)] {
            var fixture = try HostFixture()
            try fixture.launch()
            _ = fixture.show()
            var host = fixture.host
            host.webViews.add(view)
            host.webViews.answerWithError(in: view)
            let commit = AppHost.Event.webView(view, .committed(url: "http://localhost:12308/"))
            let effects = host.handle(commit, at: fixture.now, disk: &fixture.disk)
            #expect(effects.contains(.screen(.cover)) == (view == .first))
        }
    }

    @Test("A page that is answered or shown after an error is a page like any other")
    mutating func thenAPage() {
        show(1)
        views.answerWithError(in: .first)
        show(2)
        #expect(views.first.load == PageLoadToken(2) && views.first.version == Self.key)
        views.answerWithError(in: .first)
        _ = views.answer(PageLoadToken(3), with: Self.key, in: .first)
        #expect(views.commitError(in: .first) == nil, "the error was aborted for this page")
        #expect(views.commit(PageLoadToken(3), in: .first) == [PageLoadToken(2)])
    }
}
