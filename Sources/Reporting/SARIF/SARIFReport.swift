import Authoring
import Core
import Oracle
import Runner

/// Findings of `otalab lint` as SARIF 2.1.0, for code scanning and editors.
package enum SARIFReport {
    static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

    package static func bytes(_ findings: [Finding]) -> [UInt8] {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("$schema", schema)
        json.member("version", "2.1.0")
        json.key("runs")
        json.beginArray()
        json.beginObject()
        driver(&json)
        // Columns are counted in Unicode scalars.
        json.member("columnKind", "unicodeCodePoints")
        json.key("results")
        json.beginArray()
        for finding in findings { result(finding, &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json.bytes + [0x0a]
    }

    private static func driver(_ json: inout JSONWriter) {
        json.key("tool")
        json.beginObject()
        json.key("driver")
        json.beginObject()
        json.member("name", "otalab")
        json.member("semanticVersion", ToolVersion.current)
        json.key("rules")
        json.beginArray()
        for rule in LintRule.all {
            json.beginObject()
            json.member("id", rule.id)
            json.member("name", rule.name)
            text("shortDescription", rule.summary, &json)
            json.key("defaultConfiguration")
            json.beginObject()
            json.member("level", rule.severity.rawValue)
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endObject()
    }

    private static func result(_ finding: Finding, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("ruleId", finding.rule)
        if let index = LintRule.all.firstIndex(where: { $0.id == finding.rule }) {
            json.member("ruleIndex", index)
        }
        json.member("level", finding.severity.rawValue)
        text("message", finding.message + (finding.help.map { ". Help: \($0)" } ?? ""), &json)
        json.key("locations")
        json.beginArray()
        location(finding.location, nil, &json)
        json.endArray()
        if !finding.related.isEmpty {
            json.key("relatedLocations")
            json.beginArray()
            for other in finding.related { location(other.location, other.message, &json) }
            json.endArray()
        }
        json.endObject()
    }

    private static func text(_ name: String, _ text: String, _ json: inout JSONWriter) {
        json.key(name)
        json.beginObject()
        json.member("text", text)
        json.endObject()
    }

    private static func location(_ location: Finding.Location, _ message: String?, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("physicalLocation")
        json.beginObject()
        json.key("artifactLocation")
        json.beginObject()
        json.member("uri", uri(location.file))
        json.endObject()
        if let line = location.line {
            json.key("region")
            json.beginObject()
            json.member("startLine", line)
            if let column = location.column { json.member("startColumn", column) }
            if let line = location.endLine { json.member("endLine", line) }
            if let column = location.endColumn { json.member("endColumn", column) }
            json.endObject()
        }
        json.endObject()
        if let message { text("message", message, &json) }
        json.endObject()
    }

    /// A path as a relative reference (RFC 3986), or as a `file:` URL when it is absolute.
    static func uri(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || "-._~/".utf8.contains(byte)
            uri += isPlain ? String(Character(scalar)) : "%" + Hex.text([byte]).uppercased()
        }
        return uri
    }
}

extension GitHubAnnotations {
    /// Findings of `otalab lint`: errors first, ten errors and ten warnings at most.
    package static func text(_ findings: [Finding]) -> String {
        var lines: [String] = []
        for severity in [Finding.Severity.error, .warning] {
            let some = findings.filter { $0.severity == severity }
            for (index, finding) in some.prefix(limit).enumerated() {
                var message = finding.message + (finding.help.map { "\n\($0)" } ?? "")
                if index == limit - 1, some.count > limit { message += "\n… and \(some.count - limit) more" }
                let start = finding.location.column ?? 1
                let isOneLine = finding.location.endLine == finding.location.line
                let location = FileLocation(
                    file: finding.location.file, line: finding.location.line ?? 1, column: start,
                    length: isOneLine ? max(1, (finding.location.endColumn ?? start) - start) : 1, text: "")
                lines.append(command(severity.rawValue, at: location, title: finding.rule, message))
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
