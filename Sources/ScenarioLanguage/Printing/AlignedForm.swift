import Core

/// A scenario as a table for people: its settings and versions, then a line for each step with line number,
/// verb, object and modifiers in columns. Values of the case are substituted and used files are resolved, as
/// in the model.
///
/// No reader parses it; ``ScenarioPrinter`` writes a text that can be read again.
package struct AlignedForm {
    private let scenario: Scenario

    package static func text(of scenario: Scenario) -> String { AlignedForm(scenario: scenario).text }

    private var text: String {
        let rules = SchemaText.joined(scenario.covers.map(\.value), by: " ")
        var text = "\(scenario.name)   \(scenario.title.value)\(rules.isEmpty ? "" : "   [\(rules)]")\n"
        text += "  \(scenario.source.path)\n"
        for (label, line) in head { text += "  \(padded(label, 9)) \(line)\n" }
        text += "\n"
        let rows = AlignedForm.rows(scenario.steps, in: scenario.source, depth: 0)
        let lineWidth = rows.map { AlignedForm.width(String($0.line)) }.max() ?? 1
        let verbWidth = rows.map { AlignedForm.width($0.verb) }.max() ?? 1
        // A very long object does not move the modifiers of all other steps to the right.
        let objects = rows.filter { !$0.rest.isEmpty }.map { AlignedForm.width($0.object) }
        let column = objects.filter { $0 <= 60 }.max() ?? 0
        for row in rows {
            let number = String(row.line)
            var line = "  " + String(repeating: " ", count: lineWidth - AlignedForm.width(number)) + number
            line += "  " + padded(row.verb, verbWidth)
            if !row.object.isEmpty || !row.rest.isEmpty { line += "  " + row.object }
            if !row.rest.isEmpty {
                line += String(repeating: " ", count: max(0, column - AlignedForm.width(row.object)))
                line += "  " + row.rest
            }
            text += AlignedForm.withoutEnd(line) + "\n"
        }
        return text
    }

    private struct Row {
        var line: Int
        var verb: String
        var object: String
        /// Modifiers, trigger and reason.
        var rest: String
    }

    private static func rows(_ steps: [Step], in file: SourceFile, depth: Int) -> [Row] {
        var rows: [Row] = []
        for step in steps {
            var pairs = FieldTable.step.pairs(step).pairs
            if pairs.isEmpty { continue }
            let first = pairs.removeFirst()
            pairs.removeAll { $0.key == "steps" }
            let object = first.value == PrintedValue.yes ? "" : first.value.plain(isInner: false)
            let rest = pairs.map { $0.key + " " + $0.value.plain(isInner: true) }
            rows.append(
                Row(
                    line: file.position(of: step.span.start).line,
                    verb: String(repeating: "  ", count: depth) + first.key, object: object,
                    rest: SchemaText.joined(rest, by: "  ")))
            if case .repeat(let spec) = step.action {
                rows += Self.rows(spec.steps, in: file, depth: depth + 1)
            }
        }
        return rows
    }

    private var head: [(label: String, line: String)] {
        var lines: [(label: String, line: String)] = []
        if let issue = scenario.issue { lines.append(("issue", issue.value)) }
        if let reason = scenario.xfail { lines.append(("xfail", reason.value)) }
        if let reason = scenario.skip { lines.append(("skip", reason.value)) }
        lines.append(("device", scenario.device.value))
        if scenario.deviceChanges != DeviceChanges() {
            let changes = FieldTable.deviceChanges.print(scenario.deviceChanges)
            lines.append(("except", changes.plain(isInner: false)))
        }
        lines.append(("app", FieldTable.app.print(scenario.app).plain(isInner: false)))
        lines.append(
            (
                "origin",
                "edges \(SchemaText.joined(scenario.origin.edges.map(\.value), by: ", "))"
                    + "  route \(scenario.origin.route.value)"
            ))
        let names = scenario.versions.map { AlignedForm.width($0.name.value) }.max() ?? 1
        for version in scenario.versions {
            let fields = FieldTable.version.print(version).plain(isInner: false)
            lines.append(("version", padded(version.name.value, names) + "  " + fields))
        }
        return lines
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - AlignedForm.width(text)))
    }

    private static func width(_ text: String) -> Int { text.unicodeScalars.count }

    private static func withoutEnd(_ line: String) -> String {
        var bytes = Array(line.utf8)
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PrintedValue {
    /// The value without the quotes and brackets that only a parser needs.
    fileprivate func plain(isInner: Bool) -> String {
        switch self {
        case .null: return "null"
        case .flag(let flag): return flag ? "true" : "false"
        case .number(let number): return String(number)
        case .text(let text):
            let isPlain =
                !text.isEmpty && !text.unicodeScalars.contains { ",{}[]\"\n\r\t".unicodeScalars.contains($0) }
            return isPlain ? text : FormatText.quoted(text)
        case .list(let values):
            return "[" + SchemaText.joined(values.map { $0.plain(isInner: true) }, by: ", ") + "]"
        case .object(let pairs):
            let fields = pairs.map { $0.key + " " + $0.value.plain(isInner: true) }
            let joined = SchemaText.joined(fields, by: ", ")
            return isInner ? "{ \(joined) }" : joined
        }
    }
}
