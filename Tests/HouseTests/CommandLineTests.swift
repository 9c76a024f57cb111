import Foundation
import Testing

/// Exit codes and output of the program, in a temporary project.
@Suite("The command line")
struct CommandLineTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("otalab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Scenarios"), withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent("Scenarios/" + name))
    }

    private func otalab(_ arguments: String...) throws -> (text: String, code: Int32) {
        try Program.call(try Program.tested(), arguments, in: folder)
    }

    private func story(_ steps: String, extra: String = "") -> String {
        """
        { schema: 1, title: "A story", \(extra) app: { embeds: "v1" },
          versions: { v1: { files: { "index.html": "1 KB" } } },
          steps: [ { launch: true }, \(steps) ] }
        """
    }

    private let good = "{ expect: { running: \"v1\" }, within: \"5s\" }"
    private let bad = "{ expect: { screen: \"offline\" }, within: \"5s\" }"

    @Test("0: a good scenario passes and writes its reports")
    func passes() throws {
        try write("good.json5", story(good))
        let run = try otalab("run")
        #expect(run.code == 0 && run.text.contains("1 passed, 0 failed, 0 skipped"))
        for name in ["results.json", "junit.xml", "report.html"] {
            #expect(FileManager.default.fileExists(atPath: folder.path + "/Reports/latest/" + name))
        }
    }

    @Test(
        "1: a failed scenario is reported with its step, expected and actual values, and a command"
    )
    func fails() throws {
        try write("bad.json5", story(bad))
        let run = try otalab("run", "--no-report")
        #expect(run.code == 1)
        for part in ["step 2 of 2", "bad.json5:3:", "= expected  screen offline", "= again     otalab run"] {
            #expect(run.text.contains(part), "\(part)")
        }
    }

    @Test("crashpoints: a failure's command shows it again; what is printed does not depend on the cores")
    func crashPoints() throws {
        try SlowestLine.add(to: folder)
        try write(
            "never.json5",
            """
            { schema: 1, title: "A story", device: "slowest", app: { embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", files: { "a.js": "9 KB" } } },
              steps: [ { launch: true }, { deploy: "v2" }, { check: true, crashPoints: "this step" },
                { wait: "1s" } ] }
            """)
        let arguments = ["crashpoints", "--depth", "1", "--outcomes", "2", "--every", "5", "--no-timings"]
        let program = try Program.tested()
        let one = try Program.call(program, arguments + ["--jobs", "1"], in: folder)
        let three = try Program.call(program, arguments + ["--jobs", "3"], in: folder)
        #expect(one.code == 1 && one.text == three.text)
        #expect(one.text.contains("points left out"))
        let mark = "repro     otalab "
        let line = try #require(one.text.split(separator: "\n").first { $0.contains(mark) })
        let command = try #require(line.components(separatedBy: mark).last).split(separator: " ").map(
            String.init)
        let again = try Program.call(program, command + ["--no-report"], in: folder)
        let headline = "The device did not come to run and confirm v2"
        #expect(one.text.contains(headline))
        #expect(again.code == 1 && again.text.contains(headline))
    }

    @Test(
        "crashpoints: each scenario left out is named with its reason, in the text and in the results; 3 and 4"
    )
    func crashPointsLeftOut() throws {
        try write("good.json5", story(good))
        try write("later.json5", story(good, extra: "skip: \"not yet\","))
        try write("typo.json5", story(good).replacingOccurrences(of: "launch", with: "lanch"))
        try write("still.json5", story(good).replacingOccurrences(of: "launch: true", with: "wait: \"1s\""))
        let quick = ["--depth", "1", "--outcomes", "1", "--every", "20", "--no-timings"]
        func call(_ paths: String...) throws -> (text: String, code: Int32) {
            let program = try Program.tested().path
            let words = (["crashpoints"] + paths + quick).joined(separator: " ")
            return try Program.call(
                URL(fileURLWithPath: "/bin/sh"), ["-c", "'\(program)' \(words) 2>&1"], in: folder)
        }
        let all = try call()
        #expect(all.code == 3)
        #expect(all.text.contains("; 2 scenarios left out"))
        #expect(all.text.contains("left out: later: skipped: not yet\n"))
        #expect(all.text.contains("left out: Scenarios/typo.json5: unknown key 'lanch'"))
        let results = try String(
            contentsOf: folder.appendingPathComponent("Reports/crashpoints/results.json"), encoding: .utf8)
        #expect(results.contains("\"reason\": \"skipped: not yet\""))
        let none = try call("later")
        #expect(none.code == 4 && none.text.contains("no crash point was searched in 'later'"))
        let still = try call("Scenarios/good.json5", "Scenarios/still.json5")
        #expect(still.code == 4 && still.text.contains("no disk operation to stop at"))
        #expect(still.text.contains("no crash point was searched in 'Scenarios/still.json5'"))
        #expect(try call("good").code == 0)
    }

    @Test("2: an unknown flag, verb or path is reported before anything runs")
    func usage() throws {
        #expect(try otalab("run", "--sede", "1").code == 2)
        #expect(try otalab("rum").code == 2)
        #expect(try otalab("run", "nowhere").code == 2)
        #expect(try otalab("run", "--jobs", "many").code == 2)
    }

    @Test("3: a file that can't be read does not stop the others; 1 outranks 3")
    func invalid() throws {
        try write("good.json5", story(good))
        try write("typo.json5", story(good).replacingOccurrences(of: "launch", with: "lanch"))
        let run = try otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("1 passed"))
        #expect(run.text.contains("did you mean 'launch'?"))
        try write("bad.json5", story(bad))
        #expect(try otalab("run", "--no-report").code == 1)
    }

    @Test("device profiles next to the scenarios are used by run, read by lint, and listed by no verb")
    func profiles() throws {
        let device = "device: \"slow\","
        try write("good.json5", story(good, extra: device))
        #expect(try otalab("run", "--no-report").code == 3)
        let plain = try House.text("Scenarios/profiles/plain.json5")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Scenarios/profiles"), withIntermediateDirectories: true)
        try write("profiles/slow.json5", plain)
        #expect(try otalab("run", "--no-report", "good").code == 0, "by its id")
        let run = try otalab("run", "--no-report")
        #expect(run.code == 0 && run.text.contains("1 passed, 0 failed, 0 skipped"))
        #expect(try otalab("lint").text == "2 files, 0 errors, 0 warnings\n")
        #expect(try otalab("list").text.split(separator: "\n").count == 1)
        #expect(try otalab("run", "Scenarios/profiles", "--no-report").code == 4)
        try write("profiles/slow.json5", plain.replacingOccurrences(of: "latency:", with: "latencee:"))
        let lint = try otalab("lint", "Scenarios/good.json5")
        #expect(lint.code == 1 && lint.text.contains("did you mean 'latency'?"))
        #expect(lint.text.contains("2 files, 1 error, 0 warnings"))
        #expect(try otalab("run", "--no-report").code == 3)
    }

    @Test("4: nothing selected, unless that is allowed")
    func empty() throws {
        #expect(try otalab("run", "--no-report").code == 4)
        #expect(try otalab("run", "--no-report", "--allow-empty").code == 0)
    }

    @Test("6: a scenario beyond its limits is inconclusive, not failed")
    func inconclusive() throws {
        try write("long.json5", story("{ wait: \"2h\" }, " + good, extra: "limits: { virtualTime: \"1h\" },"))
        #expect(try otalab("run", "--no-report").code == 6)
    }

    @Test("74: reports that can't be written leave the verdict printed")
    func unwritable() throws {
        try write("good.json5", story(good))
        try Data().write(to: folder.appendingPathComponent("Reports"))
        let run = try otalab("run")
        #expect(run.code == 74 && run.text.contains("1 passed, 0 failed, 0 skipped"))
    }

    @Test("equal runs print equal text without timings, whatever the number of workers")
    func stable() throws {
        try write("good.json5", story(good))
        try write("bad.json5", story(bad))
        let one = try otalab("run", "--no-report", "--no-timings", "--jobs", "1")
        #expect(one.text == (try otalab("run", "--no-report", "--no-timings", "--jobs", "2")).text)
    }
}
