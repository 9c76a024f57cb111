import Runner
import ScenarioLanguage

/// Lines of a scenario file with carets under the range at fault, and lines of context before it. Labels that
/// do not fit behind the carets are below them.
struct ExcerptRenderer {
    let location: FileLocation
    let context: [SourceLine]
    let label: String
    /// Width in cells when the width of the terminal is not known.
    static let defaultWidth = 400

    init(_ location: FileLocation, _ context: [SourceLine], label: String) {
        self.location = location
        self.context = context
        self.label = label
    }

    /// A line of the excerpt.
    struct Line {
        enum Content: Equatable {
            /// The line at fault, as much of it as is shown.
            case source(String)
            /// Carets, with the label if it fits behind them.
            case carets(String)
            case other
        }

        var text: String
        var content = Content.other
    }

    func lines(width: Int?, paint: Paint = Paint(isOn: false)) -> [String] {
        excerpt(width: width, paint: paint).map(\.text)
    }

    func excerpt(width: Int?, paint: Paint = Paint(isOn: false)) -> [Line] {
        let number = String(location.line)
        let margin = number.utf8.count
        let gap = String(repeating: " ", count: margin)
        let bar = paint.dim("|")
        let columns = max(20, (width ?? ExcerptRenderer.defaultWidth) - margin - 3)
        var lines = [
            Line(text: "\(gap)--> \(location.file):\(location.line):\(location.column)"),
            Line(text: "\(gap) \(bar)"),
        ]
        var last: Int?
        for line in context {
            if let last, line.line > last + 1 { lines.append(Line(text: "\(gap) \(bar)     …")) }
            let name = String(line.line)
            let pad = String(repeating: " ", count: max(0, margin - name.utf8.count))
            let text = SourceExcerpt.cut(line.text, columns: columns)
            lines.append(Line(text: "\(pad)\(paint.dim(name)) \(bar) \(text)"))
            last = line.line
        }
        if let last, location.line > last + 1 { lines.append(Line(text: "\(gap) \(bar)     …")) }
        let drawing = SourceExcerpt(
            line: location.line, text: location.text, column: location.column, length: location.length
        ).drawing(columns: columns)
        lines.append(Line(text: "\(number) \(bar) \(drawing.text)", content: .source(drawing.text)))
        let indent = "\(gap) \(bar) \(drawing.indent)"
        let (carets, below) = caret(drawing, columns, paint)
        lines.append(Line(text: indent + carets, content: .carets(carets)))
        lines += below.map { Line(text: "\(gap) \(bar) \($0)") }
        return lines + [Line(text: "\(gap) \(bar)")]
    }

    /// The carets with the label after them, or the label in lines below them when it does not fit.
    private func caret(_ drawing: SourceExcerpt.Drawing, _ columns: Int, _ paint: Paint) -> (
        carets: String, below: [String]
    ) {
        let carets = paint.red(drawing.carets)
        let label = TerminalText.printable(label).replacing("\n", with: " ")
        guard !label.isEmpty else { return (carets, []) }
        let indent = TerminalText.cells(drawing.indent.unicodeScalars)
        let length = TerminalText.cells(label.unicodeScalars)
        if indent + drawing.carets.utf8.count + 1 + length <= columns { return ("\(carets) \(label)", []) }
        if length > columns { return (carets, FailureText.wrapped(label, width: columns, indent: 0)) }
        return (carets, [String(repeating: " ", count: max(0, min(indent, columns - length))) + label])
    }
}
