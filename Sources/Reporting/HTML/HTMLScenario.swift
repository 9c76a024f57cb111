import Core
import Laboratory

/// One scenario: what failed, its steps, and its timeline.
enum HTMLScenario {
    static func block(_ scenario: ScenarioResult, isOpen: Bool, short: Int) -> String {
        let anchor = HTML.anchor(scenario.name)
        let sign = scenario.verdict.isGood ? "good" : "bad"
        var text = "<details class=\"scenario \(sign)\" id=\"\(anchor)\"\(isOpen ? " open" : "")><summary>"
        text +=
            "<span class=\"verdict\">\(scenario.verdict.isGood ? "✓" : "✗") \(word(scenario.verdict))</span> "
        text += "<span class=\"title\">\(HTML.escape(scenario.title))</span> "
        text += "<span class=\"name\">\(HTML.escape(scenario.name))</span></summary>\n"
        text += facts(scenario)
        for failure in scenario.failures { text += self.failure(failure) }
        for diagnostic in scenario.diagnostics {
            text += "<pre>\(HTML.escape(FailureText.lines(diagnostic).joined(separator: "\n")))</pre>\n"
        }
        for fault in scenario.faultsNeverApplied {
            text += "<p class=\"note\">The fault “\(HTML.escape(fault))” never applied.</p>\n"
        }
        text += steps(scenario, anchor)
        text += HTMLTimeline.text(scenario, anchor, short: short)
        return text + "</details>\n"
    }

    private static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: "passed"
        case .failed: "failed"
        case .invalid: "invalid file"
        case .inconclusive: "inconclusive"
        case .expectedFailure: "failed as expected"
        case .unexpectedPass: "passed unexpectedly"
        case .skipped: "skipped"
        case .nonDeterministic: "not deterministic"
        }
    }

    private static func facts(_ scenario: ScenarioResult) -> String {
        var items = [
            ("file", "\(scenario.file):\(scenario.line)"),
            ("virtual", VirtualTime.length(scenario.virtualDuration)),
            ("white time", VirtualTime.length(scenario.times.white)),
            ("starts", "\(scenario.starts)"), ("switches", "\(scenario.switches)"),
            ("rescues", "\(scenario.rescues)"), ("digest", Hex.text(scenario.digest)),
        ]
        if !scenario.device.isEmpty { items.insert(("device", scenario.device), at: 1) }
        if !scenario.covers.isEmpty { items.append(("rules", scenario.covers.joined(separator: " "))) }
        if let issue = scenario.issue { items.append(("story", issue)) }
        if let reason = scenario.reason { items.append(("reason", reason)) }
        let rows = items.map { "<div><dt>\($0.0)</dt><dd>\(HTML.escape($0.1))</dd></div>" }
        return "<dl class=\"facts\">\(rows.joined())</dl>\n"
    }

    private static func failure(_ failure: Failure) -> String {
        var text = "<div class=\"failure\"><h3>\(HTML.escape(failure.headline))</h3>\n"
        if let place = failure.place {
            let lines = SourceExcerpt(place, failure.context, label: failure.headline).lines(width: nil)
            text += "<pre class=\"source\">\(HTML.escape(lines.joined(separator: "\n")))</pre>\n"
        }
        var rows: [(String, String)] = []
        if let rule = failure.rule { rows.append(("rule", rule + " " + (Rule.named(rule)?.title ?? ""))) }
        if !failure.expected.isEmpty { rows.append(("expected", failure.expected.joined(separator: "\n"))) }
        if !failure.actual.isEmpty { rows.append(("actual", failure.actual.joined(separator: "\n"))) }
        if let because = failure.because { rows.append(("because", because)) }
        if let from = failure.waitedFrom, let to = failure.waitedTo {
            rows.append(
                (
                    "waited",
                    "\(VirtualTime.length(to - from)), \(VirtualTime.moment(from)) to \(VirtualTime.moment(to))"
                ))
        }
        if let since = failure.wrongSince { rows.append(("wrong since", VirtualTime.moment(since))) }
        text += "<table class=\"compare\"><tbody>"
        for (name, value) in rows {
            text += "<tr class=\"\(name)\"><th scope=\"row\">\(name)</th><td>\(HTML.escape(value))</td></tr>"
        }
        text += "</tbody></table>\n"
        if !failure.lastEvents.isEmpty {
            let events = failure.lastEvents.map(FailureText.event).joined(separator: "\n")
            text += "<h4>Last events</h4><pre>\(HTML.escape(events))</pre>\n"
        }
        if !failure.reproduction.isEmpty {
            text += "<p class=\"repro\"><code>\(HTML.escape(failure.reproduction))</code> "
            text += "<button type=\"button\" class=\"copy\" hidden>Copy</button></p>\n"
        }
        return text + "</div>\n"
    }

    private static func steps(_ scenario: ScenarioResult, _ anchor: String) -> String {
        guard !scenario.steps.isEmpty else { return "" }
        var text =
            "<details class=\"steps\"><summary>\(scenario.steps.count) steps</summary><div class=\"wide\"><table>"
        text += "<thead><tr><th scope=\"col\">step</th><th scope=\"col\">line</th><th scope=\"col\">at</th>"
        text += "<th scope=\"col\">what</th><th scope=\"col\">outcome</th></tr></thead><tbody>\n"
        for step in scenario.steps {
            let at = step.startedAt.map(VirtualTime.moment) ?? "–"
            text += "<tr id=\"\(anchor)/s\(step.index + 1)\" class=\"\(step.outcome.rawValue)\">"
            text +=
                "<td>\(step.index + 1)</td><td>\(step.line)</td><td>\(at)</td><td>\(HTML.escape(step.text))</td>"
            text += "<td>\(outcome(step.outcome))</td></tr>\n"
        }
        return text + "</tbody></table></div></details>\n"
    }

    private static func outcome(_ outcome: StepResult.Outcome) -> String {
        switch outcome {
        case .done: "✓ done"
        case .failed: "✗ failed"
        case .notReached: "– not reached"
        }
    }
}
