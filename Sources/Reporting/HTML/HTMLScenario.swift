import Authoring
import Core
import Runner
import ScenarioLanguage
import Search

/// One scenario: its failures, steps, states of the device, and timeline.
enum HTMLScenario {
    /// What is shown in addition to the failures.
    struct Extra {
        /// Whether the events that led to a failure are shown.
        var showsEvents = false
        var showsSteps = false
        /// Most bytes of file, Markdown and timeline; 0 when they are not shown.
        var budget = 0
        /// Whether the scenario file is shown; the first scenario of a file shows it.
        var showsFile = false
    }

    static func block(_ scenario: ScenarioResult, _ anchor: String, _ extra: Extra) -> String {
        let isBad = !scenario.verdict.isGood
        var text =
            "<details class=\"scenario \(isBad ? "bad" : scenario.verdict == .passed ? "good" : "told")\" id=\"\(anchor)\""
        text += " data-v=\"\(scenario.verdict.rawValue)\""
        if !scenario.tags.isEmpty {
            text += " data-t=\"\(HTML.escape(scenario.tags.joined(separator: "\n")))\""
        }
        if !scenario.covers.isEmpty {
            text += " data-r=\"\(HTML.escape(scenario.covers.joined(separator: "\n")))\""
        }
        text += "\(isBad ? " open" : "")><summary><h3><span class=\"verdict\"><span aria-hidden=\"true\">"
        text += "\(sign(scenario.verdict))</span> \(word(scenario.verdict))</span> "
        text += "<span class=\"title\">\(HTML.escape(LongText.cut(scenario.shownTitle, to: 300)))</span> "
        text += "<span class=\"name\">\(HTML.escape(scenario.name))</span></h3></summary>\n"
        text += facts(scenario)
        if let reason = scenario.reason {
            text += "<p class=\"reason\">\(word(scenario.verdict)): \(HTML.escape(reason))</p>\n"
        }
        for (index, failure) in scenario.failures.enumerated() {
            let hasTrace = extra.budget > 0 && !scenario.timeline.isEmpty
            var shown = failure
            if !extra.showsEvents { shown.lastEvents = [] }
            text += HTMLFailure.text(shown, scenario, anchor, index, linksEvents: hasTrace)
        }
        for diagnostic in scenario.diagnostics { text += HTMLFailure.text(diagnostic) }
        for note in scenario.notes {
            // The note of a fault is its step; other notes are sentences.
            let what = note.kind == .fault ? "This fault never applied: \(note.text)" : "Note: \(note.text)"
            text += "<p class=\"note\">\(HTML.escape(LongText.cut(what, to: 300)))</p>\n"
        }
        if !scenario.dialogue.isEmpty { text += dialogue(scenario) }
        if extra.showsSteps { text += steps(scenario, anchor) }
        if extra.budget > 0 {
            text += self.extra(scenario, anchor, extra)
        } else if scenario.verdict.needsTrace, !scenario.timeline.isEmpty {
            text +=
                "<p class=\"note\">\(scenario.timeline.count + scenario.timelineLeftOut) events left out; "
            text += "they stand in <code>results.json</code>.</p>\n"
        }
        return HTML.withoutDeadLinks(text, anchor) + "</details>\n"
    }

    /// The scenario file, the failures as Markdown, and the timeline.
    static func extra(_ scenario: ScenarioResult, _ anchor: String, _ extra: Extra) -> String {
        var text = ""
        if extra.showsFile, let source = scenario.source, source.utf8.count < extra.budget / 2 {
            text += "<details class=\"more\"><summary>The scenario file</summary>"
            text += copyButton("scenario", "Copy the scenario")
            text += "<pre class=\"copied\" tabindex=\"0\">\(HTML.escape(source))</pre></details>\n"
        }
        for (number, failure) in scenario.failures.enumerated() {
            let markdown = HTML.escape(FailureText(failure, in: scenario).markdown(of: scenario))
            guard text.utf8.count + markdown.utf8.count < extra.budget * 2 / 3 else { break }
            let which = scenario.failures.count > 1 ? " \(number + 1)" : ""
            text += "<details class=\"more\"><summary>Failure\(which) as Markdown, for an issue</summary>"
            text += copyButton("markdown", "Copy as Markdown")
            text += "<pre class=\"copied\" tabindex=\"0\">\(markdown)</pre></details>\n"
        }
        return text + HTMLTimeline.text(scenario, anchor, budget: extra.budget - text.utf8.count)
    }

    /// A button that the script shows, because copying needs the script.
    static func copyButton(_ kind: String, _ label: String) -> String {
        "<button type=\"button\" class=\"copy\" data-copy=\"\(kind)\" hidden>\(label)</button>"
    }

    // MARK: - Verdicts

    static func word(_ verdict: Verdict) -> String {
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

    static func sign(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: "✓"
        case .failed, .unexpectedPass: "✗"
        case .invalid: "⚠"
        case .inconclusive, .nonDeterministic: "?"
        case .expectedFailure: "≈"
        case .skipped: "–"
        }
    }

    private static func dialogue(_ scenario: ScenarioResult) -> String {
        let lines = scenario.dialogue.map { HTML.escape($0) }.joined(separator: "\n")
        return "<details class=\"more\"><summary>The dialogue with the subject</summary>"
            + "<pre tabindex=\"0\">\(lines)</pre></details>\n"
    }

    // MARK: - Facts and steps

    private static func facts(_ scenario: ScenarioResult) -> String {
        var items = [("file", HTML.escape("\(scenario.file):\(scenario.line)"))]
        if !scenario.device.isEmpty { items.append(("device", HTML.escape(scenario.device))) }
        if scenario.verdict != .invalid && scenario.verdict != .skipped {
            items.append(("virtual", VirtualTime.length(scenario.virtualDuration)))
            items.append(("white time", VirtualTime.length(scenario.times.white)))
            if let answers = scenario.times.answersIdle {
                items.append(("page answers, idle", self.answers(answers)))
            }
            if let answers = scenario.times.answersDuringUpdate {
                items.append(("page answers during an update", self.answers(answers)))
            }
            if !scenario.running.isEmpty {
                items.append(("runs at the end", HTML.escape(running(scenario.running))))
            }
            // Of somebody else's updater none of them is known.
            if scenario.starts > 0 {
                items.append(("starts", "\(scenario.starts)"))
                items.append(("switches", "\(scenario.switches)"))
                items.append(("rescues", "\(scenario.rescues)"))
            }
            items.append(("digest", Hex.text(scenario.digest)))
        }
        if !scenario.covers.isEmpty {
            let links = scenario.covers.map { "<a href=\"#rule/\(HTML.anchor($0))\">\(HTML.escape($0))</a>" }
            items.append(("rules", links.joined(separator: " ")))
        }
        if !scenario.tags.isEmpty {
            items.append(("tags", HTML.escape(scenario.tags.joined(separator: ", "))))
        }
        if let issue = scenario.issue { items.append(("issue", HTML.escape(issue))) }
        let rows = items.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }
        return "<dl class=\"facts\">\(rows.joined())</dl>\n"
    }

    /// `v2, 3m 20s old`; of several devices with their names.
    private static func running(_ versions: [RunningVersion]) -> String {
        let texts = versions.map { running in
            (running.device.map { $0 + ": " } ?? "") + running.version
                + (running.age.map { ", \(VirtualTime.length($0)) old" } ?? "")
        }
        return texts.joined(separator: "; ")
    }

    private static func answers(_ times: AnswerTimes) -> String {
        "\(times.count): median \(VirtualTime.fineLength(times.median)), "
            + "worst \(VirtualTime.fineLength(times.worst))"
    }

    private static func steps(_ scenario: ScenarioResult, _ anchor: String) -> String {
        guard !scenario.steps.isEmpty else { return "" }
        let isBad = scenario.verdict.needsTrace
        var text = "<details class=\"steps\"><summary>\(scenario.steps.count) steps</summary>"
        text += "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Steps\"><table>"
        text += "<caption>Steps in the order of the file</caption><thead><tr>"
        text += "<th scope=\"col\">step<th scope=\"col\">line<th scope=\"col\">at<th scope=\"col\">what"
        text += "<th scope=\"col\">outcome</thead><tbody>\n"
        for step in scenario.steps {
            let at = step.startedAt?.clock ?? "–"
            let number = step.index + 1
            text += "<tr id=\"\(anchor)/s\(number)\" class=\"\(step.outcome.rawValue)\"><td>"
            text += isBad ? "<a href=\"#\(anchor)/t\(number)\">\(number)</a>" : "\(number)"
            let what = HTML.escape(LongText.cut(step.text, to: isBad ? 400 : 140))
            text += "<td>\(step.line)<td>\(at)<td><code>\(what)</code>"
            text += "<td>\(outcome(step.outcome))\n"
        }
        return text + "</table></div></details>\n"
    }

    static func outcome(_ outcome: StepResult.Outcome) -> String {
        switch outcome {
        case .done: "✓ done"
        case .failed: "✗ failed"
        case .notJudged: "– not judged"
        case .notReached: "– not reached"
        }
    }
}
