import AppHost
import Core
import Testing
import Updater

@testable import OTAHostWebKit

/// What the host is told by a web view, and what the view is answered.
@Suite("A web view's callbacks become the host's events")
struct DocumentReportsTests {
    private static let page = "http://localhost:12345/"

    private static func document(_ number: Int, _ path: String = "") -> String {
        page + path + "?otalab-load=000000000000000\(number)"
    }

    private func reports(native: [String] = [], allowed: [String] = []) throws -> DocumentReports {
        let build = try #require(NativeBuild("1.0"))
        let settings = UpdaterSettings(app: "com.example.shop", origin: "https://example.com/manifest.json")
        var launch = AppHost.Launch(
            updater: Updater.Launch(settings: settings, native: build, platform: "ios", entropy: []))
        launch.nativeLinks = native
        launch.allowedRoutes = allowed
        return DocumentReports(port: 12345, rules: LinkRules(launch))
    }

    /// Reports of a view whose first document is there.
    private func loaded(native: [String] = [], allowed: [String] = []) throws -> DocumentReports {
        var reports = try reports(native: native, allowed: allowed)
        _ = reports.handle(.asks(.other, url: Self.document(1), isMainFrame: true))
        _ = reports.handle(.started)
        _ = reports.handle(.committed(url: Self.document(1)))
        _ = reports.handle(.finished)
        return reports
    }

    @Test("a page load: each moment once, in the order of the callbacks")
    func load() throws {
        var reports = try reports()
        let url = Self.document(1)
        // The address is that of the navigation before there is a document.
        #expect(reports.handle(.addressChanged(url: url, isLoading: true)) == [])
        #expect(
            reports.handle(.asks(.other, url: url, isMainFrame: true)) == [
                .report(.navigating(.other, url: url)), .decide(true),
            ])
        #expect(reports.handle(.touched) == [])
        #expect(reports.handle(.committed(url: url)) == [.report(.committed(url: url))])
        #expect(reports.handle(.addressChanged(url: url, isLoading: true)) == [])
        #expect(reports.handle(.touched) == [], "before content is shown there is nothing to touch")
        #expect(reports.handle(.painted) == [.report(.contentShown)])
        #expect(reports.handle(.painted) == [])
        #expect(reports.handle(.touched) == [.report(.touched)])
        #expect(reports.handle(.touched) == [])
        // The script takes the load out of the address while the page is still loading.
        #expect(
            reports.handle(.addressChanged(url: Self.page, isLoading: true)) == [
                .report(.addressChanged(url: Self.page))
            ])
        #expect(reports.handle(.finished) == [.report(.loaded)])
        // The next document has content and touches of its own.
        _ = reports.handle(.committed(url: Self.document(2)))
        #expect(reports.handle(.touched) == [])
        #expect(reports.handle(.painted) == [.report(.contentShown)])
        #expect(reports.handle(.touched) == [.report(.touched)])
    }

    @Test("a navigation that another one replaces fails, and the other one's kind and address count")
    func replaced() throws {
        var reports = try loaded()
        _ = reports.handle(.asks(.link, url: Self.page + "slow", isMainFrame: true))
        _ = reports.handle(.started)
        _ = reports.handle(.asks(.reload, url: Self.page, isMainFrame: true))
        _ = reports.handle(.failed)
        #expect(reports.handle(.addressChanged(url: Self.page + "x", isLoading: true)) == [])
        _ = reports.handle(.started)
        // A redirect.
        _ = reports.handle(.asks(.other, url: Self.document(2), isMainFrame: true))
        #expect(reports.handle(.addressChanged(url: Self.document(2), isLoading: true)) == [])
        #expect(
            reports.handle(.committed(url: Self.document(2))) == [
                .report(.committed(url: Self.document(2)))
            ], "it is the reload that was committed")
        #expect(
            reports.handle(.addressChanged(url: Self.page, isLoading: true)) == [
                .report(.addressChanged(url: Self.page))
            ], "none is under way")
    }

    @Test("a document after a link may live on, one after a reload does not")
    func kept() throws {
        var reports = try loaded()
        for (kind, number) in [(.link, 2), (.form, 3), (.other, 4)] as [(AppHost.NavigationKind, Int)] {
            _ = reports.handle(.asks(kind, url: Self.page + "next", isMainFrame: true))
            let url = Self.document(number)
            #expect(reports.handle(.committed(url: url)) == [.report(.committedKeepingPrevious(url: url))])
        }
        _ = reports.handle(.asks(.reload, url: Self.page, isMainFrame: true))
        #expect(
            reports.handle(.committed(url: Self.document(5))) == [
                .report(.committed(url: Self.document(5)))
            ])
        // One that comes back from the page cache.
        _ = reports.handle(.asks(.history, url: Self.document(2), isMainFrame: true))
        #expect(
            reports.handle(.committed(url: Self.document(2))) == [
                .report(.committedKeepingPrevious(url: Self.document(2)))
            ])
        #expect(
            reports.handle(.discarded) == [
                .report(.documentGone(url: Self.document(1))),
                .report(.documentGone(url: Self.document(3))),
                .report(.documentGone(url: Self.document(5))),
            ], "those behind the one in front; a reload has replaced the fourth")
        #expect(reports.handle(.discarded) == [])
    }

    @Test("a document that comes back from the page cache names its load afterwards, and is kept no more")
    func returned() throws {
        var reports = try loaded()
        _ = reports.handle(.addressChanged(url: Self.page, isLoading: false))
        _ = reports.handle(.asks(.link, url: Self.page + "next", isMainFrame: true))
        _ = reports.handle(.committed(url: Self.document(2)))
        _ = reports.handle(.asks(.history, url: Self.page, isMainFrame: true))
        #expect(
            reports.handle(.committed(url: Self.page)) == [
                .report(.committedKeepingPrevious(url: Self.page))
            ])
        #expect(
            reports.handle(.addressChanged(url: Self.document(1), isLoading: false)) == [
                .report(.addressChanged(url: Self.document(1)))
            ])
        #expect(reports.handle(.discarded) == [.report(.documentGone(url: Self.document(2)))])
    }

    @Test("a frame is followed and not reported; a window is the app's")
    func frames() throws {
        var reports = try loaded(allowed: ["/shop/*"])
        let url = "https://video.example/embed"
        #expect(reports.handle(.asks(.link, url: url, isMainFrame: false)) == [.decide(true)])
        #expect(
            reports.handle(.asks(.link, url: url, isMainFrame: nil)) == [.open(url: url), .decide(false)])
    }

    @Test("a fragment of the document in front is no document, but for a reload or a form")
    func fragments() throws {
        var reports = try loaded()
        let url = Self.document(1) + "#part"
        #expect(reports.handle(.asks(.link, url: url, isMainFrame: true)) == [.decide(true)])
        #expect(
            reports.handle(.addressChanged(url: url, isLoading: false)) == [
                .report(.addressChanged(url: url))
            ])
        for kind in [.reload, .form] as [AppHost.NavigationKind] {
            #expect(
                reports.handle(.asks(kind, url: url, isMainFrame: true)) == [
                    .report(.navigating(kind, url: url)), .decide(true),
                ])
        }
        var other = try loaded()
        #expect(
            other.handle(.asks(.link, url: Self.page + "other#part", isMainFrame: true)).first
                == .report(.navigating(.link, url: Self.page + "other#part")))
    }

    @Test("a link of native code is reported, and the view does not follow it")
    func links() throws {
        var reports = try loaded(native: ["/legal/*"])
        for (kind, url, follows) in [
            (.link, Self.page + "legal/terms", false), (.form, Self.page + "legal/terms", false),
            (.other, Self.page + "legal/terms", false), (.link, Self.page + "shop", true),
            (.history, Self.page + "legal/terms", true), (.reload, Self.page + "legal/terms", true),
            (.other, Self.document(2, "legal/terms"), true), (.link, "https://example.com/", true),
        ] as [(AppHost.NavigationKind, String, Bool)] {
            #expect(
                reports.handle(.asks(kind, url: url, isMainFrame: true)) == [
                    .report(.navigating(kind, url: url)), .decide(follows),
                ], "\(kind) \(url)")
        }
        var walled = try loaded(allowed: ["/shop/*"])
        for (url, follows) in [
            (Self.page + "shop/a", true), (Self.page + "blog", false), ("https://example.com/", false),
        ] {
            #expect(walled.handle(.asks(.link, url: url, isMainFrame: true)).last == .decide(follows))
        }
        for url in ["tel:123", "mailto:a@example.com", "shop://open", ""] {
            #expect(
                reports.handle(.asks(.link, url: url, isMainFrame: true)) == [
                    .open(url: url), .decide(false),
                ])
        }
    }

    @Test(
        "the address of a navigation is none of the document's; one that fails leaves the document in front")
    func addresses() throws {
        var reports = try loaded()
        let next = Self.page + "next"
        _ = reports.handle(.asks(.link, url: next, isMainFrame: true))
        #expect(reports.handle(.addressChanged(url: next, isLoading: true)) == [])
        #expect(reports.handle(.started) == [])
        #expect(reports.handle(.failed) == [])
        // The address returns to that of the document, which the host knows.
        #expect(reports.handle(.addressChanged(url: Self.document(1), isLoading: false)) == [])
        #expect(
            reports.handle(.addressChanged(url: Self.page + "pushed", isLoading: true)) == [
                .report(.addressChanged(url: Self.page + "pushed"))
            ])
        // Back within the document: asked for, and nothing is loaded.
        _ = reports.handle(.asks(.history, url: Self.page, isMainFrame: true))
        #expect(
            reports.handle(.addressChanged(url: Self.page, isLoading: false)) == [
                .report(.addressChanged(url: Self.page))
            ])
        #expect(
            reports.handle(.addressChanged(url: next, isLoading: true)) == [
                .report(.addressChanged(url: next))
            ], "that navigation is over")
    }

    @Test("only documents of the local server send messages")
    func messages() throws {
        var reports = try loaded()
        let bytes = Array(#"{"method":"startupDidComplete"}"#.utf8)
        #expect(
            reports.handle(
                .message(bytes, documentURL: Self.document(1), origin: "http://localhost:12345")) == [
                    .report(.message(bytes, documentURL: Self.document(1)))
                ])
        for origin in [
            "https://localhost:12345", "http://localhost:12346", "http://evil.example:12345",
            "http://localhost:0", "://:0",
        ] {
            #expect(
                reports.handle(.message(bytes, documentURL: Self.document(1), origin: origin)) == [
                    .drop(origin: origin)
                ])
        }
    }

    @Test("the end of the process takes all documents along")
    func ends() throws {
        var reports = try loaded()
        _ = reports.handle(.asks(.link, url: Self.page, isMainFrame: true))
        _ = reports.handle(.committed(url: Self.document(2)))
        #expect(reports.handle(.processDied) == [.report(.webProcessDied)])
        #expect(reports.handle(.discarded) == [], "they are gone already")
    }

    @Test("the view's script sends the words that its handler reads")
    func script() {
        for message in ViewScript.Message.allCases {
            #expect(ViewScript.source.contains(#"say("\#(message.rawValue)")"#))
        }
        #expect(ViewScript.source.contains("messageHandlers.\(ViewScript.name).postMessage"))
    }

    @Test("the states of the network")
    func network() {
        for (isSatisfied, isExpensive, isConstrained, state) in [
            (true, false, false, .online), (true, true, false, .metered), (true, false, true, .metered),
            (false, true, true, .offline), (false, false, false, .offline),
        ] as [(Bool, Bool, Bool, NetworkState)] {
            #expect(
                NetworkState(
                    isSatisfied: isSatisfied, isExpensive: isExpensive, isConstrained: isConstrained)
                    == state)
        }
    }
}
