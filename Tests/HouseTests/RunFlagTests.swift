import Foundation
import Testing

@Suite("Flags of run")
struct RunFlagTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    @Test("--seeds prints one line for all seeds, and the failing ones with a command")
    func seeds() throws {
        try project.write("good.json5", TestProject.good)
        try project.write("bad.json5", TestProject.bad)
        let run = try project.otalab("run", "--seeds", "3..6", "--no-report")
        #expect(run.code == 1)
        #expect(run.text.contains("seed 3..6"))
        #expect(run.text.contains("4 of 4 seeds fail (3, 4, 5, 6)"))
        #expect(run.text.contains("otalab run Scenarios/bad.json5 --seed 3"))
        #expect(run.text.contains("1 passed, 1 failed, 0 skipped"))
        let good = run.text.split(separator: "\n").filter { $0.hasPrefix("  ok ") }
        #expect(good.count == 1 && good[0].contains("4 seeds"))
        for text in ["3", "6..3", "a..b", "1..99999999", "1..2..3"] {
            #expect(try project.otalab("run", "--seeds", text).code == 2)
        }
        #expect(try project.otalab("run", "--seeds", "1..2", "--seed", "1").code == 2)
    }

    @Test("--metamorphic performs each run again with changes, in a worker or here")
    func metamorphic() throws {
        try project.write("good.json5", TestProject.good)
        for place in [[], ["--in-process"]] {
            let run = try project.call(["run", "--metamorphic", "--no-report", "--no-timings"] + place)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.text.contains(#/note: [1-9][0-9]? changed runs end as it does/#), "\(run.text)")
        }
        #expect(try !project.otalab("run", "--no-report").text.contains("changed runs"))
        let shrink = try project.otalab("shrink", "Scenarios/good.json5")
        #expect(shrink.code == 2 && shrink.errors.contains("perhaps with --seed N or --metamorphic"))
        let changed = try project.otalab("shrink", "Scenarios/good.json5", "--metamorphic")
        #expect(changed.code == 2 && changed.errors.contains("perhaps with --seed N\n"), "\(changed.errors)")
    }

    @Test("6: limits of events and virtual time make inconclusive, never failed")
    func limits() throws {
        try project.write(
            "long.json5",
            TestProject.scenario("{ wait: \"2h\" }, { expect: { running: \"v1\" }, within: \"5s\" }"))
        #expect(try project.otalab("run", "--no-report").code == 0)
        let time = try project.otalab("run", "--no-report", "--max-virtual-time", "90m")
        #expect(time.code == 6 && time.text.contains("virtual time was reached"))
        #expect(try project.otalab("run", "--no-report", "--max-events", "10").code == 6)
        for text in ["90", "m", "-1s", "0s", "1d", "99999999999h"] {
            #expect(try project.otalab("run", "--max-virtual-time", text).code == 2, "\(text)")
        }
    }

    @Test(
        "70: a scenario that needs too much wall time is ended alone, and is not good in any report"
    )
    func wallLimit() throws {
        try project.write("good.json5", TestProject.good)
        try project.write("slow.json5", TestProject.endless)
        try project.write("then.json5", TestProject.good)
        let run = try project.otalab("run", "--wall-limit", "3s", "--jobs", "1")
        #expect(run.code == 70)
        #expect(run.errors.contains("slow has run for more than 3s of wall time"))
        #expect(run.text.contains("2 passed, 1 failed, 0 skipped   (of the failed: 1 inconclusive)"))
        #expect(run.text.contains("= again     otalab run Scenarios/slow.json5 --seed 1 --wall-limit 3s"))
        let json = try project.read("Reports/latest/results.json")
        #expect(json.contains("\"partial\": false") && json.contains("\"kind\": \"wallLimit\""))
        #expect(try project.read("Reports/latest/junit.xml").contains("<error type=\"wall-limit\""))
        #expect(try project.read("Reports/latest/ctrf.json").contains("\"other\": 1"))
        #expect(try project.read("Reports/latest/summary.md").hasPrefix("## otalab: failed"))
        #expect(try project.read("Reports/latest/report.html").contains("<title>FAIL: "))
    }

    @Test("70: in this process it ends the run, which names the scenarios that were not run")
    func wallLimitInProcess() throws {
        try project.write("good.json5", TestProject.good)
        try project.write("slow.json5", TestProject.endless)
        try project.write("then.json5", TestProject.good)
        let run = try project.otalab("run", "--wall-limit", "1s", "--jobs", "1", "--in-process")
        #expect(run.code == 70)
        #expect(run.text.contains("FAIL  1 passed, 1 inconclusive, 1 not run: --wall-limit ended the run"))
        #expect(run.text.contains("\n  not run: then\n"))
        let json = try project.read("Reports/latest/results.json")
        #expect(json.contains("\"partial\": true") && json.contains("\"reason\": \"wallLimit\""))
    }

    @Test("-o writes single formats; with - the text for people is on standard error")
    func outputs() throws {
        try project.write("good.json5", TestProject.good)
        let run = try project.otalab("run", "--no-report", "-o", "tap=-", "-o", "junit=out/junit.xml")
        #expect(run.code == 0 && run.text.hasPrefix("TAP version 13\n1..1\nok 1 - good\n"))
        #expect(run.errors.contains("1 passed, 0 failed, 0 skipped"))
        #expect(try project.read("out/junit.xml").contains("<testcase classname=\"good\""))
        #expect(!project.has("Reports"))
        let unknown = try project.otalab("run", "-o", "junitt=x")
        #expect(unknown.code == 2 && unknown.errors.contains("did you mean 'junit'?"))
        #expect(try project.otalab("run", "-o", "junit").code == 2)
        #expect(try project.otalab("run", "-o", "tap=-", "-o", "md=-").code == 2)
    }

    @Test("on GitHub: annotations and the job summary; --no-ci turns them off; a title can't give a command")
    func github() throws {
        let title = "::error::not mine%0A ::endgroup::"
        try project.write("bad.json5", TestProject.bad.replacingOccurrences(of: "A story", with: title))
        let variables = [
            "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": project.folder.path + "/summary.md",
        ]
        try Data("before\n".utf8).write(to: project.folder.appendingPathComponent("summary.md"))
        let run = try project.call(["run", "--no-report"], variables)
        #expect(run.code == 1)
        let commands = run.text.split(separator: "\n").filter { $0.hasPrefix("::") }
        // Our own commands, outside of the lines between which commands are disabled.
        #expect(commands.first?.hasPrefix("::stop-commands::") == true)
        let token = commands[0].dropFirst("::stop-commands::".count)
        // As GitHub parses it: the lines while commands are enabled.
        var isOn = true
        var ours: [Substring] = []
        for command in commands {
            if command == "::\(token)::" {
                isOn = true
            } else if command == commands[0] {
                isOn = false
            } else if isOn {
                ours.append(command)
            }
        }
        #expect(ours.count == 3 && Array(ours.prefix(2)) == ["::group::bad", "::endgroup::"])
        #expect(run.text.contains("::group::bad\n::stop-commands::\(token)\nFAIL  bad: "))
        #expect(ours.last?.hasPrefix("::error file=Scenarios/bad.json5,line=3,endLine=3,col=") == true)
        let summary = try project.read("summary.md")
        #expect(summary.hasPrefix("before\n## otalab: failed"))
        #expect(summary.contains("otalab run Scenarios/bad.json5 --seed 1"))
        let off = try project.call(["run", "--no-report", "--no-ci"], variables)
        #expect(!off.text.contains("::stop-commands::") && !off.text.contains("::error file"))
    }

    @Test("on GitLab: one hint which artifact to keep")
    func gitlab() throws {
        try project.write("good.json5", TestProject.good)
        let run = try project.call(["run"], ["GITLAB_CI": "true"])
        #expect(run.text.contains("reports: junit: Reports/*/junit.xml"))
        #expect(!(try project.call(["run", "--no-ci"], ["GITLAB_CI": "true"]).text.contains("junit:")))
    }

    @Test("no progress and no colour without a terminal; --color=always, NO_COLOR and FORCE_COLOR")
    func look() throws {
        try project.write("bad.json5", TestProject.bad)
        let plain = try project.otalab("run", "--no-report")
        #expect(!plain.text.contains("\u{1b}") && plain.errors.isEmpty)
        #expect(try project.otalab("run", "--no-report", "--color=always").text.contains("\u{1b}[1;31m"))
        #expect(try project.call(["run", "--no-report"], ["FORCE_COLOR": "1"]).text.contains("\u{1b}["))
        let both = try project.call(["run", "--no-report"], ["FORCE_COLOR": "1", "NO_COLOR": "1"])
        #expect(!both.text.contains("\u{1b}["))
        #expect(try project.otalab("run", "--color", "yes").code == 2)
    }

    @Test("--ascii prints nothing but ASCII")
    func ascii() throws {
        try project.write("bad.json5", TestProject.bad.replacingOccurrences(of: "A story", with: "Größe → ∎"))
        let run = try project.otalab("run", "--no-report", "--ascii")
        #expect(run.text.utf8.allSatisfy { $0 < 0x80 })
        #expect(run.text.contains("Gr\\u{f6}\\u{df}e -> #"))
    }

    @Test("SOURCE_DATE_EPOCH and --no-timings take the clock out of all reports")
    func epoch() throws {
        try project.write("good.json5", TestProject.good)
        func report(_ folder: String) throws -> [String] {
            try project.names(folder + "/latest").map { try project.read("\(folder)/latest/\($0)") }
        }
        _ = try project.call(["run", "--report-dir", "a"], ["SOURCE_DATE_EPOCH": "1000000000"])
        _ = try project.call(["run", "--report-dir", "b"], ["SOURCE_DATE_EPOCH": "1000000000"])
        #expect(try report("a") == report("b"))
        #expect(try project.read("a/latest/junit.xml").contains("timestamp=\"2001-09-09T01:46:40\""))
    }

    @Test(
        "xfail is strict: an expected failure is good, an unexpected pass fails and is marked in every report"
    )
    func expectedFailures() throws {
        func marked(_ story: String) -> String {
            story.replacingOccurrences(of: "title:", with: "xfail: \"BUG-12: no offline screen\", title:")
        }
        try project.write("known.json5", marked(TestProject.bad))
        let known = try project.otalab("run")
        #expect(known.code == 0 && known.text.contains("xfail known"))
        #expect(
            known.text.contains("BUG-12: no offline screen") && known.text.contains("1 expected failure"))
        #expect(try project.read("Reports/latest/junit.xml").contains("<skipped type=\"expected-failure\""))
        try project.write("mended.json5", marked(TestProject.good))
        let mended = try project.otalab("run")
        #expect(mended.code == 1 && mended.text.contains("XPASS mended"))
        #expect(mended.text.contains("Expected to fail, and passed: BUG-12: no offline screen"))
        #expect(try project.read("Reports/latest/junit.xml").contains("type=\"unexpected-pass\""))
        // The next --failed run selects the unexpected pass, and not the expected failure.
        #expect(
            try project.otalab("run", "--failed", "--no-report").text.contains(
                "0 passed, 1 failed, 0 skipped"))
    }

    @Test("3: two files with one id are reported with both positions; the first one still runs")
    func sameID() throws {
        func named(_ story: String) -> String {
            story.replacingOccurrences(of: "title:", with: "id: \"cart\", title:")
        }
        try project.write("a.json5", named(TestProject.good))
        try project.write("b.json5", named(TestProject.good))
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("1 passed, 1 failed, 0 skipped"), "\(run.text)")
        #expect(run.text.contains("the scenario 'cart' is also in Scenarios/a.json5"))
        let lint = try project.otalab("lint")
        #expect(lint.code == 1 && lint.text.contains("two scenarios are named 'cart'"), "\(lint.text)")
    }

    @Test("--fail-fast ends the run, which is not called partial")
    func failFast() throws {
        try project.write("a.json5", TestProject.bad)
        for number in 1...20 { try project.write("b\(number).json5", TestProject.good) }
        let run = try project.otalab("run", "--fail-fast", "--jobs", "1")
        #expect(run.code == 1 && run.text.contains("0 passed, 1 failed, 0 skipped"))
        #expect(run.text.hasSuffix("   (20 not run: --fail-fast ended the run)\n"))
        #expect(run.text.contains("\n  not run: b1, b10, b11, "))
        let json = try project.read("Reports/latest/results.json")
        #expect(json.contains("\"partial\": false") && json.contains("\"reason\": \"failFast\""))
        let junit = try project.read("Reports/latest/junit.xml")
        #expect(
            junit.contains(
                "<testsuites name=\"otalab\" tests=\"21\" failures=\"1\" errors=\"0\" skipped=\"20\""))
        #expect(
            try project.read("Reports/latest/results.tap").contains("ok 21 - b9 # SKIP not run: --fail-fast"))
    }

    @Test("--fail-fast with --seeds prints which seeds were not run")
    func failFastSeeds() throws {
        try project.write("bad.json5", TestProject.bad)
        let run = try project.otalab("run", "--fail-fast", "--jobs", "1", "--seeds", "3..9")
        #expect(run.code == 1 && run.text.contains("not run, or not whole: seeds 4 to 9"), "\(run.text)")
        #expect(try project.read("Reports/latest/results.json").contains("\"seedsNotRun\""))
    }

    @Test("--fail-fast that has nothing left to run leaves nothing out")
    func failFastAtTheEnd() throws {
        try project.write("bad.json5", TestProject.bad)
        let run = try project.otalab("run", "--fail-fast", "--no-report")
        #expect(run.code == 1 && run.text.hasSuffix("0 passed, 1 failed, 0 skipped\n"))
    }

    @Test("--fail-fast=N ends the run after N failures; N is never the next argument, and must be a number")
    func failFastCount() throws {
        for number in 1...9 { try project.write("b\(number).json5", TestProject.bad) }
        let run = try project.otalab("run", "--fail-fast=3", "--jobs", "1")
        #expect(run.code == 1 && run.text.contains("0 passed, 3 failed, 0 skipped"))
        let one = try project.otalab("run", "--jobs", "1", "--no-report", "--fail-fast", "Scenarios/b4.json5")
        #expect(one.text.contains("0 passed, 1 failed, 0 skipped") && one.text.contains("b4"))
        for text in ["0", "-1", "x", ""] {
            let call = try project.otalab("run", "--fail-fast=\(text)")
            #expect(
                call.code == 2 && call.errors.contains("--fail-fast can't be '\(text)'"), "\(call.errors)")
        }
        let variable = try project.call(["run", "--jobs", "1", "--no-report"], ["OTALAB_FAIL_FAST": "2"])
        #expect(variable.text.contains("0 passed, 2 failed, 0 skipped"))
        let off = try project.call(["run", "--no-report"], ["OTALAB_FAIL_FAST": "0"])
        #expect(off.text.contains("0 passed, 9 failed, 0 skipped"))
    }

    @Test("70 and 130 outrank 1: what failed before is in the report, the call did not end as it should")
    func outranked() throws {
        try project.write("a-bad.json5", TestProject.bad)
        try project.write("slow.json5", TestProject.endless)
        let hung = try project.otalab("run", "--wall-limit", "1s", "--jobs", "1")
        #expect(hung.code == 70 && hung.text.contains("0 passed, 2 failed, 0 skipped"))
        let (process, _) = try start(["run", "--jobs", "1"], until: "FAIL")
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(
            try project.read("out").hasSuffix(
                "0 passed, 1 failed, 0 skipped   (1 not run: the run was interrupted)\n"))
    }

    @Test("a failure is printed before the next scenario has run, however long that one takes")
    func firstFailure() throws {
        try project.write("a-bad.json5", TestProject.bad)
        try project.write("slow.json5", TestProject.endless)
        // The second one needs minutes; the line is there while it runs.
        let (process, seen) = try start(["run", "--jobs", "1", "--no-report"], until: "FAIL  a-bad")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        #expect(seen && process.isRunning)
        #expect(try !project.read("out").contains("slow"))
    }

    @Test("5: another trace for the same seed is reported with both digests, and outranks 1")
    func notDeterministic() throws {
        try project.write("bad.json5", TestProject.bad)
        // A build folder that grows meanwhile: the second run gets another build than the first.
        let build = project.folder.appendingPathComponent("Scenarios/build")
        try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
        try Data("<html></html>".utf8).write(to: build.appendingPathComponent("index.html"))
        try Data("one".utf8).write(to: build.appendingPathComponent("app.js"))
        try project.write(
            "moving.json5",
            """
            { schema: 1, title: "A build that changes", app: { embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } }, v2: { folder: "build" } },
              steps: [ { launch: true }, { deploy: "v2" }, { check: true },
                { expect: { pending: "v2" }, within: "1h" },
                { repeat: 60, steps: [ { relaunch: true }, { wait: "1m" } ] } ] }
            """)
        #expect(try project.otalab("run", "--no-report", "Scenarios/moving.json5").code == 0)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = [
            "-c", "n=0; while [ $n -lt 200000 ]; do printf xxxxxxxxxxxxxxxx >> app.js; n=$((n + 1)); done",
        ]
        writer.currentDirectoryURL = build
        try writer.run()
        defer {
            writer.terminate()
            writer.waitUntilExit()
        }
        let run = try project.otalab("run", "--no-report", "--check-determinism")
        #expect(run.code == 5, "\(run.text)")
        #expect(run.text.contains("RANDOM moving") && run.text.contains("1 not deterministic"))
        #expect(run.text.contains("--check-determinism\n"))
    }

    /// Starts the program; returns when its standard output, in the file `out`, contains the text.
    private func start(
        _ arguments: [String], until text: String, tries: Int = 600
    ) throws -> (Process, seen: Bool) {
        let process = Process()
        process.executableURL = try Program.debug()
        process.arguments = arguments
        process.currentDirectoryURL = project.folder
        let output = project.folder.appendingPathComponent("out")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<tries where process.isRunning {
            if try project.read("out").contains(text) { return (process, true) }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return (process, false)
    }

    @Test("130: Ctrl-C ends the run at once and leaves a report that is marked as interrupted")
    func interrupted() throws {
        try project.write("a.json5", TestProject.good)
        try project.write("slow.json5", TestProject.endless)
        let (process, _) = try start(["run", "--jobs", "2"], until: "ok ")
        process.interrupt()
        let began = Date()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(Date().timeIntervalSince(began) < 5)
        let text = try project.read("out")
        #expect(text.contains("\nINTERRUPTED  1 passed, 1 not run: the run was interrupted"), "\(text)")
        #expect(text.contains("\n  not run: slow\n"))
        #expect(text.hasSuffix("1 passed, 0 failed, 0 skipped   (1 not run: the run was interrupted)\n"))
        let json = try project.read("Reports/latest/results.json")
        #expect(json.contains("\"partial\": true") && json.contains("\"reason\": \"interrupted\""))
        let junit = try project.read("Reports/latest/junit.xml")
        #expect(junit.contains("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\""), "\(junit)")
        #expect(try project.read("Reports/latest/results.tap").contains("\nBail out! 1 not run: "))
        #expect(
            try project.read("Reports/latest/summary.md").contains("not run: the run was interrupted.** slow")
        )
        #expect(
            try project.read("Reports/latest/report.html").contains("<li>slow: the run was interrupted</li>"))
    }

    @Test("130: Ctrl-C in a later seed forgets none of the earlier ones")
    func interruptedSeeds() throws {
        try project.write("a-bad.json5", TestProject.bad)
        try project.write("slow.json5", Self.slowish)
        let (process, _) = try start(
            ["run", "--jobs", "1", "--seeds", "1..1000"], until: "nothing is printed before the end",
            tries: 60)
        process.interrupt()
        process.waitUntilExit()
        let text = try project.read("out")
        #expect(process.terminationStatus == 130, "\(text)")
        #expect(text.contains("seeds fail (1, 2, ") && text.contains("seeds fail (1, 2, 3"), "\(text)")
        #expect(text.contains(" to 1000"))
    }

    /// In debug and in release, three seconds are enough for several runs of it and too few for a thousand.
    private static let slowish = TestProject.scenario(
        "{ repeat: 30, steps: [ { relaunch: true }, { wait: \"1h\" } ] }",
        extra: "limits: { events: 100000000, virtualTime: \"5000h\" },")

    @Test("the code of the worst counts: 1 before 3 before 6 before 74")
    func precedence() throws {
        func code(_ files: [String: String], _ arguments: String...) throws -> Int32 {
            let project = try TestProject()
            for (name, text) in files { try project.write(name, text) }
            return try project.call(["run"] + arguments).code
        }
        let open = [
            "open.json5": TestProject.scenario("{ wait: \"2h\" }", extra: "limits: { virtualTime: \"1h\" },")
        ]
        let typo = ["typo.json5": TestProject.good.replacingOccurrences(of: "launch", with: "lanch")]
        let bad = ["bad.json5": TestProject.bad]
        let full = "--report-dir=/dev/null/x"
        #expect(try code(open.merging(typo) { $1 }.merging(bad) { $1 }, full) == 1)
        #expect(try code(open.merging(typo) { $1 }, full) == 3)
        #expect(try code(open, full) == 6)
        #expect(try code(["good.json5": TestProject.good], full) == 74)
        #expect(try code([:], full) == 4)
    }

    @Test("2: anything else in the place of results is an error, and nothing is written")
    func badResults() throws {
        let file = project.folder.appendingPathComponent("results.json")
        let brackets = String(repeating: "[", count: 10_000_000)
        for text in [
            "", "{}", brackets, "{\"schema\": \"\\ud800\"}", "\u{0}", "{\"schema\": \"otalab-results-1\"}",
        ] {
            try Data(text.utf8).write(to: file)
            for arguments in [["report", "results.json", "--to", "tap=out"], ["merge", ".", "-o", "out"]] {
                let call = try project.call(arguments)
                #expect(call.code == 2 && call.errors.contains("results.json"), "\(call.errors.prefix(200))")
                #expect(!project.has("out"))
            }
        }
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(try project.otalab("report", ".", "--to", "tap=out").code == 2)
        #expect(try project.otalab("report", "results.json", "--to", "tap=out").code == 2)
        // A folder with the name of a scenario file contains no scenario.
        try FileManager.default.createDirectory(
            at: project.folder.appendingPathComponent("Scenarios/a.json5"), withIntermediateDirectories: true)
        #expect(try project.otalab("run", "Scenarios/a.json5").code == 4)
        #expect(try project.otalab("list").code == 4)
    }
}
