import Core
import HTTP1
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("What the app's own native code answers, and what a value around the host is told")
struct NativeCodeTests {
    private func shown(_ change: (inout HostBench) -> Void = { _ in }) throws -> (HostBench, String) {
        var bench = try HostBench()
        bench.nativeMethods = ["cart"]
        change(&bench)
        try bench.launch()
        let (target, got) = bench.show()
        #expect(got.status == 200)
        return (bench, target)
    }

    private func questions(_ bench: HostBench) -> [AppHost.PageQuestionForNative] {
        bench.effects.compactMap { if case .pageAsks(let question) = $0 { question } else { nil } }
    }

    @Test(
        "N5: a method that the launch names goes to native code, and its answer into the call that brought it"
    )
    func overHTTP() throws {
        var (bench, page) = try shown()
        let start = bench.effects.count
        let waiting = bench.call(#"{"method":"cart","params":{"of":1},"id":5}"#, from: page)
        #expect(waiting.status == 0)
        let question = try #require(questions(bench).first)
        #expect(question.method == "cart" && question.isOverHTTP && question.view == .first)
        #expect(question.load == DocumentURL.load(page))
        #expect(String(decoding: question.params, as: UTF8.self) == #"{"of":1}"#)
        bench.tell(.answerPage(question.call, .result(Array(#"{"items":[1,"x"]}"#.utf8))))
        #expect(
            bench.answer(on: waiting.connection, since: start).text
                == #"{"method":"cart","result":{"items":[1,"x"]},"id":5}"#)
        let before = bench.effects.count
        bench.tell(.answerPage(question.call, .result(Array("1".utf8))))
        #expect(bench.effects.count == before, "only once")
    }

    @Test(
        "What a web view brought is answered by a message; a refusal and what is no JSON are told as errors")
    func messages() throws {
        var (bench, page) = try shown()
        func ask() throws -> AppHost.CallID {
            bench.tell(
                .webView(
                    .first,
                    .message(
                        Array(#"{"method":"cart"}"#.utf8), documentURL: "http://localhost:12308" + page)))
            let question = try #require(questions(bench).last)
            #expect(question.params == Array("null".utf8) && !question.isOverHTTP)
            return question.call
        }
        func said() -> [String] {
            bench.effects.compactMap { effect in
                guard case .message(_, _, let bytes) = effect else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        bench.tell(.answerPage(try ask(), .result(Array("true".utf8))))
        bench.tell(.answerPage(try ask(), .refused("sold out")))
        bench.tell(.answerPage(try ask(), .result(Array("{".utf8))))
        #expect(
            said().prefix(2) == [
                #"{"method":"cart","result":true}"#, #"{"method":"error","result":"sold out"}"#,
            ])
        #expect(said().last?.contains("is not JSON") == true)
    }

    @Test("A method of the host's own stays the host's; a page that goes leaves no call open")
    func bounds() throws {
        var (bench, page) = try shown { $0.nativeMethods = ["cart", "checkForUpdates"] }
        #expect(bench.call(#"{"method":"checkForUpdates","id":1}"#, from: page).status == 200)
        #expect(questions(bench).isEmpty)
        let waiting = bench.call(#"{"method":"cart"}"#, from: page)
        let start = bench.effects.count
        _ = bench.show(page, isReload: true)
        #expect(bench.answer(on: waiting.connection, since: start).status == 200)
        #expect(bench.host.calls.native.isEmpty)
    }

    @Test("A row of the route table gives a request to native code")
    func requests() throws {
        var (bench, page) = try shown { bench in
            bench.routes = RouteTable(
                [RoutePattern("/cart/**")].compactMap { $0 }.map { RouteRow($0, .handler("cart")) })
        }
        let start = bench.effects.count
        let waiting = bench.ask("/cart/7", "POST", referer: page, body: "abc")
        #expect(waiting.status == 0)
        let asked = bench.effects.compactMap { effect in
            if case .handlerAsked(let call, let request) = effect { (call, request) } else { nil }
        }
        let (call, request) = try #require(asked.first)
        #expect(request.target == "/cart/7" && request.body == Array("abc".utf8))
        bench.tell(.answerRequest(call, LocalServer.HandlerAnswer(body: Array("seven".utf8))))
        #expect(bench.answer(on: waiting.connection, since: start).text == "seven")
    }

    @Test("T2: where the shell confirms deliveries, a notice comes back until it says so")
    func deliveries() throws {
        for isDelivered in [false, true] {
            var (bench, page) = try shown { $0.confirmsDelivery = true }
            _ = bench.call(#"{"method":"listen"}"#, from: page)
            bench.offered = HostBench.Version("v2", 2)
            bench.tell(.check)
            // Any message of the page: it shows that the page lives, not what has arrived.
            _ = bench.call(#"{"method":"infoRequest"}"#, from: page)
            if isDelivered, let load = DocumentURL.load(page) { bench.tell(.delivered(load)) }
            let start = bench.effects.count
            let (next, _) = bench.show(page, isReload: true)
            _ = bench.call(#"{"method":"listen"}"#, from: next)
            let again = bench.effects[start...].contains { effect in
                guard case .message(_, _, let bytes) = effect else { return false }
                return String(decoding: bytes, as: UTF8.self).contains("newVersionReady")
            }
            #expect(again != isDelivered)
        }
    }

    @Test("S1: a document that lives on behind another keeps its version until it has left")
    func beside() throws {
        var (bench, first) = try shown()
        bench.offered = HostBench.Version("v2", 2)
        bench.tell(.check)
        bench.tell(.webView(.first, .navigating(.reload, url: "")))
        let (second, got) = bench.open(first, isReload: true)
        #expect(got.text == "<p>v2</p>")
        bench.tell(.webView(.first, .committedBeside(url: "http://localhost:12308" + second)))
        #expect(bench.ask("/app.js", referer: first).text == "let v = 'v1'")
        #expect(bench.ask("/app.js", referer: second).text == "let v = 'v2'")
        bench.tell(.webView(.first, .left(url: "http://localhost:12308" + first)))
        #expect(bench.ask("/app.js", referer: first).text == "let v = 'v2'")
    }

    @Test("What the server sees of a page is told only where the launch asks for it")
    func traffic() throws {
        for reports in [false, true] {
            let (bench, _) = try shown { $0.reportsPageTraffic = reports }
            let count = bench.count { if case .pageTraffic = $0 { true } else { false } }
            #expect((count > 0) == reports)
        }
    }
}
