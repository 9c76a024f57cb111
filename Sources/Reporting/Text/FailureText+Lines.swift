import Core
import Runner

extension FailureText {
    /// As plain text: source lines with a caret, expected and actual, why and since when, the events that
    /// led to it, the command.
    ///
    /// - Parameters:
    ///   - width: columns of the terminal; nil: source lines are not cut to a width.
    ///   - paint: colour is never the only sign of anything.
    package func lines(width: Int? = nil, paint: Paint = Paint(isOn: false)) -> [String] {
        var lines: [String] = []
        if let place {
            lines += SourceExcerpt(place, context, label: label).lines(width: width, paint: paint)
        }
        func row(_ name: String, _ text: String) {
            let pad = String(repeating: " ", count: max(0, 9 - name.utf8.count))
            for (number, line) in PlainText.of(text).split(separator: "\n").enumerated() {
                let head = number == 0 ? "   = \(name)\(pad) " : "               "
                lines += FailureText.wrapped(head + line, width: width, indent: 15)
            }
        }
        // The label beside the caret has said it already where there is one thing to say.
        let isSaid = place != nil && differences.count <= 1
        if let step {
            row("step", isSaid ? String(step.dropFirst(5)) : "\(step.dropFirst(5)): \(headline)")
        } else if !isSaid {
            row("what", headline)
        }
        for difference in differences {
            let part = difference.part.isEmpty ? "" : difference.part + " "
            row("expected", part + difference.expected)
            row("actual", part + difference.actual)
        }
        for remark in remarks { row(remark.name, remark.text) }
        if !events.isEmpty {
            lines.append("   \(eventsTitle)")
            let numbers = events.map { String($0.number).utf8.count }.max() ?? 0
            for event in events {
                let pad = String(repeating: " ", count: numbers - String(event.number).utf8.count)
                let line = "     \(pad)\(FailureText.event(event))"
                lines += FailureText.wrapped(line, width: width, indent: numbers + 31)
            }
        }
        if !reproduction.isEmpty { lines.append("   = again     \(reproduction)") }
        return lines
    }

    /// At blanks, where a terminal would cut words in two; the rest beneath the text, not beneath its head.
    /// What has no blank is left to the terminal.
    static func wrapped(_ line: String, width: Int?, indent: Int) -> [String] {
        guard let width, indent < width - 20, PlainText.cells(line.unicodeScalars) > width else {
            return [line]
        }
        var lines: [String] = []
        var current = String(line.prefix { $0 == " " })
        var isFirst = true
        for word in line.dropFirst(current.count).split(separator: " ", omittingEmptySubsequences: false) {
            let longer = current + (isFirst ? "" : " ") + word
            let isHead = PlainText.cells(current.unicodeScalars) <= indent
            if !isHead, !word.isEmpty, PlainText.cells(longer.unicodeScalars) > width {
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

    /// A diagnostic of a file that could not be read.
    package static func lines(
        _ diagnostic: DiagnosticResult, width: Int? = nil, paint: Paint = Paint(isOn: false)
    ) -> [String] {
        let kind = diagnostic.isError ? "error" : "warning"
        var lines = [
            "\(kind)[\(diagnostic.code)]: \(PlainText.of(LongText.cut(diagnostic.message, to: 300)))"
        ]
        if diagnostic.place.length == 0, diagnostic.place.text.isEmpty {
            lines.append(" --> \(diagnostic.place.file)")
        } else {
            let excerpt = SourceExcerpt(diagnostic.place, [], label: diagnostic.label)
            lines += excerpt.lines(width: width, paint: paint).dropLast()
        }
        for related in diagnostic.related {
            lines.append("  = note: \(PlainText.of(related.message)): line \(related.place.line)")
        }
        if let help = diagnostic.help { lines.append("  = help: \(PlainText.of(help))") }
        return lines
    }

    /// For an issue or a job's summary.
    ///
    /// - Parameter heading: of the Markdown heading, 1 to 6.
    package func markdown(of scenario: ScenarioResult, heading: Int = 3) -> String {
        let marks = String(repeating: "#", count: heading)
        var text = "\(marks) \(Markdown.text(scenario.name)): \(Markdown.text(title))\n\n"
        text += "\(Markdown.text(scenario.title))\n\n"
        if let place {
            let excerpt = SourceExcerpt(place, context, label: label).lines(width: nil)
            text += Markdown.fence(excerpt) + "\n"
        }
        if !differences.isEmpty {
            text += "| | expected | actual |\n|---|---|---|\n"
            for row in differences {
                text += "| \(Markdown.cell(row.part)) | \(Markdown.cell(row.expected)) "
                text += "| \(Markdown.cell(row.actual)) |\n"
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

/// What Markdown would take for its own.
enum Markdown {
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in PlainText.of(text).unicodeScalars {
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "#", "~":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "&": result += "&amp;"
            // No name of a person or a project is told to anybody.
            case "@": result += "@\u{200b}"
            case "\n": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func cell(_ value: String) -> String { text(value) }

    /// A fence longer than any inside.
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
