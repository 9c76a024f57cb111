import Core
import Runner
import ScenarioLanguage

/// The timeline: virtual time down the page, a lane for each actor, gaps folded, faults marked with a sign
/// and a word; and the state of the device at any moment.
///
/// It is a table with one row for each event, so that it is readable without styles; with styles each event
/// is in its lane. Rows of the disk lane are computed from the state of the disk before and after.
enum HTMLTimeline {
    /// Shortest pause that has a separate row.
    static let gap = TimeSpan.seconds(1)

    /// - Parameter budget: most bytes; events that don't fit are left out from the middle and counted.
    static func text(_ scenario: ScenarioResult, _ anchor: String, budget: Int) -> String {
        guard !scenario.timeline.isEmpty, budget > 1_500 else {
            let count = scenario.timeline.count + scenario.timelineLeftOut
            if count == 0 { return "" }
            return
                "<p class=\"note\">\(count) events left out; they stand in <code>results.json</code>.</p>\n"
        }
        let state = HTMLMoments.text(scenario, anchor, budget: budget / 2)
        var rows = HTMLTimelineRows(scenario, anchor)
        rows.cut(to: budget - state.utf8.count - 1_200)
        let leftOut = rows.leftOut + scenario.timelineLeftOut
        var text = "<div class=\"trace\">\n\(state)<h4 id=\"\(anchor)/timeline\">Timeline</h4>\n"
        text += "<div class=\"wide\"><table class=\"lanes\"><caption>\(rows.shown) events"
        if leftOut > 0 { text += ", \(leftOut) events left out (all in <code>results.json</code>)" }
        text += "; virtual time down the page.</caption><thead><tr><th scope=\"col\">time"
        text += "<th scope=\"col\" class=\"where\">where<th scope=\"col\" class=\"what\">what happened"
        text += "<div class=\"names\" aria-hidden=\"true\">"
        for lane in lanes { text += "<span class=\"\(lane.letter)\">\(lane.title)</span>" }
        text += "</div><th scope=\"col\">after<th scope=\"col\">step</thead>\n<tbody>\n"
        return text + rows.text + "</table></div></div>\n"
    }

    /// Lanes in the order of their columns; steps of the scenario span all columns.
    private static let lanes: [(letter: String, title: String)] = [
        ("o", "origin"), ("n", "network"), ("d", "disk"), ("u", "updater"), ("s", "server"), ("p", "page"),
        ("v", "user, device"),
    ]
}

extension TimelineLane {
    /// CSS class of the lane's rows.
    var letter: String {
        switch self {
        case .lab: "l"
        case .origin: "o"
        case .network: "n"
        case .disk: "d"
        case .updater: "u"
        case .server: "s"
        case .page: "p"
        case .user, .device: "v"
        }
    }
}

/// The rows of a timeline, created one by one so that they can be limited to a size.
struct HTMLTimelineRows {
    private var rows: [(text: String, isEvent: Bool)] = []
    private(set) var leftOut = 0

    var shown: Int { rows.count { $0.isEvent } }
    var text: String { rows.map(\.text).joined() }

    private let anchor: String
    private let steps: [StepResult]
    private var lastTime: Instant?
    private var nextStep = 0
    private var isAfter = false

    init(_ scenario: ScenarioResult, _ anchor: String) {
        self.anchor = anchor
        steps = scenario.steps
        var moments = scenario.moments[...]
        for (index, entry) in scenario.timeline.enumerated() {
            if let step = entry.step { begin(step) } else { end() }
            add(entry)
            let next = index + 1 < scenario.timeline.count ? scenario.timeline[index + 1].ordinal : Int.max
            var waiting: DeviceMoment?
            while let moment = moments.first, moment.lastEvent < next {
                waiting = waiting?.joined(with: moment) ?? moment
                moments.removeFirst()
            }
            if let waiting { add(waiting, after: entry) }
        }
        begin(steps.count - 1)
    }

    // MARK: - Rows

    /// Adds rows of the steps up to `step`, including steps without events.
    private mutating func begin(_ step: Int) {
        guard step >= nextStep else { return }
        for index in nextStep...step where steps.indices.contains(index) {
            let row = steps[index]
            // A step that never began has no time.
            if row.startedAt == nil { continue }
            var text =
                "<tr class=\"step \(row.outcome.rawValue)\" id=\"\(anchor)/t\(index + 1)\"><th colspan=\"5\">"
            text += "<a href=\"#\(anchor)/s\(index + 1)\">step \(index + 1)</a>, line \(row.line) "
            text += "<code>\(HTML.escape(LongText.cut(row.text, to: 200)))</code>"
            text += row.outcome == .failed ? " <strong>✗ failed</strong>" : ""
            rows.append((text + "\n", false))
        }
        nextStep = step + 1
    }

    /// Adds the row before the events after the scenario's last step, when faults have ended and the device
    /// is used on.
    private mutating func end() {
        guard nextStep > 0, !isAfter else { return }
        isAfter = true
        rows.append(
            (
                "<tr class=\"step after\"><th colspan=\"5\">after the last step: faults healed, the device in use\n",
                false
            ))
    }

    private mutating func pause(until instant: Instant) {
        if let last = lastTime, instant - last >= HTMLTimeline.gap {
            let pause = VirtualTime.length(instant - last)
            rows.append(
                ("<tr class=\"gap\"><td colspan=\"5\">⋯ \(pause) without an event ⋯\n", false))
        }
        lastTime = max(instant, lastTime ?? instant)
    }

    private mutating func add(_ entry: TimelineEntry) {
        pause(until: entry.at)
        let style = entry.lane.letter + (entry.fault == nil ? "" : " struck")
        var text = "<tr id=\"\(anchor)/e\(entry.ordinal)\" class=\"\(style)\">"
        text += "<td>\(entry.at.clock)<td>\(entry.lane.rawValue)<td><div>"
        text += HTML.escape(LongText.cut(entry.text, to: 300))
        if let fault = entry.fault {
            text += " <strong>⚡ fault: \(HTML.escape(LongText.cut(fault, to: 200)))</strong>"
        }
        text += "</div><td>"
        if let cause = entry.cause { text += "<a href=\"#\(anchor)/e\(cause)\">#\(cause)</a>" }
        rows.append((text + stepLink(entry.step), true))
    }

    private mutating func add(_ moment: DeviceMoment, after entry: TimelineEntry) {
        let summary = HTMLMoments.summary(moment)
        if summary.isEmpty { return }
        pause(until: moment.at)
        var text = "<tr class=\"d\"><td>\(moment.at.clock)<td>disk<td><div>"
        text += HTML.escape(summary) + "</div><td>"
        text += "<a href=\"#\(anchor)/e\(entry.ordinal)\">#\(entry.ordinal)</a>"
        rows.append((text + stepLink(entry.step), false))
    }

    private func stepLink(_ step: Int?) -> String {
        step.map { "<td><a href=\"#\(anchor)/s\($0 + 1)\">\($0 + 1)</a>\n" } ?? "<td>\n"
    }

    // MARK: - Size

    /// Keeps the beginning and the end; more of the end, because it explains more.
    mutating func cut(to budget: Int) {
        var size = rows.reduce(0) { $0 + $1.text.utf8.count }
        guard size > budget else { return }
        var head = rows.count / 3
        var tail = head
        // Removes rows from the middle, two of the beginning for each of the end.
        var turn = 0
        while size > budget - 120, head > 0 || tail < rows.count {
            turn += 1
            if head > 0, turn % 3 != 0 || tail == rows.count {
                head -= 1
                size -= rows[head].text.utf8.count
            } else if tail < rows.count {
                size -= rows[tail].text.utf8.count
                tail += 1
            }
        }
        leftOut = rows[head..<tail].count { $0.isEvent }
        let note = "<tr class=\"gap\"><td colspan=\"5\">⋯ \(leftOut) events left out ⋯\n"
        rows.replaceSubrange(head..<tail, with: [(note, false)])
    }
}
