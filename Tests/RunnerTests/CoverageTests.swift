import Backend
import Core
import TestSupport
import Testing

@testable import Runner
@testable import ScenarioLanguage

@Suite("Coverage cells")
struct CoverageTests {
    private func table(_ steps: String, v2: String = "", head: String = "") throws -> CoverageTable {
        var runner = ScenarioRunner()
        runner.recordsCoverage = true
        let result = runner.run(try SmallScenario.plan(SmallScenario.text(steps, v2: v2, head: head)))
        #expect(result.verdict == .passed, "\(result.failures.map(\.headline))")
        return result.cells
    }

    private func cell(_ text: String) throws -> CoverageCell { try #require(CoverageCell(text), "\(text)") }

    @Test("Each cell has its own text, and is read back from it")
    func texts() {
        #expect(Set(CoverageCell.all.map(\.text)).count == CoverageCell.all.count)
        for cell in CoverageCell.all { #expect(CoverageCell(cell.text) == cell, "\(cell.text)") }
        for text in ["", "end", "decision", "end: crash", "end: crash / asleep", "ends: crash / idle"] {
            #expect(CoverageCell(text) == nil, "\(text)")
        }
    }

    @Test("What happens is counted with what was under way")
    func plain() throws {
        let table = try table(SmallScenario.plain)
        for text in [
            "cause: became-pending", "disturbance: deploy / idle", "end: user / pending",
            "disturbance: launch in front / not running",
            "disturbance: page calls startupDidComplete / starting",
        ] {
            #expect(table.counts[try cell(text)] != nil, "\(text): \(table.entries.map(\.cell.text))")
        }
        #expect(table.counts[try cell("disturbance: launch in front / not running")] == 2)
        #expect(table.counts[try cell("cause: rescued")] == nil)
    }

    @Test("A version that replaces a failed one is being rescued until its start is decided")
    func rescuing() throws {
        let steps = """
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { expect: { running: "v1", confirmed: true }, within: "60s" },
            """
        let table = try table(steps, v2: ", startup: \"throws\"")
        #expect(table.counts[try cell("cause: rescued")] == 1)
        let during = Circumstance.rescuing
        #expect(table.counts.keys.contains { $0.circumstance == during }, "\(table.entries.map(\.cell.text))")
    }

    @Test("A fault of requests counts where it meets one, another fault when it begins")
    func faults() throws {
        let unmet = "{ fault: \"refuse\", times: 1 }, { heal: true },"
        let refused = try cell("disturbance: fault: refused connection / not running")
        #expect(try table(unmet + "{ launch: true }, { settle: true }").counts[refused] == nil)
        let met = try table("{ fault: \"refuse\", times: 1 }, { launch: true }, { settle: true }")
        #expect(met.counts.keys.contains { $0.name == "fault: refused connection" })
        let full = try table(
            "{ fault: { noSpace: \"after 1 MB\" } }, { heal: true }, { launch: true }, { settle: true }")
        #expect(full.counts[try cell("disturbance: fault: no space / not running")] == 1)
    }

    @Test("All faults of the language have a cell")
    func allFaults() {
        let names = Set(DisturbanceKind.all.map(\.name))
        #expect(names.count == DisturbanceKind.all.count)
        for (keyword, kind) in FieldTable.plainFaults {
            #expect(names.contains("fault: \(kind.coverageName)"), "\(keyword)")
        }
    }

    @Test("Tables are added, and pass to another process unchanged, with cells that are not in the list")
    func passing() throws {
        var table = CoverageTable()
        table.add(try cell("end: crash / downloading"), 3)
        table.add(CoverageCell(.disturbance, "something new", .idle))
        #expect(CoverageTable(encoded: table.encoded) == table)
        #expect(table.unexpected.map(\.name) == ["something new"])
        var twice = table
        twice.add(table)
        #expect(twice.counts[try cell("end: crash / downloading")] == 6)
        for text in ["7", "7\tx", "nothing: / idle\t1", "-1\t1"] {
            #expect(CoverageTable(encoded: text) == nil)
        }
    }

    @Test("A summary begins with what has the most holes")
    func summary() throws {
        var table = CoverageTable()
        for cell in CoverageCell.all where cell.name != "recall" && cell.name != "rescued" { table.add(cell) }
        table.add(try cell("disturbance: recall / idle"))
        let summary = CoverageSummary(table)
        #expect(summary.lines.first?.name == "recall")
        #expect(summary.lines.first?.holes == Circumstance.allCases.count - 1)
        #expect(summary.causes.first?.name == "rescued")
        #expect(summary.reached == summary.all - Circumstance.allCases.count)
    }

    @Test("A run's discoveries name the step at which it first got there")
    func discoveries() throws {
        var runner = ScenarioRunner()
        runner.recordsCoverage = true
        let result = runner.run(try SmallScenario.plan(SmallScenario.text(SmallScenario.plain)))
        let pending = try cell("cause: became-pending").index
        #expect(result.discoveries.first { $0.key == pending }?.step == 3)
        #expect(Set(result.discoveries.map(\.key)).count == result.discoveries.count)
        #expect(result.discoveries.contains { !$0.isCell })
    }
}
