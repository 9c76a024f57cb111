import Core

/// The tree of a file with its comments and blank lines.
struct TriviaDocument {
    var before: [TriviaComment] = []
    var blankBeforeRoot = false
    var root: TriviaNode
    var after: [TriviaComment] = []
}

/// A comment of a file.
struct TriviaComment: Hashable {
    var text: String
    /// Whether nothing can follow on its line: a `//` comment, or one of several lines.
    var endsLine: Bool
    /// Whether there was an empty line above it.
    var blankBefore: Bool
}

/// A value of a file.
indirect enum TriviaNode {
    case scalar(String)
    /// An object or a list. `dangling`: comments before the closing bracket.
    case container(isObject: Bool, items: [TriviaItem], dangling: [TriviaComment])
}

/// An element of a list or a member of an object.
struct TriviaItem {
    var leading: [TriviaComment] = []
    var blankBefore = false
    /// The key as it is written, and its name; nil in a list.
    var key: (text: String, name: String)?
    var value: TriviaNode
    var trailing: [TriviaComment] = []
}

/// Attaches each comment to the value that it is above or behind.
struct TriviaBuilder {
    private let bytes: [UInt8]
    /// Comments that are not attached yet.
    private var comments: ArraySlice<SourceSpan>
    private let texts: FormatText
    /// Where the last value or comment that was attached ends.
    private var end = 0

    init(_ bytes: [UInt8], _ comments: [SourceSpan], quotes: FormatText.Quotes) {
        self.bytes = bytes
        self.comments = comments[...]
        texts = FormatText(quotes: quotes)
    }

    mutating func document(_ root: JSONNode) -> TriviaDocument {
        let before = taken(before: root.span.start)
        let isApart = hasBlankLine(before: root.span.start)
        let node = node(root)
        return TriviaDocument(
            before: before, blankBeforeRoot: isApart && !before.isEmpty, root: node,
            after: taken(before: bytes.count))
    }

    /// The lines of a comment, without spaces at their ends.
    static func text(of span: SourceSpan, in bytes: [UInt8]) -> String {
        var lines: [[UInt8]] = [[]]
        var offset = span.start
        while offset < span.end {
            let byte = bytes[offset]
            offset += 1
            if byte == 0x0D, offset < span.end, bytes[offset] == 0x0A { continue }
            if byte == 0x0A || byte == 0x0D {
                lines.append([])
            } else {
                lines[lines.count - 1].append(byte)
            }
        }
        let trimmed = lines.map { line in
            let kept = line.reversed().drop { $0 == 0x20 || $0 == 0x09 }
            return String(decoding: Array(kept.reversed()), as: UTF8.self)
        }
        return SchemaText.joined(trimmed, by: "\n")
    }

    private mutating func node(_ node: JSONNode) -> TriviaNode {
        let source = bytes[node.span.start..<node.span.end]
        let result: TriviaNode
        switch node.kind {
        case .array(let elements):
            end = node.span.start + 1
            var items: [TriviaItem] = []
            for (index, element) in elements.enumerated() {
                let next = index + 1 < elements.count ? elements[index + 1].span.start : nil
                items.append(
                    item(from: element.span.start, key: nil, element, next, close: node.span.end - 1))
            }
            result = .container(
                isObject: false, items: items, dangling: taken(before: node.span.end - 1))
        case .object(let members):
            end = node.span.start + 1
            var items: [TriviaItem] = []
            for (index, member) in members.enumerated() {
                let next = index + 1 < members.count ? members[index + 1].keySpan.start : nil
                let written = texts.key(member.key, bytes[member.keySpan.start..<member.keySpan.end])
                items.append(
                    item(
                        from: member.keySpan.start, key: (written, member.key), member.value, next,
                        close: node.span.end - 1))
            }
            result = .container(isObject: true, items: items, dangling: taken(before: node.span.end - 1))
        case .string(let text): result = .scalar(texts.string(text, source))
        case .number(let number): result = .scalar(texts.number(number))
        case .null, .bool: result = .scalar(String(decoding: source, as: UTF8.self))
        }
        end = node.span.end
        return result
    }

    private mutating func item(
        from start: Int, key: (text: String, name: String)?, _ value: JSONNode, _ next: Int?, close: Int
    ) -> TriviaItem {
        var leading = taken(before: start)
        let isApart = hasBlankLine(before: start)
        // A comment between key and value is moved above both.
        leading += taken(before: value.span.start)
        let node = node(value)
        return TriviaItem(
            leading: leading, blankBefore: isApart, key: key, value: node,
            trailing: trailing(next, close: close))
    }

    private mutating func taken(before limit: Int) -> [TriviaComment] {
        var taken: [TriviaComment] = []
        while let span = comments.first, span.start < limit {
            comments.removeFirst()
            taken.append(comment(span))
        }
        return taken
    }

    private mutating func comment(_ span: SourceSpan) -> TriviaComment {
        let isApart = hasBlankLine(before: span.start)
        let text = TriviaBuilder.text(of: span, in: bytes)
        end = span.end
        let isLine = bytes[span.start + 1] == UInt8(ascii: "/")
        return TriviaComment(
            text: text, endsLine: isLine || text.utf8.contains(0x0A), blankBefore: isApart)
    }

    /// Comments behind a value on the same line, except one that is directly before the next value.
    private mutating func trailing(_ next: Int?, close: Int) -> [TriviaComment] {
        var trailing: [TriviaComment] = []
        var hasComma = false
        while let span = comments.first, span.start < next ?? close, breaks(end, span.start) == 0 {
            hasComma = hasComma || bytes[end..<span.start].contains(UInt8(ascii: ","))
            let isLine = bytes[span.start + 1] == UInt8(ascii: "/")
            let isSeveral = breaks(span.start, span.end) > 0
            if let next, !isLine, hasComma || isSeveral, breaks(span.end, next) == 0 { break }
            comments.removeFirst()
            trailing.append(comment(span))
        }
        return trailing
    }

    private func hasBlankLine(before start: Int) -> Bool { breaks(end, start) > 1 }

    private func breaks(_ start: Int, _ end: Int) -> Int {
        var count = 0
        for offset in start..<max(start, end) {
            let isPair = bytes[offset] == 0x0D && offset + 1 < end && bytes[offset + 1] == 0x0A
            if bytes[offset] == 0x0A || (bytes[offset] == 0x0D && !isPair) { count += 1 }
        }
        return count
    }
}
