import Core
import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Authoring
@testable import Oracle
@testable import Runner

/// Scenarios of the library run, their devices write error reports, and each report is turned into a new
/// scenario without knowledge of the original. Then its log must be the same.
@Suite("From an error report to a scenario that writes the same report", .serialized)
struct FromLogTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let profiles = ProfileSet(
        folders: [root.appendingPathComponent("Scenarios/profiles").path]
    ).profiles

    typealias EntryKey = LogSearch.EntryKey

    /// The report that the scenario's device would send at its end; nil if no process can write one.
    static func report(_ path: String, _ bytes: [UInt8], seed: UInt64 = 1) throws -> String? {
        let reading = ScenarioFile(path: path, bytes: bytes).read(devices: profiles.map(\.name))
        let errors = reading.diagnostics.filter { $0.severity == .error }.map(\.message)
        #expect(errors == [], "\(path)")
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: seed).first)
        let compiler = ScenarioCompiler(scenario: scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var world = try World(setup)
        world.isRecording = true
        var run = ScenarioRun(plan: plan, setup: setup, backend: world, checkers: CheckerList([]))
        run.runSteps()
        return run.backend.errorReport()
    }

    static func marks(_ report: String) throws -> [EntryKey] {
        LogSearch.keys(of: report)
    }

    @Test("T1: the example on the page of the report's format is what the device of a scenario writes")
    func example() throws {
        let story = """
            {
              schema: 1, title: "A version whose start fails on one device", device: "android-14",
              app: { id: "com.example.shop", embeds: "v1" },
              versions: {
                v1: { files: { "index.html": "2 KB", "app.js": "40 KB" } },
                v2: { from: "v1", changes: ["app.js"], startup: { throws: "after 1s" } },
              },
              steps: [
                { launch: true }, { expect: { running: "v1", confirmed: true }, within: "5s" },
                { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
                { relaunch: true }, { expect: { running: "v1", page: "ready" }, within: "10s" },
                { page: "in front", sends: "hello" }, { wait: "1s" },
              ],
            }
            """
        let report = try #require(try Self.report("Scenarios/example.json5", Array(story.utf8)))
        let page = Self.root.appendingPathComponent("Sources/Updater/Updater.docc/ErrorReport.md")
        var blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
        let place = try #require(blocks.firstIndex { $0.hasPrefix("text\notalab-report") })
        if ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1" {
            blocks[place] = "text\n" + report
            try Data(blocks.joined(separator: "```").utf8).write(to: page)
        }
        #expect(blocks[place] == "text\n" + report, "OTALAB_WRITE_PAGES=1 swift test --filter FromLogTests")
        #expect(report.contains("cause=start-failed-by-page version=v2") && report.contains("\nhost n=1 "))
    }

    private struct Outcome {
        var made: LogScenario
        /// Whether the new scenario writes the same log.
        var isEqual: Bool
        /// Whether the new log begins with the old one, if the reconstruction claims to explain every entry.
        var isHonest: Bool
    }

    private static func turnRound(_ name: String) throws -> Outcome? {
        let path = "Scenarios/\(name).json5"
        let bytes = [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
        guard let report = try report(path, bytes) else { return nil }
        let made = try LogScenario.make(Array(report.utf8), id: "from-report", profiles: profiles)
        let again = try #require(try Self.report("Scenarios/from-report.json5", Array(made.text.utf8)))
        let isEqual = try marks(report) == marks(again)
        let claims = made.reproduced == made.entryCount && !made.missing.contains { $0.contains("went with") }
        // The last look waits for what is still on its way, and may bring more.
        let isHonest = try !claims || marks(again).starts(with: marks(report))
        return Outcome(made: made, isEqual: isEqual, isHonest: isHonest)
    }

    /// Stories whose report brings the whole sequence of causes back; each day another third is run.
    static let whole = [
        "native/downgrade-and-back",
        "native/same-content-other-build",
        "native/started-in-background",
        "native/store-update-after-failed-start",
        "native/store-update-of-suspended-app",
        "native/up-down-up-with-updates-between",
        "network/flaky-origin",
        "network/odd-resume-answers",
        "network/stalled-download",
        "origin/first-download-superseded",
        "origin/missing-asset",
        "origin/ordered-back-to-embedded",
        "origin/wrong-bytes-right-etag",
        "recovery/background-launches-count-for-nothing",
        "recovery/backgrounded-before-ready",
        "recovery/blacklist-ends",
        "recovery/blacklisted-for-good",
        "recovery/blame-stays-with-the-start",
        "recovery/confirmed-by-loading",
        "recovery/crashes-after-confirmation",
        "recovery/cut-before-complete",
        "recovery/fails-once-then-works",
        "recovery/fix-is-already-out",
        "recovery/forced-version-fails",
        "recovery/former-timer-does-not-strike",
        "recovery/hangs-at-start",
    ]

    @Test("the new run's report has the same sequence of causes", arguments: whole.today(of: 3))
    func wholeStories(name: String) throws {
        let outcome = try #require(try Self.turnRound(name))
        #expect(outcome.isEqual, "\(outcome.made.text)")
        #expect(outcome.made.reproduced == outcome.made.entryCount)
    }

    /// `OTALAB_ALL_REPORTS=1`: every scenario of the library, with its outcome.
    @Test(
        "all stories of the library",
        .enabled(if: ProcessInfo.processInfo.environment["OTALAB_ALL_REPORTS"] == "1"))
    func library() throws {
        let names =
            FileManager.default.enumerator(atPath: Self.root.path + "/Scenarios")?
            .compactMap { $0 as? String }.sorted() ?? []
        for file in names where file.hasSuffix(".json5") {
            if file.hasPrefix("profiles/") || file.hasPrefix("shared/") || file.contains("two-phones") {
                continue
            }
            let name = String(file.dropLast(6))
            let began = Date()
            guard let outcome = try Self.turnRound(name) else {
                print("REPORT none   \(name)")
                continue
            }
            let time = Int(Date().timeIntervalSince(began) * 1000)
            let word = outcome.isEqual ? "equal " : "part  "
            print(
                "REPORT \(word) \(name) \(outcome.made.reproduced)/\(outcome.made.entryCount) \(time) ms \(outcome.made.missing.first ?? "")"
            )
            #expect(outcome.isHonest, "\(name)")
        }
    }

    // MARK: - Reports that are damaged

    private static let head = "otalab-report format=1 writer=otalab\n"
    private static let log = """
        app id=com.example.shop native=1.0 platform=ios dialect=own
        version id=v1 roles=embedded,current verified=package
        log n=1 after=0ms cause=launched facts=native=1.0%20front=true
        log n=2 after=100ms cause=up-to-date version=v1

        """

    static let refused: [(text: String, line: Int, message: String, help: String)] = [
        ("", 1, "the report is empty", "a report begins with"),
        ("\n\n", 1, "the report is empty", "a report begins with"),
        ("{\"log\": []}", 1, "this is no error report", "this looks like JSON"),
        ("11-20 23:19:28 I/App: started\n", 1, "this is no error report", "can be written so"),
        ("otalab-report format=2\n" + log, 1, "a report of format 2", "reads format 1"),
        (head, 1, "the report has no log line", "a line such as"),
        (head + "log n=1 cause=flew-away\n", 1, "the report has no log line", "a line such as"),
    ]

    @Test("what is no report is refused with its line and a way out", arguments: refused.indices)
    func refusals(place: Int) {
        let wanted = Self.refused[place]
        let refusal = #expect(throws: ReportReading.Refusal.self) {
            try LogScenario.make(Array(wanted.text.utf8), id: "a")
        }
        #expect(refusal?.line == wanted.line)
        #expect(refusal?.message.hasPrefix(wanted.message) == true, "\(refusal?.message ?? "")")
        #expect(refusal?.help.contains(wanted.help) == true, "\(refusal?.help ?? "")")
    }

    @Test(
        "a report is found in a text that was pasted",
        arguments: [
            ("From: a user\n\nHello\n", "", "lines 1 to 3 stand before the report and are left out"),
            ("$ cat report.txt\n", "", "line 1 stands before the report and is left out"),
            ("She writes:\n", "> ", "line 1 stands before the report and is left out"),
        ])
    func pasted(before: String, mark: String, note: String) throws {
        let lines = (Self.head + Self.log + "end lines=5\n").split(separator: "\n").map { mark + $0 }
        let reading = try ReportReading(bytes: Array((before + lines.joined(separator: "\n")).utf8))
        #expect(reading.entries.map(\.cause) == [.launched, .upToDate])
        #expect(reading.notes.map(\.text) == [note])
    }

    @Test("a switch comes about at the moment that the report says, and the title names what failed")
    func moments() throws {
        let steps = { (action: String) in
            """
            {
              schema: 1, title: "A switch", app: { id: "com.example.shop", embeds: "v1" },
              versions: {
                v1: { files: { "index.html": "2 KB", "app.js": "40 KB" } },
                v2: { from: "v1", changes: ["app.js"], startup: { throws: "after 1s" } },
              },
              steps: [
                { launch: true }, { expect: { running: "v1", confirmed: true }, within: "5s" },
                { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
                \(action) { wait: "10s" },
              ],
            }
            """
        }
        for (action, step) in [
            (#"{ page: "reload" },"#, #"{ page: "reload" }"#),
            (#"{ page: "in front", calls: "switchToPendingVersion" },"#, "switchToPendingVersion"),
        ] {
            let report = try #require(try Self.report("Scenarios/m.json5", Array(steps(action).utf8)))
            let made = try LogScenario.make(Array(report.utf8), id: "made", profiles: Self.profiles)
            #expect(made.text.contains(step) && !made.text.contains("push"), "\(made.text)")
            let title = #"title: "As reported: v2 does not start, and v1 takes over""#
            #expect(made.text.contains(title) == action.contains("reload"))
            #expect(made.missing == [])
        }
    }

    @Test("a line is read as it was written, whatever its values contain")
    func lineRoundTrip() {
        let odd = "line one\nlog n=1 cause=forged 100 % ✓\u{7f}="
        let line = ReportLine("log", [.init("n", "1"), .init("facts", odd), .init("empty", "")])
        #expect(ReportLine(text: line.text) == line)
        for text in ["", "log cause", "log cause=%zz", "log cause=%4", "log  cause=launched"] {
            #expect(ReportLine(text: text) == nil, "\(text)")
        }
    }

    @Test("a report with Windows line ends is the same; one that was cut or mixed with other text is noted")
    func flaws() throws {
        let lines = [
            "otalab-report format=1 writer=otalab", "log n=1 after=0ms cause=launched",
            "log n=2 after=5ms cause=start-marked version=v2", "end lines=3",
        ]
        func read(_ lines: [String], _ end: String = "\n") throws -> ReportReading {
            try ReportReading(bytes: Array(lines.joined(separator: end).utf8))
        }
        let whole = try read(lines)
        #expect(whole.entries.count == 2 && whole.notes.isEmpty)
        #expect(try read(lines, "\r\n").entries == whole.entries)
        #expect(try read(lines.dropLast()).notes.map(\.line) == [nil])
        var mixed = lines
        mixed.insert("Hello, my app is broken", at: 2)
        #expect(try read(mixed).notes.first?.line == 3)
    }

    @Test("bytes that are no text, and too many of them")
    func bytes() {
        let damaged = #expect(throws: ReportReading.Refusal.self) {
            try ReportReading(bytes: Array(Self.head.utf8) + [0xFF, 0xFE, 0x0A])
        }
        #expect(damaged?.line == 2)
        let long = #expect(throws: ReportReading.Refusal.self) {
            try ReportReading(bytes: [UInt8](repeating: 0x61, count: ReportReading.maxBytes + 1))
        }
        #expect(long?.message.hasPrefix("the report is 8388609 bytes") == true)
    }

    static let damaged: [(text: String, note: String, line: Int?)] = [
        (head + log, "the report was cut", nil),
        (head + log + "end lines=9\n", "5 lines are here, 9 were written", 6),
        (head + log + "rubbish zz\nend lines=6\n", "not a line of a report, left out: rubbish zz", 6),
        (
            head + "log n=1 cause=flew-away\n" + log + "end lines=6\n",
            "the cause 'flew-away' is not one of ours", 2
        ),
        (head + log + "log n=9 cause=up-to-date\nend lines=6\n", "between n=2 and n=9 lines are missing", 6),
        (head + log + "log n=1 cause=up-to-date\nend lines=6\n", "n=1 after n=2: lines are out of order", 6),
        (head + log + "log n=3\nend lines=6\n", "a log line without a cause", 6),
        (head + log + "log n=3 after=soon cause=up-to-date\nend lines=6\n", "after=soon is no time", 6),
        (head + log + "weather fine=true\nend lines=6\n", "a word that is not known", 6),
        (head + log + "end lines=5\nlog n=3\n", "text after the end", 7),
    ]

    @Test(
        "what is wrong with a report is told with its line, and the rest is used", arguments: damaged.indices)
    func notes(place: Int) throws {
        let wanted = Self.damaged[place]
        let text = wanted.text.replacingOccurrences(of: "\n", with: "\r\n")
        let made = try LogScenario.make(Array(text.utf8), id: "a")
        let line = wanted.line.map { "line \($0): " } ?? ""
        #expect(
            made.missing.contains { $0.hasPrefix(line + wanted.note) },
            "\(made.missing.joined(separator: "\n"))")
        #expect(made.text.contains("// - " + line + wanted.note))
        #expect(made.reproduced >= 2)
    }

    @Test("odd ids get separate names, and no text of a report can break out of its string in the file")
    func oddIDs() throws {
        let id = "v2\"%20},%20//%0a"
        let text =
            Self.head + Self.log
            + "log n=3 after=300ms cause=download-started version=\(id)\nlog n=4 after=900ms cause=became-pending version=\(id)\nend lines=7\n"
        let made = try LogScenario.make(Array(text.utf8), id: "a")
        let reading = ScenarioReader.read(path: "Scenarios/a.json5", bytes: Array(made.text.utf8))
        #expect(reading.diagnostics.filter { $0.severity == .error }.isEmpty, "\(made.text)")
        #expect(reading.scenarios.first?.versions.map(\.name.value) == ["v1", "v2--------"])
        #expect(made.reproduced == 4)
    }

    /// The status of a device comes a few steps behind its log.
    @Test("the last step says what the report says to be pending, and holds", arguments: [0, 3_000])
    func pendingEnd(after: Int) throws {
        let rows = [
            "app id=com.example.shop native=1.0 platform=ios dialect=own updates=manual",
            "version id=v1 state=proven roles=embedded,current,last-known-good",
            "version id=v2 state=pending roles=pending",
            "log n=1 after=0ms cause=launched",
            "log n=2 after=\(after + 100)ms cause=download-started version=v2",
            "log n=3 after=\(after + 105)ms cause=became-pending version=v2",
        ]
        let text = (["otalab-report format=1 writer=otalab"] + rows + ["end lines=7"]).joined(separator: "\n")
        let made = try LogScenario.make(Array((text + "\n").utf8), id: "a")
        #expect(made.missing == [])
        #expect(made.text.contains("{ expect: { pending: \"v2\", lastKnownGood: \"v1\""), "\(made.text)")
        let reading = ScenarioFile(path: "Scenarios/a.json5", bytes: Array(made.text.utf8))
            .read(devices: ["plain"])
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        #expect(ScenarioRunner().run(plan).verdict == .passed)
    }

    @Test("no report stops it: cut at any byte, and any byte changed")
    func anyBytes() throws {
        let report = Array((Self.head + Self.log + "end lines=5\n").utf8)
        var random = 7 as UInt64
        for length in stride(from: 0, to: report.count, by: 7) {
            var bytes = Array(report[..<length])
            random = random &* 6_364_136_223_846_793_005 &+ 1
            if !bytes.isEmpty {
                bytes[Int(random >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random >> 40)
            }
            _ = try? ReportReading(bytes: bytes)
        }
    }

    @Test("the page of the guide shows what comes of its report, to the letter")
    func guidePage() throws {
        let path = "Sources/Runner/Runner.docc/FromReportToScenario.md"
        let page = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        func block(_ kind: String, from begin: String) throws -> String {
            let blocks = page.components(separatedBy: "```").enumerated()
                .filter { $0.offset % 2 == 1 && $0.element.hasPrefix(kind + "\n" + begin) }
            return try #require(blocks.first.map { String($0.element.dropFirst(kind.count + 1)) })
        }
        let report = try block("text", from: "otalab-report")
        let made = try LogScenario.make(
            Array(report.utf8), id: "recovery/gone-after-update", profiles: Self.profiles)
        #expect(made.reproduced == 19 && made.entryCount == 19)
        let text = String(decoding: try SourceFormatter.format(Array(made.text.utf8)), as: UTF8.self)
        #expect(text == made.text)
        #expect(try block("json5", from: "// Made by") == text)
        let verdict = try block("json5", from: "{\n  schema: 1,\n  title: \"A version")
        let reading = ScenarioFile(path: "Scenarios/a.json5", bytes: Array(verdict.utf8))
            .read(devices: Self.profiles.map(\.name))
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        #expect(ScenarioRunner(profiles: Self.profiles).run(plan).verdict == .passed)
    }

    // MARK: - Templates

    @Test(
        "every template reads, passes, and is in the style of the formatter", arguments: ScenarioTemplate.all)
    func templates(template: ScenarioTemplate) throws {
        let text = template.text(title: nil)
        let formatted = String(decoding: try SourceFormatter.format(Array(text.utf8)), as: UTF8.self)
        #expect(formatted == text, "\(formatted)")
        let file = ScenarioFile(path: "Scenarios/a.json5", bytes: Array(text.utf8))
        let reading = file.read(devices: ["plain"])
        #expect(reading.diagnostics.isEmpty)
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        let result = ScenarioRunner().run(plan)
        #expect(result.verdict == .passed, "\(result.failures.first?.headline ?? "")")
        let titled = template.text(title: "A \"new\" one")
        let again = ScenarioFile(path: "Scenarios/a.json5", bytes: Array(titled.utf8)).read(devices: ["plain"]
        )
        #expect(again.scenarios.first?.title.value == "A \"new\" one")
    }
}
