import Core
import Laboratory

/// Swim lanes: one column per actor, virtual time down the page, gaps folded, faults marked. A table, so that
/// it reads without styles; passed scenarios carry a short one.
enum HTMLTimeline {
    /// Rows of a scenario that passed: fewer the more there are, so that a page of 500 stays under 2 MB.
    static func short(of passed: Int) -> Int { min(60, max(6, 3_000 / max(1, passed))) }
    static let long = 600
    /// A pause at least this long gets a row of its own.
    static let gap = TimeSpan.seconds(1)

    static func text(_ scenario: ScenarioResult, _ anchor: String, short: Int) -> String {
        guard !scenario.timeline.isEmpty else { return "" }
        let most = scenario.verdict.isGood ? short : long
        let entries = shortened(scenario.timeline, most)
        let leftOut = scenario.timeline.count - entries.count + scenario.timelineLeftOut
        let lanes = TimelineLane.allCases.filter { lane in entries.contains { $0.lane == lane } }
        let isOpen = !scenario.verdict.isGood
        var text =
            "<details class=\"timeline\"\(isOpen ? " open" : "")><summary>Timeline, \(entries.count) events"
        text += leftOut > 0 ? " (\(leftOut) left out)" : ""
        text += "</summary><div class=\"wide\"><table class=\"lanes\"><thead><tr><th scope=\"col\">time</th>"
        for lane in lanes { text += "<th scope=\"col\">\(lane.rawValue)</th>" }
        text += "<th scope=\"col\">step</th></tr></thead><tbody>\n"
        var last: Instant?
        for entry in entries {
            if let last, entry.at - last >= gap {
                let pause = VirtualTime.length(entry.at - last)
                text += "<tr class=\"gap\"><td colspan=\"\(lanes.count + 2)\">⋯ \(pause) ⋯</td></tr>\n"
            }
            last = entry.at
            text += row(entry, lanes, anchor)
        }
        return text + "</tbody></table></div></details>\n"
    }

    /// The beginning and the end; the end tells more.
    private static func shortened(_ entries: [TimelineEntry], _ most: Int) -> [TimelineEntry] {
        guard entries.count > most else { return entries }
        return Array(entries.prefix(most / 3)) + Array(entries.suffix(most - most / 3))
    }

    private static func row(_ entry: TimelineEntry, _ lanes: [TimelineLane], _ anchor: String) -> String {
        let isFault = entry.fault != nil
        var text = "<tr id=\"\(anchor)/e\(entry.number)\"\(isFault ? " class=\"fault\"" : "")>"
        text += "<td class=\"time\">\(VirtualTime.moment(entry.at))</td>"
        for lane in lanes {
            guard lane == entry.lane else {
                text += "<td></td>"
                continue
            }
            text += "<td class=\"event \(lane.rawValue)\">\(HTML.escape(entry.text))"
            if let fault = entry.fault { text += " <strong>⚡ \(HTML.escape(fault))</strong>" }
            if let cause = entry.cause {
                text += " <a class=\"cause\" href=\"#\(anchor)/e\(cause)\">← \(cause)</a>"
            }
            text += "</td>"
        }
        let step = entry.step.map { "<a href=\"#\(anchor)/s\($0 + 1)\">\($0 + 1)</a>" } ?? ""
        return text + "<td>\(step)</td></tr>\n"
    }
}
