import Core
import Testing
import Updater

@testable import AppHost

@Suite("A plain browser in place of the web view")
struct BrowserTests {
    private func opened(embeds: Bool = true) throws -> (HostFixture, String) {
        var fixture = try HostFixture(kind: .browser)
        fixture.offered = HostFixture.Version("v1", 1)
        try fixture.launch()
        let (target, got) = fixture.open(fixture.start)
        #expect(got.text == "<p>v1</p>")
        return (fixture, target)
    }

    private func committed(_ fixture: HostFixture) -> PageLoadToken? { fixture.host.webViews.first.load }

    @Test("S1: a document is there when it asks for something; until then the one before is")
    func commit() throws {
        var (fixture, first) = try opened()
        #expect(committed(fixture) == nil)
        _ = fixture.ask("/app.js", referer: first)
        let one = committed(fixture)
        #expect(one == DocumentURL.load(first))
        let (second, _) = fixture.open(first, isReload: true)
        #expect(committed(fixture) == one)
        _ = fixture.ask("/app.js", referer: second)
        #expect(committed(fixture) == DocumentURL.load(second))
    }

    @Test("T4: a page without a script counts as shown half a second after its last answer, not before")
    func quiet() throws {
        var (fixture, first) = try opened()
        #expect(fixture.screen == .cover)
        fixture.wait(.milliseconds(400))
        _ = fixture.ask("/app.js", referer: first)
        fixture.wait(.milliseconds(400))
        #expect(fixture.screen == .cover)
        fixture.wait(.milliseconds(100))
        #expect(fixture.screen == .page)
        #expect(!fixture.timers.contains { if case .wrapper = $0.name { true } else { false } })
        // Later requests of a shown page set no timer: nothing wakes up for them.
        _ = fixture.ask("/app.js", referer: first)
        #expect(!fixture.timers.contains { if case .wrapper = $0.name { true } else { false } })
    }

    @Test("A page's script reports what a web view would report; in a native app it can't")
    func facts() throws {
        var (fixture, first) = try opened()
        let answer = fixture.call(
            #"{"method":"webView","params":{"event":"contentShown"},"id":1}"#, from: first)
        #expect(answer.text == #"{"method":"webView","result":true,"id":1}"#)
        #expect(fixture.screen == .page)
        let wrong = fixture.call(#"{"method":"webView","params":{"event":"dances"},"id":2}"#, from: first)
        #expect(wrong.text.contains("unknown event"))
        var native = try HostFixture()
        try native.launch()
        let (target, _) = native.open(native.start)
        let refused = native.call(#"{"method":"webView","params":{"event":"touched"},"id":1}"#, from: target)
        #expect(refused.text.contains("unknown method webView"))
    }

    @Test("A message waits for the call that asks for it, and the call for a message; nothing else wakes")
    func receives() throws {
        var (fixture, first) = try opened()
        _ = fixture.call(#"{"method":"listen"}"#, from: first)
        let call = fixture.call(#"{"method":"receive","params":{"after":0},"id":9}"#, from: first)
        #expect(call.status == 0)
        fixture.offered = HostFixture.Version("v2", 2)
        let start = fixture.effects.count
        fixture.handle(.check)
        let answer = fixture.answer(on: call.connection, since: start)
        #expect(answer.text.contains(#""method":"receive""#) && answer.text.contains(#""id":9"#))
        #expect(answer.text.contains(#""number":1"#))
        // Messages wait for the next call; what was delivered is not sent again.
        let next = fixture.call(#"{"method":"receive","params":{"after":1}}"#, from: first)
        #expect(next.text.contains("newVersionReady") && !next.text.contains(#""number":1,"#))
        let last = fixture.call(#"{"method":"receive","params":{"after":99}}"#, from: first)
        #expect(last.status == 0)
        #expect(fixture.count { if case .message = $0 { true } else { false } } == 0)
    }

    @Test("T2: a notice that a page asked for and never owned up to goes to the next page")
    func lost() throws {
        var (fixture, first) = try opened()
        _ = fixture.call(#"{"method":"listen"}"#, from: first)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        #expect(
            fixture.call(#"{"method":"receive","params":{"after":0}}"#, from: first).text.contains(
                "newVersionReady"))
        // Its answer was lost on the way; the page goes.
        _ = fixture.call(#"{"method":"webView","params":{"event":"closed"}}"#, from: first)
        let (second, _) = fixture.open("/")
        _ = fixture.call(#"{"method":"listen"}"#, from: second)
        #expect(
            fixture.call(#"{"method":"receive","params":{"after":0}}"#, from: second).text.contains(
                "newVersionReady"))
    }

    @Test("A second call replaces the first, which is answered with an empty list")
    func twice() throws {
        var (fixture, first) = try opened()
        let one = fixture.call(#"{"method":"receive","id":1}"#, from: first)
        let start = fixture.effects.count
        let other = fixture.call(#"{"method":"receive","id":2}"#, from: first)
        #expect(other.status == 0)
        #expect(
            fixture.answer(on: one.connection, since: start).text
                == #"{"method":"receive","result":[],"id":1}"#
        )
    }

    @Test("A load that the host requests is sent to the page, without the session key")
    func load() throws {
        var (fixture, first) = try opened()
        let call = fixture.call(#"{"method":"receive"}"#, from: first)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        let start = fixture.effects.count
        fixture.handle(.background)
        fixture.handle(.push)
        fixture.wait(.seconds(1))
        let answer = fixture.answer(on: call.connection, since: start)
        #expect(answer.text.contains(#""method":"load","params":{"url":"/?otalab-load="#))
        #expect(!answer.text.contains("otalab-key"))
        let url = try #require(answer.text.split(separator: "\"").first { $0.hasPrefix("/?otalab-load=") })
        #expect(fixture.open(String(url)).1.text == "<p>v2</p>")
    }

    @Test(
        "A load that the host requests while another document is on its way is sent to that one too",
        arguments: [false, true])
    func loadOnTheWay(isCommitted: Bool) throws {
        var (fixture, first) = try opened()
        _ = fixture.call(#"{"method":"receive"}"#, from: first)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        // Its index has been answered; its script does not poll yet.
        let (second, _) = fixture.open("/")
        if isCommitted { _ = fixture.ask("/app.js", referer: second) }
        fixture.handle(.background)
        fixture.handle(.push)
        fixture.wait(.seconds(1))
        let answer = fixture.call(#"{"method":"receive","params":{"after":0}}"#, from: second)
        let url = answer.text.split(separator: "\"").first { $0.hasPrefix("/?otalab-load=") }
        let (third, got) = fixture.open(String(try #require(url)))
        #expect(got.text == "<p>v2</p>")
        #expect(fixture.call(#"{"method":"receive","params":{"after":0}}"#, from: third).status == 0)
    }

    @Test("S1: tabs are page loads side by side; each keeps its version until it is closed")
    func tabs() throws {
        var (fixture, first) = try opened()
        _ = fixture.ask("/app.js", referer: first)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        let (tab, _) = fixture.open("/")
        _ = fixture.ask("/app.js", referer: tab)
        let (second, got) = fixture.open(tab, isReload: true)
        #expect(got.text == "<p>v2</p>")
        #expect(fixture.ask("/app.js", referer: second).text == "let v = 'v2'")
        #expect(fixture.ask("/app.js", referer: first).text == "let v = 'v1'")
        _ = fixture.call(#"{"method":"webView","params":{"event":"closed"}}"#, from: first)
        #expect(fixture.ask("/app.js", referer: first).text == "let v = 'v2'")
    }

    @Test("Pages that never say that they go are let go when eight came after them")
    func manyTabs() throws {
        var (fixture, first) = try opened()
        _ = fixture.ask("/app.js", referer: first)
        for _ in 0..<12 {
            let (tab, _) = fixture.open("/")
            _ = fixture.ask("/app.js", referer: tab)
        }
        #expect(fixture.host.webViews.first.background.count == 8)
        #expect(!fixture.host.webViews.first.isInBackground(try #require(DocumentURL.load(first))))
    }
}
