import Foundation
import Runner
import Testing

/// Which scenarios stand for which rule: a written table would be out of date tomorrow, so it is worked out
/// from the files, and only its holes are written down.
@Suite("Rules and scenarios")
struct RuleCoverageTests {
    /// The rules of updating, recovery, the native app and telling.
    private static let rules: [String] =
        (1...15).map { "U\($0)" } + (1...12).map { "R\($0)" } + (1...4).map { "N\($0)" }
        + (1...4).map { "T\($0)" }

    /// Rules without a scenario, each with its reason. A hole that is filled must leave this list.
    private static let holes: [(rule: String, reason: String)] = []

    private struct Row {
        var rule: String
        var scenarios: [String]
    }

    private static func table(_ rules: [String] = rules) throws -> [Row] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Scenarios")
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap {
            $0 as? String
        }
        var rows = rules.map { Row(rule: $0, scenarios: []) }
        for name in names.sorted() where name.hasSuffix(".json5") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            guard let match = text.firstMatch(of: #/covers:\s*\[([^\]]*)\]/#) else { continue }
            let covered = match.1.split(separator: ",").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: "\" \n"))
            }
            for index in rows.indices where covered.contains(where: { RuleID.covers($0, rows[index].rule) }) {
                rows[index].scenarios.append(name)
            }
        }
        return rows
    }

    @Test("Every rule of U, R, T and N1 to N4 has a scenario, or a reason why not", arguments: rules)
    func covered(rule: String) throws {
        let row = try #require(try RuleCoverageTests.table().first { $0.rule == rule })
        if let hole = RuleCoverageTests.holes.first(where: { $0.rule == rule }) {
            #expect(row.scenarios.isEmpty, "\(rule) is covered now: the hole \"\(hole.reason)\" must go")
        } else {
            #expect(!row.scenarios.isEmpty, "no scenario covers \(rule)")
        }
    }

    @Test("A rule that no scenario names would be noticed")
    func notEverything() throws {
        let rows = try RuleCoverageTests.table(["R3", "R99"])
        #expect(rows.map(\.scenarios.isEmpty) == [false, true])
    }
}
