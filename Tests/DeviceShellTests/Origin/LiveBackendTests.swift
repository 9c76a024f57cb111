import Foundation
import Live
import Runner
import ScenarioLanguage
import Testing
import World

@Suite("A scenario has the same outcome in the world and over real sockets and a real disk", .serialized)
struct LiveBackendTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static let comparison = DifferentialRun(
        profiles: ProfileSet(folders: [root + "/Scenarios/profiles"]))

    private func library(_ name: String) throws -> [DifferentialRun.Outcome] {
        let files = try ScenarioFile.find([LiveBackendTests.root + "/Scenarios/\(name).json5"])
        return files.flatMap { LiveBackendTests.comparison.compare($0) { try LiveBackend(&$0) } }
    }

    /// v2 changes `app.js`; the app checks for updates automatically.
    private static func file(_ steps: String, app: String = "") -> ScenarioFile {
        let text = """
            {
              schema: 1, title: "Two arms", app: { id: "com.example.arms", embeds: "v1" \(app) },
              versions: {
                v1: { files: { "index.html": "1 KB", "app.js": "20 KB" } },
                v2: { from: "v1", changes: ["app.js"] },
              },
              steps: [ \(steps) ],
            }
            """
        return ScenarioFile(path: "Scenarios/arms.json5", bytes: Array(text.utf8))
    }

    private static let update = """
        { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "30s" },
        { relaunch: true }, { expect: { running: "v2", confirmed: true }, within: "10s" },
        """

    /// All of the library: `otalab run --live`.
    @Test(
        "Outcomes and requests of these scenarios of the library are equal",
        arguments: [
            "updating/plain-at-next-launch", "updating/superseded-download", "network/redirects",
            "origin/goes-back-meteor", "recovery/web-process-dies", "serving/two-web-views",
            "serving/port-over-suspension", "storage/interrupted-downloads-leave-nothing",
        ])
    func library(name: String) throws {
        let outcomes = try library(name)
        #expect(outcomes.contains { $0.verdict == .equal && $0.requests > 0 }, "\(outcomes)")
        for outcome in outcomes {
            #expect(outcome.verdict == .equal || outcome.verdict == .skipped, "\(outcome)")
        }
    }

    @Test(
        "A version that behaves differently on the live backend is reported with the step and both outcomes")
    func otherBehaviour() {
        let outcomes = LiveBackendTests.comparison.compare(LiveBackendTests.file(LiveBackendTests.update)) {
            setup in
            setup.versions[1].startup = StartupSpec(behaviour: .hangs)
            return try LiveBackend(&setup)
        }
        #expect(outcomes.map(\.verdict) == [.differs])
        let lines = outcomes.flatMap(\.lines)
        #expect(lines.first == "verdict: world passed, live failed")
        #expect(lines.contains { $0.hasPrefix("step 6, line 8: world done, live failed: { expect:") })
    }

    @Test("An additional request on the live backend is reported, though every expectation holds")
    func otherRequests() {
        let steps = #"{ launch: true }, { wait: "10s" }, { expect: { running: "v1" } }"#
        let outcomes = LiveBackendTests.comparison.compare(
            LiveBackendTests.file(steps, app: #", checks: "manual""#)
        ) {
            setup in
            setup.app.settings.updates = .automatic
            return try LiveBackend(&setup)
        }
        #expect(outcomes.map(\.verdict) == [.differs])
        #expect(
            outcomes.flatMap(\.lines).contains("process 1 asks for manifest: world 0 times, live 1 times"))
    }

    @Test("A scenario that fails equally on both backends fails: equal defects are no difference")
    func failsInBoth() {
        let steps = LiveBackendTests.update + #" { expect: { running: "v1" }, within: "1s" }"#
        let outcomes = LiveBackendTests.comparison.compare(LiveBackendTests.file(steps)) {
            try LiveBackend(&$0)
        }
        #expect(outcomes.map(\.verdict) == [.fails], "\(outcomes)")
        #expect(!outcomes.flatMap(\.lines).isEmpty)
    }

    private static let needsSimulatedDisk =
        "needs the simulated disk, and this run uses the disk of this machine"

    @Test(
        "What a real process can't live through is skipped with the reason",
        arguments: [
            ("{ powerCut: true }", "a power cut " + needsSimulatedDisk),
            (#"{ kill: "battery" }"#, "a power cut " + needsSimulatedDisk),
            (#"{ fault: { noSpace: "after 1 KB" } }"#, "this machine's disk has no such fault"),
            (#"{ fault: "dns failure" }"#, "an address in numbers is not looked up"),
            (
                #"{ disk: { file: "record", do: { remove: true } } }"#,
                "damage to stored files " + needsSimulatedDisk
            ),
        ])
    func skipped(step: String, reason: String) {
        let file = LiveBackendTests.file("{ launch: true }, \(step)")
        let outcomes = LiveBackendTests.comparison.compare(file) { try LiveBackend(&$0) }
        #expect(outcomes.map(\.verdict) == [.skipped])
        #expect(outcomes.flatMap(\.lines) == [reason])
    }

    @Test("A file that can't be read is invalid, not skipped")
    func invalid() {
        let file = ScenarioFile(path: "Scenarios/none.json5", bytes: Array("{ schema: 1 }".utf8))
        #expect(
            LiveBackendTests.comparison.compare(file) { try LiveBackend(&$0) }.map(\.verdict) == [.invalid])
    }
}
