import Core

/// The result of reading a scenario file: its scenarios, or what is wrong with it.
package struct ScenarioReading: Hashable, Sendable {
    package var file: SourceFile
    /// Scenarios, one for each case in the order of the file; empty after an error.
    package var scenarios: [Scenario]
    /// Diagnostics in the order of the file.
    package var diagnostics: [Diagnostic]

    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Reads scenario files: parses the bytes (Core), expands the cases, validates each case against the field
/// table, decodes it and checks its semantics.
///
/// Guarantees: a syntax error is reported alone; otherwise all mistakes of a file are reported at once, each
/// with its position; a file with an error has no scenario; no input crashes the reader.
/// Deliberately not here: the disk. The caller provides the names of device profiles for `device` and the
/// files for `use`, and finds the build of a `folder`.
package enum ScenarioReader {
    /// Devices without a profile file: the default device.
    package static let knownDevices = ["plain"]

    /// Limits of a file. Scenario files are written by hand.
    package static let limits = JSONLimits(maxBytes: 1 << 20, maxDepth: 64, maxNodes: 100_000)

    /// Id of a scenario whose file has no `id`: its path below the folder `Scenarios`, without extension.
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

    /// - Parameters:
    ///   - path: path of the file, for diagnostics and the default id.
    ///   - devices: names of the device profiles.
    ///   - used: finds the files of `use`.
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
            // In a text that does not begin like a scenario, missing quotes or commas are not the problem.
            if let help = ScenarioReader.beginning(bytes) { diagnostic.help = help }
            return ScenarioReading(file: file, scenarios: [], diagnostics: [diagnostic])
        }
    }

    /// Help for a text that does not begin with a brace; nil if it does.
    private static func beginning(_ bytes: [UInt8]) -> String? {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        guard let first = bytes.first(where: { !blanks.contains($0) }) else {
            return "the file is empty; 'otalab new NAME' writes one to begin with"
        }
        let isLetter = (first | 0x20) >= UInt8(ascii: "a") && (first | 0x20) <= UInt8(ascii: "z")
        return isLetter || first == UInt8(ascii: "\"")
            ? "a scenario is an object in braces: begin with {" : nil
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
                .conflict, "'\(error.what)' is missing here", label: "needed", file: file,
                at: SourceSpan(start: error.span.start, end: error.span.start + 1))
            return (nil, [diagnostic])
        }
    }

    /// Reports diagnostics of all cases once, and those of some cases with the name of the first of these.
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
    /// Decodes a validated record. The table ensures that it has everything required; if not, the reader
    /// reports that instead of crashing.
    init(_ record: Record, _ file: SourceFile, caseName: Spanned<String>?) throws(RecordDecodingError) {
        self = try FieldTable.scenario.read(record)
        source = file
        self.caseName = caseName
        if record["id"] == nil { id = ScenarioReader.id(of: file.path) }
    }
}

extension Diagnostic {
    /// Whether two diagnostics are the same except for the name of a case.
    fileprivate func isSame(as other: Diagnostic) -> Bool {
        span == other.span && code == other.code && label == other.label
            && (message == other.message || message.hasPrefix(other.message + " (in the case"))
    }
}
