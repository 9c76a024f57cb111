import Core
import Testing
import Updater

@testable import AppHost

@Suite("Web processes that die (R11), in the first web view and beside it")
struct WebProcessTests {
    private func loads(_ fixture: HostFixture) -> [(view: WebViewID, url: String)] {
        fixture.effects.compactMap { if case .load(let view, let url) = $0 { (view, url) } else { nil } }
    }

    private func opened() throws -> (fixture: HostFixture, side: WebViewID) {
        var fixture = try HostFixture()
        try fixture.launch()
        _ = fixture.show()
        let side = WebViewID(1)
        fixture.handle(.webView(side, .navigating(.other, url: "http://localhost:12308/help?of=7")))
        let (target, got) = fixture.open("/help?of=7")
        #expect(got.text == "<p>v1</p>" && fixture.host.webViews.all.contains { $0.id == side })
        fixture.handle(.webView(side, .committed(url: "http://localhost:12308" + target)))
        fixture.effects = []
        return (fixture, side)
    }

    @Test("A page beside the first is loaded again where it was, and the first one is left alone")
    func beside() throws {
        var (fixture, side) = try opened()
        fixture.handle(.webView(side, .webProcessDied))
        #expect(loads(fixture).map(\.view) == [side])
        #expect(LinkText.target(of: loads(fixture)[0].url) == "/help?of=7")
    }

    @Test("In background none is loaded; on return each is, once, and waits for the socket where it must")
    func inBackground() throws {
        var (fixture, side) = try opened()
        fixture.handle(.background)
        fixture.handle(.suspended)
        fixture.handle(.resumed)
        for view in [side, .first] { fixture.handle(.webView(view, .webProcessDied)) }
        #expect(loads(fixture).isEmpty)
        fixture.handle(.foreground)
        #expect(loads(fixture).map(\.view) == [.first, side])
    }

    @Test("A death before the first commit is the death of the load that was answered")
    func beforeCommit() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        let (_, got) = fixture.open(fixture.start)
        #expect(got.text == "<p>v1</p>" && loads(fixture).count == 1)
        fixture.handle(.webView(.first, .webProcessDied))
        #expect(loads(fixture).count == 2)
    }

    @Test("A death while a document of another server is in front is none of the start's page (R3)")
    func behindAnotherServer() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        _ = fixture.show()
        fixture.effects = []
        for _ in 1...2 {
            fixture.handle(.webView(.first, .committed(url: "http://localhost:12308/api/session")))
            fixture.handle(.webView(.first, .webProcessDied))
        }
        #expect(loads(fixture).count == 2, "the app is loaded again each time")
        let failures = fixture.effects.filter {
            if case .log(let entry) = $0 { entry.cause == .startFailedWebProcess } else { false }
        }
        #expect(failures.isEmpty)
    }
}
