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
        #expect(fixture.effects.contains(.cancelTimer(.pageAnswer(AppHost.CallID(1)))))
        fixture.handle(.callPage(AppHost.CallID(2), WebViewID(5), method: "cart", params: Array("null".utf8)))
        fixture.handle(.callPage(AppHost.CallID(3), .first, method: "cart", params: Array("{".utf8)))
        #expect(answers(fixture) == ["gone", "gone", "gone"])
        #expect(fixture.host.calls.pages.isEmpty)
    }

    @Test("N5: a message of a mebibyte is read, one byte more is refused, whatever names its load")
    func longest() throws {
        for (size, isRead) in [((1 << 20) - 1, true), (1 << 20, true), ((1 << 20) + 1, false)] {
            var (fixture, page) = try shown()
            let token = String(page.suffix(16))
            for address in [page, "/items/7"] {
                fixture.effects = []
                let begin = #"{"method":"infoRequest","load":"\#(token)","params":{"text":"a"},"id":"#
                var message = Array((begin + "1").utf8)
                message += [UInt8](repeating: UInt8(ascii: " "), count: size - message.count - 1)
                message.append(UInt8(ascii: "}"))
                #expect(message.count == size)
                fixture.handle(.webView(.first, .message(message, documentURL: url(address))))
                let reply = messages(fixture).last
                if isRead {
                    #expect(reply?.contains("infoResponse") == true, "\(size) \(address)")
                } else {
                    // Without a load in the address there is no page to answer.
                    let tooLong = #"{"method":"error","result":"too long"}"#
                    #expect(reply == (address == page ? tooLong : nil))
                }
            }
        }
    }

    @Test("Each of the host's own methods is answered by true under its name, with the id that came")
    func ownMethods() throws {
        for method in [
            "startupDidComplete", "startupDidFail", "pageError", "checkForUpdates", "onNewVersionReady",
            "onError", "listen", "holdOff", "release",
        ] {
            var (fixture, page) = try shown()
            #expect(
                fixture.call(#"{"method":"\#(method)","id":[1]}"#, from: page).text
                    == #"{"method":"\#(method)","result":true,"id":[1]}"#)
        }
    }

    @Test("Each message is answered once, with its result or a refusal")
    func once() throws {
        for method in [
            "startupDidComplete", "pageError", "checkForUpdates", "listen", "holdOff", "release",
            "infoRequest", "nativeLinks", "linkRules", "openLink", "setRemoteRoot", "switchEnvironment",
            "switchToPendingVersion", "fly",
        ] {
            var (fixture, page) = try shown()
            fixture.effects = []
            let message = Array(#"{"method":"\#(method)","id":1}"#.utf8)
            fixture.handle(.webView(.first, .message(message, documentURL: url(page))))
            let replies = messages(fixture).filter { !$0.hasPrefix(#"{"event""#) }
            #expect(replies.count == 1 && replies.first?.hasSuffix(#","id":1}"#) == true, "\(method)")
        }
    }

    @Test("A switch that is refused because there were too many is reported to the page")
    func tooOften() throws {
        var host = try shown().0.host
        let load = PageLoadToken(1)
        host.calls.add(BridgeCalls.SwitchCall(reply: ReplyAddress(view: .first, load: load), id: nil))
        host.switchAnswered(load, .tooOften)
        let answer = Array(#"{"method":"error","result":"switched too often"}"#.utf8)
        #expect(host.effects == [.message(.first, load, answer)])
        host.switchAnswered(load, .tooOften)
        #expect(host.effects.count == 1, "no call waits any more")
    }

    @Test("A question without a text gets an empty one; a link without a URL is refused")
    func missingParameters() throws {
        var (fixture, page) = try shown()
        #expect(
            fixture.call(#"{"method":"infoRequest"}"#, from: page).text
                == #"{"method":"infoResponse","result":{"message":""}}"#)
        #expect(
            fixture.call(#"{"method":"openLink","id":1}"#, from: page).text
                == #"{"method":"error","result":"not a link of native code","id":1}"#)
        #expect(
            fixture.call(#"{"method":"linkRules"}"#, from: page).text
                == #"{"method":"linkRules","result":{"native":[],"allowed":[]}}"#)
    }

    @Test("U6: while the page holds off, its reload is no switch; released, the next one is")
    func holdOff() throws {
        var (fixture, page) = try shown()
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        _ = fixture.call(#"{"method":"holdOff"}"#, from: page)
        let (held, got) = fixture.show(page, isReload: true)
        #expect(got.text == "<p>v1</p>")
        _ = fixture.call(#"{"method":"release"}"#, from: held)
        #expect(fixture.show(held, isReload: true).1.text == "<p>v2</p>")
    }

    @Test("Ids of calls to native code count up from 1; a call is taken once, by its id or with its page")
    func nativeCallIDs() {
        let load = PageLoadToken(1)
        let other = PageLoadToken(2)
        var calls = BridgeCalls()
        for (id, load) in [(1, load), (2, other), (3, load)] as [(UInt32, PageLoadToken)] {
            let reply = ReplyAddress(view: .first, load: load)
            #expect(calls.addNative("cart", reply, messageID: nil) == AppHost.CallID(id))
        }
        #expect(calls.takeNative(AppHost.CallID(4)) == nil && calls.native.count == 3)
        #expect(calls.takeNative(AppHost.CallID(2))?.reply.load == other)
        #expect(calls.takeNative(AppHost.CallID(2)) == nil)
        #expect(calls.takeNative(of: other).isEmpty && calls.native.count == 2)
        #expect(calls.takeNative(of: load).map(\.id) == [AppHost.CallID(1), AppHost.CallID(3)])
        #expect(calls.takeNative(of: load).isEmpty && calls.native.isEmpty)
    }

    @Test("A page's answer belongs to a call of its own document and of that id, and ends only this one")
    func pageCallIDs() {
        let (load, other) = (PageLoadToken(1), PageLoadToken(2))
        var calls = BridgeCalls()
        for (id, load) in [(1, load), (2, other), (3, load), (4, other)] as [(UInt32, PageLoadToken)] {
            #expect(calls.hasRoomForPageCall(AppHost.CallID(id)))
            calls.add(BridgeCalls.PageCall(id: AppHost.CallID(id), load: load))
            #expect(!calls.hasRoomForPageCall(AppHost.CallID(id)))
        }
        #expect(calls.takePageCall("native-1", of: other) == nil && calls.takePageCall(nil, of: load) == nil)
        #expect(calls.takePageCall("native-1", of: load)?.id == AppHost.CallID(1))
        #expect(calls.takePageCall("native-1", of: load) == nil)
        #expect(calls.takePageCall(AppHost.CallID(2))?.load == other)
        #expect(calls.takePageCall(AppHost.CallID(2)) == nil && calls.pages.count == 2)
        #expect(calls.takePageCalls(of: other).map(\.id) == [AppHost.CallID(4)])
        #expect(calls.takePageCalls(of: other).isEmpty && calls.pages.map(\.id) == [AppHost.CallID(3)])
    }

    @Test("A switch call is answered once, to the document that asked")
    func switchCalls() {
        var calls = BridgeCalls()
        for load in 1...2 as ClosedRange<UInt64> {
            let reply = ReplyAddress(view: .first, load: PageLoadToken(load))
            calls.add(BridgeCalls.SwitchCall(reply: reply, id: nil))
        }
        #expect(calls.takeSwitch(of: PageLoadToken(3)) == nil)
        #expect(calls.takeSwitch(of: PageLoadToken(2))?.reply.load == PageLoadToken(2))
        #expect(calls.takeSwitch(of: PageLoadToken(2)) == nil)
        #expect(calls.takeSwitch(of: PageLoadToken(1)) != nil)
    }

    @Test("A page that goes ends the call over HTTP by which it asked native code, with an empty answer")
    func goneOverHTTP() throws {
        var fixture = try HostFixture()
        fixture.nativeMethods = ["cart"]
        try fixture.launch()
        let (page, _) = fixture.show()
        let start = fixture.effects.count
        let waiting = fixture.call(#"{"method":"cart","id":1}"#, from: page)
        fixture.handle(.webView(.first, .documentGone(url: url(page))))
        #expect(fixture.answer(on: waiting.connection, since: start).text == "{}")
        #expect(fixture.host.webViews.first.load == nil)
    }

    @Test("A page's answer over HTTP ends its call, with an empty answer")
    func answersOverHTTP() throws {
        var (fixture, page) = try shown()
        fixture.handle(.callPage(AppHost.CallID(7), .first, method: "cart", params: Array("1".utf8)))
        #expect(fixture.call(#"{"result":2,"id":"native-7"}"#, from: page).text == "{}")
        #expect(answers(fixture) == ["2"])
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
