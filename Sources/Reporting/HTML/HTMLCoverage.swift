import Runner

/// What the run has reached: a table of disturbances and ends by what was under way, and the causes of the
/// log. What nothing has reached comes first.
enum HTMLCoverage {
    static func text(_ results: RunResults) -> String {
        if results.cells.isEmpty { return "" }
        let table = CoverageTable(results.cells)
        let summary = CoverageSummary(table)
        var text = "<section aria-labelledby=\"coverage\"><h2 id=\"coverage\">Coverage "
        text += "<small>\(summary.reached) of \(summary.all) cells</small></h2>\n"
        if !summary.unexpected.isEmpty {
            text += "<p class=\"note\">Reached, although the list of cells says that it can’t happen: "
            text += summary.unexpected.map { "<code>\(HTML.escape($0.text))</code>" }.joined(separator: ", ")
            text += ".</p>\n"
        }
        text += causes(summary)
        text += "<details><summary>What happened, and what was under way</summary>\n"
        text +=
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Disturbances and circumstances\">"
        text += "<table class=\"cells\"><caption>How often. What has the most holes comes first; "
        text += "– can’t happen.</caption><thead><tr><th scope=\"col\">what"
        for circumstance in Circumstance.allCases {
            text += "<th scope=\"col\">\(circumstance.rawValue)"
        }
        text += "</thead><tbody>\n"
        for line in summary.lines { text += row(line) }
        return text + "</tbody></table></div></details></section>\n"
    }

    private static func row(_ line: CoverageSummary.Line) -> String {
        var text = "<tr><th scope=\"row\">\(HTML.escape(line.name))"
        for circumstance in Circumstance.allCases {
            switch line.counts.first(where: { $0.circumstance == circumstance })?.count {
            case nil: text += "<td>–"
            case 0: text += "<td class=\"hole\">0"
            case let count?: text += "<td>\(count)"
            }
        }
        return text + "\n"
    }

    private static func causes(_ summary: CoverageSummary) -> String {
        let holes = summary.causes.filter { $0.count == 0 }
        var text = ""
        if !holes.isEmpty {
            text += "<p class=\"note\">Causes that no run has logged: "
            text += holes.map { "<code>\(HTML.escape($0.name))</code>" }.joined(separator: ", ") + ".</p>\n"
        }
        let found = summary.causes.filter { $0.count > 0 }
        text += "<details><summary>\(found.count) causes that were logged</summary><ul class=\"clauses\">"
        for cause in found { text += "<li><code>\(HTML.escape(cause.name))</code> \(cause.count)" }
        return text + "</ul></details>\n"
    }
}
