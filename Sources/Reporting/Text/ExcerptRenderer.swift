import Runner

/// Lines of a scenario file with carets under the range at fault.
///
/// The carets are at the columns of the range in a terminal: tabs are copied, wide characters take two cells.
/// A line too long for the width is truncated on both sides, but the beginning of the range stays visible.
struct ExcerptRenderer {
    let place: SourcePlace
    let context: [SourceLine]
    let label: String
    /// Width in cells when the width of the terminal is not known.
    static let defaultWidth = 400

    init(_ place: SourcePlace, _ context: [SourceLine], label: String) {
        self.place = place
        self.context = context
        self.label = label
    }

    func lines(width: Int?, paint: Paint = Paint(isOn: false)) -> [String] {
        let number = String(place.line)
        let margin = number.utf8.count
        let gap = String(repeating: " ", count: margin)
        let bar = paint.dim("|")
        let columns = max(20, (width ?? ExcerptRenderer.defaultWidth) - margin - 3)
        var lines = ["\(gap)--> \(place.file):\(place.line):\(place.column)", "\(gap) \(bar)"]
        var last: Int?
        for line in context {
            if let last, line.line > last + 1 { lines.append("\(gap) \(bar)     …") }
            let name = String(line.line)
            let pad = String(repeating: " ", count: max(0, margin - name.utf8.count))
            lines.append("\(pad)\(paint.dim(name)) \(bar) \(ExcerptRenderer.whole(line.text, columns))")
            last = line.line
        }
        if let last, place.line > last + 1 { lines.append("\(gap) \(bar)     …") }
        let shown = excerpt(columns)
        lines.append("\(number) \(bar) \(shown.text)")
        lines += caret(shown, columns, paint).map { "\(gap) \(bar) \($0)" }
        return lines + ["\(gap) \(bar)"]
    }

    // MARK: - The line

    private struct Shown {
        var text: String
        /// Spaces and tabs before the range.
        var before: String
        /// Width of `before` in cells.
        var cells: Int
        /// Width of the visible part of the range in cells.
        var length: Int
    }

    private func excerpt(_ columns: Int) -> Shown {
        let scalars = Array(TerminalText.of(place.text).unicodeScalars)
        let from = min(max(0, place.column - 1), scalars.count)
        let to = min(scalars.count, from + max(1, place.length))
        // The range and some text before it must be visible. The search goes backwards from the range,
        // because a line can be a megabyte long.
        let part = min(TerminalText.cells(scalars[from..<min(to, from + columns)]), columns / 2)
        var start = from
        var before = 0
        while start > 0,
            before + TerminalText.cells(scalars[start - 1]) + part + (start > 1 ? 2 : 0) <= columns
        {
            start -= 1
            before += TerminalText.cells(scalars[start])
        }
        // At most a third before the range, so that the text after it is visible too.
        if start > 0 { start = max(start, from - columns / 3) }
        let head = start > 0 ? "… " : ""
        var end = scalars.count
        let left = columns - TerminalText.cells(head.unicodeScalars)
        if TerminalText.cells(scalars[start...].prefix(left + 1)) > left {
            end = start
            var used = 2
            while end < scalars.count, used + TerminalText.cells(scalars[end]) <= left {
                used += TerminalText.cells(scalars[end])
                end += 1
            }
        }
        let tail = end < scalars.count ? " …" : ""
        let text = head + String(String.UnicodeScalarView(scalars[start..<end])) + tail
        var blanks = head.isEmpty ? "" : "  "
        for scalar in scalars[start..<from] {
            blanks += scalar == "\t" ? "\t" : String(repeating: " ", count: TerminalText.cells(scalar))
        }
        let visible = scalars[min(from, end)..<max(min(to, end), min(from, end))]
        return Shown(
            text: text, before: blanks, cells: TerminalText.cells(blanks.unicodeScalars),
            length: max(1, TerminalText.cells(visible)))
    }

    /// The carets with the label after them, or below them when it does not fit.
    private func caret(_ shown: Shown, _ columns: Int, _ paint: Paint) -> [String] {
        let carets = paint.red(String(repeating: "^", count: shown.length))
        let label = TerminalText.of(label).replacing("\n", with: " ")
        guard !label.isEmpty else { return [shown.before + carets] }
        let length = TerminalText.cells(label.unicodeScalars)
        if shown.cells + shown.length + 1 + length <= columns { return ["\(shown.before)\(carets) \(label)"] }
        if length > columns {
            return [shown.before + carets] + FailureText.wrapped(label, width: columns, indent: 0)
        }
        let indent = max(0, min(shown.cells, columns - length))
        return [shown.before + carets, String(repeating: " ", count: indent) + label]
    }

    private static func whole(_ text: String, _ columns: Int) -> String {
        let scalars = Array(TerminalText.of(text).unicodeScalars)
        if TerminalText.cells(scalars[...]) <= columns { return String(String.UnicodeScalarView(scalars)) }
        var end = 0
        var used = 2
        while end < scalars.count, used + TerminalText.cells(scalars[end]) <= columns {
            used += TerminalText.cells(scalars[end])
            end += 1
        }
        return String(String.UnicodeScalarView(scalars[..<end])) + " …"
    }
}
