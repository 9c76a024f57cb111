/// Truncation of long values, with the number of characters left out.
enum LongText {
    static func cut(_ text: String, to limit: Int) -> String {
        let count = text.unicodeScalars.count
        if count <= limit { return text }
        let head = String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit - 40)))
        return "\(head)… (\(count - limit + 40) more characters)"
    }

    /// Truncates two values so that their difference stays visible: a common prefix is left out first.
    static func cut(_ expected: String, _ actual: String, to limit: Int) -> (String, String) {
        let longest = max(expected.unicodeScalars.count, actual.unicodeScalars.count)
        if longest <= limit { return (expected, actual) }
        let same = zip(expected.unicodeScalars, actual.unicodeScalars).prefix { $0 == $1 }.count
        let skipped = max(0, same - 60)
        func shown(_ text: String) -> String {
            guard skipped > 0 else { return cut(text, to: limit) }
            let rest = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(skipped)))
            return "(\(skipped) equal characters) …" + cut(rest, to: limit)
        }
        return (shown(expected), shown(actual))
    }
}
