import Core
import Testing
import Updater

@testable import AppHost

@Suite("A plain browser in the place of the web view")
struct BrowserTests {
    private func opened(embeds: Bool = true) throws -> (HostBench, String) {
        var bench = try HostBench(kind: .browser)
        bench.offered = HostBench.Version("v1", 1)
        try bench.launch()
        let (target, got) = bench.open(bench.start)
        #expect(got.text == "<p>v1</p>")
        return (bench, target)
    }

    private func committed(_ bench: HostBench) -> PageLoadToken? { bench.host.webViews.first.load }

    @Test("S1: a document is there when it asks for something; until then the one before is")
    func commit() throws {
        var (bench, first) = try opened()
        #expect(committed(bench) == nil)
        _ = bench.ask("/app.js", referer: first)
        let one = committed(bench)
        #expect(one == DocumentURL.load(first))
        let (second, _) = bench.open(first, isReload: true)
        #expect(committed(bench) == one)
        _ = bench.ask("/app.js", referer: second)
        #expect(committed(bench) == DocumentURL.load(second))
    }

    @Test("T4: a page without a script counts as shown half a second after its last answer, not before")
    func quiet() throws {
        var (bench, first) = try opened()
        #expect(bench.screen == .cover)
        bench.wait(.milliseconds(400))
        _ = bench.ask("/app.js", referer: first)
        bench.wait(.milliseconds(400))
        #expect(bench.screen == .cover)
        bench.wait(.milliseconds(100))
        #expect(bench.screen == .page)
        #expect(!bench.timers.contains { if case .outer = $0.name { true } else { false } })
        // What a shown page asks for later sets no timer: nobody is waked for it.
        _ = bench.ask("/app.js", referer: first)
        #expect(!bench.timers.contains { if case .outer = $0.name { true } else { false } })
    }

    @Test("A page's script says what a web view would tell; in a native app it can't")
    func facts() throws {
        var (bench, first) = try opened()
        let told = bench.call(#"{"method":"webView","params":{"event":"contentShown"},"id":1}"#, from: first)
        #expect(told.text == #"{"method":"webView","result":true,"id":1}"#)
        #expect(bench.screen == .page)
        let wrong = bench.call(#"{"method":"webView","params":{"event":"dances"},"id":2}"#, from: first)
        #expect(wrong.text.contains("unknown event"))
        var native = try HostBench()
        try native.launch()
        let (target, _) = native.open(native.start)
        let refused = native.call(#"{"method":"webView","params":{"event":"touched"},"id":1}"#, from: target)
        #expect(refused.text.contains("unknown method webView"))
    }

    @Test("A message waits for the call that asks for it, and the call for a message; nothing else wakes")
    func receives() throws {
        var (bench, first) = try opened()
        _ = bench.call(#"{"method":"listen"}"#, from: first)
        let call = bench.call(#"{"method":"receive","params":{"after":0},"id":9}"#, from: first)
        #expect(call.status == 0)
        bench.offered = HostBench.Version("v2", 2)
        let start = bench.effects.count
        bench.tell(.check)
        let answer = bench.answer(on: call.connection, since: start)
        #expect(answer.text.contains(#""method":"receive""#) && answer.text.contains(#""id":9"#))
        #expect(answer.text.contains(#""number":1"#))
        // What was said before the next call waits for it, what was heard is not said again.
        let next = bench.call(#"{"method":"receive","params":{"after":1}}"#, from: first)
        #expect(next.text.contains("newVersionReady") && !next.text.contains(#""number":1,"#))
        let last = bench.call(#"{"method":"receive","params":{"after":99}}"#, from: first)
        #expect(last.status == 0)
        #expect(bench.count { if case .message = $0 { true } else { false } } == 0)
    }

    @Test("T2: a notice that a page asked for and never owned up to goes to the next page")
    func lost() throws {
        var (bench, first) = try opened()
        _ = bench.call(#"{"method":"listen"}"#, from: first)
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.check)
        #expect(
            bench.call(#"{"method":"receive","params":{"after":0}}"#, from: first).text.contains(
                "newVersionReady"))
        // Its answer was lost on the way; the page goes.
        _ = bench.call(#"{"method":"webView","params":{"event":"closed"}}"#, from: first)
        let (second, _) = bench.open("/")
        _ = bench.call(#"{"method":"listen"}"#, from: second)
        #expect(
            bench.call(#"{"method":"receive","params":{"after":0}}"#, from: second).text.contains(
                "newVersionReady"))
    }

    @Test("A second call takes the place of the first, which is answered with nothing")
    func twice() throws {
        var (bench, first) = try opened()
        let one = bench.call(#"{"method":"receive","id":1}"#, from: first)
        let start = bench.effects.count
        let other = bench.call(#"{"method":"receive","id":2}"#, from: first)
        #expect(other.status == 0)
        #expect(
            bench.answer(on: one.connection, since: start).text == #"{"method":"receive","result":[],"id":1}"#
        )
    }

    @Test("A load that the host wants is told to the page, without the session key")
    func load() throws {
        var (bench, first) = try opened()
        let call = bench.call(#"{"method":"receive"}"#, from: first)
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.check)
        let start = bench.effects.count
        bench.tell(.background)
        bench.tell(.push)
        bench.wait(.seconds(1))
        let answer = bench.answer(on: call.connection, since: start)
        #expect(answer.text.contains(#""method":"load","params":{"url":"/?otalab-load="#))
        #expect(!answer.text.contains("otalab-key"))
        let url = try #require(answer.text.split(separator: "\"").first { $0.hasPrefix("/?otalab-load=") })
        #expect(bench.open(String(url)).1.text == "<p>v2</p>")
    }

    @Test("S1: tabs are page loads side by side; each keeps its version until it is closed")
    func tabs() throws {
        var (bench, first) = try opened()
        _ = bench.ask("/app.js", referer: first)
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.check)
        let (tab, _) = bench.open("/")
        _ = bench.ask("/app.js", referer: tab)
        let (second, got) = bench.open(tab, isReload: true)
        #expect(got.text == "<p>v2</p>")
        #expect(bench.ask("/app.js", referer: second).text == "let v = 'v2'")
        #expect(bench.ask("/app.js", referer: first).text == "let v = 'v1'")
        _ = bench.call(#"{"method":"webView","params":{"event":"closed"}}"#, from: first)
        #expect(bench.ask("/app.js", referer: first).text == "let v = 'v2'")
    }

    @Test("Pages that never say that they go are let go when eight came after them")
    func manyTabs() throws {
        var (bench, first) = try opened()
        _ = bench.ask("/app.js", referer: first)
        for _ in 0..<12 {
            let (tab, _) = bench.open("/")
            _ = bench.ask("/app.js", referer: tab)
        }
        #expect(bench.host.webViews.first.background.count == 8)
        #expect(!bench.host.webViews.first.background.contains(try #require(DocumentURL.load(first))))
    }
}
