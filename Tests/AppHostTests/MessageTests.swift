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

    @Test("R6, G2: a message names its load where the document's address does not, and counts for that one")
    func namedLoad() throws {
        var (fixture, page) = try shown()
        let token = String(page.suffix(16))
        func say(_ load: String) -> [PageLoadToken] {
            fixture.effects = []
            let message = #"{"method":"startupDidComplete","load":"\#(load)"}"#
            fixture.handle(.webView(.first, .message(Array(message.utf8), documentURL: url("/items/7"))))
            return fixture.effects.compactMap { if case .message(_, let load, _) = $0 { load } else { nil } }
        }
        for load in ["", "00aa", "zz00000000000000"] { #expect(say(load).isEmpty, "\(load)") }
        #expect(say("00000000000000aa") == [PageLoadToken(0xaa)])
        #expect(fixture.host.report.contains("confirmation-from-former-page"))
        #expect(say(token) == [DocumentURL.load(page)].compactMap { $0 })
    }

    @Test(
        "T2: errors that a page does not handle are facts of the error report until it confirms, five at most"
    )
    func pageErrors() throws {
        var (fixture, page) = try shown()
        func err(_ text: String) -> Bool {
            fixture.call(
                #"{"method":"pageError","params":{"kind":"error","message":"\#(text)","source":"/app.js:3"}}"#,
                from: page
            ).text.contains("true")
        }
        #expect(err("x is not a function"))
        for number in 0..<9 { #expect(err("again \(number)")) }
        let lines = fixture.host.report.split(separator: "\n").filter { $0.contains("cause=page-error") }
        #expect(lines.count == 5)
        #expect(lines[0].contains("page:%20error%20x%20is%20not%20a%20function%20/app.js:3"))
        var (confirmed, other) = try shown()
        _ = confirmed.call(#"{"method":"startupDidComplete"}"#, from: other)
        _ = confirmed.call(#"{"method":"pageError","params":{"message":"late"}}"#, from: other)
        #expect(!confirmed.host.report.contains("page-error"))
    }

    @Test("F9: a build that allows no test messages has no other API root and no other environment")
    func noTestMessages() throws {
        var (fixture, page) = try shown()
        for method in ["setRemoteRoot", "switchEnvironment"] {
            let message = #"{"method":"\#(method)","params":{"url":"http://a.example","channel":"b"}}"#
            #expect(fixture.call(message, from: page).text.contains("\(method) is off in this build"))
        }
        #expect(fixture.count { if case .environmentSwitched = $0 { true } else { false } } == 0)
    }

    @Test(
        "F9: a page points the whole app at another environment, whose version is shown when it is complete")
    func environment() throws {
        var fixture = try HostFixture()
        fixture.allowsTestMessages = true
        fixture.otherOffered = ("http://staging.example", HostFixture.Version("s1", 2))
        try fixture.launch()
        let (page, _) = fixture.show()
        func call(_ params: String) -> String {
            fixture.call(#"{"method":"switchEnvironment","params":\#(params),"id":1}"#, from: page).text
        }
        for params in ["{}", "null", #"{"origin":"x"}"#, #"{"channel":""}"#, #"{"remoteRoot":"ftp://a"}"#] {
            #expect(call(params).contains("switchEnvironment wants"), "\(params)")
        }
        fixture.effects = []
        #expect(
            call(
                #"{"origin":"http://staging.example/manifest.json","remoteRoot":"http://staging.example/api"}"#
            )
                == #"{"method":"switchEnvironment","result":true,"id":1}"#)
        let loads = fixture.count { if case .load = $0 { true } else { false } }
        #expect(loads == 2, "at once, and when the other environment's version is complete")
        #expect(fixture.show().1.text == "<p>s1</p>")
        let switched = fixture.effects.compactMap { effect in
            if case .environmentSwitched(let new) = effect { new } else { nil }
        }
        #expect(switched.map(\.origin) == ["http://staging.example/manifest.json"])
        #expect(switched.first?.remote?.base == "/api")
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

    @Test(
        "A page that does not answer leaves native code without a result after 30 s, and its late answer is refused"
    )
    func pageSilent() throws {
        var (fixture, page) = try shown()
        fixture.handle(.callPage(AppHost.CallID(7), .first, method: "cart", params: Array("null".utf8)))
        #expect(fixture.effects.contains(.setTimer(.pageAnswer(AppHost.CallID(7)), after: .seconds(30))))
        fixture.handle(.timer(.pageAnswer(AppHost.CallID(7))))
        #expect(answers(fixture) == ["gone"])
        let late = #"{"result":1,"id":"native-7"}"#
        fixture.handle(.webView(.first, .message(Array(late.utf8), documentURL: url(page))))
        #expect(answers(fixture) == ["gone"])
        #expect(messages(fixture).last?.contains("an answer to no question") == true)
        fixture.handle(.timer(.pageAnswer(AppHost.CallID(7))))
        #expect(answers(fixture) == ["gone"], "once")
    }

    @Test("An answer in time ends the wait for it")
    func pageAnswersInTime() throws {
        var (fixture, page) = try shown()
        fixture.handle(.callPage(AppHost.CallID(7), .first, method: "cart", params: Array("null".utf8)))
        let answer = #"{"result":1,"id":"native-7"}"#
        fixture.handle(.webView(.first, .message(Array(answer.utf8), documentURL: url(page))))
        #expect(fixture.effects.contains(.cancelTimer(.pageAnswer(AppHost.CallID(7)))))
        fixture.handle(.timer(.pageAnswer(AppHost.CallID(7))))
        #expect(answers(fixture) == ["1"])
    }

    @Test("A hundred calls may be open; one more, or one with an open id, ends at once")
    func tooManyCalls() throws {
        var (fixture, _) = try shown()
        for number in 1...100 {
            fixture.handle(
                .callPage(AppHost.CallID(UInt32(number)), .first, method: "cart", params: Array("1".utf8)))
        }
        #expect(answers(fixture).isEmpty)
        fixture.handle(.callPage(AppHost.CallID(101), .first, method: "cart", params: Array("1".utf8)))
        fixture.handle(.callPage(AppHost.CallID(1), .first, method: "cart", params: Array("1".utf8)))
        #expect(answers(fixture) == ["gone", "gone"])
        #expect(fixture.host.calls.pages.count == 100)
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
