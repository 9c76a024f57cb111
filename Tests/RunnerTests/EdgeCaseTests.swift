import Foundation
import Testing

/// The table of edge cases against what it names: a row is valid only while its scenario exists.
@Suite("Edge cases of other updaters")
struct EdgeCaseTests {
    /// Groups in which every row is decided.
    private static let whole = ["C", "D", "E", "F"]
    private static let reason = "not applicable because "

    struct Row: Hashable {
        var id: String
        var group: String
        var decision: String

        /// Scenarios and tests, in backticks.
        var names: [String] { decision.matches(of: #/`([^`]+)`/#).map { String($0.1) } }
        var isOpen: Bool { decision == "open" }

        /// Why it decides nothing; nil: it does.
        func flaw(_ isThere: (String) -> Bool) -> String? {
            if let missing = names.first(where: { !isThere($0) }) { return "\(id): no \(missing)" }
            if decision.hasPrefix(reason) {
                return decision.count > reason.count + 20 ? nil : "\(id): without a reason"
            }
            if isOpen { return whole.contains(group) ? "\(id) is open" : nil }
            return names.isEmpty ? "\(id): decided by nothing" : nil
        }
    }

    struct Page {
        var rows: [Row] = []
        /// By group, as the page lists them above its table.
        var announced: [(group: String, ids: [String])] = []

        init(_ text: String) {
            var group = ""
            for line in text.split(separator: "\n") {
                if let title = line.firstMatch(of: #/^## ([A-Z]) · /#) { group = String(title.1) }
                if line.hasPrefix("Rows: ") {
                    announced.append((group, line.dropFirst(6).split(separator: " ").map(String.init)))
                }
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard cells.count >= 3, cells[0].contains(#/^(B|[A-Z]+-)\d\d$/#) else { continue }
                rows.append(Row(id: cells[0], group: group, decision: cells[2]))
            }
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func page() throws -> Page {
        let path = root.appending(path: "Sources/Runner/Runner.docc/EdgeCases.md")
        return Page(try String(contentsOf: path, encoding: .utf8))
    }

    /// `storage/record-lost` is a scenario, `UpdaterTests/RecordTests` a file of tests.
    private static func isThere(_ name: String) -> Bool {
        ["Scenarios/\(name).json5", "Tests/\(name).swift"].contains { path in
            FileManager.default.fileExists(atPath: root.appending(path: path).path)
        }
    }

    @Test(
        "Every row is decided by something that exists, or not applicable for a reason; C to F have none open"
    )
    func decided() throws {
        let page = try EdgeCaseTests.page()
        #expect(page.rows.compactMap { $0.flaw(EdgeCaseTests.isThere) } == [])
        #expect(page.rows.count > 250)
    }

    @Test("Every row of C to F appears once, as it is announced, and none appears twice")
    func once() throws {
        let page = try EdgeCaseTests.page()
        #expect(page.announced.map(\.group) == EdgeCaseTests.whole)
        #expect(page.announced.map(\.ids.count) == [26, 24, 24, 13])
        for (group, ids) in page.announced {
            #expect(page.rows.filter { $0.group == group }.map(\.id) == ids)
        }
        for (row, next) in zip(
            page.rows.sorted { $0.id < $1.id }, page.rows.sorted { $0.id < $1.id }.dropFirst())
        {
            #expect(row.id != next.id)
        }
    }

    @Test("A row that names something missing, is open although it may not be, or has no reason is noticed")
    func noticed() {
        let page = Page(
            """
            ## C · Disk
            | DSK-01 | a | `storage/no-such-story` | b |
            | DSK-02 | a | open | b |
            | DSK-03 | a | not applicable because no | b |
            | DSK-04 | a | somehow | b |
            | DSK-05 | a | `storage/record-lost`; and why | b |
            ## G · Security
            | SEC-01 | a | open | b |
            """)
        #expect(
            page.rows.compactMap { $0.flaw(EdgeCaseTests.isThere) } == [
                "DSK-01: no storage/no-such-story", "DSK-02 is open", "DSK-03: without a reason",
                "DSK-04: decided by nothing",
            ])
        #expect(page.rows.count == 6)
    }
}
