import Core
import Testing

@testable import Subject

/// What adapters may write, and what is said about what they may not.
@Suite("The adapters' protocol")
struct ProtocolTests {
    private static let hello =
        #"{"is":"subject","protocol":1,"name":"acme","version":"3.2","dialects":["own"],"does":["check"],"tells":["pending"]}"#

    private func session(after lines: String...) throws -> SubjectSession {
        var session = SubjectSession()
        for line in lines { _ = try session.take(Array((line + "\n").utf8), at: .zero) }
        return session
    }

    /// The mistake that this line is after a description and one command.
    private func fault(_ line: String) -> ProtocolFault? {
        do throws(ProtocolFault) {
            var session = SubjectSession()
            _ = try session.take(Array((Self.hello + "\n").utf8), at: .zero)
            _ = session.send(.check, at: .zero, wall: .zero)
            _ = try session.take(Array((line + "\n").utf8), at: .zero)
            return nil
        } catch {
            return error
        }
    }

    @Test("a description has defaults, and words of later versions are left out")
    func description() throws {
        let line =
            #"{"is":"subject","protocol":1,"name":"a","version":"1","dialects":["own"],"does":["check","fly"],"new":1}"#
        let session = try session(after: line)
        let description = try #require(session.description)
        #expect(description.clock == .system && description.serves == .http && description.policy == nil)
        #expect(description.does == [.check] && description.tells.isEmpty)
        #expect(description.slips == ["no command of the protocol is 'fly'; it is ignored"])
    }

    @Test("a word that is nearly one of the protocol is named as a slip, with the word that was meant")
    func slips() throws {
        let line =
            #"{"is":"subject","protocol":1,"name":"a","version":"1","does":["chek"],"tells":["curent"]}"#
        let description = try #require(try session(after: line).description)
        #expect(
            description.slips == [
                "no command of the protocol is 'chek': did you mean 'check'?",
                "no word for 'tells' of the protocol is 'curent': did you mean 'current'?",
            ])
        #expect(SubjectReport.text(description).contains("slip      no command of the protocol is 'chek'"))
    }

    @Test("the answer to a page's request is read with its body, and without what the laboratory says itself")
    func response() throws {
        let text =
            #"{"to":1,"ok":true,"status":200,"type":"text/css","headers":{"ETag":"\"a\"","Connection":"close"},"base64":"cHt9"}"#
        var session = try session(after: Self.hello)
        let command = SubjectCommand.get(connection: 3, url: "/a.css?x=1", headers: ["Accept": "text/css"])
        let line = String(decoding: session.send(command, at: .zero, wall: .zero), as: UTF8.self)
        #expect(line.contains(#""do":"get","url":"/a.css?x=1","headers":{"accept":"text/css"}"#), "\(line)")
        let received = try session.take(Array((text + "\n").utf8), at: .zero)
        #expect(received.first?.command == command)
        guard case .answer(let answer)? = received.first?.message else { return #expect(Bool(false)) }
        #expect(
            answer.response
                == SubjectAnswer.Response(
                    status: 200, type: "text/css", headers: ["ETag": "\"a\""], body: .bytes(Array("p{}".utf8))
                ))
    }

    @Test("a policy is read with its bounds")
    func policy() throws {
        let line =
            #"{"is":"subject","protocol":1,"name":"a","version":"1","policy":{"confirm":"loaded","startupTimeout":5000,"switchAt":["launch","call"],"retries":2,"blacklists":false}}"#
        let policy = try #require(try session(after: line).description?.policy)
        #expect(policy.confirm == .loaded && policy.startupTimeout == .seconds(5) && policy.retries == 2)
        #expect(policy.switchAt == [.launch, .call] && !policy.blacklists)
    }

    @Test(
        "mistakes are named with the line's number, the line and a way out",
        arguments: [
            ("hello", "a line that is no JSON"),
            ("[1]", "a line that is no JSON object, but a list"),
            (#"{"is":"load"}"#, "a message without \"url\""),
            (#"{"is":"load","url":"http://example.com/"}"#, "\"url\" is no path"),
            (#"{"is":"load","url":"//example.com/"}"#, "\"url\" is no path"),
            (#"{"is":"load","view":-1,"url":"/"}"#, "\"view\" is no whole number from 0 to 99"),
            (#"{"is":"screen","shows":"ad"}"#, "\"shows\" can't be 'ad'"),
            (#"{"is":"status","blacklist":"v2"}"#, "\"blacklist\" is text instead of a list"),
            (#"{"is":"status","good":[2]}"#, "\"good\" has a number instead of text"),
            (#"{"to":1}"#, "an answer without \"ok\""),
            (#"{"to":9,"ok":true}"#, "an answer to no command: 9"),
            (#"{"to":1,"ok":true,"status":99}"#, "\"status\" is no status of a whole response: 99"),
            (#"{"to":1,"ok":true,"status":600}"#, "\"status\" is no whole number from 0 to 599"),
            (#"{"to":1,"ok":true,"status":200,"base64":"?"}"#, "\"base64\" is none"),
            (#"{"to":1,"ok":true,"status":200,"file":"/a","base64":""}"#, "both \"file\" and \"base64\""),
            (#"{"to":1,"ok":true,"status":200,"headers":[]}"#, "\"headers\" is a list instead of an object"),
            (#"{"to":1,"ok":true,"status":200,"headers":{"a b":""}}"#, "\"headers\" has no header field"),
            (#"{"to":1,"ok":true,"status":200,"headers":{"a":"b\r\nc"}}"#, "\"headers\" has no header field"),
            (#"{"to":1,"ok":true,"status":200,"type":"a\nb"}"#, "\"type\" is no media type"),
            (#"{"is":"subject","protocol":1,"name":"a","version":"1"}"#, "a second description"),
        ])
    func mistakes(line: String, message: String) throws {
        let fault = try #require(self.fault(line))
        #expect(fault.message.hasPrefix(message), "\(fault.message)")
        #expect(fault.number == 2 && fault.line == line && !fault.help.isEmpty)
    }

    @Test("an answer counts once")
    func answers() throws {
        var session = try session(after: Self.hello)
        _ = session.send(.check, at: .zero, wall: .zero)
        let received = try session.take(Array("{\"to\":1,\"ok\":false,\"why\":\"busy\"}\n".utf8), at: .zero)
        #expect(received.first?.command == .check && session.oldestOpen == nil)
        #expect(throws: ProtocolFault.self) {
            try session.take(Array("{\"to\":1,\"ok\":true}\n".utf8), at: .zero)
        }
    }

    @Test("nothing is said before the description, and another protocol is refused")
    func order() {
        #expect(throws: ProtocolFault.self) { try session(after: #"{"is":"listening"}"#) }
        #expect(throws: ProtocolFault.self) {
            try session(after: #"{"is":"subject","protocol":2,"name":"a","version":"1"}"#)
        }
    }

    @Test("kinds of messages that this version does not have are ignored")
    func unknown() throws { _ = try session(after: Self.hello, #"{"is":"dance","steps":3}"#) }

    @Test("lines may come in pieces and end as on Windows; one that is too long is a mistake")
    func lines() throws {
        var splitter = LineSplitter()
        #expect(splitter.take(Array("{}\r".utf8)).isEmpty)
        #expect(
            splitter.take(Array("\n{\"a\":1}\n{".utf8)) == [
                .line(Array("{}".utf8)), .line(Array("{\"a\":1}".utf8)),
            ])
        #expect(splitter.unfinished == Array("{".utf8))
        let longest = [UInt8](repeating: 0x20, count: LineSplitter.maxLine)
        var other = LineSplitter()
        #expect(other.take(longest + [0x0A]) == [.line(longest)])
        #expect(other.take(longest + [0x20]).count == 1)
        #expect(other.take([0x0A]).isEmpty)
    }

    @Test("commands are one line of JSON each")
    func commands() {
        func text(_ command: SubjectCommand) -> String {
            String(decoding: command.line(id: 7), as: UTF8.self)
        }
        #expect(text(.check) == #"{"id":7,"do":"check"}"#)
        #expect(text(.front(false)) == #"{"id":7,"do":"front","is":false}"#)
        #expect(text(.active(true)) == #"{"id":7,"do":"active","is":true}"#)
        #expect(
            text(.launch(SubjectLaunch(isInFront: true, boot: "b1", time: .zero + .milliseconds(1500))))
                == #"{"id":7,"do":"launch","front":true,"boot":"b1","time":1500}"#)
        #expect(
            text(.launch(SubjectLaunch(isInFront: false, died: .userRequested, wall: 1_800_000_000)))
                == #"{"id":7,"do":"launch","front":false,"died":"user","time":0,"wall":1800000000}"#)
        #expect(
            text(.page(view: 0, "navigating", url: "/a?b", how: "reload"))
                == #"{"id":7,"do":"page","view":0,"is":"navigating","url":"/a?b","how":"reload"}"#)
    }

    @Test("what is not told stays as it was told before")
    func status() throws {
        var status = SubjectStatus()
        status.pending = .id("v2")
        status.good = ["v1"]
        var change = SubjectStatus()
        change.pending = SubjectStatus.Told.none
        status.update(change)
        #expect(status.pending == SubjectStatus.Told.none && status.good == ["v1"])
    }

    @Test("a long dialogue keeps its beginning and its end")
    func dialogue() {
        var dialogue = Dialogue()
        for number in 1...1_000 { dialogue.add(.note, "\(number)", at: .zero) }
        #expect(dialogue.lines.count == 500 && dialogue.leftOut == 500)
        #expect(dialogue.lines.first?.text == "1" && dialogue.lines.last?.text == "1000")
    }
}
