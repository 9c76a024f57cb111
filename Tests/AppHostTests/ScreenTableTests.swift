import Foundation
import Testing

@testable import AppHost

@Suite("What stands on the screen at a start")
struct ScreenTableTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/AppHost/AppHost.docc/StartScreens.md")
    private static let isWriting = ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1"

    @Test(
        "U7, R9, S4, T4: every row of the page's table is what a real host does, and no row is missing",
        .enabled(if: !isWriting), arguments: ScreenTable.Situation.allCases)
    func everyRow(of situation: ScreenTable.Situation) throws {
        let text = try String(contentsOf: ScreenTableTests.page, encoding: .utf8)
        let stated = ScreenPage.rows(of: text).filter { $0.situation == situation }
        #expect(stated.map(\.event) == ScreenTable.Event.allCases)
        for event in ScreenTable.Event.allCases {
            let row = try ScreenTable.row(situation, event)
            let expected = stated.first { $0.event == event }
            #expect(
                expected == row,
                "\(situation.rawValue), \(event.rawValue): the page says \(expected?.screen ?? "nothing"), \(expected?.shows ?? "")"
            )
        }
    }

    @Test("The page's table is written anew", .enabled(if: isWriting))
    func write() throws {
        let text = try String(contentsOf: ScreenTableTests.page, encoding: .utf8)
        let first = try #require(text.range(of: "<!-- table -->"))
        let last = try #require(text.range(of: "<!-- end of table -->"))
        var rows: [ScreenTable.Row] = []
        for situation in ScreenTable.Situation.allCases {
            for event in ScreenTable.Event.allCases { rows.append(try ScreenTable.row(situation, event)) }
        }
        let table = ScreenPage.table(rows)
        let new = text[..<first.upperBound] + "\n\n" + table + "\n\n" + text[last.lowerBound...]
        try String(new).write(to: ScreenTableTests.page, atomically: true, encoding: .utf8)
    }

    @Test("Every screen of the enum is reached, and a changed row is noticed")
    func screens() throws {
        let rows = ScreenPage.rows(of: try String(contentsOf: ScreenTableTests.page, encoding: .utf8))
        for screen in ["page", "cover", "loading", "offline", "recovery", "port taken"] {
            #expect(rows.contains { $0.screen == screen }, "\(screen) is reached by nothing")
        }
        let row = try ScreenTable.row(.offline, .originUp)
        let line = ScreenPage.table([row])
        #expect(ScreenPage.rows(of: line) == [row])
        #expect(ScreenPage.rows(of: line.replacing("| cover |", with: "| offline |")) != [row])
    }
}

/// The table as Markdown.
enum ScreenPage {
    static func table(_ rows: [ScreenTable.Row]) -> String {
        var lines = ["| on the screen | what happens | then | of |", "|---|---|---|---|"]
        for row in rows {
            lines.append(
                "| \(row.situation.rawValue) | \(row.event.rawValue) | \(row.screen) | \(row.shows) |")
        }
        return lines.joined(separator: "\n")
    }

    static func rows(of text: String) -> [ScreenTable.Row] {
        text.components(separatedBy: "\n").compactMap { line in
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let situation = ScreenTable.Situation(rawValue: cells[1]),
                let event = ScreenTable.Event(rawValue: cells[2])
            else { return nil }
            return ScreenTable.Row(situation: situation, event: event, screen: cells[3], shows: cells[4])
        }
    }
}
