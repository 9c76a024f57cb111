import Backend
import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner

@Suite("What the steps of a scenario did, and from where they count")
struct StepNoteTests {
    private let gone = #"liveness: "none", because: "only the steps are looked at","#

    private func result(_ steps: String, head: String = "") throws -> ScenarioResult {
        ScenarioRunner().run(try SmallScenario.plan(SmallScenario.text(steps, head: gone + head)))
    }

    @Test("F16: a result has the version that runs at the end, and how old it is")
    func runningVersion() throws {
        let known = try result(
            """
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "1m" },
            { relaunch: true }, { wait: "5s" }, { check: true }, { wait: "10m" },
            """)
        #expect(known.running.map(\.version) == ["v2"])
        let age = try #require(known.running.first?.age)
        #expect(age >= .seconds(595) && age <= .seconds(610), "\(age)")
        let unknown = try result("{ network: 'offline' }, { launch: true }, { wait: '1m' },")
        #expect(unknown.running == [RunningVersion(version: "v1")])
        #expect(try result("{ wait: '1s' },").running.isEmpty)
    }

    @Test(
        "A step that changes nothing is reported",
        arguments: [
            (#"{ page: "reload" }"#, "the app was not running"),
            (#"{ user: "taps a link" }"#, "the app was not running"),
            (#"{ user: "swipes the app away" }"#, "the app was not running"),
            (#"{ suspend: "1m" }"#, "the app was not running"),
            (#"{ foreground: true }"#, "the app was not running"),
            (#"{ launch: true }, { page: "reload" }"#, "no page is there"),
            (#"{ launch: true }, { wait: "1s" }, { foreground: true }"#, "the app was in front already"),
            (#"{ launch: true }, { wait: "1s" }, { resume: true }"#, "the app was not suspended"),
            (
                #"{ launch: true }, { wait: "1s" }, { user: "tries again" }"#,
                "the button was not on the screen"
            ),
            (
                #"{ launch: true }, { background: true }, { background: true }"#,
                "the app was in the background already"
            ),
            (#"{ launch: true }, { launch: "background" }"#, "the app was running already"),
            (#"{ launch: true }, { heal: true }"#, "there was nothing to heal"),
            (#"{ fault: "offline", as: "a" }, { heal: "a" }, { heal: "a" }"#, "there was nothing to heal"),
            (#"{ network: "online" }"#, "the network was online already"),
            (#"{ network: "metered" }, { network: "metered" }"#, "the network was metered already"),
            (#"{ launch: true }, { active: true }"#, "the app was active already"),
            (#"{ launch: true }, { inactive: true }, { inactive: true }"#, "the app was inactive already"),
            (#"{ launch: true }, { background: true }, { inactive: true }"#, "the app was not in front"),
            (
                #"{ launch: true }, { disk: { file: "v2:/app.js", do: { remove: true } } }"#,
                "nothing is stored of v2:/app.js"
            ),
        ])
    func idle(_ steps: String, _ why: String) throws {
        let notes = try result(steps + ", ").notes.filter { $0.kind == .step }.map(\.text)
        #expect(notes.count == 1 && notes[0].contains(" changed nothing: \(why): "), "\(notes)")
    }

    @Test("An armed step that changes nothing when it happens is reported")
    func armed() throws {
        let notes = try result(
            #"{ launch: true }, { wait: "1s" }, { kill: "user" }, { page: "reload", after: "2s" }, { wait: "5s" },"#
        ).notes
        #expect(notes.map(\.text).contains { $0.contains("no page is there: { page: \"reload\", after") })
    }

    @Test(
        "An armed step that finds everything as it would make it is reported, and no other",
        arguments: [
            (#"heal: true"#, "", "there was nothing to heal"),
            (#"heal: true"#, #"{ network: "offline" },"#, nil),
            (#"network: "offline""#, #"{ network: "offline" },"#, "the network was offline already"),
            (#"network: "online""#, #"{ network: "offline" },"#, nil),
            (#"active: true"#, "", "the app was active already"),
            (#"active: true"#, "{ inactive: true },", nil),
            (#"inactive: true"#, "{ inactive: true },", "the app was inactive already"),
            (#"inactive: true"#, "", nil),
        ])
    func armedIdle(_ action: String, _ before: String, _ why: String?) throws {
        let steps = "{ launch: true }, { wait: '1s' }, \(before) { \(action), after: '2s' }, { wait: '5s' },"
        let notes = try result(steps).notes.filter { $0.kind == .step }.map(\.text)
        #expect(notes.count == (why == nil ? 0 : 1), "\(notes)")
        if let why { #expect(notes.first?.contains(" changed nothing: \(why): ") == true, "\(notes)") }
    }

    @Test("Steps that do something are not reported")
    func effective() throws {
        let notes = try result(
            #"""
            { launch: true }, { wait: "1s" }, { background: true }, { foreground: true }, { page: "reload" },
            { user: "types" }, { suspend: "1s" }, { wait: "2s" }, { push: true }, { kill: "user" },
            { powerCut: true }, { launch: "background" }, { launch: true }, { inactive: true },
            { foreground: true }, { inactive: true }, { active: true }, { network: "metered" }, { heal: true },
            { fault: { slow: "answers", by: "1s" }, as: "slow" }, { heal: "slow" }, { network: "offline" },
            { network: "online" },
            """#
        ).notes
        #expect(notes.filter { $0.kind == .step } == [])
    }

    @Test("Counters count from the last step of the verb that 'since' names, whichever verb it is")
    func since() throws {
        let steps = #"""
            { launch: true }, { wait: "3s" }, { check: true }, { wait: "3s" },
            { repeat: 3, steps: [ { check: true }, { wait: "3s" } ] },
            { expect: { requests: { manifest: 3 } }, since: "repeat" },
            { wait: "1s" }, { expect: { requests: { manifest: 0 } }, since: "wait" },
            { expect: { requests: { manifest: 0 } }, since: "expect" },
            """#
        #expect(try result(steps).failures.map(\.headline) == [])
    }

    @Test("A step without an action can be named too")
    func named() throws {
        let steps = #"""
            { launch: true }, { wait: "3s" }, { wait: "3s", as: "later" }, { check: true }, { wait: "3s" },
            { expect: { requests: { manifest: 1 } }, since: "later" },
            """#
        #expect(try result(steps).failures.map(\.headline) == [])
    }

    @Test("An answer of 304, after which a page takes its cache, counts with that status")
    func notModified() throws {
        let steps = #"""
            { launch: true }, { wait: "3s" }, { page: "reload" }, { wait: "3s" },
            { expect: { answers: [ { asked: "document", status: 304, count: 0 },
              { asked: "/app.js", status: 200, count: 2 }, { asked: "/app.js", status: 304, count: 1 },
              { asked: "/app.js", count: 3 } ] }, since: "start" },
            """#
        #expect(try result(steps).failures.map(\.headline) == [])
    }

    @Test("A limit that ends a run says what set it, and its command repeats the run")
    func limits() async throws {
        let text = SmallScenario.text(#"{ launch: true }, { wait: "3h" }, { wait: "3h" },"#, head: gone)
        let file = ScenarioFile(path: "Scenarios/small.json5", bytes: Array(text.utf8))
        var options = ScenarioSuite.Options()
        options.maxVirtualTime = .hours(1)
        let limited = await ScenarioSuite.run([file], options)
        let failure = try #require(limited.scenarios.first?.failures.first)
        #expect(
            failure.help
                == "it is the limit of the flag --max-virtual-time 1h: raise it, or leave the flag out")
        #expect(failure.reproduction.hasSuffix(" --max-virtual-time 1h"))
        let own = try result(#"{ launch: true }, { wait: "3h" },"#, head: #"limits: { virtualTime: "1h" },"#)
        #expect(own.failures.first?.help?.hasPrefix("raise it in the file: limits:") == true)
    }

    @Test("Each limit says what to do")
    func help() {
        let limits: [Exhaustion] = [
            .events(1), .virtualTime(.hours(1)), .steps(1), .noProgress(events: 1),
            .unsettled(after: .days(1)),
        ]
        for limit in limits { #expect(limit.help(flag: nil) != nil && !limit.text.isEmpty) }
    }
}
