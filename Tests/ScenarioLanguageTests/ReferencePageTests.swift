import Foundation
import ScenarioLanguage
import Testing

@Suite("The page of the language")
struct ReferencePageTests {
    private static let page = LibraryTests.root.appending(
        path: "Sources/Runner/Runner.docc/LanguageReference.md")
    private static let marks = ("<!-- table -->", "<!-- end of table -->")

    /// `OTALAB_WRITE_PAGES=1` rewrites the tables.
    @Test("it has the content of the field table, no more and no less")
    func page() throws {
        let text = try String(contentsOf: ReferencePageTests.page, encoding: .utf8)
        let first = try #require(text.range(of: ReferencePageTests.marks.0))
        let last = try #require(text.range(of: ReferencePageTests.marks.1))
        let tables = LanguageSchema.Root.allCases.map { LanguageReference.markdown(of: $0) }.joined(
            separator: "\n")
        let wanted = text[..<first.upperBound] + "\n\n" + tables + "\n" + text[last.lowerBound...]
        if ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1" {
            try String(wanted).write(to: ReferencePageTests.page, atomically: true, encoding: .utf8)
        } else {
            #expect(text == wanted, "OTALAB_WRITE_PAGES=1 swift test --filter ReferencePageTests")
        }
    }
}
