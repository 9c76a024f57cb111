import Core
import Foundation
import ScenarioLanguage
import Testing

/// Reads a text as the file `Scenarios/demo.json5`.
func read(_ text: String) -> ScenarioReading {
    ScenarioReader.read(path: "Scenarios/demo.json5", bytes: Array(text.utf8))
}

/// Reads a text that must be valid and have one case.
func scenario(_ text: String) throws -> Scenario {
    let reading = read(text)
    #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
    return try #require(reading.scenarios.first)
}

/// A valid file with these steps.
func story(_ steps: String, versions: String = "", app: String = "embeds: 'v1'") -> String {
    """
    {
      schema: 1, title: 'A title',
      app: { \(app) },
      versions: {
        v1: { files: { 'index.html': '2 KB', 'app.js': '600 KB' } },
        v2: { from: 'v1', changes: ['app.js'] },
        \(versions)
      },
      steps: [
        \(steps)
      ],
    }
    """
}

@Suite("The ten stories")
struct StoryTests {
    static let all: [(path: String, cases: Int, steps: Int)] = [
        ("Scenarios/serving/switch-races-reload", 1, 13),
        ("Scenarios/recovery/outgoing-ready-does-not-vouch", 1, 11),
        ("Scenarios/recovery/dies-before-any-timer", 2, 16),
        ("Scenarios/recovery/damaged-content", 5, 20),
        ("Scenarios/recovery/impatient-users", 2, 9),
        ("Scenarios/origin/stale-edge", 3, 20),
        ("Scenarios/recovery/late-or-lost-confirmation", 3, 14),
        ("Scenarios/native/store-update-cut-off", 1, 17),
        ("Scenarios/network/odd-resume-answers", 7, 13),
        ("Scenarios/recovery/last-good-stays", 1, 18),
        ("Scenarios/recovery/hangs-at-start", 1, 17),
    ]

    @Test("each reads without a diagnostic, one scenario per case", arguments: all)
    func reads(path: String, cases: Int, steps: Int) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bytes = try Data(contentsOf: root.appendingPathComponent(path + ".json5"))
        let reading = ScenarioReader.read(
            path: path + ".json5", bytes: Array(bytes), devices: LibraryTests.devices)
        #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
        #expect(reading.scenarios.count == cases)
        for scenario in reading.scenarios { #expect(scenario.steps.count == steps) }
    }
}

@Suite("The library")
struct LibraryTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static var files: [String] {
        let folder = root.appendingPathComponent("Scenarios")
        let found = FileManager.default.enumerator(atPath: folder.path)
        return (found?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".json5") && !$0.hasPrefix("profiles/") && !$0.hasPrefix("shared/") }
            .sorted()
    }

    static var profiles: [String] {
        let folder = root.appendingPathComponent("Scenarios/profiles").path
        let found = FileManager.default.subpaths(atPath: folder) ?? []
        return found.filter { $0.hasSuffix(".json5") }.sorted().map { "Scenarios/profiles/" + $0 }
    }

    static var devices: [String] { profiles.map { ProfileReader.name(of: $0) } }

    /// A file that a scenario of the library uses, below `Scenarios`.
    static func used(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: root.appendingPathComponent("Scenarios/" + path).path).map {
            Array($0)
        }
    }

    @Test("every scenario of the library reads without a diagnostic")
    func reads() throws {
        #expect(LibraryTests.files.count >= 20)
        for path in LibraryTests.files {
            let url = LibraryTests.root.appendingPathComponent("Scenarios/" + path)
            let reading = ScenarioReader.read(
                path: path, bytes: Array(try Data(contentsOf: url)), devices: LibraryTests.devices,
                used: LibraryTests.used)
            #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
        }
    }
}
