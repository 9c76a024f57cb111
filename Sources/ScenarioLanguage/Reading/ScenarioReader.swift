import Core

/// What a scenario file says, or what is wrong with it.
package struct ScenarioReading: Hashable, Sendable {
    package var file: SourceFile
    /// One per case, in the order of the file; empty when there is an error.
    package var scenarios: [Scenario]
    /// In the order of the file.
    package var diagnostics: [Diagnostic]

    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Reads scenario files: bytes to tree (Core), tree to cases, each case against the field table,
/// then to the model, then against its meaning.
///
/// Guarantees: a fault of syntax is told alone; else all mistakes of a file are told at once, each
/// with its place; a file with a mistake gives no scenario; no input stops the program.
/// Deliberately not here: the disk. `device` names a profile that the caller must know, `use` a file and
/// `folder` a build that it must find.
package enum ScenarioReader {
    /// What every laboratory has: the device of a scenario that names none. The others are files.
    package static let knownDevices = ["plain"]

    /// Scenario files are written by hand.
    package static let limits = JSONLimits(maxBytes: 1 << 20, maxDepth: 64, maxNodes: 100_000)

    /// What a scenario is called that says no `id`: its path from the folder `Scenarios` on, without its
    /// extension.
    package static func id(of path: String) -> String {
        var parts = path.split(separator: "/").map(String.init)
        if let root = parts.lastIndex(of: "Scenarios") { parts.removeFirst(root + 1) }
        if let last = parts.last, let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")),
            dot > last.utf8.startIndex
        {
            parts[parts.count - 1] = String(last[..<dot])
        }
        return parts.joined(separator: "/")
    }

    package static func read(
        path: String, bytes: [UInt8], devices: [String] = knownDevices, used: UsedFileReader? = nil
    ) -> ScenarioReading {
        let file = SourceFile(path: path, bytes: bytes)
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .json5, limits: limits)
            var merger = UsedFiles(file, find: used)
            let whole = root.members == nil ? root : merger.merged(root)
            if !merger.diagnostics.isEmpty {
                return ScenarioReading(
                    file: merger.file, scenarios: [], diagnostics: sorted(merger.diagnostics))
            }
            return read(whole, merger.file, devices)
        } catch {
            var diagnostic = Diagnostic(syntax: error, in: file)
            // Where no file has begun, quotes or commas are not what is missing.
            if let help = ScenarioReader.beginning(bytes) { diagnostic.help = help }
            return ScenarioReading(file: file, scenarios: [], diagnostics: [diagnostic])
        }
    }

    /// What to say of a text that does not begin with a brace; nil: it does.
    private static func beginning(_ bytes: [UInt8]) -> String? {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        guard let first = bytes.first(where: { !blanks.contains($0) }) else {
            return "the file is empty; 'otalab new NAME' writes one to begin with"
        }
        let isLetter = (first | 0x20) >= UInt8(ascii: "a") && (first | 0x20) <= UInt8(ascii: "z")
        return isLetter || first == UInt8(ascii: "\"") ? "a scenario stands in braces: begin with {" : nil
    }

    private static func read(_ root: JSONNode, _ file: SourceFile, _ devices: [String]) -> ScenarioReading {
        func refused(_ diagnostics: [Diagnostic]) -> ScenarioReading {
            ScenarioReading(file: file, scenarios: [], diagnostics: diagnostics)
        }
        if root.members == nil {
            return refused([
                Diagnostic(
                    .wrongType, "a scenario file holds one object", label: "this is \(root.kindName)",
                    file: file,
                    at: root.headSpan)
            ])
        }
        if let schema = root["schema"], let number = schema.integer, number != 1 {
            return refused([
                Diagnostic(
                    .unsupportedSchema, "schema \(number) is not known here",
                    label: "this laboratory reads 1",
                    file: file, at: schema.span,
                    help: "write schema: 1, or take the version of otalab that the file was written for")
            ])
        }
        var expander = CaseExpander(file: file)
        let cases = expander.expand(root)
        if !expander.diagnostics.isEmpty { return refused(sorted(expander.diagnostics)) }
        var scenarios: [Scenario] = []
        var findings: [(name: String?, diagnostics: [Diagnostic])] = []
        for expanded in cases {
            let result = read(expanded, casesSpan: root["cases"]?.span, file, devices)
            if let scenario = result.scenario { scenarios.append(scenario) }
            findings.append((expanded.name?.value, result.diagnostics))
        }
        let diagnostics = merged(findings)
        let isBad = diagnostics.contains { $0.severity == .error }
        return ScenarioReading(file: file, scenarios: isBad ? [] : scenarios, diagnostics: diagnostics)
    }

    private static func read(
        _ expanded: CaseExpander.Expanded, casesSpan: SourceSpan?, _ file: SourceFile, _ devices: [String]
    ) -> (scenario: Scenario?, diagnostics: [Diagnostic]) {
        var names = DeclaredNames(expanded.root, devices: devices)
        names.casesSpan = casesSpan
        var checker = SchemaValidator(file: file, names: names)
        let record = checker.record(expanded.root, in: .scenario)
        checker.checkNames()
        guard checker.diagnostics.isEmpty, let record else {
            let rest = PartialValidator.check(expanded, names, file)
            return (nil, checker.diagnostics + rest)
        }
        do throws(RecordDecodingError) {
            let scenario = try Scenario(record, file, caseName: expanded.name)
            return (scenario, SemanticValidator.check(scenario))
        } catch {
            let diagnostic = Diagnostic(
                .conflict, "'\(error.what)' is not said here", label: "needed", file: file,
                at: SourceSpan(start: error.span.start, end: error.span.start + 1))
            return (nil, [diagnostic])
        }
    }

    /// What all cases have in common once; what only some have with the name of the first of them.
    private static func merged(_ findings: [(name: String?, diagnostics: [Diagnostic])]) -> [Diagnostic] {
        var all: [Diagnostic] = []
        for (name, diagnostics) in findings {
            for diagnostic in diagnostics where !all.contains(where: { $0.isSame(as: diagnostic) }) {
                var reported = diagnostic
                let isCommon = findings.allSatisfy { $0.diagnostics.contains(diagnostic) }
                if let name, !isCommon { reported.message += " (in the case '\(name)')" }
                all.append(reported)
            }
        }
        return sorted(all)
    }

    private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.enumerated().sorted { left, right in
            (left.element.span.start, left.offset) < (right.element.span.start, right.offset)
        }.map(\.element)
    }
}

extension Scenario {
    /// From a checked record. The table has seen to it that everything required is there; where it has not
    /// the reader reports that instead of stopping.
    init(_ record: Record, _ file: SourceFile, caseName: Spanned<String>?) throws(RecordDecodingError) {
        self = try FieldTable.scenario.read(record)
        source = file
        self.caseName = caseName
        if record["id"] == nil { id = ScenarioReader.id(of: file.path) }
    }
}

extension Diagnostic {
    /// The same but for the name of a case.
    fileprivate func isSame(as other: Diagnostic) -> Bool {
        span == other.span && code == other.code && label == other.label
            && (message == other.message || message.hasPrefix(other.message + " (in the case"))
    }
}
