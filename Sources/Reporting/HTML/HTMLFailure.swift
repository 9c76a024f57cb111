import Core
import Runner
import ScenarioLanguage

/// One failure as HTML, with the content of ``FailureText``.
enum HTMLFailure {
    static func text(
        _ failure: Failure, _ scenario: ScenarioResult, _ anchor: String, _ number: Int, linksEvents: Bool
    ) -> String {
        let content = FailureText(failure, in: scenario)
        var text = "<div class=\"failure\" id=\"\(anchor)/f\(number + 1)\"><h4>"
        if let step = content.step {
            text += "<a href=\"#\(anchor)/s\(step.number)\">step \(step)</a>: "
        }
        text += "\(HTML.escape(content.headline))</h4>\n"
        if let location = content.location { text += source(location, content.context, content.label) }
        text += differences(content)
        if !content.remarks.isEmpty {
            text += "<ul class=\"remarks\">"
            for remark in content.remarks {
                text += "<li><b>\(HTML.escape(remark.name))</b> \(HTML.escape(remark.text))"
            }
            text += "</ul>\n"
        }
        text += events(content, anchor, linksEvents)
        if !content.reproduction.isEmpty {
            text +=
                "<p class=\"repro\"><b>again</b> <code class=\"copied\">\(HTML.escape(content.reproduction))"
            text += "</code> \(HTMLScenario.copyButton("command", "Copy the command"))</p>\n"
        }
        return text + "</div>\n"
    }

    static func text(_ diagnostic: DiagnosticResult) -> String {
        let kind = diagnostic.isError ? "error" : "warning"
        var text = "<div class=\"failure \(kind)\"><h4>\(kind)[\(HTML.escape(diagnostic.code))]: "
        text += "\(HTML.escape(LongText.cut(diagnostic.message, to: 300)))</h4>\n"
        text += source(diagnostic.location, [], diagnostic.label)
        for related in diagnostic.related {
            text += "<p>note: \(HTML.escape(related.message)): line \(related.location.line)</p>\n"
        }
        if let help = diagnostic.help { text += "<p>help: \(HTML.escape(help))</p>\n" }
        return text + "</div>\n"
    }

    /// The excerpt with carets. The range is also marked, because wide characters have other widths in a
    /// browser's fonts.
    private static func source(_ location: FileLocation, _ context: [SourceLine], _ label: String) -> String {
        let lines = ExcerptRenderer(location, context, label: label).excerpt(width: nil)
        let number = "\(location.line)"
        let scalars = Array(TerminalText.printable(location.text).unicodeScalars)
        let from = min(max(0, location.column - 1), scalars.count)
        let to = min(scalars.count, from + max(1, location.length))
        func part(_ range: Range<Int>) -> String {
            HTML.escape(String(String.UnicodeScalarView(scalars[range])))
        }
        var text = "<pre class=\"source\" tabindex=\"0\">"
        let before = part(0..<from)
        let hasWideScalars = scalars[..<from].contains { TerminalText.cells($0) != 1 && $0 != "\t" }
        // A line that is shown in part is not marked.
        let isWhole = lines.contains { $0.content == .source(String(String.UnicodeScalarView(scalars))) }
        for line in lines.dropLast() {
            switch line.content {
            case .source where isWhole:
                let marked = "<mark>\(part(from..<to))</mark>"
                text += "\(number) | \(before)\(marked)\(part(to..<scalars.count))\n"
            case .carets(let carets) where isWhole && hasWideScalars:
                // Invisible source text gives the exact width before the carets.
                let gap = String(repeating: " ", count: number.utf8.count)
                text += "\(gap) | <span class=\"ghost\">\(before)</span>\(HTML.escape(carets))\n"
            default: text += HTML.escape(line.text) + "\n"
            }
        }
        return text + "</pre>\n"
    }

    private static func differences(_ content: FailureText) -> String {
        guard !content.differences.isEmpty else { return "" }
        var text =
            "<table class=\"compare\"><caption class=\"hidden\">Expected against actual</caption><thead><tr>"
        let hasParts = content.differences.contains { !$0.part.isEmpty }
        if hasParts { text += "<th scope=\"col\">what" }
        text += "<th scope=\"col\">expected<th scope=\"col\">actual</thead><tbody>"
        for difference in content.differences {
            let (expected, actual) = HTMLDifference.marked(difference.expected, difference.actual)
            text += "<tr>" + (hasParts ? "<th scope=\"row\">\(HTML.escape(difference.part))" : "")
            text += "<td class=\"expected\">\(expected)<td class=\"actual\">\(actual)"
        }
        return text + "</table>\n"
    }

    private static func events(_ content: FailureText, _ anchor: String, _ isLinked: Bool) -> String {
        guard !content.events.isEmpty else { return "" }
        var text =
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"\(HTML.escape(content.eventsTitle))\">"
        text += "<table class=\"led\"><caption>\(HTML.escape(content.eventsTitle))</caption><thead><tr>"
        text += "<th scope=\"col\">event<th scope=\"col\">at<th scope=\"col\">where<th scope=\"col\">what"
        text += "<th scope=\"col\">after</thead><tbody>\n"
        func link(_ number: Int) -> String {
            isLinked ? "<a href=\"#\(anchor)/e\(number)\">#\(number)</a>" : "#\(number)"
        }
        for event in content.events {
            text += "<tr\(event.fault == nil ? "" : " class=\"struck\"")><td>\(link(event.ordinal))"
            text += "<td>\(event.at.clock)<td>\(event.lane.rawValue)"
            text += "<td>\(HTML.escape(LongText.cut(event.text, to: 300)))"
            if let fault = event.fault { text += " <strong>⚡ fault: \(HTML.escape(fault))</strong>" }
            text += "<td>\(event.cause.map(link) ?? "")\n"
        }
        return text + "</table></div>\n"
    }
}
