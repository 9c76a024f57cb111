import Runner

/// What the run has reached: the causes of the log, the decisions of the oracles by rule, and a table of
/// disturbances and ends by what was under way. What nothing has reached comes first.
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
        text += causes(summary) + decisions(summary)
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

    private static func decisions(_ summary: CoverageSummary) -> String {
        let all = summary.rules.flatMap(\.counts)
        let holes = all.filter { $0.count == 0 }
        var text = ""
        if !holes.isEmpty {
            text += "<p class=\"note\">Rules and clauses of which no oracle had anything to decide: "
            text += holes.map { "<code>\(HTML.escape($0.id))</code>" }.joined(separator: ", ") + ".</p>\n"
        }
        text += "<details><summary>\(all.count - holes.count) of \(all.count) rules and clauses decided"
        text += "</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Decisions\">"
        text += "<table class=\"cells\"><caption>How often an oracle compared what a rule allows with what "
        text += "there was. What has the most holes comes first.</caption><thead><tr><th scope=\"col\">rule"
        text += "<th scope=\"col\">decisions<th scope=\"col\">by clause</thead><tbody>\n"
        for line in summary.rules { text += row(line) }
        return text + "</tbody></table></div></details>\n"
    }

    private static func row(_ line: CoverageSummary.RuleLine) -> String {
        var text = "<tr><th scope=\"row\">\(HTML.escape(line.rule))"
        if let title = Rule.named(line.rule)?.title { text += " <small>\(HTML.escape(title))</small>" }
        text += line.sum == 0 ? "<td class=\"hole\">0<td>" : "<td>\(line.sum)<td>"
        let apart = line.counts.filter { $0.id != line.rule || line.counts.count > 1 }
        let items = apart.map { id, count in
            let name = "<code>\(HTML.escape(id))</code> "
            return count == 0 ? "<span class=\"hole\">\(name)0</span>" : name + "\(count)"
        }
        return text + items.joined(separator: ", ") + "\n"
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
