import Core
import Testing
import Updater

@testable import AppHost

@Suite("Messages between page and native code (N5, H2, H3)")
struct MessageTests {
    private func shown() throws -> (HostFixture, String) {
        var fixture = try HostFixture()
        try fixture.launch()
        let (target, got) = fixture.show()
        #expect(got.status == 200)
        return (fixture, target)
    }

    private func url(_ target: String) -> String { "http://localhost:12308" + target }

    private func messages(_ fixture: HostFixture) -> [String] {
        fixture.effects.compactMap { effect in
            if case .message(_, _, let bytes) = effect { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }

    @Test("H3: the same question is answered in the call over HTTP, by a message where a web view brought it")
    func bothWays() throws {
        var (fixture, page) = try shown()
        let question = #"{"method":"infoRequest","params":{"text":"hello"},"id":"a"}"#
        let answer = #"{"method":"infoResponse","result":{"message":"hello"},"id":"a"}"#
        #expect(fixture.call(question, from: page).text == answer)
        #expect(messages(fixture).isEmpty)
        fixture.handle(.webView(.first, .message(Array(question.utf8), documentURL: url(page))))
        #expect(messages(fixture) == [answer])
    }

    @Test("A switch call over HTTP is answered in the call, when the updater has decided")
    func switchCall() throws {
        var (fixture, page) = try shown()
        let none = fixture.call(#"{"method":"switchToPendingVersion","id":1}"#, from: page)
        #expect(none.text == #"{"method":"error","result":"No pending version to switch to","id":1}"#)
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        let done = fixture.call(#"{"method":"switchToPendingVersion","id":2}"#, from: page)
        #expect(done.text == #"{"method":"switchToPendingVersion","result":"v2","id":2}"#)
        #expect(fixture.show(page, isReload: true).1.text == "<p>v2</p>")
    }

    @Test("Native code asks the page in front; only that document answers, and only once")
    func nativeAsks() throws {
        var (fixture, page) = try shown()
        fixture.handle(.callPage(AppHost.CallID(7), .first, method: "cart", params: Array(#"{"of":1}"#.utf8)))
        #expect(messages(fixture) == [#"{"method":"cart","params":{"of":1},"id":"native-7"}"#])
        let answer = #"{"result":{"items":[1,2.5,"x"]},"id":"native-7"}"#
        fixture.handle(.webView(.first, .message(Array(answer.utf8), documentURL: "http://localhost:12308/")))
        #expect(answers(fixture).isEmpty)
        fixture.handle(.webView(.first, .message(Array(answer.utf8), documentURL: url(page))))
        #expect(answers(fixture) == [#"{"items":[1,2.5,"x"]}"#])
        fixture.handle(.webView(.first, .message(Array(answer.utf8), documentURL: url(page))))
        #expect(answers(fixture).count == 1)
        #expect(messages(fixture).last?.contains("an answer to no question") == true)
    }

    private func answers(_ fixture: HostFixture) -> [String] {
        fixture.effects.compactMap { effect in
            guard case .pageReturned(_, let result) = effect else { return nil }
            return result.map { String(decoding: $0, as: UTF8.self) } ?? "gone"
        }
    }

    @Test("A call to a page that goes, or that is not there, ends without a result; none is left open")
    func pageGone() throws {
        var (fixture, page) = try shown()
        fixture.handle(.callPage(AppHost.CallID(1), .first, method: "cart", params: Array("null".utf8)))
        _ = fixture.show(page, isReload: true)
        #expect(answers(fixture) == ["gone"])
        fixture.handle(.callPage(AppHost.CallID(2), WebViewID(5), method: "cart", params: Array("null".utf8)))
        fixture.handle(.callPage(AppHost.CallID(3), .first, method: "cart", params: Array("{".utf8)))
        #expect(answers(fixture) == ["gone", "gone", "gone"])
        #expect(fixture.host.calls.pages.isEmpty)
    }

    @Test(
        "N5: what is no message is refused with a reason, in the log too",
        arguments: [
            ("", "not JSON"), ("{", "not JSON"), ("[1]", "no method"), ("{}", "no method"),
            ("7", "no method"),
            (#"{"method":7}"#, "no method"), (#"{"method":"fly"}"#, "unknown method fly"),
            (#"{"result":1}"#, "an answer to no question"),
            (#"{"result":1,"id":"native-1"}"#, "an answer to no question"),
            (#"{"method":"receive"}"#, "unknown method receive"),
            (#"{"method":"setMock"}"#, "unknown method setMock"),
        ])
    func refused(message: String, why: String) throws {
        var (fixture, page) = try shown()
        fixture.effects = []
        fixture.handle(.webView(.first, .message(Array(message.utf8), documentURL: url(page))))
        #expect(messages(fixture).last?.contains(why) == true)
        #expect(
            fixture.count { effect in
                if case .log(let entry) = effect { entry.cause == .bridgeMessageRefused } else { false }
            } == 1)
    }
}
