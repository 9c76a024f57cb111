import Authoring
import Oracle
import Runner

/// The table of rules and the scenarios that cover them; uncovered rules first.
enum HTMLRules {
    static func text(_ results: RunResults, _ anchors: [String]) -> String {
        guard !results.coverage.isEmpty else { return "" }
        var links: [String: String] = [:]
        for (scenario, anchor) in zip(results.scenarios, anchors) { links[scenario.name] = anchor }
        var text = "<section aria-labelledby=\"rules\"><h2 id=\"rules\">Rules</h2>\n"
        let holes = results.coverage.filter { $0.scenarios.isEmpty }
        if !holes.isEmpty {
            text += "<p class=\"note\">No scenario of this run names: "
            text +=
                holes.map { "<a href=\"#rule/\($0.rule)\">\($0.rule)</a>" }.joined(separator: ", ")
                + ".</p>\n"
        }
        text +=
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Rules and scenarios\"><table class=\"rules\">"
        text += "<caption>Which scenarios name a rule, and what became of them. ∎ is checked after every "
        text += "event of every run.</caption><thead><tr><th scope=\"col\">rule<th scope=\"col\">good"
        text += "<th scope=\"col\">wrong<th scope=\"col\">scenarios</thead><tbody>\n"
        for rule in results.coverage {
            let bad = rule.scenarios.filter { !$0.verdict.isGood }
            text += "<tr id=\"rule/\(HTML.anchor(rule.rule))\"\(bad.isEmpty ? "" : " class=\"failed\"")>"
            text += "<th scope=\"row\">\(HTML.escape(rule.rule))\(rule.isInvariant ? " ∎" : "") "
            text += "<small>\(HTML.escape(rule.title))</small><td>\(rule.scenarios.count - bad.count)"
            text += "<td>\(bad.isEmpty ? "0" : "✗ \(bad.count)")<td>"
            text += rule.scenarios.isEmpty ? "<em>no scenario</em>" : scenarios(rule, links)
            text += clauses(rule) + "\n"
        }
        return text + "</table></div></section>\n"
    }

    /// The clauses of a rule, those without a case first.
    private static func clauses(_ rule: RuleCoverage) -> String {
        guard !rule.clauses.isEmpty else { return "" }
        let open = rule.openClauses
        var text = "<details><summary>\(rule.clauses.count - open.count) of \(rule.clauses.count) clauses "
        text += "have a case</summary><ul class=\"clauses\">"
        for clause in open + rule.clauses.filter({ !open.contains($0) }) {
            let count = clause.scenarios.count
            let none = clause.test.map { "a test: " + HTML.escape($0) } ?? "no case"
            let cases = count == 0 ? none : count == 1 ? "1 case" : "\(count) cases"
            text += "<li><code>\(HTML.escape(clause.id))</code> \(HTML.escape(clause.text)) <em>\(cases)</em>"
        }
        return text + "</ul></details>"
    }

    /// Links to the scenarios of a rule; more than three good ones are collapsed.
    private static func scenarios(_ rule: RuleCoverage, _ links: [String: String]) -> String {
        func link(_ entry: RuleCoverage.Entry) -> String {
            let sign = HTMLScenario.sign(entry.verdict)
            return "<a href=\"#\(links[entry.name] ?? "")\">\(sign) \(HTML.escape(entry.name))</a>"
        }
        let bad = rule.scenarios.filter { !$0.verdict.isGood }
        let good = rule.scenarios.filter { $0.verdict.isGood }
        var text = bad.map(link).joined(separator: " ")
        guard !good.isEmpty else { return text }
        let all = good.map(link).joined(separator: " ")
        text += bad.isEmpty ? "" : " "
        return text
            + (good.count <= 3 ? all : "<details><summary>\(good.count) good</summary>\(all)</details>")
    }
}
