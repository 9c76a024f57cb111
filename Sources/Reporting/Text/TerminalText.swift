import Core
import ScenarioLanguage

/// Text without control sequences, whose width in a terminal is known.
package enum TerminalText {
    /// The text with control characters replaced by their pictures (`␛`) and bidirectional controls by
    /// U+FFFD; line ends and tabs stay.
    package static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isSteering) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard isSteering(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let picture = scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) : nil
            result.unicodeScalars.append(picture ?? "\u{fffd}")
        }
        return result
    }

    private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Width in terminal cells; a tab counts as eight.
    static func cells(_ scalars: some Sequence<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + cells($1) }
    }

    static func cells(_ scalar: Unicode.Scalar) -> Int {
        scalar == "\t" ? 8 : TerminalCells.count(scalar)
    }
}

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
