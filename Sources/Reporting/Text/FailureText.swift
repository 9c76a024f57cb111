import Core
import Laboratory

/// A failure as lines of plain text: the same facts in the same words for terminal, XML and HTML.
public enum FailureText {
    /// Place, source line with caret, expected and actual, why, how long, the last events, the command.
    public static func lines(_ failure: Failure) -> [String] {
        var lines: [String] = []
        if let place = failure.place { lines += source(place, failure.headline) }
        if let rule = failure.rule {
            lines.append("   = rule      \(rule) \(Rule.named(rule)?.title ?? "")")
        }
        for (number, text) in failure.expected.enumerated() {
            lines.append((number == 0 ? "   = expected  " : "               ") + text)
        }
        for (number, text) in failure.actual.enumerated() {
            lines.append((number == 0 ? "   = actual    " : "               ") + text)
        }
        if let because = failure.because { lines.append("   = because   \(because)") }
        if let from = failure.waitedFrom, let to = failure.waitedTo {
            lines.append(
                "   = waited    \(VirtualTime.length(to - from)) virtual "
                    + "(from \(VirtualTime.moment(from)) to \(VirtualTime.moment(to)))")
        }
        if let since = failure.wrongSince {
            lines.append("   = wrong     since \(VirtualTime.moment(since))")
        }
        if !failure.lastEvents.isEmpty {
            lines.append("   last events before \(VirtualTime.moment(failure.at))")
            lines += failure.lastEvents.map { "     " + event($0) }
        }
        if !failure.reproduction.isEmpty { lines.append("   repro       \(failure.reproduction)") }
        return lines
    }

    /// `0:00:12.400  network  reset after 40 KB   ← fault: …`
    public static func event(_ entry: TimelineEntry) -> String {
        let lane = entry.lane.rawValue
        let padded = lane + String(repeating: " ", count: max(0, 8 - lane.utf8.count))
        var text = "\(VirtualTime.moment(entry.at))  \(padded) \(entry.text)"
        if let fault = entry.fault { text += "   ← fault: \(fault)" }
        if let cause = entry.cause {
            text += "   (#\(entry.number) after #\(cause))"
        } else {
            text += "   (#\(entry.number))"
        }
        return text
    }

    /// The caret form: place, source line, caret under the part that is meant. Tabs are copied, so that it
    /// fits.
    public static func source(_ place: SourcePlace, _ label: String) -> [String] {
        let number = String(place.line)
        let gap = String(repeating: " ", count: number.utf8.count)
        let before = place.text.unicodeScalars.prefix(place.column - 1).map { $0 == "\t" ? "\t" : " " }
            .joined()
        let carets = String(repeating: "^", count: max(1, place.length))
        return [
            "\(gap)--> \(place.file):\(place.line):\(place.column)", "\(gap) |", "\(number) | \(place.text)",
            "\(gap) | \(before)\(carets) \(label)", "\(gap) |",
        ]
    }

    /// A diagnostic of a file that could not be read.
    public static func lines(_ diagnostic: DiagnosticResult) -> [String] {
        var lines = ["\(diagnostic.isError ? "error" : "warning")[\(diagnostic.code)]: \(diagnostic.message)"]
        lines += source(diagnostic.place, diagnostic.label).dropLast()
        for related in diagnostic.related {
            lines.append("  = note: \(related.message): line \(related.place.line)")
        }
        if let help = diagnostic.help { lines.append("  = help: \(help)") }
        return lines
    }
}
