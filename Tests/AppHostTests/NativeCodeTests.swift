import Core
import HTTP1
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("What the app's native code answers, and what a value around the host gets")
struct NativeCodeTests {
    private func shown(_ change: (inout HostFixture) -> Void = { _ in }) throws -> (HostFixture, String) {
        var fixture = try HostFixture()
        fixture.nativeMethods = ["cart"]
        change(&fixture)
        try fixture.launch()
        let (target, got) = fixture.show()
        #expect(got.status == 200)
        return (fixture, target)
    }

    private func questions(_ fixture: HostFixture) -> [AppHost.NativeMethodCall] {
        fixture.effects.compactMap {
            if case .nativeMethodCalled(let question) = $0 { question } else { nil }
        }
    }

    @Test(
        "N5: a method that the launch names goes to native code, and its answer into the call that brought it"
    )
    func overHTTP() throws {
        var (fixture, page) = try shown()
        let start = fixture.effects.count
        let waiting = fixture.call(#"{"method":"cart","params":{"of":1},"id":5}"#, from: page)
        #expect(waiting.status == 0)
        let question = try #require(questions(fixture).first)
        #expect(question.method == "cart" && question.isOverHTTP && question.view == .first)
        #expect(question.load == DocumentURL.load(page))
        #expect(String(decoding: question.params, as: UTF8.self) == #"{"of":1}"#)
        fixture.handle(.nativeMethodReturned(question.call, .result(Array(#"{"items":[1,"x"]}"#.utf8))))
        #expect(
            fixture.answer(on: waiting.connection, since: start).text
                == #"{"method":"cart","result":{"items":[1,"x"]},"id":5}"#)
        let before = fixture.effects.count
        fixture.handle(.nativeMethodReturned(question.call, .result(Array("1".utf8))))
        #expect(fixture.effects.count == before, "only once")
    }

    @Test(
        "A call from a web view is answered by a message; a refusal and what is no JSON become errors")
    func messages() throws {
        var (fixture, page) = try shown()
        func ask() throws -> AppHost.CallID {
            fixture.handle(
                .webView(
                    .first,
                    .message(
                        Array(#"{"method":"cart"}"#.utf8), documentURL: "http://localhost:12308" + page)))
            let question = try #require(questions(fixture).last)
            #expect(question.params == Array("null".utf8) && !question.isOverHTTP)
            return question.call
        }
        func said() -> [String] {
            fixture.effects.compactMap { effect in
                guard case .message(_, _, let bytes) = effect else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        fixture.handle(.nativeMethodReturned(try ask(), .result(Array("true".utf8))))
        fixture.handle(.nativeMethodReturned(try ask(), .refused("sold out")))
        fixture.handle(.nativeMethodReturned(try ask(), .result(Array("{".utf8))))
        #expect(
            said().prefix(2) == [
                #"{"method":"cart","result":true}"#, #"{"method":"error","result":"sold out"}"#,
            ])
        #expect(said().last?.contains("is not JSON") == true)
    }

    @Test("A method of the host's own stays the host's; a page that goes leaves no call open")
    func bounds() throws {
        var (fixture, page) = try shown { $0.nativeMethods = ["cart", "checkForUpdates"] }
        #expect(fixture.call(#"{"method":"checkForUpdates","id":1}"#, from: page).status == 200)
        #expect(questions(fixture).isEmpty)
        let waiting = fixture.call(#"{"method":"cart"}"#, from: page)
        let start = fixture.effects.count
        _ = fixture.show(page, isReload: true)
        #expect(fixture.answer(on: waiting.connection, since: start).status == 200)
        #expect(fixture.host.calls.native.isEmpty)
    }

    @Test("An entry of the route table gives a request to native code")
    func requests() throws {
        var (fixture, page) = try shown { fixture in
            fixture.routes = RouteTable(
                [RoutePattern("/cart/**")].compactMap { $0 }.map { RouteEntry($0, .handler("cart")) })
        }
        let start = fixture.effects.count
        let waiting = fixture.ask("/cart/7", "POST", referer: page, body: "abc")
        #expect(waiting.status == 0)
        let asked = fixture.effects.compactMap { effect in
            if case .handlerRequested(let call, let request) = effect { (call, request) } else { nil }
        }
        let (call, request) = try #require(asked.first)
        #expect(request.target == "/cart/7" && request.body == Array("abc".utf8))
        fixture.handle(.handlerAnswer(call, LocalServer.HandlerAnswer(body: Array("seven".utf8))))
        #expect(fixture.answer(on: waiting.connection, since: start).text == "seven")
    }

    @Test("T2: where the shell confirms deliveries, a notice comes back until it says so")
    func deliveries() throws {
        for isDelivered in [false, true] {
            var (fixture, page) = try shown { $0.confirmsDelivery = true }
            _ = fixture.call(#"{"method":"listen"}"#, from: page)
            fixture.offered = HostFixture.Version("v2", 2)
            fixture.handle(.check)
            // Any message of the page: it shows that the page lives, not what has arrived.
            _ = fixture.call(#"{"method":"infoRequest"}"#, from: page)
            if isDelivered, let load = DocumentURL.load(page) { fixture.handle(.delivered(load)) }
            let start = fixture.effects.count
            // No reload: that would show v2, whose page is not told of v2.
            let (next, _) = fixture.show(page)
            _ = fixture.call(#"{"method":"listen"}"#, from: next)
            let again = fixture.effects[start...].contains { effect in
                guard case .message(_, _, let bytes) = effect else { return false }
                return String(decoding: bytes, as: UTF8.self).contains("newVersionReady")
            }
            #expect(again != isDelivered)
        }
    }

    @Test("S1: a document that lives on behind another keeps its version until it has left")
    func beside() throws {
        var (fixture, first) = try shown()
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        fixture.handle(.webView(.first, .navigating(.reload, url: "")))
        let (second, got) = fixture.open(first, isReload: true)
        #expect(got.text == "<p>v2</p>")
        fixture.handle(.webView(.first, .committedKeepingPrevious(url: "http://localhost:12308" + second)))
        #expect(fixture.ask("/app.js", referer: first).text == "let v = 'v1'")
        #expect(fixture.ask("/app.js", referer: second).text == "let v = 'v2'")
        fixture.handle(.webView(.first, .documentGone(url: "http://localhost:12308" + first)))
        #expect(fixture.ask("/app.js", referer: first).text == "let v = 'v2'")
    }

    /// Pages of v1, then of v2 in front; the web view keeps the first.
    private func overtaken() throws -> (fixture: HostFixture, old: String, new: String) {
        var (fixture, old) = try shown()
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        fixture.handle(.webView(.first, .navigating(.reload, url: "")))
        let (new, _) = fixture.open(old, isReload: true)
        fixture.handle(.webView(.first, .committedKeepingPrevious(url: "http://localhost:12308" + new)))
        return (fixture, old, new)
    }

    @Test("S1: a document that comes back from the page cache is in front, and lives on behind the next one")
    func returned() throws {
        var (fixture, old, new) = try overtaken()
        fixture.handle(.webView(.first, .contentShown))
        fixture.handle(.webView(.first, .navigating(.history, url: "http://localhost:12308/")))
        fixture.handle(.webView(.first, .committedKeepingPrevious(url: "http://localhost:12308/#top")))
        #expect(fixture.host.webViews.first.load == DocumentURL.load(new), "nothing says which one")
        let start = fixture.effects.count
        fixture.handle(.webView(.first, .addressChanged(url: "http://localhost:12308" + old + "#top")))
        #expect(fixture.host.webViews.first.load == DocumentURL.load(old))
        #expect(fixture.host.webViews.first.fragment == "#top")
        #expect(fixture.effects[start...].contains(.screen(.cover)), "until its content is on the screen")
        for (page, version) in [(old, "v1"), (new, "v2")] {
            #expect(fixture.ask("/app.js", referer: page).text == "let v = '\(version)'")
        }
        fixture.handle(.webView(.first, .addressChanged(url: "http://localhost:12308" + old + "&a=1")))
        #expect(fixture.host.webViews.first.load == DocumentURL.load(old), "once is enough")
        let (next, _) = fixture.open("/")
        fixture.handle(.webView(.first, .committed(url: "http://localhost:12308" + next)))
        #expect(fixture.ask("/app.js", referer: old).text == "let v = 'v2'", "it is gone")
        #expect(fixture.host.webViews.first.background.map(\.load) == [DocumentURL.load(new)])
    }

    @Test("With the web process die the documents that it keeps behind the one in front")
    func diesWithItsCache() throws {
        var (fixture, old, _) = try overtaken()
        fixture.handle(.webView(.first, .webProcessDied))
        #expect(fixture.host.webViews.first.background.isEmpty)
        #expect(fixture.ask("/app.js", referer: old).text == "let v = 'v2'")
    }

    @Test("S1: a document behind eight others is given up, and its version with it")
    func ninth() throws {
        var (fixture, first) = try shown()
        var last = first
        for _ in 0..<9 {
            let (next, _) = fixture.open("/")
            fixture.handle(.webView(.first, .committedKeepingPrevious(url: "http://localhost:12308" + next)))
            last = next
        }
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        fixture.handle(.webView(.first, .navigating(.reload, url: "")))
        #expect(fixture.open(last, isReload: true).1.text == "<p>v2</p>")
        #expect(fixture.ask("/app.js", referer: last).text == "let v = 'v1'")
        #expect(fixture.ask("/app.js", referer: first).text == "let v = 'v2'")
    }

    @Test("What the server sees of a page is reported only if the launch demands it")
    func traffic() throws {
        for reports in [false, true] {
            let (fixture, _) = try shown { $0.reportsPageTraffic = reports }
            let count = fixture.count { if case .pageTraffic = $0 { true } else { false } }
            #expect((count > 0) == reports)
        }
    }
}
