import Authoring
import Core
import Runner
import ScenarioLanguage

/// State of the screen, the record and the disk: as tables for one moment, and as data from which the
/// script's slider computes the state at any other moment.
enum HTMLMoments {
    static func text(_ scenario: ScenarioResult, _ anchor: String, budget: Int) -> String {
        guard !scenario.moments.isEmpty else { return "" }
        let failed = scenario.failures.first?.at
        var moments = scenario.moments
        let numbers = scenario.timeline.map(\.ordinal)
        while data(moments).utf8.count > budget, moments.count > 1 {
            moments = moments.folded(to: max(1, moments.count * 3 / 4 - 1), keeping: numbers)
            // Moments of shown events are not folded; when nothing else is left, the data is too large.
            if moments.count == scenario.moments.count || data(moments).utf8.count <= budget { break }
            if moments.count <= numbers.count { break }
        }
        let isTooMuch = data(moments).utf8.count > max(budget, 4_000)
        let last = moments.last { moment in failed.map { moment.at <= $0 } ?? true } ?? moments[0]
        let state = state(of: moments, upTo: last)
        var text = "<div class=\"moment\">"
        text += "<h4 id=\"\(anchor)/device\">What was on the device</h4>\n"
        if !isTooMuch {
            text += "<div class=\"slider\" hidden><label for=\"\(anchor)/slider\">Moment</label> "
            text += "<button type=\"button\" data-move=\"-1\" aria-label=\"The moment before\">◀</button>"
            text += "<input type=\"range\" id=\"\(anchor)/slider\" min=\"0\" value=\"0\">"
            text +=
                "<button type=\"button\" data-move=\"1\" aria-label=\"The next moment\">▶</button></div>\n"
        }
        let when = failed == nil ? "at the end" : "when the failure was found"
        text +=
            "<p class=\"at\">At \((failed ?? last.at).clock), \(when).</p>\n<div class=\"state\">"
        for part in DeviceMoment.Part.allCases { text += table(part, state.filter { $0.part == part }) }
        text += "</div>\n"
        if !isTooMuch {
            let at = (failed ?? last.at).microseconds
            text += "<script type=\"application/json\" data-at=\"\(at)\">\(data(moments))</script>\n"
        }
        return text + "</div>\n"
    }

    private static func table(_ part: DeviceMoment.Part, _ items: [DeviceMoment.Change]) -> String {
        var text =
            "<div tabindex=\"0\" role=\"group\" aria-label=\"\(title(part))\"><table data-part=\"\(part.rawValue)\">"
        text += "<caption>\(title(part))</caption><tbody>"
        for item in items {
            text += "<tr><th scope=\"row\">\(HTML.escape(item.name))<td>\(HTML.escape(item.value ?? ""))"
        }
        if items.isEmpty { text += "<tr><td>nothing" }
        return text + "</table></div>"
    }

    private static func title(_ part: DeviceMoment.Part) -> String {
        switch part {
        case .screen: "On the screen"
        case .record: "In the record"
        case .disk: "On the disk"
        }
    }

    /// The state after all changes up to and including a moment, sorted as the changes are.
    static func state(of moments: [DeviceMoment], upTo last: DeviceMoment) -> [DeviceMoment.Change] {
        var all = DeviceMoment(lastEvent: 0, at: .zero, changes: [])
        for moment in moments {
            all = all.joined(with: moment)
            if moment == last { break }
        }
        return all.changes.filter { $0.value != nil }
    }

    /// `[[number, microseconds, [[part, name, value], …]], …]`; an item without a value is gone.
    private static func data(_ moments: [DeviceMoment]) -> String {
        var json = JSONWriter()
        json.beginArray()
        for moment in moments {
            json.beginArray()
            json.integer(moment.lastEvent)
            json.integer(moment.at.microseconds)
            json.beginArray()
            for change in moment.changes {
                json.beginArray()
                json.string(change.part.rawValue)
                json.string(TerminalText.printable(change.name))
                if let value = change.value { json.string(TerminalText.printable(value)) }
                json.endArray()
            }
            json.endArray()
            json.endArray()
        }
        json.endArray()
        return HTML.script(json.bytes)
    }

    // MARK: - As a sentence

    /// Changes of the record and of the disk in one line; empty when there are none.
    static func summary(_ moment: DeviceMoment) -> String {
        var parts: [String] = []
        let record = moment.changes.filter { $0.part == .record && $0.name != "kept" }
        if !record.isEmpty {
            parts.append(
                "record: " + record.map { "\($0.name) \($0.value ?? "none")" }.joined(separator: ", "))
        }
        let files = moment.changes.filter { $0.part == .disk && !($0.isRecordSlot && !record.isEmpty) }
        let there = files.filter { $0.value != nil }
        let gone = files.filter { $0.value == nil }
        if !there.isEmpty { parts.append(list(there.map { "\($0.name) (\($0.value ?? ""))" })) }
        if !gone.isEmpty { parts.append("gone: " + list(gone.map(\.name))) }
        return parts.joined(separator: "; ")
    }

    private static func list(_ names: [String]) -> String {
        guard names.count > 3 else { return names.joined(separator: ", ") }
        return names.prefix(3).joined(separator: ", ") + " and \(names.count - 3) more"
    }
}
