import Foundation
import Testing

@testable import Updater

@Suite("The states of a version")
struct StateTableTests {
    private static let page = SourceTree.root.appending(path: "Sources/Updater/Updater.docc/VersionStates.md")

    /// Events that the page must list for a situation, in the page's order.
    private static func events(of situation: StateTable.Situation) -> [StateTable.Event] {
        StateTable.Event.allCases.filter { situation.hasPage || !$0.needsPage }
    }

    @Test(
        "R3: every row of the page's table is what a real updater does, and none is missing",
        arguments: StateTable.Situation.allCases)
    func everyTransition(of situation: StateTable.Situation) throws {
        let text = try String(contentsOf: StateTableTests.page, encoding: .utf8)
        let causes = StatePage.rows(of: text).filter { $0.situation == situation }
        let events = StateTableTests.events(of: situation)
        #expect(causes.map(\.event) == events)
        for event in events {
            let row = try StateTable.transition(situation, event)
            let causes = causes.first { $0.event == event }
            #expect(
                causes == row,
                """
                \(situation.rawValue), \(event.rawValue): the page says \
                \(causes.map { "\($0.becomes) \($0.causes)" } ?? "nothing"), \
                the updater does \(row.becomes) \(row.causes)
                """)
        }
    }

    @Test("The page's table is generated", .enabled(if: GeneratedPage.isWriting))
    func write() throws {
        var rows: [StateTable.Transition] = []
        for situation in StateTable.Situation.allCases {
            for event in StateTableTests.events(of: situation) {
                rows.append(try StateTable.transition(situation, event))
            }
        }
        _ = try GeneratedPage.text(at: StateTableTests.page, replacingTableWith: StatePage.table(rows))
    }

    @Test("Every state of the enum is in the table, as a beginning and as an end")
    func everyState() throws {
        let text = try String(contentsOf: StateTableTests.page, encoding: .utf8)
        let rows = StatePage.rows(of: text)
        for state in VersionState.allCases {
            #expect(rows.contains { $0.situation.state == state }, "\(state.rawValue) is never a beginning")
            #expect(rows.contains { $0.becomes == state.rawValue }, "\(state.rawValue) is never an end")
        }
    }

    @Test("A changed transition is noticed")
    func changedTransition() throws {
        let row = try StateTable.transition(.secondChance, .fails)
        let line = StatePage.table([row])
        #expect(StatePage.rows(of: line) == [row])
        let changed = line.replacingOccurrences(of: "| blacklisted |", with: "| parked |")
        #expect(changed != line)
        #expect(StatePage.rows(of: changed) != [row])
    }
}

/// The table as Markdown: one row per situation and event.
enum StatePage {
    static func table(_ rows: [StateTable.Transition]) -> String {
        var lines = ["| it is | what happens | it becomes | logged |", "|---|---|---|---|"]
        for row in rows {
            let causes = row.causes.isEmpty ? "–" : row.causes.map { "`\($0)`" }.joined(separator: " ")
            lines.append(
                "| \(row.situation.rawValue) | \(row.event.rawValue) | \(row.becomes) | \(causes) |")
        }
        return lines.joined(separator: "\n")
    }

    static func rows(of text: String) -> [StateTable.Transition] {
        text.components(separatedBy: "\n").compactMap { line in
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let situation = StateTable.Situation(rawValue: cells[1]),
                let event = StateTable.Event(rawValue: cells[2])
            else { return nil }
            let causes = cells[4].components(separatedBy: "`").filter {
                !$0.trimmingCharacters(in: .whitespaces).isEmpty && $0 != "–"
            }
            return StateTable.Transition(
                situation: situation, event: event, becomes: cells[3], causes: causes)
        }
    }
}
