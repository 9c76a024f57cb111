import Authoring
import Core
import Runner

/// What was on the screen, in the record and on the disk: as tables for one moment, and as data that the
/// script's slider puts together for any other.
enum HTMLMoments {
    static func text(_ scenario: ScenarioResult, _ anchor: String, room: Int) -> String {
        guard !scenario.moments.isEmpty else { return "" }
        let failed = scenario.failures.first?.at
        var moments = scenario.moments
        let numbers = scenario.timeline.map(\.number)
        while data(moments).utf8.count > room, moments.count > 1 {
            moments = moments.folded(to: max(1, moments.count * 3 / 4 - 1), keeping: numbers)
            // What an entry stands at is not folded: then the whole is too much.
            if moments.count == scenario.moments.count || data(moments).utf8.count <= room { break }
            if moments.count <= numbers.count { break }
        }
        let isTooMuch = data(moments).utf8.count > max(room, 4_000)
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
            "<p class=\"at\">At \(VirtualTime.moment(failed ?? last.at)), \(when).</p>\n<div class=\"state\">"
        for part in DeviceMoment.Part.allCases { text += table(part, state.filter { $0.part == part }) }
        text += "</div>\n"
        if !isTooMuch {
            let at = (failed ?? last.at).microseconds
            text += "<script type=\"application/json\" data-at=\"\(at)\">\(data(moments))</script>\n"
        }
        return text + "</div>\n"
    }

    private static func table(_ part: DeviceMoment.Part, _ rows: [DeviceMoment.Change]) -> String {
        var text =
            "<div tabindex=\"0\" role=\"group\" aria-label=\"\(title(part))\"><table data-part=\"\(part.rawValue)\">"
        text += "<caption>\(title(part))</caption><tbody>"
        for row in rows {
            text += "<tr><th scope=\"row\">\(HTML.escape(row.name))<td>\(HTML.escape(row.value ?? ""))"
        }
        if rows.isEmpty { text += "<tr><td>nothing" }
        return text + "</table></div>"
    }

    private static func title(_ part: DeviceMoment.Part) -> String {
        switch part {
        case .screen: "On the screen"
        case .record: "In the record"
        case .disk: "On the disk"
        }
    }

    /// All changes up to and with a moment, put together; sorted like them.
    static func state(of moments: [DeviceMoment], upTo last: DeviceMoment) -> [DeviceMoment.Change] {
        var all = DeviceMoment(number: 0, at: .zero, changes: [])
        for moment in moments {
            all = all.joined(with: moment)
            if moment == last { break }
        }
        return all.changes.filter { $0.value != nil }
    }

    /// `[[number, microseconds, [[part, name, value], …]], …]`; without a value: it is gone.
    private static func data(_ moments: [DeviceMoment]) -> String {
        var json = JSONWriter()
        json.beginArray()
        for moment in moments {
            json.beginArray()
            json.integer(moment.number)
            json.integer(moment.at.microseconds)
            json.beginArray()
            for change in moment.changes {
                json.beginArray()
                json.string(change.part.rawValue)
                json.string(PlainText.of(change.name))
                if let value = change.value { json.string(PlainText.of(value)) }
                json.endArray()
            }
            json.endArray()
            json.endArray()
        }
        json.endArray()
        return HTML.script(json.bytes)
    }

    // MARK: - As a sentence

    /// What changed in the record and on the disk, in one line; empty: nothing there.
    static func told(_ moment: DeviceMoment) -> String {
        var parts: [String] = []
        let record = moment.changes.filter { $0.part == .record && $0.name != "kept" }
        if !record.isEmpty {
            parts.append(
                "record: " + record.map { "\($0.name) \($0.value ?? "none")" }.joined(separator: ", "))
        }
        let isRecord = { (change: DeviceMoment.Change) in
            change.name.hasSuffix("record.a") || change.name.hasSuffix("record.b")
        }
        let files = moment.changes.filter { $0.part == .disk && !(isRecord($0) && !record.isEmpty) }
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
