import Core

/// Decides where lines end. The layout depends on values and width only, never on the author's line breaks,
/// so that formatting twice gives the same text.
struct FormatLayout {
    /// How an object or a list may be broken into lines.
    private enum Shape {
        case root
        /// A line for each element, always.
        case rows, steps, table
        /// A line for each element, if there are more than two and they don't fit on one line.
        case rowsIfLong
        /// As many elements on a line as fit.
        case filled, step

        func of(key: String?) -> Shape {
            switch self {
            case .root:
                switch key {
                case "steps": .steps
                case "cases": .table
                case "versions": .rows
                default: .rowsIfLong
                }
            case .steps: .step
            case .step: key == "steps" ? .steps : .filled
            case .rows, .table, .rowsIfLong, .filled: .filled
            }
        }

        var isAlwaysRows: Bool {
            switch self {
            case .root, .rows, .steps, .table: true
            case .rowsIfLong, .filled, .step: false
            }
        }
    }

    func text(_ document: TriviaDocument) -> String {
        var text = ""
        for (index, comment) in document.before.enumerated() {
            text += (comment.blankBefore && index > 0 ? "\n" : "") + comment.text + "\n"
        }
        if document.blankBeforeRoot { text += "\n" }
        text += broken(document.root, .root, Line(indent: 0, column: 0, tail: 0)) + "\n"
        for comment in document.after { text += (comment.blankBefore ? "\n" : "") + comment.text + "\n" }
        return text
    }

    /// The value on one line of any length; for values without comments.
    func line(_ node: TriviaNode) -> String { inline(node, .filled) ?? "" }

    /// Where a value begins: the indentation of its line, its column, and the columns needed after it.
    private struct Line {
        var indent: Int
        var column: Int
        var tail: Int
    }

    private func render(_ node: TriviaNode, _ shape: Shape, _ line: Line) -> String {
        if let text = inline(node, shape), fits(text, line) { return text }
        return broken(node, shape, line)
    }

    private func fits(_ text: String, _ line: Line) -> Bool {
        line.column + width(text) + line.tail <= SourceFormatter.width
    }

    private func width(_ text: String) -> Int { text.unicodeScalars.count }

    // MARK: - One line

    /// The value on one line; nil if it needs several lines at any width.
    private func inline(_ node: TriviaNode, _ shape: Shape) -> String? {
        guard case .container(let isObject, let items, let dangling) = node else {
            guard case .scalar(let text) = node else { return nil }
            return text
        }
        if items.isEmpty, dangling.isEmpty { return isObject ? "{}" : "[]" }
        if shape.isAlwaysRows || dangling.contains(where: \.endsLine) { return nil }
        var parts: [String] = []
        for (index, item) in items.enumerated() {
            guard let text = inline(item, shape, index + 1 < items.count) else { return nil }
            parts.append(text)
        }
        parts += dangling.map(\.text)
        let inside = SchemaText.joined(parts, by: " ")
        return isObject ? "{ \(inside) }" : "[\(inside)]"
    }

    private func inline(_ item: TriviaItem, _ shape: Shape, _ hasComma: Bool) -> String? {
        if (item.leading + item.trailing).contains(where: \.endsLine) { return nil }
        guard let value = inline(item.value, shape.of(key: item.key?.name)) else { return nil }
        let parts =
            item.leading.map(\.text) + [(item.key.map { $0.text + ": " } ?? "") + value]
            + item.trailing.map(\.text)
        return SchemaText.joined(parts, by: " ") + (hasComma ? "," : "")
    }

    // MARK: - Several lines

    private func broken(_ node: TriviaNode, _ shape: Shape, _ line: Line) -> String {
        guard case .container(let isObject, let items, let dangling) = node else {
            guard case .scalar(let text) = node else { return "" }
            return text
        }
        if items.isEmpty, dangling.isEmpty { return isObject ? "{}" : "[]" }
        let hasEnds =
            dangling.contains(where: \.endsLine)
            || items.contains { ($0.leading + $0.trailing).contains(where: \.endsLine) }
        let isList =
            shape.isAlwaysRows || (isObject && items.count > 2 && isLongRows(shape)) || hasEnds
            || items.isEmpty
        if !isList { return filled(items, dangling, isObject, shape, line) }
        let inner = line.indent + 2
        let pad = String(repeating: " ", count: inner)
        let columns = isTable(shape) ? table(items, inner) : nil
        var text = isObject ? "{\n" : "[\n"
        for (index, item) in items.enumerated() {
            for (offset, comment) in item.leading.enumerated() {
                text += (comment.blankBefore && index + offset > 0 ? "\n" : "") + pad + comment.text + "\n"
            }
            if item.blankBefore, index + item.leading.count > 0 { text += "\n" }
            text += pad + (columns?[index] ?? row(item, shape, inner)) + ","
            for comment in item.trailing { text += (comment.endsLine ? "  " : " ") + comment.text }
            text += "\n"
        }
        for (offset, comment) in dangling.enumerated() {
            text += (comment.blankBefore && items.count + offset > 0 ? "\n" : "") + pad + comment.text + "\n"
        }
        return text + String(repeating: " ", count: line.indent) + (isObject ? "}" : "]")
    }

    private func isLongRows(_ shape: Shape) -> Bool {
        if case .rowsIfLong = shape { return true }
        return false
    }

    private func isTable(_ shape: Shape) -> Bool {
        if case .table = shape { return true }
        return false
    }

    private func row(_ item: TriviaItem, _ shape: Shape, _ indent: Int) -> String {
        let key = item.key.map { $0.text + ": " } ?? ""
        let line = Line(indent: indent, column: indent + width(key), tail: 1)
        return key + render(item.value, shape.of(key: item.key?.name), line)
    }

    /// Puts as many elements on a line as fit, and breaks those that are longer than a line.
    private func filled(
        _ items: [TriviaItem], _ dangling: [TriviaComment], _ isObject: Bool, _ shape: Shape, _ line: Line
    ) -> String {
        let inner = line.indent + 2
        var text = isObject ? "{ " : "["
        var column = line.column + width(text)
        var indent = line.indent
        for (index, item) in items.enumerated() {
            let isLast = index + 1 == items.count && dangling.isEmpty
            let tail = isLast ? line.tail + (isObject ? 2 : 1) : 0
            let whole = inline(item, shape, index + 1 < items.count)
            let here = index == 0 ? column : column + 1
            let fitsHere = whole.map { here + width($0) + tail <= SourceFormatter.width } ?? false
            let fitsBelow = whole.map { inner + width($0) + tail <= SourceFormatter.width } ?? false
            // An element that fits on no line begins on this one, unless it can't be broken or the line is
            // nearly full.
            let isCrowded =
                !fitsHere
                && (fitsBelow || isScalar(item)
                    || (whole != nil && here > SourceFormatter.width - 40))
            if index > 0, isCrowded {
                text += "\n" + String(repeating: " ", count: inner)
                column = inner
                indent = inner
            } else if index > 0 {
                text += " "
                column += 1
            }
            var part = whole ?? ""
            if whole == nil || (!fitsHere && !(index > 0 && fitsBelow)) {
                part = long(item, shape, Line(indent: indent, column: column, tail: max(tail, 1)))
                if index + 1 < items.count { part += "," }
            }
            text += part
            if let end = part.unicodeScalars.lastIndex(of: "\n") {
                let last = part.unicodeScalars[part.unicodeScalars.index(after: end)...]
                column = last.count
                indent = last.prefix { $0 == " " }.count
            } else {
                column += width(part)
            }
        }
        for comment in dangling { text += " " + comment.text }
        return text + (isObject ? " }" : "]")
    }

    private func isScalar(_ item: TriviaItem) -> Bool {
        if case .scalar = item.value { return true }
        return false
    }

    private func long(_ item: TriviaItem, _ shape: Shape, _ line: Line) -> String {
        let before = item.leading.map { $0.text + " " } + (item.key.map { [$0.text + ": "] } ?? [])
        let head = SchemaText.joined(before, by: "")
        let inner = shape.of(key: item.key?.name)
        // The bracket of rows closes below the line that opened them; filled elements are indented further.
        let indent = isRows(item.value, inner) ? line.indent : line.indent + 2
        let value = broken(
            item.value, inner, Line(indent: indent, column: line.column + width(head), tail: line.tail))
        return head + value + SchemaText.joined(item.trailing.map { " " + $0.text }, by: "")
    }

    private func isRows(_ node: TriviaNode, _ shape: Shape) -> Bool {
        guard case .container(_, let items, let dangling) = node else { return false }
        return shape.isAlwaysRows || dangling.contains(where: \.endsLine)
            || items.contains { ($0.leading + $0.trailing).contains(where: \.endsLine) }
    }

    // MARK: - Columns

    /// Aligns rows in columns as far as their keys are the same; nil if a row would be too wide.
    private func table(_ items: [TriviaItem], _ indent: Int) -> [String]? {
        var rows: [[(name: String, text: String)]] = []
        for item in items {
            guard case .container(true, let cells, let dangling) = item.value, dangling.isEmpty else {
                return nil
            }
            var row: [(name: String, text: String)] = []
            for (index, cell) in cells.enumerated() {
                guard cell.leading.isEmpty, cell.trailing.isEmpty,
                    let text = inline(cell, .filled, index + 1 < cells.count)
                else { return nil }
                row.append((cell.key?.name ?? "", text))
            }
            if row.isEmpty { return nil }
            rows.append(row)
        }
        guard let first = rows.first, rows.count > 1 else { return nil }
        var common = 0
        while common < first.count,
            rows.allSatisfy({ common < $0.count && $0[common].name == first[common].name })
        {
            common += 1
        }
        let widths = (0..<common).map { column in rows.map { width($0[column].text) }.max() ?? 0 }
        let lines = rows.map { row -> String in
            var cells = row.map(\.text)
            for column in 0..<min(common, row.count - 1) {
                cells[column] += String(repeating: " ", count: widths[column] - width(cells[column]))
            }
            return "{ " + SchemaText.joined(cells, by: " ") + " }"
        }
        return lines.allSatisfy { indent + width($0) + 1 <= SourceFormatter.tableWidth } ? lines : nil
    }
}
