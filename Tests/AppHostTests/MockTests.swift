import Core
import DevelopmentHost
import HTTP1
import LocalServer
import Testing

@Suite("Mock handlers stand in for the API (G6)")
struct MockTests {
    private static let file = """
        {
            format: "otalab-mocks-1", // as a person writes it
            mocks: [
                {
                    name: "score", path: "/api/game/*/score", methods: ["GET"],
                    answers: [
                        { status: 503, headers: { "Retry-After": "1", "Set-Cookie": ["a=1", "b=2"] }, delay: "2 s" },
                        { json: { score: 7, top: [1, 2] } },
                    ],
                },
                { name: "rest", path: "/api/**", answers: [{ body: "one" }, { status: 204 }], repeats: true },
                { name: "off", path: "/off", on: false, answers: [{ body: "off" }] },
            ],
        }
        """

    private static func opened() throws -> (HostFixture, String) {
        var fixture = try HostFixture(kind: .browser)
        fixture.mocks = try MockFile.read(Array(file.utf8))
        fixture.allowsTestMessages = true
        fixture.routes = RouteTable([RouteEntry.remote("/api/**")].compactMap { $0 })
        try fixture.launch()
        let (page, got) = fixture.open(fixture.start)
        #expect(got.status == 200)
        return (fixture, page)
    }

    @Test(
        "A sequence of answers with status, headers, body and delay; behind the last it stays or begins again"
    )
    func sequence() throws {
        var (fixture, page) = try MockTests.opened()
        let start = fixture.effects.count
        let waiting = fixture.ask("/api/game/7/score", referer: page)
        #expect(waiting.status == 0)
        fixture.wait(.milliseconds(1_900))
        #expect(fixture.answer(on: waiting.connection, since: start).status == 0)
        fixture.wait(.milliseconds(200))
        let late = fixture.answer(on: waiting.connection, since: start)
        #expect(late.status == 503)
        #expect(late.fields["Retry-After"] == "1")
        #expect(late.fields.all("Set-Cookie") == ["a=1", "b=2"])
        for _ in 0..<2 {
            let reply = fixture.ask("/api/game/7/score", referer: page)
            #expect(reply.text == #"{"score":7,"top":[1,2]}"#)
            #expect(reply.fields["Content-Type"] == "application/json; charset=utf-8")
        }
        #expect(fixture.ask("/api/x", "POST", referer: page, body: "abc").text == "one")
        #expect(fixture.ask("/api/x", referer: page).status == 204)
        #expect(fixture.ask("/api/game/7/score", "DELETE", referer: page).text == "one")
        #expect(fixture.count { if case .upstream = $0 { true } else { false } } == 0)
    }

    @Test("Switched off, the remote root answers; switched on, the sequence begins anew")
    func switches() throws {
        var (fixture, page) = try MockTests.opened()
        func set(_ name: String, _ isOn: Bool) -> String {
            fixture.call(
                #"{"method":"setMock","params":{"name":"\#(name)","on":\#(isOn)},"id":1}"#, from: page
            ).text
        }
        #expect(fixture.ask("/off", referer: page).status == 404)
        #expect(set("off", true) == #"{"method":"setMock","result":true,"id":1}"#)
        #expect(fixture.ask("/off", referer: page).text == "off")
        #expect(fixture.ask("/api/x", referer: page).text == "one")
        _ = set("rest", false)
        #expect(set("unknown", false).contains("no mock handler is named unknown"))
        #expect(fixture.ask("/api/x", referer: page).status == 502, "no remote root is configured")
        _ = set("rest", true)
        #expect(fixture.ask("/api/x", referer: page).text == "one")
        #expect(fixture.call(#"{"method":"setMock","params":{}}"#, from: page).text.contains("setMock wants"))
    }

    @Test("A build that allows no test messages has its mock handlers as they are")
    func release() throws {
        var fixture = try HostFixture(kind: .browser)
        fixture.mocks = try MockFile.read(Array(MockTests.file.utf8))
        try fixture.launch()
        let (page, _) = fixture.open(fixture.start)
        let answer = fixture.call(
            #"{"method":"setMock","params":{"name":"off","on":true}}"#, from: page)
        #expect(answer.text.contains("setMock is off in this build"))
        #expect(fixture.ask("/off", referer: page).status == 404)
    }

    @Test("A developer's switch has the effect of the page's")
    func console() throws {
        var (fixture, page) = try MockTests.opened()
        fixture.handle(DevelopmentHost.event(switchingMock: 2, isOn: true))
        #expect(fixture.ask("/off", referer: page).text == "off")
        fixture.handle(DevelopmentHost.event(switchingMock: 2, isOn: false))
        fixture.handle(DevelopmentHost.event(switchingMock: 3, isOn: true))
        #expect(fixture.ask("/off", referer: page).status == 404)
    }

    private static let failing = """
        { format: "otalab-mocks-1", mocks: [
            { name: "reset", path: "/reset", answers: [{ ends: "reset" }, { body: "fine" }] },
            { name: "part", path: "/part", answers: [{ body: "0123456789", ends: "break-off", after: 4 }] },
            { name: "half", path: "/half", answers: [{ body: "0123456789", ends: "break-off" }] },
            { name: "stall", path: "/stall", answers: [{ ends: "stall" }] },
            { name: "slow", path: "/slow", answers: [{ body: "0123456789", ends: "stall", after: 2 }] },
        ] }
        """

    @Test(
        "G10: answers that are reset, break off or stall",
        arguments: ["reset", "part", "half", "stall", "slow"])
    func failing(name: String) throws {
        var fixture = try HostFixture(kind: .browser)
        fixture.mocks = try MockFile.read(Array(MockTests.failing.utf8))
        try fixture.launch()
        let (page, _) = fixture.open(fixture.start)
        let start = fixture.effects.count
        let got = fixture.ask("/" + name, referer: page)
        let isClosed = fixture.effects[start...].contains(.close(got.connection))
        switch name {
        case "reset": #expect(got.status == 0 && isClosed)
        case "stall": #expect(got.status == 0 && !isClosed)
        case "slow":
            #expect(got.status == 200 && got.text == "01" && !isClosed)
            fixture.wait(.seconds(10))
            #expect(!fixture.effects.contains(.close(got.connection)))
        default:
            #expect(got.status == 200 && got.text == (name == "part" ? "0123" : "01234") && isClosed)
            #expect(got.fields["Content-Length"] == "10" && got.fields["X-Otalab-Mock"] == nil)
        }
        if name == "reset" { #expect(fixture.ask("/reset", referer: page).text == "fine") }
    }

    @Test("A handler's peer that goes away is not answered; its delay ends in nothing")
    func gone() throws {
        var (fixture, page) = try MockTests.opened()
        let waiting = fixture.ask("/api/game/7/score", referer: page)
        fixture.handle(.connection(waiting.connection, .closed(nil)))
        let start = fixture.effects.count
        fixture.wait(.seconds(3))
        #expect(fixture.answer(on: waiting.connection, since: start).status == 0)
        #expect(fixture.ask("/api/game/7/score", referer: page).text == #"{"score":7,"top":[1,2]}"#)
    }

    @Test(
        "A faulty file is refused with the position of the fault",
        arguments: [
            ("[]", "must be an object"), ("{}", "does not say that it is one"),
            ("{format: 'otalab-mocks-1'}", "mocks must be a list"),
            ("{format: 'otalab-mocks-1', mock: []}", "has no \"mock\""),
            ("{format: 'otalab-mocks-1', mocks: [{path: 'x', answers: [{}]}]}", "path must be"),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: []}]}", "at least one"),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{ends: 'late'}]}]}",
                "how the answer ends"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{ends: 'break-off'}]}]}",
                "needs a body"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{body: 'ab', ends: 'stall', after: 2}]}]}",
                "fewer than the body has"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{body: 'ab', after: 1}]}]}",
                "belongs to"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{status: 101}]}]}",
                "from 200 to 599"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{body: 'a', json: 1}]}]}",
                "one body"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{delay: '11 min'}]}]}",
                "at most 10 min"
            ),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{delay: 5}]}]}", "at most 10 min"),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{headers: {'content-length': '1'}}]}]}",
                "frames its answers itself"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{path: '/x', methods: 'TRACE', answers: [{}]}]}",
                "never reaches"
            ),
            (
                "{format: 'otalab-mocks-1', mocks: [{name: 'a', path: '/x', answers: [{}]}, {name: 'a', path: '/y', answers: [{}]}]}",
                "two handlers"
            ),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: [{}], on: 1}]}", "true or false"),
        ])
    func faults(text: String, message: String) {
        do throws(JSONFault) {
            _ = try MockFile.read(Array(text.utf8))
            Issue.record("it is read")
        } catch {
            #expect(error.message.contains(message), "\(error.message)")
            #expect(error.span.end <= text.utf8.count)
        }
    }
}
