import Core
import Runner
import Search

/// Markdown for GitHub's job summary, a pull request or an issue: the verdict, the failures with the commands
/// that reproduce them, and the rules, collapsed.
///
/// GitHub refuses a summary above 1 MiB, so beyond ``limit`` bytes entries are left out and counted.
package enum MarkdownSummary {
    package static let limit = 900 * 1_024

    package static func text(_ results: RunResults) -> String {
        let bad = results.scenarios.filter { !$0.verdict.isGood }
        var text = "## \(title(results))\n\n\(counts(results))\n"
        if results.isPartial { text += "\nInterrupted: this is true but not all.\n" }
        text += notRun(results)
        let rules = coverage(results)
        var budget = limit - text.utf8.count - min(rules.utf8.count, limit / 2) - 200
        if !bad.isEmpty {
            text += "\n| scenario | place | what |\n|---|---|---|\n"
            text += fitting(bad.map(row), &budget, "| … | | and # more |\n")
            text += "\n### See it again\n\n```sh\n"
            text += fitting(bad.compactMap(\.reproduction).map { line($0) + "\n" }, &budget, "# and # more\n")
            text += "```\n"
            let details = bad.map { scenario in
                "\n<details><summary>\(html(scenario.name)): \(html(scenario.shownTitle))</summary>\n\n"
                    + fenced(scenario.explanation.joined(separator: "\n")) + "\n</details>\n"
            }
            text += fitting(details, &budget, "\nand # more in the report\n")
        }
        if rules.utf8.count < limit / 2 { text += rules }
        return text
    }

    private static func title(_ results: RunResults) -> String {
        if results.scenarios.isEmpty, !results.isIncomplete { return "otalab: nothing was selected" }
        let subject = results.subject.map { "\(cell($0)) " } ?? ""
        return "otalab: \(subject)\(results.isWholeAndGood ? "passed" : "failed")"
    }

    /// Text about the scenarios that were not run, with at most ``maxNotRunNames`` names.
    private static func notRun(_ results: RunResults) -> String {
        guard let line = NotRunText.line(results) else { return "" }
        let names = NotRunText.names(results, limit: maxNotRunNames)
        return "\n**\(cell(line)).**" + (names.isEmpty ? "\n" : " \(cell(names))\n")
    }

    private static let maxNotRunNames = 100

    private static func counts(_ results: RunResults) -> String {
        var parts: [String] = []
        for verdict in Verdict.allCases where results.count(verdict) > 0 {
            parts.append("\(results.count(verdict)) \(word(verdict))")
        }
        if parts.isEmpty { parts = ["0 scenarios"] }
        var text = parts.joined(separator: ", ") + ", seed \(results.seedText), otalab \(results.toolVersion)"
        if let shard = results.shard { text += ", shard \(shard.ordinal) of \(shard.count)" }
        return text + "."
    }

    private static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: "passed"
        case .failed: "failed"
        case .invalid: "invalid"
        case .inconclusive: "inconclusive"
        case .expectedFailure: "failed as expected"
        case .unexpectedPass: "passed unexpectedly"
        case .skipped: "skipped"
        case .nonDeterministic: "not deterministic"
        }
    }

    private static func row(_ scenario: ScenarioResult) -> String {
        let location = scenario.faultLocation
        return
            "| \(cell(scenario.name)) | \(cell("\(location.file):\(location.line)")) | \(cell(scenario.headline)) |\n"
    }

    private static func coverage(_ results: RunResults) -> String {
        guard !results.coverage.isEmpty else { return "" }
        var text =
            "\n<details><summary>Rules</summary>\n\n| rule | | scenarios | not good |\n|---|---|---|---|\n"
        for row in results.coverage {
            let bad = row.scenarios.count { !$0.verdict.isGood }
            text += "| \(row.rule) | \(cell(row.title)) | \(row.scenarios.count) | \(bad) |\n"
        }
        return text + "\n</details>\n"
    }

    /// The items that fit in the budget of bytes, then `more` with the number of the others for `#`.
    private static func fitting(_ items: [String], _ budget: inout Int, _ more: String) -> String {
        var text = ""
        for (index, item) in items.enumerated() {
            if item.utf8.count > budget {
                let number = "\(items.count - index)"
                guard let last = more.lastIndex(of: "#") else { return text }
                return text + more[..<last] + number + more[more.index(after: last)...]
            }
            budget -= item.utf8.count
            text += item
        }
        return text
    }

    private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }

    /// Text for a table cell, with Markdown and HTML escaped.
    private static func cell(_ text: String) -> String {
        var result = ""
        for character in line(text) {
            if "\\`*_{}[]()#+!|~".contains(character) { result.append("\\") }
            result += html(String(character))
        }
        return result
    }

    private static func html(_ text: String) -> String {
        line(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// A fenced block; the fence is longer than any run of backticks inside.
    private static func fenced(_ text: String) -> String {
        var longest = 0
        var run = 0
        for character in text {
            run = character == "`" ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "\(fence)text\n\(text)\n\(fence)\n"
    }
}
