import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Races: every order of the named events happens, or is reported as impossible")
struct RaceTests {
    private static let turn = "in its turn: "

    private func plans(_ text: String) throws -> [RunPlan] {
        let reading = ScenarioReader.read(path: "Scenarios/race.json5", bytes: Array(text.utf8))
        #expect(reading.diagnostics.map(\.message) == [])
        return RunPlan.plans(for: try #require(reading.scenarios.first), seed: 1)
    }

    private func story(_ race: String) -> String {
        SmallScenario.text(
            """
            { launch: true }, { expect: { page: "ready" }, within: "5s" },
            { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            \(race),
            { expect: { running: "v2", page: "ready" }, within: "10s" }, { wait: "2s" },
            """)
    }

    private func turns(_ result: ScenarioResult) -> [String] {
        result.timeline.map(\.text).filter { $0.hasPrefix(RaceTests.turn) }
            .map { String($0.dropFirst(RaceTests.turn.count)) }
    }

    @Test("meteor#8063: a reload, its index and the switch come in all six orders, and none mixes versions")
    func sixOrders() throws {
        let path = URL(fileURLWithPath: Profiles.folder).deletingLastPathComponent()
            .appendingPathComponent("serving/switch-races-reload.json5")
        let plans = try plans(String(contentsOf: path, encoding: .utf8))
        #expect(plans.count == 6)
        var seen: Set<[String]> = []
        for plan in plans {
            let result = ScenarioRunner().run(plan)
            let wanted = try #require(plan.orders.first).events.map(\.rawValue)
            #expect(result.verdict == .passed, "\(plan.name): \(result.failures.map(\.headline))")
            #expect(turns(result) == wanted, "\(plan.name)")
            #expect(result.faultsNeverApplied == [])
            seen.insert(turns(result))
        }
        #expect(seen.count == 6)
    }

    @Test("What the host does follows the order: the switch call finds the version pending, or already taken")
    func consequences() throws {
        let plans = try plans(story(#"{ page: "reload", anyOrder: ["index requested", "switch applied"] }"#))
        for plan in plans {
            let result = ScenarioRunner().run(plan)
            let isCallFirst = plan.orders.first?.events.first == .switchApplied
            let switched = result.timeline.map(\.text).filter { $0.contains("moment=") }
            #expect(switched.count == 1)
            #expect(switched.first?.contains(isCallFirst ? "moment=switch call" : "moment=reload") == true)
        }
    }

    @Test("An impossible order is reported with its step, and the others of that race are not")
    func impossible() throws {
        let race = #"{ page: "reload", anyOrder: ["index requested", "confirmation arrives"] }"#
        let results = try plans(story(race)).map { ScenarioRunner().run($0) }
        #expect(results.map(\.faultsNeverApplied.isEmpty) == [true, false])
        #expect(results[1].faultsNeverApplied == ["its order never came about: \(race)"])
        #expect(turns(results[0]) == ["index requested", "confirmation arrives"])
        #expect(turns(results[1]) == [])
    }

    @Test("A relaunch begins one race, not two")
    func relaunch() throws {
        let race = #"{ relaunch: true, anyOrder: ["index requested", "confirmation arrives"] }"#
        let result = ScenarioRunner().run(try #require(plans(story(race)).first))
        #expect(result.faultsNeverApplied == [])
        #expect(turns(result) == ["index requested", "confirmation arrives"])
    }

    @Test(
        "What can't race is a mistake of the file",
        arguments: [
            (
                #"{ relaunch: true, anyOrder: ["index requested", "switch applied"] }"#,
                "no page requests a switch"
            ),
            (
                #"{ page: "reload", anyOrder: ["index requested", "switch applied"], at: "5s" }"#,
                "'anyOrder' and 'at' exclude each other"
            ),
        ])
    func mistakes(_ race: String, _ message: String) {
        let reading = ScenarioReader.read(path: "Scenarios/race.json5", bytes: Array(story(race).utf8))
        #expect(reading.diagnostics.contains { $0.message.contains(message) })
    }
}
