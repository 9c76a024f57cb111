import Core
import Runner
import ScenarioLanguage

/// Two runs side by side, as text: where they part, what was known then, and what differs in the end.
package struct ComparisonText {
    /// What the sides are called in the lines above all: `seed 1`, `Reports/monday`.
    package let sides: (one: String, other: String)
    let paint: Paint
    /// Columns that lines are broken at.
    let width: Int

    package init(sides: (one: String, other: String), paint: Paint, width: Int? = nil) {
        self.sides = sides
        self.paint = paint
        self.width = width ?? 100
    }

    /// Differing runs that are shown in full; of the others only where they part.
    private static let mostShown = 5

    /// - Parameter isQuiet: whether each run that differs has one line, and equal ones none.
    package func text(_ comparison: SetComparison, isQuiet: Bool) -> String {
        let different = comparison.different
        var text = ""
        for (index, run) in different.enumerated() {
            if isQuiet || index >= ComparisonText.mostShown {
                text += line(run)
            } else {
                text += self.text(run) + "\n"
            }
        }
        if different.count > ComparisonText.mostShown, !isQuiet {
            text += "  --scenario NAME shows one of them\n"
        }
        for (names, side) in [(comparison.onlyOne, sides.one), (comparison.onlyOther, sides.other)]
        where !names.isEmpty {
            text += "only in \(side): " + LongText.cut(names.joined(separator: ", "), to: 600) + "\n"
        }
        let equal = comparison.runs.count - different.count
        return text + "\(equal) equal, \(different.count) different\n"
    }

    /// The whole comparison of two runs that differ.
    func text(_ comparison: RunComparison) -> String {
        var lines = heading(comparison)
        if let content = comparison.content { lines += self.content(content) }
        if let timeline = comparison.timeline {
            lines += self.timeline(timeline, comparison)
        } else if comparison.content != nil {
            lines.append("  no timeline shows a difference")
        }
        if comparison.differsInDigestAlone {
            lines.append(
                "  the digests differ, and nothing that a report has: compare recordings (--record), which"
                    + " have the content of every event")
        }
        if comparison.end.isEmpty {
            lines.append("  in the end nothing differs")
        } else {
            lines.append("  in the end")
            lines += comparison.end.flatMap { pair($0, indent: 4) }
        }
        return lines.flatMap { wrapped($0) }.joined(separator: "\n") + "\n"
    }

    /// Name, verdicts and place of the first difference, on one line.
    private func line(_ comparison: RunComparison) -> String {
        var text = "\(paint.red("DIFFERS"))  \(TerminalText.printable(comparison.name)): "
        let verdicts = (comparison.one.verdict.rawValue, comparison.other.verdict.rawValue)
        text += verdicts.0 == verdicts.1 ? verdicts.0 : "\(verdicts.0) → \(verdicts.1)"
        let entry = comparison.timeline.flatMap { $0.one.first ?? $0.other.first }
        if let at = entry?.at ?? comparison.content?.at { text += ", from \(at.clock)" }
        return text + "\n"
    }

    private func heading(_ comparison: RunComparison) -> [String] {
        let label = paint.red("DIFFERS")
        return [
            "\(label)  \(TerminalText.printable(comparison.name)): \(TerminalText.printable(comparison.title))",
            "  A  \(sides.one): \(side(comparison.one))", "  B  \(sides.other): \(side(comparison.other))",
        ]
    }

    private func side(_ side: RunComparison.Side) -> String {
        "\(side.verdict.rawValue), \(events(side.events)) in \((Instant.zero + side.length).clock)"
    }

    private func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }

    // MARK: - Content

    private func content(_ difference: ContentDifference) -> [String] {
        let count = difference.equalCount
        var lines = [
            "  content: equal for \(count) entries, then, at \(difference.at.clock), the first that differs"
        ]
        for event in difference.before { lines.append("       " + entry(event)) }
        if difference.isOfOneKind, let one = difference.one {
            lines.append("    A,B " + entry(one, isWhole: false))
            lines += difference.fields.flatMap { pair($0, indent: 8) }
        } else {
            lines.append("    A  " + (difference.one.map { entry($0) } ?? "nothing: that run was over"))
            lines.append("    B  " + (difference.other.map { entry($0) } ?? "nothing: that run was over"))
        }
        return lines
    }

    private func entry(_ event: RecordedEvent, isWhole: Bool = true) -> String {
        var event = event
        if !isWhole { event.fields = Array(event.fields.prefix(1)) }
        let text = TerminalText.printable(event.text(max(20, width - 23)))
        return "\(event.at.clock)  \(text)"
    }

    // MARK: - Timeline

    private func timeline(_ difference: TimelineDifference, _ comparison: RunComparison) -> [String] {
        var lines = [
            "  timeline: equal for \(events(difference.equalCount)) that it shows"
                + (difference.leftOut == nil ? ", then they part" : "")
        ]
        for entry in difference.before { lines.append("       " + FailureText.event(entry)) }
        if let leftOut = difference.leftOut {
            lines.append(
                "    then \(leftOut.one) of A and \(leftOut.other) of B were left out of the reports; a"
                    + " recording has all of them: otalab diff FILE --seed N --record A.json")
        } else {
            lines += side("A", difference.one) + side("B", difference.other)
            if let (one, other) = ComparisonText.sameButTime(difference) {
                lines.append("    the same, but for the time: A \(one) · B \(other)")
            }
        }
        if !difference.state.isEmpty {
            let state = difference.state.map { "\($0.name) \($0.value ?? "none")" }
            lines.append("    the device before: " + state.joined(separator: " · "))
        } else if !comparison.one.hasStates || !comparison.other.hasStates {
            lines.append("    the reports have no states of the device at that moment")
        }
        if !difference.stateAfter.isEmpty {
            lines.append("    the device right after it")
            lines += difference.stateAfter.flatMap { pair($0, indent: 6) }
        }
        return lines
    }

    /// The exact times of two entries that look the same.
    private static func sameButTime(_ difference: TimelineDifference) -> (String, String)? {
        guard let one = difference.one.first, let other = difference.other.first,
            one.text == other.text, one.at != other.at
        else { return nil }
        return ((one.at - .zero).shown, (other.at - .zero).shown)
    }

    private func side(_ name: String, _ entries: [TimelineEntry]) -> [String] {
        if entries.isEmpty { return ["    \(name)  nothing: that run was over"] }
        return entries.enumerated().map { index, entry in
            let text = FailureText.event(entry)
            return index == 0 ? "    \(name)  \(paint.bold(text))" : "       \(text)"
        }
    }

    // MARK: - Lines

    /// `pending  A v2 · B none`, or two lines if that is too long for one.
    private func pair(_ pair: ContentDifference.Pair, indent: Int) -> [String] {
        let pad = String(repeating: " ", count: indent)
        let column = max(12, pair.name.utf8.count)
        let name = pair.name + String(repeating: " ", count: column - pair.name.utf8.count)
        let (one, other) = (ComparisonText.value(pair.one), ComparisonText.value(pair.other))
        let short = "\(pad)\(name)  A \(one) · B \(other)"
        if TerminalText.cells(short.unicodeScalars) <= width { return [short] }
        let blank = String(repeating: " ", count: column)
        return ["\(pad)\(name)  A \(one)", "\(pad)\(blank)  B \(other)"]
    }

    /// A digest by its first digits: its last ones say nothing to a reader.
    private static func value(_ text: String) -> String {
        let isDigest = text.utf8.count == 64 && text.allSatisfy(\.isHexDigit)
        return TerminalText.printable(isDigest ? String(text.prefix(12)) + "…" : text)
    }

    private func wrapped(_ line: String) -> [String] {
        FailureText.wrapped(line, width: width, indent: min(line.prefix { $0 == " " }.count + 6, 30))
    }
}
