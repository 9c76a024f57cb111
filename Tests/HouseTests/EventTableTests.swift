import Foundation
import Testing

@Suite("The table of events has each of them once, and says what the adapter and the world send")
struct EventTableTests {
    private static let page = "Sources/OTAHost/OTAHost.docc/Events.md"

    private struct Row {
        /// Names of events; those of a web view as `webView.committed`.
        var events: [String]
        var ios: String
        var android: String
        var adapter: String
        var world: String
    }

    private static func rows() throws -> [Row] {
        let lines = try House.text(page).split(separator: "\n").drop { !$0.hasPrefix("| event |") }
        return try lines.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            try #require(cells.count == 8, "\(line)")
            let ofViews = names(#/`\.webView\(view, \.(\w+)/#, cells[1]).map { "webView." + $0 }
            let others = names(#/`\.(\w+)/#, cells[1]).filter { $0 != "webView" }
            return Row(
                events: ofViews + others, ios: cells[2], android: cells[3], adapter: cells[4],
                world: cells[5])
        }
    }

    private static func names(_ pattern: Regex<(Substring, Substring)>, _ text: String) -> [String] {
        text.matches(of: pattern).map { String($0.1) }
    }

    /// Names of the cases of an enum, from its declaration in a file to the end of it.
    private static func cases(of name: String, in file: String) throws -> [String] {
        let text = try House.text("Sources/AppHost/Interface/" + file)
        let begin = try #require(text.range(of: "enum \(name):"))
        let end = try #require(text.range(of: "\n    }\n", range: begin.upperBound..<text.endIndex))
        return names(
            #/\n        (?:indirect )?case (\w+)/#, String(text[begin.upperBound..<end.lowerBound]))
    }

    /// Every event of the host; those of web views by their own names.
    private static func events() throws -> Set<String> {
        let own = try cases(of: "Event", in: "AppHost+Event.swift").filter { $0 != "webView" }
        let ofViews = try cases(of: "WebViewEvent", in: "WebViewEvent.swift").map { "webView." + $0 }
        return Set(own + ofViews)
    }

    /// Events that the sources below a folder name in calls.
    /// - Parameter pattern: the beginning of such a call.
    private static func sent(_ pattern: String, in folder: String) throws -> Set<String> {
        let text = try House.files(under: folder, ending: ".swift").map(House.text).joined()
        let lines = text.components(separatedBy: "\n").compactMap { line in
            line.range(of: pattern, options: .regularExpression).map { String(line[$0.lowerBound...]) }
        }
        return Set(lines.flatMap { names(#/\.(\w+)/#, $0) })
    }

    @Test("each event of the host is in the table once, with what sends it on iOS and on Android")
    func whole() throws {
        let rows = try Self.rows()
        let named = rows.flatMap(\.events)
        let events = try Self.events()
        #expect(events.count > 30)
        #expect(Set(named) == events, "\(Set(named).symmetricDifference(events))")
        #expect(named.count == Set(named).count, "one is there twice")
        for row in rows {
            for cell in [row.ios, row.android, row.adapter, row.world] {
                #expect(!cell.isEmpty, "\(row.events)")
            }
        }
    }

    @Test("the world sends what the table says that it sends, and what it does not send has a reason")
    func world() throws {
        // A simulated web view reports events; all others are inputs, which become events in one place.
        let ofViews = try Self.sent(#"\.host\("#, in: "Sources/World/Page")
        let step = try House.text("Sources/World/Run/World+Step.swift")
        let begin = try #require(step.range(of: "func appEvent"))
        let end = try #require(step.range(of: "case .marker", range: begin.upperBound..<step.endIndex))
        let inputs = Self.names(#/: \.(\w+)/#, String(step[begin.upperBound..<end.lowerBound]))
        #expect(ofViews.count > 8 && inputs.count > 20)
        for row in try Self.rows() {
            let isSent = row.world == "sends it"
            #expect(isSent || row.world.hasPrefix("not: "), "\(row.events): \(row.world)")
            for event in row.events {
                let name = event.replacing("webView.", with: "")
                let isReallySent =
                    event == "launched" || (event == name ? inputs.contains(name) : ofViews.contains(name))
                #expect(isSent == isReallySent, "\(event)")
            }
        }
    }

    @Test("WebKitShell sends what the table says that it sends, and nothing else")
    func adapter() throws {
        let folder = "Sources/OTAHostWebKit"
        let ofViews = try Self.sent(#"\.report\("#, in: folder)
        let others = try Self.sent(#"\bsend\(\.|\.send\(\."#, in: folder)
        #expect(ofViews.count > 8 && others.count > 6)
        for row in try Self.rows() {
            for event in row.events {
                let name = event.replacing("webView.", with: "")
                let isSent = event == name ? others.contains(name) : ofViews.contains(name)
                #expect(isSent == (row.adapter == "sends it"), "\(event)")
            }
        }
    }
}
