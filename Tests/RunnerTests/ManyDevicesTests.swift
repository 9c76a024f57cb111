import ScenarioLanguage
import Testing
import World

@testable import Runner

@Suite("Many devices")
struct ManyDevicesTests {
    /// Number of updates of all observers in a run of so many devices.
    private func updates(_ count: Int) throws -> Int {
        let names = (0..<count).map { "d\($0)" }
        func each(_ step: String) -> String { names.map { "{ \(step), on: \"\($0)\" }," }.joined() }
        let text = """
            { schema: 1, title: "Many devices", app: { embeds: "v1" },
              versions: { v1: { files: { "index.html": "2 KB", "app.js": "4 KB" } },
                v2: { from: "v1", changes: ["app.js"] } },
              devices: { \(names.map { "\($0): \"plain\"" }.joined(separator: ", ")) },
              steps: [ \(each("launch: true")) { deploy: "v2" }, \(each("check: true")) { wait: "10s" },
                \(each("relaunch: true")) { wait: "10s" }, { expect: { running: "v2" } } ] }
            """
        let reading = ScenarioReader.read(path: "many.json5", bytes: Array(text.utf8), devices: ["plain"])
        let scenario = try #require(reading.scenarios.first)
        let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
        let runner = ScenarioRunner()
        let prepared = try runner.prepare(scenario)
        let (result, run) = runner.run(plan, prepared, on: prepared.fresh)
        #expect(result.verdict == .passed)
        #expect((0..<run.deviceCount).allSatisfy { run.observer(of: $0).isUpToDate(with: run.backend) })
        return (0..<run.deviceCount).reduce(0) { $0 + run.observer(of: $1).updates }
    }

    @Test("The observers of all devices are called as often for each device, however many there are")
    func linear() throws {
        let few = try updates(4)
        let many = try updates(40)
        #expect(many < few * 13, "\(few) for 4 devices, \(many) for 40")
    }
}
