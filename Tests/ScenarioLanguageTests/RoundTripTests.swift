import Core
import Foundation
import Testing

@testable import ScenarioLanguage

/// Files generated from the table: read, printed, read again; with explicit defaults; formatted; read by
/// Foundation.
@Suite("Round trips")
struct RoundTripTests {
    /// Number of files; `OTALAB_ROUND_TRIPS` sets another one (Tests/Tools/language).
    static let count =
        ProcessInfo.processInfo.environment["OTALAB_ROUND_TRIPS"].flatMap { Int($0) } ?? 500

    private static func read(_ text: String) -> ScenarioReading {
        ScenarioReader.read(path: "Scenarios/made.json5", bytes: Array(text.utf8))
    }

    private static func tree(_ text: String) throws -> JSONNode {
        try JSONReader.read(Array(text.utf8), dialect: .json5)
    }

    private static func text(_ node: JSONNode) -> String {
        var writer = JSONWriter()
        writer.node(node)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes some of the files to the folder `OTALAB_MADE`, for other tools.
    private static func keep(_ text: String, _ seed: Int) throws {
        guard let folder = ProcessInfo.processInfo.environment["OTALAB_MADE"], seed % 10 == 0 else { return }
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/made-\(seed).json5"))
    }

    /// Everything except locations and what follows from the path.
    private static func dump(_ scenario: Scenario) -> String {
        var scenario = scenario
        scenario.id = scenario.name
        return PrinterTests.dump(scenario)
    }

    /// Fields that are printed as another field, or that are not in the model.
    private static let printedOtherwise = [
        "scenario.$schema", "scenario.cases", "scenario.use", "app.embeds", "app.native", "app.keys",
    ]

    /// The first field of the table that is in none of the files.
    private func missing(_ made: TableWalk) -> String? {
        for schema in ObjectSchema.all(from: .scenario) where schema != .variant {
            for field in schema.fields {
                let id = schema.name + "." + field.key
                if !RoundTripTests.printedOtherwise.contains(id), made.fields[id] == nil { return id }
                if field.fallback != nil, made.filled[id] == nil { return id }
            }
        }
        return nil
    }

    @Test(
        "files generated from the table: print and read is the identity, explicit defaults change nothing, and every field is read and printed"
    )
    func made() throws {
        var made = TableWalk()
        var printed = TableWalk()
        var refused: [String: Int] = [:]
        var count = 0
        var seed = -1
        // Continues until rare fields were generated.
        while seed + 1 < RoundTripTests.count || (seed < 8 * RoundTripTests.count && missing(made) != nil) {
            seed += 1
            var maker = ScenarioMaker(seed: UInt64(seed) &* 7_919 &+ 3)
            if seed >= RoundTripTests.count { maker.wanted = missing(made) }
            let text = maker.text()
            let reading = RoundTripTests.read(text)
            guard let scenario = reading.scenarios.first else {
                for diagnostic in reading.diagnostics where diagnostic.severity == .error {
                    // The maker follows the table; only mistakes that the table can't express are possible.
                    refused[diagnostic.message, default: 0] += 1
                    #expect(
                        [.impossible, .unknownName, .conflict].contains(diagnostic.code),
                        "\(seed): \(DiagnosticRenderer.render(diagnostic))")
                }
                continue
            }
            count += 1
            try RoundTripTests.keep(text, seed)
            // The complete model is compared for some files only, because that takes longer than everything
            // else.
            let isWhole = seed % 8 == 0
            let meant = isWhole ? RoundTripTests.dump(scenario) : ""
            let there = ScenarioPrinter.text(of: scenario)
            let back = try #require(RoundTripTests.read(there).scenarios.first, "\(seed): \(there)")
            if isWhole { #expect(RoundTripTests.dump(back) == meant, "\(seed): \(there)") }
            #expect(ScenarioPrinter.text(of: back) == there)
            #expect(try SourceFormatter.format(Array(there.utf8)) == Array(there.utf8), "\(seed): \(there)")
            let root = try RoundTripTests.tree(text)
            let filled = RoundTripTests.text(made.filling(root, in: .scenario))
            let same = RoundTripTests.read(filled)
            let messages = same.diagnostics.map(\.message)
            let isSame = same.scenarios.first.map {
                isWhole ? RoundTripTests.dump($0) == meant : ScenarioPrinter.text(of: $0) == there
            }
            #expect(isSame == true, "\(seed): \(messages) \(filled)")
            _ = printed.filling(try RoundTripTests.tree(there), in: .scenario)
        }
        #expect(count * 10 > seed * 6, "\(refused.sorted { $0.value > $1.value }.prefix(9))")
        for schema in ObjectSchema.all(from: .scenario) where schema != .variant {
            for field in schema.fields {
                let id = schema.name + "." + field.key
                if field.fallback != nil { #expect(made.filled[id] != nil, "no file leaves out \(id)") }
                if RoundTripTests.printedOtherwise.contains(id) { continue }
                if id == "scenario.cases" || id == "scenario.use" { continue }
                #expect(made.fields[id] != nil, "no file has \(id)")
                // Bounds are printed as `atLeast` and `atMost`, or as the number.
                if case .bounds = schema, ["between", "exact"].contains(field.key) { continue }
                #expect(printed.fields[id] != nil, "\(id) has no printed form")
            }
        }
    }
}
