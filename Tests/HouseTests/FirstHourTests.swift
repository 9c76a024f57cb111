import Foundation
import Testing

/// What a new user meets who has only the program and its help.
@Suite("The first hour")
struct FirstHourTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    private static let two = """
        app: { embeds: "v1" },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "9 KB" } },
            v2: { from: "v1", changes: ["app.js"] },
          },
        """

    private func story(_ steps: String, _ extra: String = "") -> String {
        "{ schema: 1, title: \"A story\", \(extra) \(Self.two)\n  steps: [ \(steps) ] }\n"
    }

    /// Standard output and error of a run of one scenario.
    private func run(_ steps: String, _ extra: String = "") throws -> (text: String, code: Int32) {
        try project.write("a.json5", story(steps, extra))
        let call = try project.otalab("run", "--no-report", "--no-timings")
        return (call.text + call.errors, call.code)
    }

    // MARK: - What did not happen

    @Test("a step whose trigger never came is a failure that names both, and was not done")
    func trigger() throws {
        try project.write(
            "a.json5", story("{ launch: true }, { kill: \"user\", after: \"1h\" }, { wait: \"2s\" }"))
        let run = try project.otalab("run", "-o", "json=out.json")
        let told = "{ kill: \"user\", after: \"1h\" } never happened: its 'after' did not come"
        #expect(run.code == 1 && run.text.contains(told), "\(run.text)")
        let results = try project.read("out.json")
        #expect(results.contains("\"kind\": \"trigger\"") && !results.contains("\"notReached\""))
    }

    @Test("a step without an app is reported with the reason; one with an app is not")
    func idle() throws {
        let early = try run("{ check: true }, { launch: true }, { check: true }, { wait: \"2s\" }")
        #expect(early.text.contains("step 1 changed nothing: the app was not running: { check: true }"))
        #expect(!early.text.contains("step 3 changed nothing"))
        let resume = try run("{ launch: true }, { wait: \"2s\" }, { resume: true }")
        #expect(resume.text.contains("step 3 changed nothing: the app was not suspended"))
    }

    @Test("nothing run is neither PASS nor FAIL")
    func nothing() throws {
        try project.write("a.json5", TestProject.good)
        let run = try project.otalab("run", "-k", "zzz")
        #expect(run.code == 4 && run.text.contains("NOTHING RUN") && !run.text.contains("PASS"))
    }

    // MARK: - Help in failures

    @Test(
        "an expect at the instant of the step before, a list that was meant as a part, a never that was true")
    func ways() throws {
        let begin = "{ launch: true }, { deploy: \"v2\" }, { check: true }"
        let early = try run(begin + ", { expect: { pending: \"v2\" } }")
        #expect(early.text.contains("= help      this looks at the very instant of the step before"))
        #expect(early.text.contains("within: \"10s\""))
        let late = try run(begin + ", { wait: \"1ms\" }, { expect: { pending: \"v2\" } }")
        #expect(late.code == 1 && !late.text.contains("= help"))
        let list = try run(begin + ", { wait: \"9s\" }, { expect: { log: [\"became-pending\"] } }")
        #expect(list.text.contains("{ has: [...] } asks for some of it"), "\(list.text)")
        let never = try run("{ launch: true }, { wait: \"2s\" }, { never: { running: \"v1\" } }")
        #expect(never.text.contains("it was true already when the step began"))
        #expect(!never.text.contains("waited 0 ms"))
    }

    @Test("which round of a repeat; that liveness is the check after the steps; that xfail can go")
    func more() throws {
        let round = try run(
            "{ launch: true }, { repeat: 3, steps: [ { wait: \"1s\" }, { expect: { time: { atMost: \"1500ms\" } }, since: \"start\" } ] }"
        )
        #expect(round.text.contains("= round     2 of 3"), "\(round.text)")
        try SlowestLine.add(to: project.folder)
        try project.write(
            "a.json5", story("{ launch: true }, { deploy: \"v2\" }, { wait: \"1s\" }", "device: \"slowest\",")
        )
        let owed = try project.otalab("run", "--no-report")
        #expect(owed.code == 1 && owed.text.contains("after the last step the device is used for 8 rounds"))
        #expect(owed.text.contains("liveness: \"none\""))
        let mended = try run("{ launch: true }, { wait: \"1s\" }", "xfail: \"BUG-1: it is slow\",")
        #expect(mended.text.contains("remove xfail"))
        let open = try run("{ launch: true }, { wait: \"9h\" }", "limits: { virtualTime: \"1h\" },")
        #expect(open.code == 6 && open.text.contains("raise it in the file: limits:"), "\(open.text)")
    }

    @Test("the last line says which verdicts the failed ones have; the counts add up")
    func totals() throws {
        try project.write("a.json5", TestProject.bad)
        try project.write("b.json5", "{ schema: 1 }")
        let run = try project.otalab("run", "--no-report")
        #expect(run.text.contains("FAIL  0 passed, 1 failed, 1 invalid"))
        #expect(run.text.contains("0 passed, 2 failed, 0 skipped   (of the failed: 1 invalid)"))
    }

    // MARK: - Names

    @Test(
        "a missing name is reported with how to create it",
        arguments: [
            ("{ launch: true }, { heal: \"portal\" }", "its fault step gives the name: as: \"portal\""),
            (
                "{ launch: true }, { expect: { fetched: { has: [\"v2:/app.js\"] } } }",
                "write the route alone, without the version: \"/app.js\""
            ),
            ("{ launch: true }, { storeUpdate: \"9.9\" }", "a build is declared in app: { builds:"),
            ("{ launch: true }, { page: \"foo\", calls: \"startupDidComplete\" }", "as: \"foo\""),
        ])
    func names(steps: String, help: String) throws {
        let told = try run(steps)
        #expect(told.code == 3 && told.text.contains(help), "\(told.text)")
    }

    @Test("a new project has the devices that templates name; an unknown one lists where devices are")
    func devices() throws {
        #expect(try project.otalab("init").code == 0)
        for name in ["ios-17", "android-14", "android-8-go"] {
            let own = House.root.appendingPathComponent("Scenarios/profiles/\(name).json5")
            let file = project.folder.appendingPathComponent("\(name).json5")
            try FileManager.default.copyItem(at: own, to: file)
            #expect(try project.otalab("fmt", "--keys", "quoted", "\(name).json5").code == 0)
            #expect(try project.read("\(name).json5") == project.read("Scenarios/profiles/\(name).json5"))
        }
        let known = try run("{ launch: true }, { wait: \"1s\" }", "device: \"ios-17\",")
        #expect(known.code == 0, "\(known.text)")
        let unknown = try run("{ launch: true }", "device: \"nokia\",")
        #expect(
            unknown.text.contains("a device is a file, Scenarios/profiles/nokia.json5"), "\(unknown.text)")
    }

    @Test("a rule can be read: one, all, and from the list; every rule has its text")
    func rules() throws {
        let one = try project.otalab("help", "r3")
        #expect(one.code == 0 && one.text.contains("Ends of a start. ") && one.text.contains("parks it"))
        let all = try project.otalab("help", "rules").text.split(separator: "\n").filter {
            $0.hasPrefix("**")
        }
        #expect(all.count == 48)
        for line in all { #expect(line.contains(#/\*\* .+\. [A-Za-z].{30,}\./#), "\(line)") }
        try project.write("a.json5", TestProject.good)
        #expect(try project.otalab("list", "--rules").text.contains("otalab help rules"))
        #expect(try project.otalab("run", "--rule", "r3").errors.contains("did you mean 'R3'?"))
    }
}
