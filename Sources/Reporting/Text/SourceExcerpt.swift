import Runner

/// Lines of a scenario file with a caret under the part that is meant.
///
/// The caret stands where a terminal shows the part: tabs are copied, wide characters take two cells. A line
/// too long for the width is cut on both sides, never the part itself from its beginning.
struct SourceExcerpt {
    let place: SourcePlace
    let context: [SourceLine]
    let label: String
    /// The longest source line that is shown whole where no width is known.
    static let longest = 400

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
        let room = max(20, (width ?? SourceExcerpt.longest) - margin - 3)
        var lines = ["\(gap)--> \(place.file):\(place.line):\(place.column)", "\(gap) \(bar)"]
        var last: Int?
        for line in context {
            if let last, line.line > last + 1 { lines.append("\(gap) \(bar)     …") }
            let name = String(line.line)
            let pad = String(repeating: " ", count: max(0, margin - name.utf8.count))
            lines.append("\(pad)\(paint.dim(name)) \(bar) \(SourceExcerpt.whole(line.text, room))")
            last = line.line
        }
        if let last, place.line > last + 1 { lines.append("\(gap) \(bar)     …") }
        let shown = excerpt(room)
        lines.append("\(number) \(bar) \(shown.text)")
        lines += caret(shown, room, paint).map { "\(gap) \(bar) \($0)" }
        return lines + ["\(gap) \(bar)"]
    }

    // MARK: - The line

    private struct Shown {
        var text: String
        /// Blanks and tabs up to the part.
        var before: String
        /// Cells of `before`.
        var cells: Int
        /// Cells of the part, as far as it is shown.
        var length: Int
    }

    private func excerpt(_ room: Int) -> Shown {
        let scalars = Array(PlainText.of(place.text).unicodeScalars)
        let from = min(max(0, place.column - 1), scalars.count)
        let to = min(scalars.count, from + max(1, place.length))
        // The part and something before it have to be in sight. From the part backwards: a line can be a
        // megabyte long.
        let part = min(PlainText.cells(scalars[from..<min(to, from + room)]), room / 2)
        var start = from
        var before = 0
        while start > 0, before + PlainText.cells(scalars[start - 1]) + part + (start > 1 ? 2 : 0) <= room {
            start -= 1
            before += PlainText.cells(scalars[start])
        }
        // As much as fits before it: then what follows has room too.
        if start > 0 { start = max(start, from - room / 3) }
        let head = start > 0 ? "… " : ""
        var end = scalars.count
        let left = room - PlainText.cells(head.unicodeScalars)
        if PlainText.cells(scalars[start...].prefix(left + 1)) > left {
            end = start
            var used = 2
            while end < scalars.count, used + PlainText.cells(scalars[end]) <= left {
                used += PlainText.cells(scalars[end])
                end += 1
            }
        }
        let tail = end < scalars.count ? " …" : ""
        let text = head + String(String.UnicodeScalarView(scalars[start..<end])) + tail
        var blanks = head.isEmpty ? "" : "  "
        for scalar in scalars[start..<from] {
            blanks += scalar == "\t" ? "\t" : String(repeating: " ", count: PlainText.cells(scalar))
        }
        let visible = scalars[min(from, end)..<max(min(to, end), min(from, end))]
        return Shown(
            text: text, before: blanks, cells: PlainText.cells(blanks.unicodeScalars),
            length: max(1, PlainText.cells(visible)))
    }

    /// The label beside the caret, or beneath it where there is no room.
    private func caret(_ shown: Shown, _ room: Int, _ paint: Paint) -> [String] {
        let carets = paint.red(String(repeating: "^", count: shown.length))
        let label = PlainText.of(label).replacing("\n", with: " ")
        guard !label.isEmpty else { return [shown.before + carets] }
        let length = PlainText.cells(label.unicodeScalars)
        if shown.cells + shown.length + 1 + length <= room { return ["\(shown.before)\(carets) \(label)"] }
        if length > room {
            return [shown.before + carets] + FailureText.wrapped(label, width: room, indent: 0)
        }
        let indent = max(0, min(shown.cells, room - length))
        return [shown.before + carets, String(repeating: " ", count: indent) + label]
    }

    private static func whole(_ text: String, _ room: Int) -> String {
        let scalars = Array(PlainText.of(text).unicodeScalars)
        if PlainText.cells(scalars[...]) <= room { return String(String.UnicodeScalarView(scalars)) }
        var end = 0
        var used = 2
        while end < scalars.count, used + PlainText.cells(scalars[end]) <= room {
            used += PlainText.cells(scalars[end])
            end += 1
        }
        return String(String.UnicodeScalarView(scalars[..<end])) + " …"
    }
}
