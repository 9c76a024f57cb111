import Core
import Testing
import Updater

@testable import AppHost

@Suite("Web processes that die (R11), in the first web view and beside it")
struct WebProcessTests {
    private func loads(_ bench: HostBench) -> [(view: WebViewID, url: String)] {
        bench.effects.compactMap { if case .load(let view, let url) = $0 { (view, url) } else { nil } }
    }

    private func opened() throws -> (bench: HostBench, side: WebViewID) {
        var bench = try HostBench()
        try bench.launch()
        _ = bench.show()
        let side = WebViewID(1)
        bench.tell(.webView(side, .navigating(.other, url: "http://localhost:12308/help?of=7")))
        let (target, got) = bench.open("/help?of=7")
        #expect(got.text == "<p>v1</p>" && bench.host.webViews.all.contains { $0.id == side })
        bench.tell(.webView(side, .committed(url: "http://localhost:12308" + target)))
        bench.effects = []
        return (bench, side)
    }

    @Test("A page beside the first is loaded again where it was, and the first one is left alone")
    func beside() throws {
        var (bench, side) = try opened()
        bench.tell(.webView(side, .webProcessDied))
        #expect(loads(bench).map(\.view) == [side])
        #expect(LinkText.target(of: loads(bench)[0].url) == "/help?of=7")
    }

    @Test("In background none is loaded; on return each is, once, and waits for the socket where it must")
    func inBackground() throws {
        var (bench, side) = try opened()
        bench.tell(.background)
        bench.tell(.suspended)
        bench.tell(.resumed)
        for view in [side, .first] { bench.tell(.webView(view, .webProcessDied)) }
        #expect(loads(bench).isEmpty)
        bench.tell(.foreground)
        #expect(loads(bench).map(\.view) == [.first, side])
    }

    @Test("A death before the first commit is the death of the load that was answered")
    func beforeCommit() throws {
        var bench = try HostBench()
        try bench.launch()
        let (_, got) = bench.open(bench.start)
        #expect(got.text == "<p>v1</p>" && loads(bench).count == 1)
        bench.tell(.webView(.first, .webProcessDied))
        #expect(loads(bench).count == 2)
    }
}
