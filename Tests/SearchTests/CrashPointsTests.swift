import Backend
import Core
import ScenarioLanguage
import TestSupport
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner
@testable import Search

@Suite("The search over crash points")
struct CrashPointsTests {
    private func search(
        _ steps: String, head: String = "", limits: (inout CrashLimits) -> Void = { _ in }, jobs: Int = 2,
        prepare: @escaping @Sendable (inout World) -> Void = { _ in }
    ) async throws -> CrashReport {
        var run = CrashPointsRun()
        run.jobs = jobs
        run.limits.outcomes = 1
        run.limits.second = 1
        run.prepare = prepare
        limits(&run.limits)
        let plan = try SmallScenario.plan(SmallScenario.text(steps, head: head))
        return try #require(await run.run([plan]).first)
    }

    /// The first update, to the moment it is pending.
    private static let update = """
        { launch: true }, { deploy: "v2" }, { check: true, crashPoints: "this step" },
        { expect: { pending: "v2" }, within: "10s" },
        """

    @Test("a sound updater survives every crash of its first launch, and a second one in the recovery")
    func sound() async throws {
        let report = try await search(
            "{ launch: true, crashPoints: \"first launch\" }, { wait: \"5s\" },"
        ) {
            $0.outcomes = 2
            $0.second = 4
        }
        #expect(report.problem == nil)
        #expect(report.findings == [])
        #expect(report.tally.firstPoints > 20)
        #expect(report.tally.secondPoints > report.tally.firstPoints)
        #expect(report.tally.merged > 0)
        #expect(report.tally.exactPoints + report.tally.sampledPoints == report.tally.points)
    }

    @Test(
        "a store that leaves out one kind of sync is found out",
        arguments: [
            ("store/record.a", DiskCall.sync), ("store/record.b", .sync), ("store/tables", .syncDirectory),
            ("store/partial", .sync), ("store/blobs", .syncDirectory), ("store", .syncDirectory),
        ])
    func planted(path: String, call: DiskCall) async throws {
        let report = try await search(CrashPointsTests.update) {
            $0.depth = 1
        } prepare: { world in
            world.changeDisk { $0.leaveOut(call, under: DiskPath(.data, path)) }
        }
        #expect(report.tally.failures > 0, "\(report.tally)")
        #expect(!report.findings.isEmpty)
    }

    @Test("by default one outcome of every class is tried wherever it exists")
    func classes() async throws {
        let report = try await search(CrashPointsTests.update) {
            $0.depth = 1
            $0.every = 6
            $0.outcomes = CrashLimits().outcomes
        }
        #expect(report.tally.classes.counts.allSatisfy { $0.tried == $0.existing })
        #expect(report.tally.classes[.kill].tried == report.tally.firstPoints)
        #expect(report.tally.classes.counts.count { $0.tried > 0 } >= 9)
    }

    @Test("what it finds does not depend on the number of cores")
    func cores() async throws {
        let launch = "{ launch: true, crashPoints: \"first launch\" }, { wait: \"5s\" },"
        @Sendable func prepare(_ world: inout World) {
            world.changeDisk { $0.leaveOut(.sync, under: DiskPath(.data, "store")) }
        }
        let one = try await search(launch, jobs: 1) { prepare(&$0) }
        let four = try await search(launch, jobs: 4) { prepare(&$0) }
        #expect(one.tally.secondPoints > 0)
        #expect(one.tally == four.tally)
        #expect(one.findings == four.findings)
    }

    @Test("a sample leaves out what it says, the same on every number of cores")
    func sample() async throws {
        let launch = "{ launch: true, crashPoints: \"first launch\" }, { wait: \"5s\" },"
        @Sendable func sample(_ limits: inout CrashLimits) {
            limits.every = 5
            limits.outcomes = 2
        }
        let all = try await search(launch) { $0.depth = 1 }
        let single = try await search(launch) { limits in
            sample(&limits)
            limits.depth = 1
        }
        #expect(single.tally.firstPoints + single.tally.pointsLeftOut == all.tally.firstPoints)
        #expect(single.tally.firstPoints > 0)
        #expect(single.tally.firstPoints <= all.tally.firstPoints / 5 + 1)
        let one = try await search(launch, limits: sample, jobs: 1)
        let four = try await search(launch, limits: sample, jobs: 4)
        #expect(one.tally.secondPoints > 0 && one.tally.pointsLeftOut > 0)
        #expect(one.tally == four.tally)
    }

    @Test("second crashes follow as many first ones as requested, or all")
    func followed() async throws {
        let launch = "{ launch: true, crashPoints: \"first launch\" }, { wait: \"5s\" },"
        for (second, tried) in [(0, 0), (1, 1), (3, 3)] {
            let report = try await search(launch) {
                $0.second = second
                $0.every = 7
            }
            #expect(report.tally.secondTried == tried)
            #expect((report.tally.secondPoints > 0) == (tried > 0))
        }
        let all = try await search(launch) {
            $0.second = nil
            $0.every = 9
        }
        #expect(all.tally.secondTried > 3 && all.tally.secondLeftOut == 0)
    }

    @Test("a window asks for one launch: nothing is tried before or after it")
    func windows() async throws {
        let all = try await search(
            "{ launch: true }, { wait: \"5s\" }, { relaunch: true }, { wait: \"5s\" },"
        ) {
            $0.depth = 1
        }
        let one = try await search(
            """
            { launch: true }, { wait: "5s" }, { relaunch: true, crashPoints: "first launch" }, { wait: "5s" },
            """
        ) { $0.depth = 1 }
        #expect(one.tally.firstPoints > 0)
        #expect(one.tally.firstPoints < all.tally.firstPoints)
    }

    @Test("the scenario of a finding shows it again, and none without the fault")
    func reproduction() async throws {
        let report = try await search(CrashPointsTests.update) {
            $0.depth = 1
        } prepare: { world in
            world.changeDisk { $0.leaveOut(.syncDirectory, under: DiskPath(.data, "store/tables")) }
        }
        let finding = try #require(report.findings.first)
        let text = report.scenario(of: finding)
        let plan = try SmallScenario.plan(text)
        #expect(plan.worldSeed == report.plan.worldSeed)
        // The fault is not in the file: the real updater survives this crash.
        let result = ScenarioRunner().run(plan)
        #expect(result.verdict == .passed, "\(result.failures.map(\.headline))")
        #expect(result.faultsNeverApplied == [])
        let again = try SmallScenario.run(text, changeWorld: { _ in }) { world in
            world.changeDisk { $0.leaveOut(.syncDirectory, under: DiskPath(.data, "store/tables")) }
        }
        #expect(again.contains { $0.rule == finding.rule })
    }

    @Test("ST-I1: what a recall replaced is cleaned up by a process that may run, not at its kill")
    func recalled() async throws {
        let report = try await search(
            """
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { recall: "v2" }, { check: true, crashPoints: "this step" }, { wait: "5s" },
            """, head: "liveness: \"none\", because: \"the origin recalls what it offers\","
        ) { $0.depth = 1 }
        #expect(report.tally.states > 0)
        #expect(report.findings == [])
    }

    @Test("R8: a generation that the scenario damaged is not required again, however the next one is cut")
    func damagedRecord() async throws {
        let report = try await search(
            """
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { kill: "user" }, { disk: { file: "record", do: { flip: "1 byte" } } },
            { launch: true, crashPoints: "first launch" }, { wait: "5s" },
            """
        ) { $0.depth = 1 }
        #expect(report.tally.states > 0)
        #expect(report.findings == [])
    }

    @Test(
        "R6: a confirmation that was written but not reported counts, although an older one was reported")
    func confirmedAgain() async throws {
        let report = try await search(
            """
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { expect: { running: "v2", confirmed: true }, within: "10s" }, { kill: "user" },
            { disk: { file: "records", do: { remove: true } } },
            { launch: true }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true, crashPoints: "first launch" }, { expect: { running: "v2" }, within: "10s" },
            """
        ) { $0.depth = 1 }
        #expect(report.tally.states > 0)
        #expect(report.findings == [])
    }

    @Test("what a cut-off process wrote into its log and did not report is the end of its log")
    func untold() {
        func entry(_ cause: LogCause, _ after: Int64) -> LogEntry {
            LogEntry(cause, version: "v2", after: .milliseconds(after))
        }
        let former = [entry(.launched, 0), entry(.startConfirmed, 5)]
        let own = [entry(.launched, 0), entry(.startMarked, 2), entry(.startConfirmed, 5)]
        // Equal entries of an earlier process are not this one's.
        #expect(
            Array(UnreportedLogEntries.entries(of: former + own, reported: Array(own.dropLast()))) == [own[2]]
        )
        #expect(
            UnreportedLogEntries.entries(of: former + own, reported: own + [entry(.checkFailed, 9)]).isEmpty)
        #expect(Array(UnreportedLogEntries.entries(of: own, reported: [entry(.recordLost, 0)])) == own)
        // A record that was read after the launch has the log of an earlier process.
        let late = [entry(.launched, 900), entry(.checkFailed, 950)]
        #expect(UnreportedLogEntries.entries(of: former, reported: late).isEmpty)
        #expect(
            Array(UnreportedLogEntries.entries(of: former + [late[1], own[2]], reported: late)) == [own[2]])
        // The begin of the process has left the bounded log.
        let long = (0..<100).map { entry(.checkFailed, Int64($0)) }
        #expect(UnreportedLogEntries.entries(of: long, reported: own + long).isEmpty)
        #expect(UnreportedLogEntries.entries(of: long, reported: own + long + own).isEmpty)
        #expect(
            Array(UnreportedLogEntries.entries(of: long, reported: own + long.dropLast(2)))
                == Array(long.suffix(2)))
    }

    @Test("a record that the process could not read and that a power cut brings back is not its own")
    func broughtBack() {
        func record(_ generation: UInt64, _ cause: LogCause) -> RecordImage {
            var record = RecordImage()
            record.generation = generation
            record.log = [LogEntry(cause)]
            return record
        }
        let unread = record(9, .startConfirmed)
        var view = StoreView()
        view.live.slotA = .valid(record(8, .launched))
        view.live.slotB = .invalid
        view.durable.slotA = .valid(record(8, .launched))
        view.durable.slotB = .valid(unread)
        let found = PreviousRecords(view)
        #expect(!found.isNew(record(8, .launched)))
        #expect(!found.isNew(unread))
        // What it wrote over that one has the same generation.
        #expect(found.isNew(record(9, .recordFellBack)))
        #expect(found.isNew(record(10, .launched)))
    }

    @Test("several devices: each is cut off by itself, and a finding's scenario cuts off the same one")
    func devices() async throws {
        @Sendable func spoil(_ world: inout World) {
            world.changeDisk(of: 1) { $0.leaveOut(.syncDirectory, under: DiskPath(.data, "store/tables")) }
        }
        let text = SmallScenario.text(
            """
            { launch: true, on: "a" }, { launch: true, on: "b" }, { deploy: "v2" },
            { check: true, on: "a", crashPoints: "this step" },
            { check: true, on: "b", crashPoints: "this step" },
            { expect: { pending: "v2" }, within: "10s", on: "b" },
            """, head: "devices: { a: \"plain\", b: \"plain\" },")
        var run = CrashPointsRun()
        run.limits.outcomes = 1
        run.limits.depth = 1
        let plan = try SmallScenario.plan(text)
        let sound = await run.run([plan])
        #expect(sound.map(\.name) == ["\(plan.name) on a", "\(plan.name) on b"])
        #expect(sound.allSatisfy { $0.tally.firstPoints > 5 && $0.findings == [] }, "\(sound.map(\.tally))")
        run.prepare = { spoil(&$0) }
        let reports = await run.run([plan])
        #expect(reports[0].findings == [])
        let finding = try #require(reports[1].findings.first)
        let again = reports[1].scenario(of: finding)
        #expect(again.contains("on: \"b\""))
        #expect(
            try SmallScenario.run(again, changeWorld: { _ in }, prepare: spoil).contains {
                $0.rule == finding.rule
            })
        let healed = ScenarioRunner().run(try SmallScenario.plan(again))
        #expect(healed.verdict == .passed && healed.faultsNeverApplied == [], "\(healed.failures)")
    }

    @Test("a crash that never happens is reported")
    func never() throws {
        let text = SmallScenario.text(
            "{ crash: { operation: 99999, of: \"check\", outcome: \"kill\" } }, " + CrashPointsTests.update)
        let result = ScenarioRunner().run(try SmallScenario.plan(text))
        #expect(result.faultsNeverApplied == ["its crash never came"])
    }
}

extension SmallScenario {
    /// In a world that is prepared, as the laboratory runs it: a crash can fork it.
    static func run(
        _ text: String, changeWorld: (inout WorldSetup) -> Void, prepare: (inout World) -> Void
    ) throws -> [Failure] {
        let plan = try plan(text)
        var setup = try ScenarioCompiler(
            scenario: plan.scenario, profiles: [.plain], readFolder: BuildFolder.read
        ).setup(seed: plan.worldSeed)
        changeWorld(&setup)
        var world = try World(setup)
        world.isRecording = true
        prepare(&world)
        var run = ScenarioRun(
            plan: plan, setup: setup, backend: world, checkers: CheckerList(CheckerList.crashing))
        run.enableCrashSteps()
        run.run()
        return run.failures
    }
}
