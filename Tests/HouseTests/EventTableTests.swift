import Foundation
import Testing

@Suite("The table of what a platform reports: it has every event, and the world sends no other")
struct EventTableTests {
    private static let page = "Sources/OTAHost/OTAHost.docc/OTAHost.md"

    /// Events that the loop sends by itself, or that answer one of its effects.
    private static let ofTheLoop: Set = [
        "launched", "again", "synced", "timer", "transfer", "signaturesVerified", "listener", "connection",
        "upstream", "handlerAnswer", "webView",
    ]

    /// Rows of the table: the code in the first cell, and the cells after it.
    private static func rows() throws -> [(code: String, cells: [String])] {
        let lines = try House.text(page).split(separator: "\n").drop { !$0.hasPrefix("| event |") }
        return lines.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return (cells[1], Array(cells[2...]))
        }
    }

    /// Names of the cases of an enum, from its declaration in a file to the end of it.
    private static func cases(of name: String, in file: String) throws -> Set<String> {
        let text = try House.text("Sources/AppHost/Interface/" + file)
        let begin = try #require(text.range(of: "enum \(name):"))
        let end = try #require(text.range(of: "\n    }\n", range: begin.upperBound..<text.endIndex))
        return Set(
            text[begin.upperBound..<end.lowerBound].matches(of: #/\n        (?:indirect )?case (\w+)/#).map {
                String($0.1)
            })
    }

    private static func names(_ pattern: Regex<(Substring, Substring)>, _ text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test("each event of a web view has its row, and each row an event, a place on iOS and one on Android")
    func webViews() throws {
        let events = try Self.cases(of: "WebViewEvent", in: "WebViewEvent.swift")
        #expect(events.count > 8)
        let rows = try Self.rows()
        // A second form of an event is named in the cell of a platform.
        let text = rows.map { $0.code + $0.cells.joined() }.joined(separator: "\n")
        let named = Self.names(#/\.webView\(view, \.(\w+)/#, text).union(
            Self.names(#/`\.(committedKeepingPrevious)`/#, text))
        #expect(named == events)
        for row in rows { #expect(row.cells.prefix(2).allSatisfy { !$0.isEmpty }, "\(row.code)") }
    }

    @Test(
        "each event that an app sends has its row; the others are the loop's, or have a section of their own")
    func app() throws {
        let events = try Self.cases(of: "Event", in: "AppHost+Event.swift").subtracting(Self.ofTheLoop)
        let rows = try Self.rows()
        let named = Self.names(#/`\.(\w+)/#, rows.map(\.code).joined(separator: "\n")).subtracting(["webView"]
        )
        #expect(named.subtracting(events).isEmpty, "\(named.subtracting(events))")
        let page = try House.text(Self.page)
        for event in events.subtracting(named) {
            #expect(page.contains("`.\(event)"), "\(event) is neither in the table nor on the page")
        }
    }

    @Test("the world sends what is in the table, and nothing else")
    func world() throws {
        let events = try Self.cases(of: "WebViewEvent", in: "WebViewEvent.swift")
        var sent: Set<String> = []
        for file in [
            "WebView", "WebView+Loading", "WebView+PageCache", "WebView+NativeCode", "WebView+Startup",
        ] {
            sent.formUnion(
                Self.names(#/\.host\(\.(\w+)/#, try House.text("Sources/World/Page/\(file).swift")))
        }
        #expect(sent.isSubset(of: events) && sent.count > 6, "\(sent)")
    }
}
