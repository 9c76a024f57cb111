import Foundation
import Testing

@Suite("The table of the four systems' features")
struct SourceFeatureTests {
    private struct Row {
        var id: String
        var evidence: String
    }

    private static func rows() throws -> [Row] {
        try House.text("Sources/AppHost/AppHost.docc/SourceFeatures.md").components(separatedBy: "\n")
            .compactMap { line in
                let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard cells.count == 5, cells[1].contains(#/^[FMHGL][0-9]+$/#) else { return nil }
                return Row(id: cells[1], evidence: cells[3])
            }
    }

    @Test(
        "every row of F, M, H, G and L is in the table once, with its evidence or the reason for none"
    )
    func whole() throws {
        let ids = [("F", 19), ("M", 18), ("H", 8), ("G", 10), ("L", 8)].flatMap { letter, count in
            (1...count).map { "\(letter)\($0)" }
        }
        let rows = try SourceFeatureTests.rows()
        #expect(rows.map(\.id) == ids)
        for row in rows {
            #expect(row.evidence.contains("`") || row.evidence.contains("not yet: "), "\(row.id)")
        }
    }

    private func stories() throws -> String {
        try ["stories", "host_stories"].map { try House.text("Tests/Tools/serve-app/\($0).py") }.joined()
    }

    /// What is missing; nil if the named evidence exists.
    private func missing(_ name: String, _ tests: [String: String], _ stories: String) -> String? {
        if name.hasPrefix("serve-app ") {
            return stories.contains("\"\(name.dropFirst(10))\": (") ? nil : "no story \(name)"
        }
        if name.hasPrefix("Tests/") {
            return FileManager.default.fileExists(atPath: House.root.appendingPathComponent(name).path)
                ? nil : "no \(name)"
        }
        if name.contains("/") {
            let file = House.root.appendingPathComponent("Scenarios/\(name).json5")
            return FileManager.default.fileExists(atPath: file.path) ? nil : "no scenario \(name)"
        }
        let parts = name.split(separator: ".").map(String.init)
        guard let text = tests[parts[0]] else { return "no suite \(parts[0])" }
        guard parts.count == 2 else { return nil }
        return text.contains("func \(parts[1])(") ? nil : "no test \(name)"
    }

    private func tests() throws -> [String: String] {
        var tests: [String: String] = [:]
        for path in House.files(under: "Tests", ending: ".swift") {
            let text = try House.text(path)
            for match in text.matches(of: #/struct (\w+Tests)\b/#) {
                tests[String(match.1), default: ""] += text
            }
        }
        return tests
    }

    @Test("every scenario, test and story in the table exists")
    func there() throws {
        let tests = try tests()
        let stories = try stories()
        for row in try SourceFeatureTests.rows() {
            for match in row.evidence.matches(of: #/`([^`]+)`/#) {
                let found = missing(String(match.1), tests, stories)
                #expect(found == nil, "\(row.id): \(found ?? "")")
            }
        }
    }

    @Test("missing ones are found")
    func noticed() throws {
        let tests = try tests()
        let stories = try stories()
        for name in ["updating/none", "serve-app none", "NoneTests", "TidyTests.none", "Tests/Bench/none"] {
            #expect(missing(name, tests, stories) != nil, "\(name)")
        }
    }
}
