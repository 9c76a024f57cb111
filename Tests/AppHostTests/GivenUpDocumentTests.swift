import Core
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("A document that a web view requests and gives up")
struct GivenUpDocumentTests {
    /// The first page is shown, with content.
    private func opened() throws -> (fixture: HostFixture, target: String) {
        var fixture = try HostFixture()
        try fixture.launch()
        let target = fixture.show().target
        #expect(fixture.screen == .page)
        return (fixture, target)
    }

    private func address(_ target: String) -> String { "http://localhost:12308" + target }

    private func log(_ fixture: HostFixture, _ cause: String) -> Bool {
        fixture.effects.contains { effect in
            if case .log(let entry) = effect { entry.cause.rawValue == cause } else { false }
        }
    }

    @Test("T4, R13: the page in front is uncovered again, and has its address, where its link is given up")
    func link() throws {
        var (fixture, _) = try opened()
        let target = fixture.host.webViews.first.target
        let got = fixture.ask("/items/7", isDocument: true)
        #expect(got.status == 307 && fixture.screen == .cover)
        #expect(fixture.host.webViews.first.target == "/items/7")
        fixture.handle(.connection(got.connection, .finished))
        #expect(fixture.screen == .page && fixture.host.webViews.first.target == target)
        fixture.wait(.minutes(1))
        #expect(fixture.screen == .page && !log(fixture, "no-content-shown"))
    }

    @Test("A document that comes all the same is shown")
    func comesAllTheSame() throws {
        var (fixture, _) = try opened()
        let got = fixture.ask("/items/7", isDocument: true)
        fixture.handle(.connection(got.connection, .closed(nil)))
        #expect(fixture.screen == .page)
        let target = try #require(got.fields["Location"])
        #expect(fixture.ask(target, isDocument: true).status == 200)
        fixture.handle(.webView(.first, .committed(url: address(target))))
        #expect(fixture.screen == .cover)
        fixture.handle(.webView(.first, .contentShown))
        #expect(fixture.screen == .page)
    }

    @Test("Of two requests the end of the older one changes nothing")
    func newest() throws {
        var (fixture, _) = try opened()
        let old = fixture.ask("/items/7", isDocument: true)
        let new = fixture.ask("/items/8", isDocument: true)
        fixture.handle(.connection(old.connection, .closed(nil)))
        #expect(fixture.screen == .cover && fixture.host.webViews.first.target == "/items/8")
        fixture.handle(.connection(new.connection, .closed(nil)))
        #expect(fixture.screen == .page)
    }

    /// A page is in front and has not shown content yet.
    private func withoutContent() throws -> HostFixture {
        var fixture = try HostFixture()
        try fixture.launch()
        let target = fixture.open(fixture.start).target
        fixture.handle(.webView(.first, .committed(url: address(target))))
        return fixture
    }

    @Test("R13: a page that the host requests stays covered where its request ends, and R9's screen follows")
    func ofTheHost() throws {
        var (fixture, _) = try opened()
        fixture.handle(.openLink("/a"))
        let got = fixture.ask(fixture.start, isDocument: true)
        #expect(got.status == 307)
        let document = fixture.ask(try #require(got.fields["Location"]), isDocument: true)
        #expect(document.status == 200)
        fixture.handle(.connection(got.connection, .closed(nil)))
        #expect(fixture.screen == .cover)
        fixture.wait(.seconds(21))
        #expect(fixture.screen == .recovery)
    }

    @Test("R13: a page without content has its time anew where the next one is given up")
    func timeAnew() throws {
        var fixture = try withoutContent()
        fixture.wait(.seconds(15))
        let got = fixture.ask("/items/7", isDocument: true)
        fixture.wait(.seconds(4))
        fixture.handle(.connection(got.connection, .closed(nil)))
        #expect(fixture.screen == .cover)
        fixture.wait(.seconds(19))
        #expect(fixture.screen == .cover)
        fixture.wait(.seconds(2))
        #expect(fixture.screen == .recovery)
        fixture.handle(.webView(.first, .contentShown))
        #expect(fixture.screen == .page)
    }

    @Test("Content that the page in front shows while another is awaited counts when that one is given up")
    func contentMeanwhile() throws {
        var fixture = try withoutContent()
        let got = fixture.ask("/items/7", isDocument: true)
        fixture.handle(.webView(.first, .contentShown))
        #expect(fixture.screen == .cover)
        fixture.handle(.connection(got.connection, .closed(nil)))
        #expect(fixture.screen == .page)
    }

    @Test("A page whose web process has died is not uncovered")
    func dead() throws {
        var (fixture, _) = try opened()
        let got = fixture.ask("/items/7", isDocument: true)
        fixture.handle(.webView(.first, .webProcessDied))
        fixture.handle(.connection(got.connection, .closed(nil)))
        #expect(fixture.screen == .cover)
    }

    @Test("R3, R4: a switch whose page never came fails no start, however long the page before is shown")
    func switchNotShown() throws {
        var (fixture, first) = try opened()
        fixture.offered = HostFixture.Version("v2", 2)
        let link = fixture.open("/items/7").target
        fixture.handle(.webView(.first, .committedKeepingPrevious(url: address(link))))
        fixture.handle(.webView(.first, .contentShown))
        fixture.handle(.foreground)
        _ = fixture.call(#"{"call":"checkForUpdates"}"#, from: link)
        fixture.wait(.seconds(5))
        fixture.handle(.webView(.first, .navigating(.reload, url: "")))
        let document = fixture.open(link, isReload: true).1
        #expect(document.text.contains("v2"))
        let loads = fixture.count { if case .load = $0 { true } else { false } }
        fixture.handle(.webView(.first, .committedKeepingPrevious(url: address(first))))
        fixture.handle(.webView(.first, .contentShown))
        fixture.wait(.minutes(1))
        #expect(fixture.screen == .page)
        #expect(!log(fixture, "start-failed-by-clock") && !log(fixture, "no-content-shown"))
        #expect(fixture.count { if case .load = $0 { true } else { false } } == loads)
    }
}
