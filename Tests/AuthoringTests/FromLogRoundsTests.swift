import Core
import ScenarioLanguage
import Testing
import Updater
import World

@testable import Authoring
@testable import Oracle
@testable import Runner

/// Devices that are ill for weeks: their logs say one thing many times, and a person has to read what comes
/// of it.
@Suite("A scenario from a log that says the same again and again")
struct FromLogRoundsTests {
    private static func story(_ steps: String, v2: String = "", app: String = "") -> String {
        """
        {
          schema: 1, title: "Weeks", device: "ios-17", liveness: "none", because: "only its log is looked at",
          app: { id: "com.example.shop", embeds: "v1" \(app) },
          versions: {
            v1: { files: { "index.html": "2 KB", "app.js": "40 KB" } },
            v2: { from: "v1", changes: ["app.js"] \(v2) },
          },
          steps: [ \(steps) ],
        }
        """
    }

    /// What such a device writes, and what is made of it.
    private func made(_ story: String) throws -> (report: String, made: LogScenario) {
        let path = "Scenarios/weeks.json5"
        let report = try #require(try FromLogTests.report(path, Array(story.utf8)))
        let made = try LogScenario.make(
            Array(report.utf8), id: "from-report", profiles: FromLogTests.profiles)
        return (report, made)
    }

    /// The log of the scenario's own run.
    private func again(_ made: LogScenario) throws -> [LogSearch.EntryKey] {
        let path = "Scenarios/from-report.json5"
        return try FromLogTests.marks(
            try #require(try FromLogTests.report(path, Array(made.text.utf8)), "\(made.text)"))
    }

    private func lines(_ made: LogScenario) -> Int { made.text.split(separator: "\n").count }

    @Test("rounds that are alike become one 'repeat', and the device of the scenario logs all of them")
    func rounds() throws {
        let steps = "{ launch: true }, { repeat: 60, steps: [ { check: true }, { wait: \"1m\" } ] },"
        let (report, made) = try made(Self.story(steps))
        let marks = try FromLogTests.marks(report)
        #expect(marks.count > 55, "\(report)")
        #expect(made.text.contains("{ repeat: "), "\(made.text)")
        #expect(made.reproduced == marks.count && made.foldedCount == 0, "\(made.text)")
        #expect(lines(made) < 45, "\(made.text)")
        #expect(try again(made) == marks, "\(made.text)")
    }

    @Test("eight tries end in a word of their own: rounds before it are not folded, those after it are")
    func exhausted() throws {
        let steps = """
            { launch: true }, { wait: "1s" }, { network: "offline" },
            { repeat: 60, steps: [ { check: true }, { wait: "1m" } ] },
            """
        let (report, made) = try made(Self.story(steps))
        #expect(report.contains("cause=retries-exhausted"), "\(report)")
        #expect(!made.missing.contains { $0.contains("retries-exhausted") }, "\(made.text)")
        #expect(made.reproduced + made.foldedCount == made.entryCount, "\(made.text)")
        #expect(lines(made) < 75, "\(made.text)")
    }

    /// As another updater writes it that loses nothing when it is killed: ours does not log so much.
    private static func log(_ round: [String], times: Int, last: String? = nil) -> String {
        var text = "otalab-report format=1 writer=other\n"
        text += "app id=com.example.shop native=1.0 platform=ios dialect=own\n"
        text += "version id=v1 roles=embedded,current verified=package\n"
        var number = 0
        for line in Array(repeatElement(round, count: times).joined()) + (last.map { [$0] } ?? []) {
            number += 1
            text += "log n=\(number) \(line)\n"
        }
        return text + "end lines=\(number + 3)\n"
    }

    @Test("rounds that can't be repeated stand twice, with a word of how many more there were, and where")
    func leftOut() throws {
        let launched = "after=12ms cause=launched facts=native=1.0%20front=true"
        let log = Self.log([launched, "after=330ms cause=manifest-unreadable"], times: 40)
        let made = try LogScenario.make(
            Array(log.utf8), id: "from-report", profiles: FromLogTests.profiles)
        #expect([made.entryCount, made.reproduced, made.foldedCount] == [80, 4, 76], "\(made.text)")
        #expect(lines(made) < 45, "\(made.text)")
        #expect(
            made.text.contains("// 38 more rounds like the last one left out: lines 8 to 83"), "\(made.text)")
        #expect(made.text.contains("// 76 more are rounds like others"), "\(made.text)")
        #expect(made.text.components(separatedBy: "{ launch: true }").count == 3, "\(made.text)")
        let reading = ScenarioReader.read(
            path: "Scenarios/a.json5", bytes: Array(made.text.utf8),
            devices: FromLogTests.profiles.map(\.name))
        let plan = try #require(reading.scenarios.first.flatMap { RunPlan.plans(for: $0, seed: 1).first })
        #expect(ScenarioRunner(profiles: FromLogTests.profiles).run(plan).verdict == .passed, "\(made.text)")
    }

    @Test("what nothing brings about is named once for each word, however often the log says it")
    func missing() throws {
        let launched = "after=12ms cause=launched facts=native=1.0%20front=true"
        let log = Self.log([launched, "after=400ms cause=schema-too-low version=v1"], times: 30)
        let made = try LogScenario.make(
            Array(log.utf8), id: "from-report", profiles: FromLogTests.profiles)
        let lost = made.missing.filter { $0.contains("schema-too-low") }
        #expect(lost == ["lines 5, 7: schema-too-low of v1"], "\(made.text)")
        #expect(lines(made) < 45, "\(made.text)")
    }

    // MARK: - The folding alone

    private func entries(_ causes: [LogCause]) -> [LogRounds.Entry] {
        causes.enumerated().map { place, cause in
            LogRounds.Entry(
                line: 10 + place, cause: cause, version: nil, details: "",
                after: .milliseconds(Int64(place) * 10))
        }
    }

    @Test("three alike are folded, two are not, and every entry stays or belongs to one fold")
    func folds() {
        let twice = LogRounds(entries([.launched, .upToDate, .launched, .upToDate]))
        #expect(twice.entries.count == 4 && twice.folds.isEmpty)
        let four: [LogCause] = [.launched, .upToDate, .launched, .upToDate]
        let many = LogRounds(entries([.storeUpdate] + four + four + [.checkFailed]))
        #expect(
            many.entries.map(\.cause)
                == [.storeUpdate, .launched, .upToDate, .launched, .upToDate, .checkFailed])
        #expect(many.entries.map(\.line) == [10, 11, 12, 13, 14, 19])
        #expect(many.folds.map(\.count) == [3])
        #expect(many.folds.map(\.round) == [13...14] && many.folds.map(\.lines) == [[15, 16, 17, 18]])
    }

    @Test("what is said again within a process moves what follows it, and folds within folds count once")
    func withinProcesses() {
        let process: [LogCause] = [.launched, .checkFailed, .checkFailed, .checkFailed, .upToDate]
        let one = LogRounds(entries(process))
        #expect(one.entries.map(\.cause) == [.launched, .checkFailed, .checkFailed, .upToDate])
        #expect(one.entries.last?.after == .milliseconds(30))
        let all = LogRounds(entries(process + process + process + process))
        #expect(all.entries.count == 8)
        let kept = all.entries.map(\.line)
        let left = all.folds.flatMap(\.lines)
        #expect((kept + left).sorted() == Array(10..<30), "\(all.folds)")
        #expect(!all.folds.contains { !$0.isExact })
        let longer = process[..<1] + [.checkFailed] + process[1...]
        let uneven = LogRounds(entries(process + longer + process + longer))
        #expect(uneven.folds.contains { !$0.isExact }, "\(uneven.folds)")
        #expect((uneven.entries.map(\.line) + uneven.folds.flatMap(\.lines)).sorted() == Array(10..<32))
    }
}
