import Testing
import Updater

@testable import AppHost

@Suite("Documents of another web view beside the first one")
struct OtherViewTests {
    private static let base = "http://localhost:12308"

    /// An app whose first view shows its start page, and the address of that.
    private func shown() throws -> (HostFixture, String) {
        var fixture = try HostFixture()
        try fixture.launch()
        let (target, _) = fixture.show()
        return (fixture, target)
    }

    @Test(
        "A document that a view announced is that view's, also where its address names the load of another one"
    )
    func announcedBesideTheLoad() throws {
        var (fixture, page) = try shown()
        let load = try #require(DocumentURL.load(Self.base + page))
        let side = WebViewID(1)
        for announces in [false, true] {
            fixture.effects = []
            if announces { fixture.handle(.webView(side, .navigating(.other, url: Self.base + "/items/7"))) }
            _ = fixture.open("/items/7?otalab-load=\(load.text)")
            let views = fixture.effects.compactMap { effect in
                if case .pageLoad(let view, _, _) = effect { view } else { nil }
            }
            #expect(views == [announces ? side : .first])
        }
    }

    @Test("R13: the updater learns that the page behind its screen has content, so that it shows none")
    func coverClockOfAnotherLoad() throws {
        let (fixture, page) = try shown()
        var host = fixture.host
        host.setNativeScreenUntilContent(.recovery)
        #expect(host.screen.native == nil)
        guard case .updater(.page(let load, .contentShown)) = host.partEvents.next() else {
            Issue.record("the updater learns nothing")
            return
        }
        #expect(load == DocumentURL.load(Self.base + page))
    }
}
