import Backend
import Foundation
import Oracle
import ReferenceModel
import TestSupport
import Testing

@testable import Runner

@Suite("Coverage cells of decisions")
struct DecisionCellTests {
    private static let cells = CoverageCell.all.filter { $0.group == .decision }

    private func run(_ steps: String, head: String = "") throws -> ScenarioResult {
        var runner = ScenarioRunner()
        runner.recordsCoverage = true
        let result = runner.run(try SmallScenario.plan(SmallScenario.text(steps, head: head)))
        #expect(result.verdict == .passed, "\(result.failures.map(\.headline))")
        return result
    }

    private func count(_ id: String, _ result: ScenarioResult) -> Int {
        result.cells.counts[CoverageCell(.decision, id)] ?? 0
    }

    // MARK: - The list

    @Test("Each checker and each clause of the reference model has its cells, and each cell has one")
    func exhaustive() {
        let named = Set(Self.cells.map(\.name))
        for checker in CheckerList.crashing {
            #expect(!checker.decisions.isEmpty, "\(type(of: checker)) decides nothing")
            for decision in checker.decisions {
                #expect(named.contains(decision.id), "\(type(of: checker)): \(decision.id)")
            }
        }
        for clause in ModelClause.allCases { #expect(named.contains(clause.id)) }
        #expect(named == Set(CheckerList.crashing.flatMap(\.decisions).map(\.id)))
    }

    @Test("A cell is of one oracle alone, so that its count is that oracle's")
    func unique() {
        let ids = CheckerList.crashing.flatMap(\.decisions).map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test("A cell is a rule or a clause of the book, in its order; what only crash steps check comes last")
    func book() {
        let names = Self.cells.map(\.name)
        #expect(names.filter { !RuleID.exists($0) } == ["ST-I3"])
        let order = names.compactMap { RuleID.all.firstIndex(of: $0) }
        #expect(order == order.sorted() && order.count == names.count - 1)
        #expect(names.last == "ST-I3")
        for checker in CheckerList.crashing where checker.rule != "ST-I3" {
            let rules = checker.decisions.map { String($0.id.prefix { $0 != "." }) }
            let isOfSeveral = checker.decisions.count == ModelClause.allCases.count
            #expect(isOfSeveral || Set(rules) == [checker.rule], "\(type(of: checker))")
        }
    }

    @Test("They come after all others, and are no discovery: a search draws the same worlds as without them")
    func discoveries() throws {
        let first = try #require(CoverageCell.all.firstIndex { $0.group == .decision })
        #expect(CoverageCell.all[..<first] == CoverageCell.ofTrace[...])
        #expect(CoverageCell.all[first...].allSatisfy { $0.group == .decision })
        #expect(!CoverageDiscovery.isCell(first))
        let result = try run(SmallScenario.plain)
        for found in result.discoveries where found.isCell {
            #expect(CoverageCell.all[found.key].group != .decision)
        }
        #expect(count("S1.pinned", result) > 0)
    }

    @Test("Their texts are read back, and an id with a circumstance is another text's")
    func texts() throws {
        let cell = CoverageCell(.decision, "R3.clock")
        #expect(cell.text == "decision: R3.clock")
        #expect(CoverageCell(cell.text) == cell)
        #expect(CoverageCell(.decision, "R3.clock") > CoverageCell(.end, "crash", .idle))
    }

    // MARK: - Counting

    @Test("A run counts what its oracles compared, and nothing that it gave them no occasion for")
    func plain() throws {
        let result = try run(SmallScenario.plain)
        #expect(count("U1.complete", result) == 2, "as it became pending, and as the next process reports it")
        #expect(count("U6.process-start", result) == 1)
        #expect(count("U9.share", result) == 1)
        for id in ["S2", "R1", "R2", "R6", "R8", "T1"] { #expect(count(id, result) > 0, "\(id)") }
        for id in ["R5", "R3.clock", "U13.pending", "U16", "ST-I3", "N1.blacklist-ends"] {
            #expect(count(id, result) == 0, "\(id)")
        }
        let launch = try run("{ launch: true },")
        #expect(count("U1.complete", launch) == 0 && count("U6.process-start", launch) == 0)
    }

    @Test("What a start adds up to is decided by the clause that says so")
    func clauses() throws {
        let steps = """
            { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
            { relaunch: true }, { expect: { running: "v1", confirmed: true }, within: "60s" },
            """
        var runner = ScenarioRunner()
        runner.recordsCoverage = true
        let text = SmallScenario.text(steps, v2: ", startup: \"throws\"")
        let result = runner.run(try SmallScenario.plan(text))
        #expect(result.verdict == .passed)
        for id in ["R3.clock", "R3.waiting", "R9.embedded", "R4"] { #expect(count(id, result) == 1, "\(id)") }
        for id in ["R3.page-failure", "R3.second-failure"] { #expect(count(id, result) == 0, "\(id)") }
    }

    @Test("After damage the reference model is silent, and its counts say so")
    func trouble() throws {
        let pending = "{ launch: true }, { deploy: \"v2\" }, { check: true }, { settle: true },"
        let damage = "{ kill: \"user\" }, { disk: { file: \"v2:/app.js\", do: { remove: true } } },"
        let damaged = try run(pending + damage + "{ launch: true }, { settle: true },")
        #expect(count("U6.process-start", damaged) == 0)
        #expect(count("U6.process-start", try run(pending + "{ relaunch: true }, { settle: true },")) == 1)
    }

    @Test("Each device of a scenario has oracles of its own, and their counts are added")
    func devices() throws {
        let steps = "{ launch: true, on: \"a\" }, { launch: true, on: \"b\" }, { settle: true },"
        let one = try run("{ launch: true }, { settle: true },")
        let two = try run(steps, head: #"devices: { a: "plain", b: "plain" },"#)
        #expect(count("S4", one) == 1)
        #expect(count("S4", two) == 2)
    }

    @Test("A summary has the rules without a decision first, then those with the most clauses without one")
    func summary() {
        var table = CoverageTable()
        for cell in Self.cells
        where !["U16", "R5", "R5.first-7-days", "R5.second-30-days"].contains(cell.name) {
            if cell.name.hasPrefix("R3."), cell.name != "R3.clock" { continue }
            table.add(cell, 2)
        }
        let rules = CoverageSummary(table).rules
        #expect(rules.prefix(3).map(\.rule) == ["R5", "U16", "R3"])
        #expect(rules[0].sum == 0 && rules[0].counts.count == 3)
        #expect(rules[2].counts.suffix(2).map(\.id) == ["R3", "R3.clock"])
        #expect(rules[2].counts.dropLast(2).allSatisfy { $0.count == 0 })
        #expect(rules[2].sum == 4)
        #expect(Set(rules.map(\.rule)).count == rules.count)
    }

    // MARK: - The library

    /// Rules and clauses that no scenario of the library gives an oracle to decide, and why.
    private static let undecided: [(id: String, because: String)] = []

    @Test("The library gives each oracle something to decide for each of its rules and clauses")
    func library() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/coverage.json").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let missing = Self.cells.filter { !text.contains("\"\($0.text)\"") }.map(\.name)
        #expect(
            missing == Self.undecided.map(\.id),
            "CI requires what the file has; write it anew if one is added")
    }
}
