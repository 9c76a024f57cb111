import Foundation
import Testing

@testable import Runner

@Suite("Rules by clause")
struct ClauseTests {
    @Test("Each rule has clauses, each clause belongs to a rule, and no id occurs twice")
    func table() {
        #expect(Rule.all.filter(\.clauses.isEmpty).map(\.id) == [])
        let written = Clause.written
        #expect(written.filter { Rule.named($0.rule) == nil }.map(\.id) == [])
        #expect(Set(RuleID.all).count == RuleID.all.count)
        #expect(Clause.all.count == written.count)
    }

    @Test("An id is the rule's, a dot, and words with hyphens; a text is one sentence")
    func form() {
        for clause in Clause.all {
            let name = clause.id.dropFirst(clause.rule.count + 1)
            #expect(clause.id.hasPrefix(clause.rule + "."), "\(clause.id)")
            #expect(name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(clause.id)")
            #expect(clause.text.hasSuffix(".") && !clause.text.contains(". "), "\(clause.text)")
        }
    }

    @Test("A test that a clause names is there")
    func tests() {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let named = Clause.all.compactMap(\.test)
        #expect(!named.isEmpty)
        for test in named {
            let path = root.appending(path: test + ".swift").path
            #expect(FileManager.default.fileExists(atPath: path), "\(test)")
        }
    }

    @Test("A scenario that names a clause covers its rule, and no other rule or clause")
    func covering() {
        #expect(RuleID.covers("R5.order", "R5"))
        #expect(RuleID.covers("R5.order", "R5.order"))
        #expect(!RuleID.covers("R5.order", "R5.earlier-order"))
        #expect(!RuleID.covers("R5", "R5.order"))
        #expect(!RuleID.covers("R13.cover", "R1"))
        var scenario = ScenarioResult(id: "a", name: "a", file: "a", title: "A")
        scenario.covers = ["R5.order", "R13.cover"]
        let covered = RuleCoverage.table(of: [scenario]).filter { !$0.scenarios.isEmpty }
        #expect(covered.map(\.rule) == ["R5", "R13"])
        let shown = covered[0].clauses.filter { $0.test != nil }.map(\.id)
        #expect(shown == ["R5.at-most-64"])
        #expect(covered[0].openClauses.count == covered[0].clauses.count - 1 - shown.count)
        #expect(covered[0].clauses.first { $0.id == "R5.order" }?.scenarios == ["a"])
    }

    @Test("The rules that decide what the user gets need both sides of each border")
    func tiers() {
        let both = Rule.all.filter(\.needsBothSides).map(\.id)
        #expect(
            both == ["U4", "U5", "U6", "U7", "U8", "U9", "U13"] + (2...13).map { "R\($0)" } + ["N1"])
    }
}
