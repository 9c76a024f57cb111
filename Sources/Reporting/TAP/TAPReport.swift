import Core
import Runner

/// Test Anything Protocol, version 13: the plan first, one line for each scenario, a YAML block for each
/// failure. A scenario that was not run is skipped with the reason, so that the plan is that of the complete
/// run.
package enum TAPReport {
    package static func text(_ results: RunResults) -> String {
        ReportFormat.text { (sink) throws(ReportError) in try write(results, to: sink) }
    }

    /// Writes the same in parts.
    static func write(_ results: RunResults, to sink: ReportFormat.TextSink) throws(ReportError) {
        let listed = results.listed
        try sink(
            "TAP version 13\n1..\(listed.count)"
                + (listed.isEmpty ? " # SKIP no scenario was selected" : "") + "\n")
        for (index, item) in listed.enumerated() { try sink(line(item.scenario, number: index + 1)) }
        if results.isPartial { try sink("Bail out! \(NotRunText.line(results) ?? "interrupted")\n") }
    }

    private static func line(_ scenario: ScenarioResult, number: Int) -> String {
        let name = "\(number) - \(escaped(scenario.name))"
        switch scenario.verdict {
        case .passed: return "ok \(name)\n"
        case .skipped: return "ok \(name) # SKIP \(escaped(scenario.reason ?? ""))\n"
        case .expectedFailure: return "not ok \(name) # TODO \(escaped(scenario.reason ?? ""))\n"
        case .failed, .unexpectedPass, .invalid, .inconclusive, .nonDeterministic:
            return "not ok \(name)\n" + block(scenario)
        }
    }

    private static func block(_ scenario: ScenarioResult) -> String {
        let location = scenario.faultLocation
        var lines = [
            "  ---", "  message: \(quoted(scenario.headline))",
            "  severity: \(scenario.verdict == .failed || scenario.verdict == .unexpectedPass ? "fail" : "error")",
            "  verdict: \(scenario.verdict.rawValue)", "  at:", "    file: \(quoted(location.file))",
            "    line: \(location.line)", "    column: \(location.column)",
        ]
        if let command = scenario.reproduction { lines.append("  repro: \(quoted(command))") }
        lines.append("  report: |")
        lines += scenario.explanation.map { "    | " + line($0) }
        lines.append("  ...")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The text without line ends, because they would end a line of the protocol or of a YAML block.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    private static func escaped(_ text: String) -> String {
        line(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }

    /// A double-quoted YAML string, which has the syntax of JSON.
    private static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
