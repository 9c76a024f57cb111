import Core
import Laboratory

/// One self-contained page: no network, readable with scripts and styles off, failures first and open.
///
/// Everything is real headings, tables and `details`; the script only adds copying, filtering and keys. All
/// text is escaped, so that no title can break out. A restrictive policy forbids everything that is not in
/// the page.
public enum HTMLReport {
    public static func text(_ results: RunResults) -> String {
        var page = head(results)
        page += banner(results)
        let bad = results.scenarios.filter { !$0.verdict.isGood }
        let good = results.scenarios.filter { $0.verdict.isGood }
        let short = HTMLTimeline.short(of: good.count)
        if !bad.isEmpty {
            page += "<section aria-labelledby=\"bad\"><h2 id=\"bad\">What went wrong</h2>\n"
            for scenario in bad { page += HTMLScenario.block(scenario, isOpen: true, short: short) }
            page += "</section>\n"
        }
        page += "<section aria-labelledby=\"good\"><h2 id=\"good\">What went well</h2>\n"
        if good.isEmpty { page += "<p>Nothing.</p>\n" }
        for scenario in good { page += HTMLScenario.block(scenario, isOpen: false, short: short) }
        page += "</section>\n"
        page += coverage(results)
        return page + "</main>\n<script>\(HTMLScript.text)</script>\n</body></html>\n"
    }

    private static func head(_ results: RunResults) -> String {
        let isGood = results.scenarios.allSatisfy { $0.verdict.isGood }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(isGood ? "PASS" : "FAIL") – OTALab</title>
            <style>\(HTMLStyle.text)</style></head>
            <body><a class="skip" href="#main">To the results</a>
            <main id="main">

            """
    }

    private static func banner(_ results: RunResults) -> String {
        let bad = results.scenarios.count { !$0.verdict.isGood }
        let verdict = results.scenarios.isEmpty ? "NOTHING RUN" : (bad == 0 ? "PASS" : "FAIL")
        let sign = bad == 0 ? "good" : "bad"
        var text =
            "<header class=\"\(sign)\"><h1><span class=\"sign\">\(bad == 0 ? "✓" : "✗")</span> \(verdict)</h1>\n"
        text +=
            "<p>\(results.scenarios.count - bad) of \(results.scenarios.count) scenarios are as they should be"
        text += bad == 0 ? ".</p>\n" : ", <strong>\(bad) are not</strong>.</p>\n"
        let virtual = results.scenarios.reduce(TimeSpan.zero) { $0 + $1.virtualDuration }
        let facts = [
            ("otalab", results.toolVersion), ("seed", String(results.seed)),
            ("scenario set", Hex.text(results.scenarioSetDigest)),
            ("virtual time", VirtualTime.length(virtual)),
            ("wall time", WallTime.text(results.wall.microseconds)),
            ("command", results.commandLine.joined(separator: " ")),
        ]
        text += "<dl class=\"facts\">"
        for (name, value) in facts { text += "<div><dt>\(name)</dt><dd>\(HTML.escape(value))</dd></div>" }
        text +=
            "</dl>\n<p class=\"tools\" hidden><label>Show only scenarios with <input id=\"filter\" type=\"search\">"
        text +=
            "</label> <span class=\"hint\">keys: / to search, f for the next failure</span></p></header>\n"
        return text
    }

    private static func coverage(_ results: RunResults) -> String {
        guard !results.coverage.isEmpty else { return "" }
        var text =
            "<section aria-labelledby=\"rules\"><h2 id=\"rules\">Rules</h2>\n<div class=\"wide\"><table>"
        text +=
            "<caption>Which scenarios name a rule, and what became of them. ∎ is checked after every event of "
        text +=
            "every run.</caption><thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">Scenarios</th></tr></thead><tbody>\n"
        for row in results.coverage {
            let mark = row.isInvariant ? " ∎" : ""
            text +=
                "<tr><th scope=\"row\">\(row.rule)\(mark) <small>\(HTML.escape(row.title))</small></th><td>"
            if row.scenarios.isEmpty {
                text += row.isInvariant ? "no scenario of its own" : "<em>no scenario</em>"
            }
            for entry in row.scenarios {
                let sign = entry.verdict.isGood ? "✓" : "✗"
                text += "<a href=\"#\(HTML.anchor(entry.name))\">\(sign) \(HTML.escape(entry.name))</a> "
            }
            text += "</td></tr>\n"
        }
        return text + "</tbody></table></div></section>\n"
    }
}

/// Escaping and names for HTML.
enum HTML {
    static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default: result.unicodeScalars.append(scalar.value < 0x20 ? "\u{fffd}" : scalar)
            }
        }
        return result
    }

    /// A name for an element: letters, digits, `/`, `-`; others become `-`.
    static func anchor(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                let isPlain =
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isPlain || scalar == "/" ? Character(scalar) : "-"
            })
    }
}
