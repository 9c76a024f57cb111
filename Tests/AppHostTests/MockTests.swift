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

    private static func opened() throws -> (HostBench, String) {
        var bench = try HostBench(kind: .browser)
        bench.mocks = try MockFile.read(Array(file.utf8))
        bench.routes = RouteTable([RouteRow.remote("/api/**")].compactMap { $0 })
        try bench.launch()
        let (page, got) = bench.open(bench.start)
        #expect(got.status == 200)
        return (bench, page)
    }

    @Test(
        "A sequence of answers with status, headers, body and delay; behind the last it stays or begins again"
    )
    func sequence() throws {
        var (bench, page) = try MockTests.opened()
        let start = bench.effects.count
        let waiting = bench.ask("/api/game/7/score", referer: page)
        #expect(waiting.status == 0)
        bench.wait(.milliseconds(1_900))
        #expect(bench.answer(on: waiting.connection, since: start).status == 0)
        bench.wait(.milliseconds(200))
        let late = bench.answer(on: waiting.connection, since: start)
        #expect(late.status == 503)
        #expect(late.fields["Retry-After"] == "1")
        #expect(late.fields.all("Set-Cookie") == ["a=1", "b=2"])
        for _ in 0..<2 {
            let reply = bench.ask("/api/game/7/score", referer: page)
            #expect(reply.text == #"{"score":7,"top":[1,2]}"#)
            #expect(reply.fields["Content-Type"] == "application/json; charset=utf-8")
        }
        #expect(bench.ask("/api/x", "POST", referer: page, body: "abc").text == "one")
        #expect(bench.ask("/api/x", referer: page).status == 204)
        #expect(bench.ask("/api/game/7/score", "DELETE", referer: page).text == "one")
        #expect(bench.count { if case .upstream = $0 { true } else { false } } == 0)
    }

    @Test("Switched off, the remote root answers; switched on, the sequence begins anew")
    func switches() throws {
        var (bench, page) = try MockTests.opened()
        func set(_ name: String, _ isOn: Bool) -> String {
            bench.call(
                #"{"method":"setMock","params":{"name":"\#(name)","on":\#(isOn)},"id":1}"#, from: page
            ).text
        }
        #expect(bench.ask("/off", referer: page).status == 404)
        #expect(set("off", true) == #"{"method":"setMock","result":true,"id":1}"#)
        #expect(bench.ask("/off", referer: page).text == "off")
        #expect(bench.ask("/api/x", referer: page).text == "one")
        _ = set("rest", false)
        _ = set("unknown", false)
        #expect(bench.ask("/api/x", referer: page).status == 502, "no remote root is configured")
        _ = set("rest", true)
        #expect(bench.ask("/api/x", referer: page).text == "one")
        #expect(bench.call(#"{"method":"setMock","params":{}}"#, from: page).text.contains("setMock wants"))
    }

    @Test("A handler's peer that goes away is not answered; its delay ends in nothing")
    func gone() throws {
        var (bench, page) = try MockTests.opened()
        let waiting = bench.ask("/api/game/7/score", referer: page)
        bench.tell(.connection(waiting.connection, .closed(nil)))
        let start = bench.effects.count
        bench.wait(.seconds(3))
        #expect(bench.answer(on: waiting.connection, since: start).status == 0)
        #expect(bench.ask("/api/game/7/score", referer: page).text == #"{"score":7,"top":[1,2]}"#)
    }

    @Test(
        "A faulty file is refused with the fault's place",
        arguments: [
            ("[]", "must be an object"), ("{}", "does not say that it is one"),
            ("{format: 'otalab-mocks-1'}", "mocks must be a list"),
            ("{format: 'otalab-mocks-1', mock: []}", "has no \"mock\""),
            ("{format: 'otalab-mocks-1', mocks: [{path: 'x', answers: [{}]}]}", "path must be"),
            ("{format: 'otalab-mocks-1', mocks: [{path: '/x', answers: []}]}", "at least one"),
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
