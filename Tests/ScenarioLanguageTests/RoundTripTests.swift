import Core
import Foundation
import Testing

@testable import ScenarioLanguage

/// Files made from the table: read, printed, read again; with defaults written out; formatted; read by
/// Foundation.
@Suite("There and back")
struct RoundTripTests {
    /// `OTALAB_ROUND_TRIPS` says another number (Tests/Tools/language).
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

    /// `OTALAB_MADE` names a folder for those that were read, so that others can look at them too.
    private static func keep(_ text: String, _ seed: Int) throws {
        guard let folder = ProcessInfo.processInfo.environment["OTALAB_MADE"], seed % 10 == 0 else { return }
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/made-\(seed).json5"))
    }

    /// All but places, and what the path says.
    private static func dump(_ scenario: Scenario) -> String {
        var scenario = scenario
        scenario.id = scenario.name
        return PrinterTests.dump(scenario)
    }

    /// Rows whose meaning is printed under another row's name, or that are no part of a scenario's meaning.
    private static let printedOtherwise = [
        "scenario.$schema", "scenario.cases", "scenario.use", "app.embeds", "app.native",
    ]

    /// The first row of the table that is in none of the files.
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
        "files made from the table: print and read is the identity, defaults written out change nothing, and every row is met and printed"
    )
    func made() throws {
        var made = TableWalk()
        var printed = TableWalk()
        var refused: [String: Int] = [:]
        var count = 0
        var seed = -1
        // Rare rows are waited for.
        while seed + 1 < RoundTripTests.count || (seed < 8 * RoundTripTests.count && missing(made) != nil) {
            seed += 1
            var maker = ScenarioMaker(seed: UInt64(seed) &* 7_919 &+ 3)
            let text = maker.text()
            let reading = RoundTripTests.read(text)
            guard let scenario = reading.scenarios.first else {
                for diagnostic in reading.diagnostics where diagnostic.severity == .error {
                    // The maker knows the table; only what the table can't see may be wrong.
                    refused[diagnostic.message, default: 0] += 1
                    #expect(
                        [.impossible, .unknownName, .conflict].contains(diagnostic.code),
                        "\(seed): \(DiagnosticRenderer.render(diagnostic))")
                }
                continue
            }
            count += 1
            try RoundTripTests.keep(text, seed)
            // The whole model is compared for some: going through it takes longer than all the rest.
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
            let told = same.diagnostics.map(\.message)
            let isSame = same.scenarios.first.map {
                isWhole ? RoundTripTests.dump($0) == meant : ScenarioPrinter.text(of: $0) == there
            }
            #expect(isSame == true, "\(seed): \(told) \(filled)")
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
                // Both ends are printed, or the number.
                if case .bounds = schema, ["between", "exact"].contains(field.key) { continue }
                #expect(printed.fields[id] != nil, "\(id) has no printed form")
            }
        }
    }
}
