import Foundation
import Testing

@Suite("The tests named in the table of attacks exist")
struct WithstandsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A row of the table.
    private struct RequirementRow {
        var id: String
        var tests: [String]
    }

    private static func rows() throws -> [RequirementRow] {
        let page = root.appendingPathComponent("Sources/LocalServer/LocalServer.docc/Withstands.md")
        return try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
            .filter { $0.hasPrefix("| HT-") }
            .map { line in
                let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return RequirementRow(id: cells[1], tests: cells[3].components(separatedBy: ", "))
            }
    }

    @Test("every requirement has a row, once")
    func complete() throws {
        var wanted: [String] = []
        for (letter, numbers) in [
            ("H", 1...13), ("P", 1...14), ("F", 1...9), ("C", 1...11), ("T", 1...13), ("X", 1...16),
            ("X", 20...25),
        ] {
            wanted += numbers.map { "HT-\(letter)\($0)" }
        }
        #expect(try WithstandsTests.rows().map(\.id) == wanted)
    }

    @Test("each named test exists and contains the requirement's id")
    func shown() throws {
        for row in try WithstandsTests.rows() {
            #expect(!row.tests.isEmpty)
            for test in row.tests {
                let file = WithstandsTests.root.appendingPathComponent("Tests/\(test).swift")
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(WithstandsTests.ids(text).contains(row.id), "\(test) does not contain \(row.id)")
            }
        }
    }

    /// Ids in a text: `HT-P1, P2` is two ids, `HT-P1–P7` is seven.
    static func ids(_ text: String) -> [String] {
        var ids: [String] = []
        for part in text.components(separatedBy: "HT-").dropFirst() {
            var rest = part[...]
            var previous: (letter: Character, number: Int)?
            var isRange = false
            while let letter = rest.first, "HPFCTX".contains(letter) {
                let digits = rest.dropFirst().prefix { $0.isNumber }
                guard let number = Int(digits) else { break }
                if isRange, let previous, previous.letter == letter, previous.number < number {
                    ids += (previous.number...number).map { "HT-\(letter)\($0)" }
                } else {
                    ids.append("HT-\(letter)\(number)")
                }
                previous = (letter, number)
                rest = rest.dropFirst(1 + digits.count)
                isRange = rest.hasPrefix("–")
                let separator = isRange ? "–" : ", "
                guard rest.hasPrefix(separator) else { break }
                rest = rest.dropFirst(separator.count)
                if rest.hasPrefix("HT-") { break }
            }
        }
        return ids
    }

    @Test("single ids, lists and ranges are parsed")
    func reading() {
        let read = WithstandsTests.ids("(HT-P1–P3, X5) HT-H11, S1")
        #expect(read == ["HT-P1", "HT-P1", "HT-P2", "HT-P3", "HT-X5", "HT-H11"])
    }
}
