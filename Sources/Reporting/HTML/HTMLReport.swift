import Core
import Foundation
import Runner
import Search

/// One self-contained page: it needs no network, is readable without scripts and styles, and shows failures
/// first and expanded.
///
/// The content is semantic HTML: headings, tables, lists and `details`. The script adds filters, keys,
/// copying, and a slider over the states of the device. All text is escaped; a content security policy
/// permits only the page's style and script, by their digests.
///
/// Equal results give equal bytes, except for wall-clock times, which are in one element with the class
/// `wall` and can be left out. A page of 500 scenarios is smaller than ``maxBytes``: of more than
/// ``maxTracedScenarios`` scenarios, traces are shown only for those that did not pass, and as much of each
/// as fits; the number of events left out is shown.
package enum HTMLReport {
    package static let maxBytes = 2_000_000

    /// Most scenarios of a page that shows the timelines of those that passed too.
    package static let maxTracedScenarios = 20

    /// Most scenarios of a page that has room for the steps of one that passed: each takes 500 bytes without
    /// them.
    package static let maxScenariosWithSteps = maxBytes / 500

    /// Scenarios of these results whose timeline is shown in a report folder.
    package static func traces(of results: RunResults) -> ScenarioSuite.Traces {
        results.scenarios.count <= maxTracedScenarios ? .all : .failed
    }

    /// - Parameters:
    ///   - traces: scenarios whose timeline is shown.
    ///   - wall: whether wall-clock times are shown.
    package static func text(
        _ results: RunResults, traces: ScenarioSuite.Traces = .failed, wall: Bool = true
    ) -> String {
        ReportFormat.text { (sink) throws(ReportError) in
            try write(results, traces: traces, wall: wall, to: sink)
        }
    }

    /// Writes the same in parts.
    static func write(
        _ results: RunResults, traces: ScenarioSuite.Traces = .failed, wall: Bool = true,
        to sink: ReportFormat.TextSink
    ) throws(ReportError) {
        let anchors = HTMLAnchors(results.scenarios).anchors
        let bodies = HTMLBodies(results, anchors, traces)
        try sink(head(results) + banner(results, wall) + tools(results))
        try sink("<main id=\"main\" tabindex=\"-1\">\n")
        let sections: [(id: String, title: String, isIncluded: (Verdict) -> Bool)] = [
            ("went-wrong", "What went wrong", { !$0.isGood }),
            ("as-told", "Failing or skipped, as their files say", { $0.isGood && $0 != .passed }),
            ("went-well", "What went well", { $0 == .passed }),
        ]
        for section in sections {
            let chosen = results.scenarios.indices.filter {
                section.isIncluded(results.scenarios[$0].verdict)
            }
            if chosen.isEmpty { continue }
            try sink(
                "<section aria-labelledby=\"\(section.id)\"><h2 id=\"\(section.id)\">\(section.title)"
                    + " <small>\(chosen.count)</small></h2>\n")
            for index in chosen { try sink(bodies.text(of: index)) }
            try sink("</section>\n")
        }
        try sink(notRun(results))
        if results.scenarios.isEmpty, results.notRun.isEmpty { try sink(nothing) }
        try sink(
            "<p class=\"none\" role=\"status\" hidden>No scenario is as the filters ask. "
                + "<button type=\"button\" class=\"clear\">Show all</button></p>\n")
        try sink(HTMLRules.text(results, anchors))
        try sink(HTMLCoverage.text(results))
        try sink("</main>\n" + footer + HTMLKeys.dialog)
        try sink("<script>\(HTMLScript.text)</script>\n</body></html>\n")
    }

    private static let nothing = """
        <section aria-labelledby="nothing"><h2 id="nothing">Nothing was run</h2>
        <p>No scenario was selected. <code>otalab list</code> shows what there is.</p></section>

        """

    /// Names and reasons of the scenarios that were not run.
    private static func notRun(_ results: RunResults) -> String {
        if results.notRun.isEmpty { return "" }
        var text = "<section aria-labelledby=\"not-run\"><h2 id=\"not-run\">Not run"
        text += " <small>\(results.notRun.count)</small></h2>\n<ul>\n"
        for scenario in results.notRun.prefix(maxNotRun) {
            text +=
                "<li>\(HTML.escape(scenario.name)): \(HTML.escape(NotRunText.reason(scenario.reason)))</li>\n"
        }
        let rest = results.notRun.count - maxNotRun
        if rest > 0 { text += "<li>and \(rest) more, in <code>results.json</code></li>\n" }
        return text + "</ul></section>\n"
    }

    private static let maxNotRun = 1_000

    private static let footer = """
        <footer><p>Times are virtual: hours and minutes since the story began. A number like #42 names an event; \
        “after #41” says what led to it. The whole of every run stands in <code>results.json</code>.</p></footer>

        """

    private static func head(_ results: RunResults) -> String {
        func digest(_ text: String) -> String {
            "'sha256-" + Data(SHA256.hash(of: Array(text.utf8)).bytes).base64EncodedString() + "'"
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; \
            form-action 'none'; style-src \(digest(HTMLStyle.text)); script-src \(digest(HTMLScript.text))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
            <title>\(verdict(results).word): \(HTML.escape(counts(results))) – OTALab</title>
            <style>\(HTMLStyle.text)</style></head>
            <body><a class="skip" href="#main">Skip to the results</a>

            """
    }

    // MARK: - The banner

    private static func verdict(_ results: RunResults) -> (word: String, sign: String, style: String) {
        if results.scenarios.contains(where: { !$0.verdict.isGood }) { return ("FAIL", "✗", "bad") }
        if results.isPartial { return ("INTERRUPTED", "◐", "bad") }
        if results.isIncomplete { return ("INCOMPLETE", "◐", "bad") }
        return results.scenarios.isEmpty ? ("NOTHING RUN", "○", "bad") : ("PASS", "✓", "good")
    }

    private static func counts(_ results: RunResults) -> String {
        var parts = Verdict.allCases.filter { results.count($0) > 0 }
            .map { "\(results.count($0)) \(HTMLScenario.word($0))" }
        if !results.notRun.isEmpty { parts.append("\(results.notRun.count) not run") }
        return parts.isEmpty ? "no scenario" : parts.joined(separator: ", ")
    }

    private static func banner(_ results: RunResults, _ wall: Bool) -> String {
        let (word, sign, style) = verdict(results)
        var text = "<header class=\"banner \(style)\"><h1><span aria-hidden=\"true\">\(sign)</span> \(word)"
        text += "</h1>\n<p class=\"counts\">"
        text += results.scenarios.isEmpty ? "No scenario was run." : ""
        for verdict in Verdict.allCases where results.count(verdict) > 0 {
            let sign = HTMLScenario.sign(verdict)
            text += "<span class=\"count \(verdict.isGood ? verdict.rawValue : "bad")\">"
            text += "<span aria-hidden=\"true\">\(sign)</span> \(results.count(verdict)) "
            text += "\(HTMLScenario.word(verdict))</span> "
        }
        text += "</p>\n"
        if results.isPartial {
            text += "<p><strong>Interrupted: what is here is true, but not all.</strong></p>\n"
        }
        if let missing = NotRunText.line(results) {
            text += "<p><strong>\(HTML.escape(missing)).</strong>"
            text += results.notRun.isEmpty ? "</p>\n" : " <a href=\"#not-run\">Which</a></p>\n"
        }
        let virtual = results.scenarios.reduce(TimeSpan.zero) { $0 + $1.virtualDuration }
        let covered = results.coverage.count { !$0.scenarios.isEmpty }
        var facts = [
            ("otalab", results.toolVersion), ("seed", String(results.seed)),
            ("scenarios", Hex.text(results.scenarioSetDigest)),
            ("virtual time", VirtualTime.length(virtual)),
            ("rules named", "\(covered) of \(results.coverage.count)"),
            ("command", results.commandLine.map { ShellWord.quoted($0) }.joined(separator: " ")),
        ]
        if let subject = results.subject { facts.insert(("subject", subject), at: 0) }
        text += "<dl class=\"facts\">"
        for (name, value) in facts { text += "<div><dt>\(name)</dt><dd>\(HTML.escape(value))</dd></div>" }
        if wall {
            text += "<div class=\"wall\"><dt>by the wall clock</dt><dd>"
            text +=
                "\(WallTime.text(results.wall.microseconds)), from \(started(results.startedAt))</dd></div>"
        }
        return text + "</dl></header>\n"
    }

    private static func started(_ seconds: Int64) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    // MARK: - Filters

    /// Hidden until the script enables the filters.
    private static func tools(_ results: RunResults) -> String {
        guard !results.scenarios.isEmpty else { return "" }
        func choice(_ id: String, _ label: String, _ all: String, _ options: [(String, String)]) -> String {
            if options.isEmpty { return "" }
            var text = "<label>\(label) <select id=\"f-\(id)\"><option value=\"\">\(all)</option>"
            for (value, name) in options {
                text += "<option value=\"\(HTML.escape(value))\">\(HTML.escape(name))</option>"
            }
            return text + "</select></label>\n"
        }
        var tags: [String] = []
        for tag in results.scenarios.flatMap(\.tags) where !tags.contains(tag) { tags.append(tag) }
        let verdicts = Verdict.allCases.filter { results.count($0) > 0 }
        let rules = results.coverage.filter { !$0.scenarios.isEmpty }
        var text = "<nav class=\"tools\" aria-label=\"Filters\" hidden>\n"
        text += "<label>Search <input id=\"f-q\" type=\"search\" autocomplete=\"off\"></label>\n"
        text += choice(
            "verdict", "Verdict", "all",
            [("bad", "all that went wrong")] + verdicts.map { ($0.rawValue, HTMLScenario.word($0)) })
        text += choice("tag", "Tag", "all", tags.sorted().map { ($0, $0) })
        text += choice("rule", "Rule", "all", rules.map { ($0.rule, "\($0.rule) \($0.title)") })
        text += "<output id=\"f-count\"></output>\n"
        text += "<button type=\"button\" class=\"clear\" id=\"f-clear\">Show all</button>\n"
        return text + "<button type=\"button\" id=\"keys-open\">Keys <kbd>?</kbd></button></nav>\n"
    }
}

/// The dialog that lists the keys.
enum HTMLKeys {
    static let dialog = """
        <dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
        <dl><div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next, previous scenario</dd></div>
        <div><dt><kbd>f</kbd></dt><dd>next failure</dd></div>
        <div><dt><kbd>/</kbd></dt><dd>search</dd></div>
        <div><dt><kbd>Enter</kbd></dt><dd>open or close a scenario</dd></div>
        <div><dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>on a slider: the moment before, the next</dd></div>
        <div><dt><kbd>?</kbd></dt><dd>this list</dd></div></dl>
        <button type="button" id="keys-close">Close</button></dialog>

        """
}
