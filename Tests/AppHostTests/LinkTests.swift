import Core
import Testing
import Updater

@testable import AppHost

@Suite("Links (H4), and the place that a user was at (UX-06, UX-07)")
struct LinkTests {
    private let base = "http://localhost:12308"

    private func opened(_ links: [String] = []) throws -> (HostBench, String) {
        var bench = try HostBench()
        bench.links = links
        try bench.launch()
        let (target, got) = bench.show()
        #expect(got.text == "<p>v1</p>")
        return (bench, target)
    }

    private func taken(_ bench: HostBench) -> [String] {
        bench.effects.compactMap { if case .openLink(_, let url) = $0 { url } else { nil } }
    }

    @Test(
        "Native code takes over the links that it named, and no others",
        arguments: [
            ("/cart", true), ("/cart?of=7#top", true), ("/cart/7", false), ("/carts", false),
            ("/native/a/b", true), ("/native/", true), ("/native", false), ("/", false),
            ("/items/cart", false),
        ])
    func taken(path: String, isTaken: Bool) throws {
        var (bench, page) = try opened(["/cart", "/native/*"])
        bench.tell(.webView(.first, .navigating(.link, url: base + path)))
        #expect(taken(bench) == (isTaken ? [base + path] : []))
        let answer = bench.call(#"{"method":"openLink","params":{"url":"\#(path)"},"id":1}"#, from: page)
        #expect(answer.text.contains(#""result":true"#) == isTaken)
        #expect(taken(bench).count == (isTaken ? 2 : 0))
        #expect(
            bench.call(#"{"method":"nativeLinks"}"#, from: page).text
                == #"{"method":"nativeLinks","result":["/cart","/native/*"]}"#)
    }

    /// Path and query of the newest address, without items of the host's.
    private func place(_ bench: HostBench) -> String? { LinkText.target(of: bench.address) }

    @Test(
        "What a deep link opened is shown first, over a rescue too, and then the start page is start page again"
    )
    func deepLink() throws {
        var bench = try HostBench()
        try bench.launch(link: "/items/7?tab=2")
        #expect(place(bench) == "/items/7?tab=2")
        let (target, got) = bench.show()
        #expect(got.text == "<p>v1</p>" && target.hasPrefix("/items/7?tab=2&otalab-load="))
        bench.tell(.webView(.first, .webProcessDied))
        #expect(place(bench) == "/")
    }

    @Test("A first launch keeps its link over the loading screen")
    func overLoading() throws {
        var bench = try HostBench(embeds: nil)
        try bench.launch(link: "/items/7")
        #expect(bench.screen == .offline && bench.address.isEmpty)
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.user(.retry))
        #expect(place(bench) == "/items/7")
        #expect(bench.show().1.text == "<p>v2</p>")
    }

    @Test("A link to the running app is no switch (U6)")
    func running() throws {
        var (bench, _) = try opened()
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.check)
        bench.tell(.openLink("/items/9"))
        #expect(place(bench) == "/items/9")
        #expect(bench.show().1.text == "<p>v1</p>")
    }

    @Test(
        "What is no path of the app is no link",
        arguments: ["", "x", "//evil.example/", "/a\u{0}", "/a/../b"])
    func odd(link: String) throws {
        var (bench, _) = try opened()
        let before = bench.address
        bench.tell(.openLink(link))
        #expect(bench.address == before)
        var other = try HostBench()
        try other.launch(link: link)
        #expect(place(other) == "/")
    }

    @Test("A push in background shows the new version at the same place, of a page that moved by itself too")
    func keepsPlace() throws {
        var (bench, _) = try opened()
        _ = bench.show("/items/7?tab=2")
        bench.tell(.webView(.first, .moved(url: base + "/items/8?otalab-load=0123456789abcdef&tab=3#end")))
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.background)
        bench.tell(.push)
        bench.wait(.seconds(1))
        #expect(place(bench) == "/items/8?tab=3")
        #expect(bench.show().1.text == "<p>v2</p>")
    }

    @Test("A file is no place to come back to: the next version may not have it")
    func file() throws {
        var (bench, _) = try opened()
        _ = bench.show("/index.html")
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.background)
        bench.tell(.push)
        bench.wait(.seconds(1))
        #expect(place(bench) == "/")
    }
}
