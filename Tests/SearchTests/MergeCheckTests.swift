import Core
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner
@testable import Search

/// Why a search over crash points may launch states that count as one only once.
@Suite("Merging of states in the search over crash points")
struct MergeCheckTests {
    private static let update = """
        { launch: true }, { deploy: "v2" }, { check: true, crashPoints: "this step" },
        { expect: { pending: "v2" }, within: "10s" },
        """

    /// With a second crash after one of the first ones.
    private static func search(
        _ steps: String, v2: String = "", every: Int, _ check: MergeCheck = MergeCheck(),
        prepare: @escaping @Sendable (inout World) -> Void = { _ in }
    ) async throws -> CrashReport {
        var run = CrashPointsRun()
        run.limits.outcomes = 3
        run.limits.second = 1
        run.limits.every = every
        run.limits.findings = .max
        run.prepare = prepare
        run.mergeCheck = check
        let plan = try SmallScenario.plan(SmallScenario.text(steps, v2: v2))
        return try #require(await run.run([plan]).first)
    }

    private static func flaws(_ report: CrashReport) -> [CrashFinding] {
        report.findings.filter { $0.rule == "merging" }
    }

    @Test(
        "what was merged ends as what it was merged with: same verdict, same store at rest",
        arguments: [
            (update, "", 4),
            // A start that hangs and is left.
            (
                """
                { launch: true }, { deploy: "v2" }, { check: true },
                { expect: { pending: "v2" }, within: "10s" },
                { relaunch: true, crashPoints: "first launch" }, { wait: "5s" },
                """, #", startup: "hangs""#, 9
            ),
        ])
    func alike(steps: String, v2: String, every: Int) async throws {
        let report = try await MergeCheckTests.search(steps, v2: v2, every: every)
        #expect(report.problem == nil)
        #expect(report.findings == [])
        #expect(report.tally.secondPoints > 0)
        #expect(report.tally.launched < report.tally.states)
    }

    /// Some crashes end in a failure, others don't: none may be taken for the other.
    @Test("on a disk that leaves out a sync nothing is merged with what ends otherwise")
    func faulty() async throws {
        let report = try await MergeCheckTests.search(MergeCheckTests.update, every: 2) { world in
            world.changeDisk { $0.leaveOut(.sync, under: DiskPath(.data, "store/partial")) }
        }
        #expect(!report.findings.isEmpty)
        #expect(MergeCheckTests.flaws(report) == [])
    }

    @Test("stopped devices that differ in a sync in flight are two until the process has ended, then one")
    func syncsInFlight() throws {
        let plan = try SmallScenario.plan(SmallScenario.text(MergeCheckTests.update))
        var checked = 0
        for moment in try CrashPointsRun().moments(of: plan) {
            guard let without = moment.stopped(at: 1) else { continue }
            for folder in ["store", "store/partial", "store/blobs", "store/tables"] {
                var with = without
                with.world.changeDisk { $0.submit(SyncTicket(.max), .directory(DiskPath(.data, folder))) }
                guard !with.world.coveredBySyncsInFlight().isEmpty else { continue }
                checked += 1
                #expect(with.stopKey != without.stopKey)
                var (one, other) = (with, without)
                one.crash(.kill)
                other.crash(.kill)
                #expect(one.key == other.key)
            }
        }
        #expect(checked > 3)
    }

    @Test("a key that forgets the disk is found out")
    func forgetful() async throws {
        let forgetful = MergeCheck { key in
            var key = key
            key.device = 0
            return key
        }
        let report = try await MergeCheckTests.search(MergeCheckTests.update, every: 2, forgetful) { world in
            // What is lost of a file is found before it is shown; what is lost of the record is not.
            world.changeDisk { $0.leaveOut(.sync, under: DiskPath(.data, "store")) }
        }
        #expect(!MergeCheckTests.flaws(report).isEmpty)
    }
}
