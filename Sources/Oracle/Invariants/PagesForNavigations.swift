import Backend
import Core

/// S3: what a page needs beside documents (a script, a style sheet, an image, a font, data that it asks for
/// by the name of a file) is never answered with a page.
///
/// Silent about: files that are pages by their name; data under a name without an extension; answers of the
/// remote root; which file a navigation gets.
struct PagesForNavigations: RuleChecker {
    let rule = "S3"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("S3.others", decided)] }

    /// Adds nothing: it remembers nothing.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .pageReceived(let request, let answer) = event.kind, answer.status == 200 else {
            return nil
        }
        switch request.destination {
        case .document, .frame, .other: return nil
        case .fetch: if !PagesForNavigations.hasExtension(request.path) { return nil }
        case .script, .style, .image, .font: break
        }
        let isPage = request.path.hasSuffix(".html") || request.path.hasSuffix(".htm")
        guard !isPage, !observed.isForwarded(request.path) else { return nil }
        decided += 1
        guard answer.type == "text/html" else { return nil }
        return Violation(
            "A request for a \(request.destination.rawValue) was answered with a page",
            expected: "\(request.target), or an error", actual: "text/html", clause: "S3.others")
    }

    private static func hasExtension(_ path: Substring) -> Bool {
        let name = path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
        return name.contains(UInt8(ascii: "."))
    }
}
