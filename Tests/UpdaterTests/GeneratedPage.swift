import Foundation
import Testing

/// The repository, found from this file.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

/// A page with a table that is generated from the code between two comments. `OTALAB_WRITE_PAGES=1 swift test
/// --filter …` writes the table; without it the page is only read, so that a test can compare.
enum GeneratedPage {
    static let begin = "<!-- table -->"
    static let end = "<!-- end of table -->"

    static let isWriting = ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1"

    static func text(at page: URL, replacingTableWith table: String) throws -> String {
        let text = try String(contentsOf: page, encoding: .utf8)
        guard isWriting else { return text }
        let first = try #require(text.range(of: begin))
        let last = try #require(text.range(of: end))
        let changed =
            text[..<first.upperBound] + "\n\n" + table + "\n\n" + text[last.lowerBound...]
        try String(changed).write(to: page, atomically: true, encoding: .utf8)
        return String(changed)
    }

    static func table(in text: String) -> String? {
        guard let first = text.range(of: begin), let last = text.range(of: end) else { return nil }
        return text[first.upperBound..<last.lowerBound].trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
