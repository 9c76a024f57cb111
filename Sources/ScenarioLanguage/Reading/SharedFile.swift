import Core

/// A file for `use`, validated without a scenario.
///
/// Guarantees: all mistakes are reported at once, each with its position. Not checked here is what depends on
/// the scenario: names that it declares, and values of its cases (`"$key"`).
package struct SharedFile: Hashable, Sendable {
    package var file: SourceFile
    package var diagnostics: [Diagnostic] = []
    /// Shared members, in the order of the file.
    private var members: [JSONMember] = []

    package init(path: String, bytes: [UInt8], devices: [String] = ScenarioReader.knownDevices) {
        file = SourceFile(path: path, bytes: bytes)
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits)
            guard let members = root.members else {
                diagnostics = [
                    Diagnostic(
                        .wrongType, "a used file holds one object", label: "this is \(root.kindName)",
                        file: file, at: root.headSpan)
                ]
                return
            }
            self.members = members
            var checker = SchemaValidator(file: file, names: DeclaredNames(root, devices: devices))
            _ = checker.record(root, in: .used)
            diagnostics = checker.diagnostics.filter { !isOpen($0) }.sorted { $0.span.start < $1.span.start }
        } catch {
            diagnostics = [Diagnostic(syntax: error, in: file)]
        }
    }

    /// Whether only a scenario that uses the file can decide about a diagnostic.
    private func isOpen(_ diagnostic: Diagnostic) -> Bool {
        if diagnostic.code == .unknownName { return true }
        var text = file.text(of: diagnostic.span)[...]
        if text.hasPrefix("\"") || text.hasPrefix("'") { text = text.dropFirst() }
        return text.hasPrefix("$")
    }

    /// A table of the shared members, with a line for each version and device.
    package var text: String {
        var rows: [(label: String, line: String)] = []
        for member in members where member.key != "schema" {
            let isMany = ["versions", "devices"].contains(member.key)
            guard isMany, let inner = member.value.members else {
                rows.append((member.key, AlignedForm.line(member.value, in: file)))
                continue
            }
            for one in inner {
                rows.append(
                    (AlignedForm.singular(member.key), one.key + "  " + AlignedForm.line(one.value, in: file))
                )
            }
        }
        return AlignedForm.table("\(file.path)   for use by scenarios", rows)
    }
}

extension ProfileReading {
    /// A table of the profile's values with their evidence; empty when the file can't be read.
    package var text: String {
        guard let profile else { return "" }
        let root: JSONNode
        do throws(JSONFault) {
            root = try JSONReader.read(file.bytes, dialect: .json5, limits: ScenarioReader.limits)
        } catch {
            return ""
        }
        var rows: [(label: String, line: String)] = []
        var values: [String] = []
        for evidence in profile.evidence {
            guard let value = root[evidence.key]?["is"] else { continue }
            values.append(AlignedForm.line(value, in: file))
            rows.append((evidence.key, evidence.because))
        }
        let column = values.map { TerminalText.cells($0.unicodeScalars) }.filter { $0 <= 40 }.max() ?? 0
        for index in rows.indices {
            let value = values[index]
            let gap = String(repeating: " ", count: max(0, column - TerminalText.cells(value.unicodeScalars)))
            rows[index].line = "\(value)\(gap)   \(rows[index].line)"
        }
        return AlignedForm.table("\(name)   \(profile.title.value)\n  \(file.path)", rows)
    }
}

extension AlignedForm {
    fileprivate static func singular(_ key: String) -> String { key == "versions" ? "version" : "device" }

    /// A value as in its file, on one line and without the outer brackets.
    fileprivate static func line(_ node: JSONNode, in file: SourceFile) -> String {
        if let text = node.string { return text }
        var text = file.text(of: node.span)
        if text.hasPrefix("{"), text.hasSuffix("}"), text.utf8.count > 2 {
            text = String(text.dropFirst().dropLast())
        }
        let parts = text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" }
        return SchemaText.joined(parts.map { String($0) }, by: " ")
    }

    fileprivate static func table(_ head: String, _ rows: [(label: String, line: String)]) -> String {
        let width = rows.map { $0.label.unicodeScalars.count }.max() ?? 0
        var text = head + "\n"
        for (label, line) in rows {
            text += "  " + label + String(repeating: " ", count: width - label.unicodeScalars.count) + "  "
            text += line + "\n"
        }
        return text
    }
}
