import Authoring
import Core
import Runner
import ScenarioLanguage
import Search

/// The report in the terminal: one line for each scenario, then the failures, then the verdict in one line.
package struct TerminalReport: Sendable {
    package enum Detail: Int, Comparable, Sendable {
        case quiet, normal, all
        /// With the timeline of each scenario.
        case timelines

        package static func < (left: Detail, right: Detail) -> Bool { left.rawValue < right.rawValue }
    }

    let paint: Paint
    let detail: Detail
    /// Whether wall times are shown; off for byte-stable output.
    let showsWall: Bool
    /// Columns of the terminal; nil: lines are not limited to a width.
    let width: Int?
    /// Lines around each failure, for logs that can fold them.
    let fold: Fold?

    /// Lines before and after a failure, without line ends.
    package struct Fold: Sendable {
        /// Lines before, for the scenario with that name.
        package var begin: @Sendable (String) -> [String]
        package var end: [String]

        package init(begin: @escaping @Sendable (String) -> [String], end: [String]) {
            self.begin = begin
            self.end = end
        }
    }

    package init(
        paint: Paint, detail: Detail = .normal, showsWall: Bool = true, width: Int? = nil, fold: Fold? = nil
    ) {
        self.width = width
        self.fold = fold
        self.paint = paint
        self.detail = detail
        self.showsWall = showsWall
    }

    package func text(_ results: RunResults, report: String?) -> String {
        var text = ""
        if detail != .quiet {
            text += opening(results)
            for scenario in results.scenarios { text += line(scenario) + "\n" }
        }
        return text + closing(results, report: report)
    }

    /// The first line, before anything has run.
    package func opening(_ results: RunResults) -> String {
        var text = "otalab \(results.toolVersion)   seed \(results.seedText)"
        if let subject = results.subject { text += "   subject \(TerminalText.printable(subject))" }
        if let shard = results.shard { text += "   shard \(shard.ordinal) of \(shard.count)" }
        return text + "\n"
    }

    /// The failures and the verdict.
    package func closing(_ results: RunResults, report: String?) -> String {
        var lines: [String] = []
        for scenario in results.scenarios where !scenario.verdict.isGood {
            lines.append("")
            lines += fold?.begin(scenario.name) ?? []
            lines += block(scenario)
            lines += fold?.end ?? []
        }
        lines.append(String(repeating: "─", count: 78))
        lines.append(summary(results))
        for scenario in results.scenarios where !scenario.verdict.isGood {
            let line = "  \(scenario.name)   \(scenario.file):\(scenario.line)   \(headline(scenario))"
            lines += FailureText.wrapped(TerminalText.printable(line), width: width, indent: 6)
        }
        if !results.notRun.isEmpty {
            let names = NotRunText.names(results, limit: TerminalReport.maxNotRunNames)
            let line = TerminalText.printable("  not run: \(names)")
            lines += FailureText.wrapped(line, width: width, indent: 6)
        }
        if let report { lines.append("Report: \(report)") }
        lines.append(counts(results))
        return lines.joined(separator: "\n") + "\n"
    }

    /// One scenario, without a line end. In a narrow terminal the headline of a bad one is on the next line.
    package func line(_ scenario: ScenarioResult) -> String {
        let isGood = scenario.verdict.isGood
        if !isGood, let width, width < TerminalReport.wideColumns {
            let what = FailureText.wrapped(
                "        " + TerminalText.printable(headline(scenario)), width: width, indent: 8)
            let name = "  \(word(scenario.verdict)) \(TerminalText.printable(scenario.name))"
            return ([name] + what).joined(separator: "\n") + notes(scenario)
        }
        let name = pad(TerminalText.printable(scenario.name))
        let what: String
        switch scenario.verdict {
        case .passed:
            what =
                "\(steps(scenario)) \(VirtualTime.length(scenario.virtualDuration)) virtual"
        case .skipped, .expectedFailure: what = TerminalText.printable(scenario.reason ?? "")
        case .failed, .unexpectedPass, .inconclusive, .nonDeterministic, .invalid:
            what = TerminalText.printable(headline(scenario))
        }
        var text = "  \(word(scenario.verdict)) \(name) \(what)"
        if let seeds = scenario.seeds, scenario.verdict == .passed { text += "   \(SeedText.line(seeds))" }
        if showsWall, scenario.verdict == .passed {
            text += "   " + paint.dim(WallTime.text(scenario.wall.microseconds))
        }
        if detail >= .all {
            text += "   digest \(hex(scenario.digest))   \(scenario.events) events"
        }
        return text + notes(scenario) + timeline(scenario)
    }

    /// The steps of a scenario with the events during each, if they are shown; else empty.
    private func timeline(_ scenario: ScenarioResult) -> String {
        guard detail == .timelines, !scenario.timeline.isEmpty else { return "" }
        var lines: [String] = []
        var step = -1
        func add(_ line: String, indent: Int) {
            lines += FailureText.wrapped(TerminalText.printable(line), width: width, indent: indent)
        }
        func begin(_ index: Int) {
            let text = "        step \(index + 1)  \(scenario.steps[index].text)"
            lines += FailureText.wrapped(TerminalText.printable(text), width: width, indent: 16).map(
                paint.bold)
        }
        /// Steps of a `repeat` begin several times; steps without events are shown in their order.
        func begin(upTo next: Int) {
            guard next != step else { return }
            for index in next > step ? Array(step + 1...next) : [next] where index < scenario.steps.count {
                begin(index)
            }
            step = next
        }
        for (index, entry) in scenario.timeline.enumerated() {
            if let next = entry.step {
                begin(upTo: next)
            } else if step >= 0, step < scenario.steps.count {
                begin(upTo: scenario.steps.count)
                lines.append(paint.bold("        after the last step"))
            }
            add("          " + FailureText.event(entry), indent: 36)
            if scenario.timelineLeftOut > 0, index == scenario.timeline.count / 2 - 1 {
                add("          … \(scenario.timelineLeftOut) events left out", indent: 10)
            }
        }
        begin(upTo: max(step, scenario.steps.count))
        return lines.map { "\n" + $0 }.joined()
    }

    private func notes(_ scenario: ScenarioResult) -> String {
        let notes = scenario.notes.map { note in
            // The note of a fault is its step; other notes are sentences.
            let what = note.kind == .fault ? "this fault never applied: \(note.text)" : note.text
            return "\n        note: \(LongText.cut(TerminalText.printable(what), to: 300))"
        }
        return notes.joined() + dialogue(scenario)
    }

    /// Lines of a dialogue that are shown.
    private static let dialogueLines = 8

    /// The end of what was said with a subject; the reports have more.
    private func dialogue(_ scenario: ScenarioResult) -> String {
        let shown = scenario.dialogue.suffix(TerminalReport.dialogueLines)
        guard !shown.isEmpty else { return "" }
        let count = scenario.dialogue.count
        let before = count > shown.count ? ", the last \(shown.count) of \(count) lines" : ""
        return "\n        the dialogue with the subject\(before):"
            + shown.map { "\n          \(LongText.cut(TerminalText.printable($0), to: 160))" }.joined()
    }

    private func steps(_ scenario: ScenarioResult) -> String {
        let text = "\(scenario.steps.count) steps"
        return text + String(repeating: " ", count: max(0, 9 - text.utf8.count))
    }

    private func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: paint.green("ok   ")
        case .failed: paint.red("FAIL ")
        case .invalid: paint.red("ERROR")
        case .inconclusive: paint.yellow("OPEN ")
        case .expectedFailure: paint.yellow("xfail")
        case .unexpectedPass: paint.red("XPASS")
        case .skipped: paint.yellow("skip ")
        case .nonDeterministic: paint.red("RANDOM")
        }
    }

    private func headline(_ scenario: ScenarioResult) -> String {
        guard let failure = scenario.failures.first, let step = failure.step else { return scenario.headline }
        let seeds = scenario.seeds.map { SeedText.line($0) + ": " } ?? ""
        return seeds + "step \(step + 1) of \(scenario.steps.count): \(failure.headline)"
    }

    private func block(_ scenario: ScenarioResult) -> [String] {
        let rules = scenario.covers.isEmpty ? "" : "   [\(scenario.covers.joined(separator: " "))]"
        let title = TerminalText.printable("\(scenario.name): \(scenario.shownTitle)")
        let bare = TerminalReport(paint: Paint(isOn: false)).word(scenario.verdict)
        let lines = FailureText.wrapped("\(bare) \(title)\(rules)", width: width, indent: 6)
        let first = word(scenario.verdict) + (lines.first ?? "").dropFirst(bare.count)
        return ([first] + lines.dropFirst()).map(paint.bold)
            + scenario.explanation(width: width, paint: paint)
    }

    private func summary(_ results: RunResults) -> String {
        if results.scenarios.isEmpty, !results.isIncomplete { return paint.yellow("NOTHING RUN") }
        var parts = ["\(results.count(.passed)) passed"]
        let named = [
            (Verdict.expectedFailure, "expected failures"), (.skipped, "skipped"), (.failed, "failed"),
        ]
        for (verdict, name) in named where results.count(verdict) > 0 {
            let count = results.count(verdict)
            let isOneOfMany = count == 1 && verdict == .expectedFailure
            parts.append("\(count) \(isOneOfMany ? "expected failure" : name)")
        }
        parts += otherBadVerdicts(results)
        let covered = results.coverage.count { !$0.scenarios.isEmpty }
        if let missing = NotRunText.line(results) { parts.append(missing) }
        var text = verdict(results) + "  " + parts.joined(separator: ", ")
        text += "     rules \(covered)/\(results.coverage.count) named by a scenario"
        if showsWall { text += "     " + WallTime.text(results.wall.microseconds) }
        return text
    }

    private func verdict(_ results: RunResults) -> String {
        if results.isWholeAndGood { return paint.green("PASS") }
        if results.scenarios.contains(where: { !$0.verdict.isGood }) { return paint.red("FAIL") }
        return paint.yellow(results.isPartial ? "INTERRUPTED" : "INCOMPLETE")
    }

    /// Counts of the bad verdicts other than `failed`.
    private func otherBadVerdicts(_ results: RunResults) -> [String] {
        let named: [(Verdict, String)] = [
            (.unexpectedPass, "passed unexpectedly"), (.invalid, "invalid"), (.inconclusive, "inconclusive"),
            (.nonDeterministic, "not deterministic"),
        ]
        return named.filter { results.count($0.0) > 0 }.map { "\(results.count($0.0)) \($0.1)" }
    }

    /// Plain counts for programs that read logs; invalid files count as failed.
    private func counts(_ results: RunResults) -> String {
        let skipped = results.count(.skipped)
        let passed = results.scenarios.count { $0.verdict.isGood } - skipped
        let failed = results.scenarios.count - passed - skipped
        let others = otherBadVerdicts(results)
        var notes = others.isEmpty ? [] : ["of the failed: \(others.joined(separator: ", "))"]
        if let missing = NotRunText.line(results) { notes.append(missing) }
        let note = notes.isEmpty ? "" : "   (\(notes.joined(separator: "; ")))"
        return "\(passed) passed, \(failed) failed, \(skipped) skipped\(note)"
    }

    /// Most names of scenarios that were not run; ``ResultsJSON`` has them all.
    private static let maxNotRunNames = 20

    /// Fewest columns in which a name and a headline fit on one line.
    private static let wideColumns = 108
    private static let nameColumns = 62

    /// The name padded to its column. In a narrow terminal a long name is truncated in the middle, so that
    /// the id and the end of the case's name stay visible.
    private func pad(_ name: String) -> String {
        let columns = width.map { min(TerminalReport.nameColumns, max(24, $0 - 46)) }
        let scalars = Array(name.unicodeScalars)
        var shown = name
        if let columns, TerminalText.cells(scalars) > columns {
            var head = scalars[...]
            var tail = scalars[...]
            while TerminalText.cells(head) > columns / 2 { head.removeLast() }
            while TerminalText.cells(tail) > columns - columns / 2 - 1 { tail.removeFirst() }
            shown = String(String.UnicodeScalarView(head)) + "…" + String(String.UnicodeScalarView(tail))
        }
        let missing = (columns ?? TerminalReport.nameColumns) - TerminalText.cells(shown.unicodeScalars)
        return shown + String(repeating: " ", count: max(0, missing))
    }

    private func hex(_ number: UInt64) -> String { Hex.text(number) }
}
