import Backend
import Core
import ScenarioLanguage
import TestSupport
import Testing
import Updater

@testable import Runner
@testable import Search

@Suite("Worlds of an updater that is seen from outside")
struct OutsideWorldTests {
    private static let updater = OutsideUpdater(
        dialects: [.own, .meteor, .frontend], checks: true, hasOwnClock: true)

    private func world(_ number: UInt64, _ updater: OutsideUpdater = Self.updater) throws -> DrawnWorld {
        try #require(
            OutsideWorld.world(number, for: updater, profiles: ["plain"]), "world \(number)")
    }

    @Test("Each number gives a valid scenario with nothing left out, and the same one each time")
    func valid() throws {
        for number in UInt64(0)..<300 {
            let world = try self.world(number)
            #expect(world.leftOut == 0, "\(number): \(world.text)")
            #expect(OutsideEnd.isWhole(in: world.scenario))
            #expect(try self.world(number).text == world.text)
        }
        #expect(try world(3).text != world(4).text)
    }

    @Test("An updater that can't be told to check is not, and one dialect is enough")
    func lessAble() throws {
        let updater = OutsideUpdater(dialects: [.meteor], checks: false, hasOwnClock: false)
        for number in UInt64(0)..<50 {
            let world = try self.world(number, updater)
            #expect(world.scenario.app.manifest == .meteor)
            #expect(world.text.contains("manifest: \"meteor\""))
        }
    }

    @Test("Consecutive numbers take the kinds in their order, and each disturbance once before any twice")
    func turns() throws {
        let order = OutsideDisturbance.order
        for kind in OutsideDisturbance.Kind.allCases {
            let all = OutsideDisturbance.all(kind)
            let places = order.indices.filter { order[$0] == kind }
            var met: Set<[PrintedValue]> = []
            for turn in 0..<all.count {
                let place = places[turn % places.count]
                let number = UInt64(turn / places.count * order.count + place)
                let steps = Set(try world(number).printedSteps)
                let own = all.filter { $0.steps.allSatisfy(steps.contains) }
                #expect(!own.isEmpty, "\(kind) \(number)")
                met.formUnion(own.map(\.steps))
            }
            #expect(met.count == Set(all.map(\.steps)).count, "\(kind)")
        }
    }

    // MARK: - A sweep

    private func sweep(_ text: String, _ asked: [OutsideSweep.Asked]) throws -> OutsideSweep {
        let reading = ScenarioReader.read(path: "one.json5", bytes: Array(text.utf8), devices: ["plain"])
        let scenario = try #require(reading.scenarios.first, "\(reading.diagnostics)")
        let plan = RunPlan.plans(for: scenario, seed: 1)[0]
        return OutsideSweep(plan, asked, for: Self.updater, profiles: ["plain"])
    }

    private static let scenario = """
        { schema: 1, title: "An update", covers: ["U1"], app: { embeds: "v1" },
          versions: { v1: { files: { "/index.html": "1 KB", "/app.js": "1 KB" } },
                      v2: { from: "v1", changes: ["/app.js"] } },
          steps: [{ launch: true }, { expect: { running: "v1" }, within: "5s" }, { deploy: "v2" },
                  { check: true }, { repeat: 2, steps: [{ expect: { page: "ready" } }, { wait: "1s" }] },
                  { relaunch: true }, { expect: { running: "v2" }, within: "5s" }] }
        """

    @Test("A sweep disturbs the first and the last request of each kind, and replaces what is expected")
    func sweeps() throws {
        let sweep = try sweep(
            Self.scenario, [OutsideSweep.Asked(.manifest, 3), OutsideSweep.Asked("/app.js", 1)])
        var subjects: Set<String> = []
        for index in 0..<sweep.count {
            let world = try #require(sweep.world(index), "\(sweep.name(index))")
            #expect(world.leftOut == 0, "\(sweep.name(index))")
            #expect(world.text.contains("deploy: \"last\"") && !world.text.contains("running: \"v2\""))
            #expect(world.scenario.id == "one-\(index + 1)")
            #expect(OutsideEnd.isWhole(in: world.scenario))
            subjects.insert(sweep.name(index))
        }
        #expect(subjects.count == sweep.count)
        #expect(subjects.contains { $0.contains("\"manifest\"") && $0.contains("nth: 3") })
        #expect(!subjects.contains { $0.contains("/app.js") && $0.contains("nth: 2") })
    }

    @Test("Where a new version would have to fit a build, only a page is expected at the end")
    func builds() throws {
        let text = Self.scenario.replacing(
            "app: { embeds: \"v1\" }", with: "app: { builds: { \"1.0\": { embeds: \"v1\", native: \"A\" } } }"
        )
        let sweep = try sweep(text, [OutsideSweep.Asked(.manifest, 1)])
        let world = try #require(sweep.world(0))
        #expect(!world.text.contains("last") && world.text.contains("expect: { page: \"ready\" }"))
    }

    @Test("What was asked for is counted by kind, in the order of the first request")
    func asked() {
        let kinds: [OriginRequest.Kind] = [
            .manifest, .file("/app.js"), .manifest, .file("/app.js"), .manifest,
        ]
        let trace = kinds.enumerated().map { number, kind in
            let request = RequestEvent(
                transfer: TransferID(UInt32(number)), kind: kind, url: "", version: nil, edge: 0, from: nil,
                isConditional: false)
            return TraceEvent(
                ordinal: number, at: .zero, device: 0, process: 1, kind: .requestSent(request))
        }
        #expect(
            OutsideSweep.Asked.all(in: trace) == [
                OutsideSweep.Asked(.manifest, 3), OutsideSweep.Asked("/app.js", 2),
            ])
    }

    // MARK: - Trials

    @Test("A step that never happened is not in the file of a finding, and a pass is none")
    func trial() async throws {
        let number = try #require(
            (UInt64(0)..<100).first { (try? self.world($0).text.contains("when:")) == true })
        let world = try self.world(number)
        let line = try #require(
            world.text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
                $0.contains("when:")
            })
        let trial = OutsideTrial(profiles: ["plain"]) { plan, toleratesMissedTriggers in
            var result = ScenarioRunner.blank(plan)
            result.verdict = toleratesMissedTriggers ? .failed : .passed
            result.steps = StepResult.initial(of: plan.scenario)
            if let index = result.steps.firstIndex(where: { $0.line == line + 1 && $0.text.contains("when") })
            {
                result.steps[index].outcome = .notReached
            }
            for index in result.steps.indices where result.steps[index].line != line + 1 {
                result.steps[index].outcome = .done
            }
            return result
        }
        guard case .found(let result) = await trial.outcome(of: WorldRecipe(number), world).end else {
            Issue.record("nothing was found")
            return
        }
        #expect(result.source?.contains("when:") == false)
        let passing = OutsideTrial(profiles: ["plain"]) { plan, _ in ScenarioRunner.blank(plan) }
        #expect(await passing.outcome(of: WorldRecipe(number), world).end == .passed)
        #expect(
            await passing.outcome(of: WorldRecipe(number), nil).end == .notDrawn("no scenario came of it"))
    }
}
