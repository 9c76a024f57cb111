import Core

@testable import ScenarioLanguage

// Files that people write.
extension FuzzEntry {
    /// Every fault has a place in the file and can be shown; what was read and printed reads the same again.
    static func scenario(_ bytes: [UInt8]) throws(Broken) {
        let reading = ScenarioReader.read(path: "Scenarios/a.json5", bytes: bytes)
        try shown(reading.diagnostics, bytes)
        if reading.hasErrors != reading.scenarios.isEmpty {
            throw Broken("\(reading.scenarios.count) scenarios, errors: \(reading.hasErrors)")
        }
        for scenario in reading.scenarios {
            let text = ScenarioPrinter.text(of: scenario)
            let again = ScenarioReader.read(path: "Scenarios/a.json5", bytes: Array(text.utf8))
            guard let back = again.scenarios.first, ScenarioPrinter.text(of: back) == text else {
                throw Broken("printed, it reads otherwise: \(text) \(again.diagnostics.map(\.message))")
            }
            _ = AlignedForm.text(of: scenario)
        }
    }

    static func profile(_ bytes: [UInt8]) throws(Broken) {
        let reading = ProfileReader.read(path: "profiles/a.json5", bytes: bytes)
        try shown(reading.diagnostics, bytes)
        if (reading.profile == nil) != reading.diagnostics.contains(where: { $0.severity == .error }) {
            throw Broken("a profile and an error, or neither")
        }
    }

    static func format(_ bytes: [UInt8]) throws(Broken) {
        for keys in SourceFormatter.Keys.allCases {
            guard let once = try formatted(bytes, keys) else { return }
            guard try formatted(once, keys) == once else {
                throw Broken("formatted twice, it is another file: \(String(decoding: once, as: UTF8.self))")
            }
        }
    }

    /// nil: no JSON5.
    private static func formatted(_ bytes: [UInt8], _ keys: SourceFormatter.Keys) throws(Broken) -> [UInt8]? {
        do throws(JSONFault) {
            return try SourceFormatter.format(bytes, keys: keys)
        } catch {
            if error.message.contains("a mistake of the formatter") { throw Broken(error.message) }
            return nil
        }
    }

    private static func shown(_ diagnostics: [Diagnostic], _ bytes: [UInt8]) throws(Broken) {
        for diagnostic in diagnostics {
            let span = diagnostic.span
            if span.start < 0 || span.end > bytes.count || span.start > span.end {
                throw Broken("'\(diagnostic.message)' is outside of the file: \(span)")
            }
            if DiagnosticRenderer.render(diagnostic).isEmpty { throw Broken("nothing to show") }
        }
    }
}
