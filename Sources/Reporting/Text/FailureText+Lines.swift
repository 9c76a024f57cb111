import Core
import Runner
import ScenarioLanguage

extension FailureText {
    /// The failure as plain text: source lines with a caret, expected and actual values, reason and duration,
    /// the events that led to it, and the command.
    ///
    /// - Parameters:
    ///   - width: columns of the terminal; nil: lines are not limited to a width.
    ///   - paint: colours; all information is also in the text.
    package func lines(width: Int? = nil, paint: Paint = Paint(isOn: false)) -> [String] {
        var lines: [String] = []
        if let location {
            lines += ExcerptRenderer(location, context, label: label).lines(width: width, paint: paint)
        }
        func add(_ name: String, _ text: String) {
            let pad = String(repeating: " ", count: max(0, 9 - name.utf8.count))
            for (index, line) in TerminalText.printable(text).split(separator: "\n").enumerated() {
                let head = index == 0 ? "   = \(name)\(pad) " : "               "
                lines += FailureText.wrapped(head + line, width: width, indent: 15)
            }
        }
        // The label next to the caret has the headline or the only difference already.
        let isInLabel = location != nil && differences.count <= 1
        if let step {
            add("step", isInLabel ? "\(step)" : "\(step): \(headline)")
        } else if !isInLabel {
            add("what", headline)
        }
        for difference in differences {
            let part = difference.part.isEmpty ? "" : difference.part + " "
            add("expected", part + difference.expected)
            add("actual", part + difference.actual)
        }
        for remark in remarks { add(remark.name, remark.text) }
        if !events.isEmpty {
            lines.append("   \(eventsTitle)")
            let digits = events.map { String($0.ordinal).utf8.count }.max() ?? 0
            for event in events {
                let pad = String(repeating: " ", count: digits - String(event.ordinal).utf8.count)
                let line = "     \(pad)\(FailureText.event(event))"
                lines += FailureText.wrapped(line, width: width, indent: digits + 31)
            }
        }
        if !reproduction.isEmpty { lines.append("   = again     \(reproduction)") }
        return lines
    }

    /// Breaks a line at spaces, because a terminal would split words; continuation lines have `indent`
    /// spaces. Text without spaces is left to the terminal.
    static func wrapped(_ line: String, width: Int?, indent: Int) -> [String] {
        guard let width, indent < width - 20, TerminalText.cells(line.unicodeScalars) > width else {
            return [line]
        }
        var lines: [String] = []
        var current = String(line.prefix { $0 == " " })
        var isFirst = true
        for word in line.dropFirst(current.count).split(separator: " ", omittingEmptySubsequences: false) {
            let longer = current + (isFirst ? "" : " ") + word
            let isHead = TerminalText.cells(current.unicodeScalars) <= indent
            if !isHead, !word.isEmpty, TerminalText.cells(longer.unicodeScalars) > width {
                while current.hasSuffix(" ") { current.removeLast() }
                lines.append(current)
                current = String(repeating: " ", count: indent) + word
            } else {
                current = longer
            }
            isFirst = false
        }
        return lines + [current]
    }

    /// The diagnostic of a file that could not be read, as plain text.
    package static func lines(
        _ diagnostic: DiagnosticResult, width: Int? = nil, paint: Paint = Paint(isOn: false)
    ) -> [String] {
        let kind = diagnostic.isError ? "error" : "warning"
        var lines = [
            "\(kind)[\(diagnostic.code)]: \(TerminalText.printable(LongText.cut(diagnostic.message, to: 300)))"
        ]
        if diagnostic.location.length == 0, diagnostic.location.text.isEmpty {
            lines.append(" --> \(diagnostic.location.file)")
        } else {
            let excerpt = ExcerptRenderer(diagnostic.location, [], label: diagnostic.label)
            lines += excerpt.lines(width: width, paint: paint).dropLast()
        }
        for related in diagnostic.related {
            lines.append(
                "  = note: \(TerminalText.printable(related.message)): line \(related.location.line)")
        }
        if let help = diagnostic.help { lines.append("  = help: \(TerminalText.printable(help))") }
        return lines
    }

    /// The failure as Markdown, for an issue or a job's summary.
    ///
    /// - Parameter heading: level of the heading, 1 to 6.
    package func markdown(of scenario: ScenarioResult, heading: Int = 3) -> String {
        let marks = String(repeating: "#", count: heading)
        var text = "\(marks) \(Markdown.text(scenario.name)): \(Markdown.text(title))\n\n"
        text += "\(Markdown.text(scenario.title))\n\n"
        if let location {
            let excerpt = ExcerptRenderer(location, context, label: label).lines(width: nil)
            text += Markdown.fence(excerpt) + "\n"
        }
        if !differences.isEmpty {
            text += "| | expected | actual |\n|---|---|---|\n"
            for difference in differences {
                text += "| \(Markdown.cell(difference.part)) | \(Markdown.cell(difference.expected)) "
                text += "| \(Markdown.cell(difference.actual)) |\n"
            }
            text += "\n"
        }
        for remark in remarks { text += "- \(remark.name) \(Markdown.text(remark.text))\n" }
        if !events.isEmpty {
            text += "\n\(eventsTitle):\n\n" + Markdown.fence(events.map(FailureText.event))
        }
        if !reproduction.isEmpty { text += "\n" + Markdown.fence([reproduction], "sh") }
        return text
    }
}

/// Escaping for Markdown.
enum Markdown {
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.printable(text).unicodeScalars {
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "#", "~":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "&": result += "&amp;"
            // `@name` would notify a person or a team.
            case "@": result += "@\u{200b}"
            case "\n": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func cell(_ value: String) -> String { text(value) }

    /// A fenced block; the fence is longer than any run of backticks inside.
    static func fence(_ lines: [String], _ language: String = "") -> String {
        var longest = 2
        for line in lines {
            var run = 0
            for scalar in line.unicodeScalars {
                run = scalar == "`" ? run + 1 : 0
                longest = max(longest, run)
            }
        }
        let fence = String(repeating: "`", count: longest + 1)
        return "\(fence)\(language)\n" + lines.joined(separator: "\n") + "\n\(fence)\n"
    }
}
