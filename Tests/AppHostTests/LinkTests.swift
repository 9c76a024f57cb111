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
        #expect(address(fixture) == "/items/8?tab=3")
        #expect(fixture.show().1.text == "<p>v2</p>")
    }

    @Test("A file is not opened again: the next version may not have it")
    func file() throws {
        var (fixture, _) = try opened()
        _ = fixture.show("/index.html")
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.background)
        fixture.handle(.push)
        fixture.wait(.seconds(1))
        #expect(address(fixture) == "/")
    }
}
