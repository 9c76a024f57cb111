import Foundation
import Testing

@testable import Updater

@Suite("The states of a version")
struct StateTableTests {
    private static let page = SourceTree.root.appending(path: "Sources/Updater/Updater.docc/VersionStates.md")

    /// The rows that the page must have, in the page's order.
    private static func events(of situation: StateTable.Situation) -> [StateTable.Event] {
        StateTable.Event.allCases.filter { situation.hasPage || !$0.needsPage }
    }

    @Test(
        "R3: every row of the page's table is what a real updater does, and no row is missing",
        arguments: StateTable.Situation.allCases)
    func everyRow(of situation: StateTable.Situation) throws {
        let text = try String(contentsOf: StateTableTests.page, encoding: .utf8)
        let told = StatePage.rows(of: text).filter { $0.situation == situation }
        let events = StateTableTests.events(of: situation)
        #expect(told.map(\.event) == events)
        for event in events {
            let row = try StateTable.row(situation, event)
            let stated = told.first { $0.event == event }
            #expect(
                stated == row,
                """
                \(situation.rawValue), \(event.rawValue): the page says \
                \(stated.map { "\($0.becomes) \($0.told)" } ?? "nothing"), \
                the updater does \(row.becomes) \(row.told)
                """)
        }
    }

    @Test("The page's table is written anew", .enabled(if: GeneratedPage.isWriting))
    func write() throws {
        var rows: [StateTable.Row] = []
        for situation in StateTable.Situation.allCases {
            for event in StateTableTests.events(of: situation) {
                rows.append(try StateTable.row(situation, event))
            }
        }
        _ = try GeneratedPage.text(at: StateTableTests.page, replacingTableWith: StatePage.table(rows))
    }

    @Test("Every state of the enum stands in the table, as a beginning and as an end")
    func everyState() throws {
        let text = try String(contentsOf: StateTableTests.page, encoding: .utf8)
        let rows = StatePage.rows(of: text)
        for state in VersionState.allCases {
            #expect(rows.contains { $0.situation.state == state }, "\(state.rawValue) is no beginning")
            #expect(rows.contains { $0.becomes == state.rawValue }, "\(state.rawValue) is no end")
        }
    }

    @Test("A changed row is noticed")
    func changedRow() throws {
        let row = try StateTable.row(.secondChance, .fails)
        let line = StatePage.table([row])
        #expect(StatePage.rows(of: line) == [row])
        let changed = line.replacingOccurrences(of: "| blacklisted |", with: "| parked |")
        #expect(changed != line)
        #expect(StatePage.rows(of: changed) != [row])
    }
}

/// The table as Markdown: one row for each situation and event.
enum StatePage {
    static func table(_ rows: [StateTable.Row]) -> String {
        var lines = ["| it is | what happens | it becomes | told |", "|---|---|---|---|"]
        for row in rows {
            let told = row.told.isEmpty ? "–" : row.told.map { "`\($0)`" }.joined(separator: " ")
            lines.append(
                "| \(row.situation.rawValue) | \(row.event.rawValue) | \(row.becomes) | \(told) |")
        }
        return lines.joined(separator: "\n")
    }

    static func rows(of text: String) -> [StateTable.Row] {
        text.components(separatedBy: "\n").compactMap { line in
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let situation = StateTable.Situation(rawValue: cells[1]),
                let event = StateTable.Event(rawValue: cells[2])
            else { return nil }
            let told = cells[4].components(separatedBy: "`").filter {
                !$0.trimmingCharacters(in: .whitespaces).isEmpty && $0 != "–"
            }
            return StateTable.Row(situation: situation, event: event, becomes: cells[3], told: told)
        }
    }
}
