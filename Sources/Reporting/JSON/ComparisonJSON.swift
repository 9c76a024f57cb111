import Core
import Runner

/// A comparison of two runs, or of two sets of them, for programs.
package enum ComparisonJSON {
    package static let schema = "otalab-diff-1"

    package static func bytes(_ comparison: SetComparison, _ sides: (one: String, other: String)) -> [UInt8] {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("schema", schema)
        json.member("a", sides.one)
        json.member("b", sides.other)
        json.member("equal", comparison.runs.count - comparison.different.count)
        json.member("onlyA", comparison.onlyOne)
        json.member("onlyB", comparison.onlyOther)
        json.key("different")
        json.beginArray()
        for run in comparison.different { write(run, &json) }
        json.endArray()
        json.endObject()
        return json.bytes + [0x0a]
    }

    private static func write(_ run: RunComparison, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("name", run.name)
        json.member("verdictA", run.one.verdict.rawValue)
        json.member("verdictB", run.other.verdict.rawValue)
        if let content = run.content {
            json.key("content")
            json.beginObject()
            json.member("equalEntries", content.equalCount)
            json.member("atMicroseconds", content.at.microseconds)
            write("a", content.one, &json)
            write("b", content.other, &json)
            write("fields", content.fields, &json)
            json.endObject()
        }
        if let timeline = run.timeline {
            json.key("timeline")
            json.beginObject()
            json.member("equalEntries", timeline.equalCount)
            json.member("isCut", timeline.leftOut != nil)
            json.member("before", timeline.before.map { FailureText.event($0) })
            json.member("a", timeline.one.map { FailureText.event($0) })
            json.member("b", timeline.other.map { FailureText.event($0) })
            write("state", timeline.stateAfter, &json)
            json.endObject()
        }
        write("end", run.end, &json)
        json.endObject()
    }

    private static func write(_ key: String, _ event: RecordedEvent?, _ json: inout JSONWriter) {
        guard let event else { return }
        json.member(key, "\(event.at.clock)  \(event.text(500))")
    }

    private static func write(
        _ key: String, _ pairs: [ContentDifference.Pair], _ json: inout JSONWriter
    ) {
        json.key(key)
        json.beginArray()
        for pair in pairs {
            json.beginObject()
            json.member("part", pair.name)
            json.member("a", pair.one)
            json.member("b", pair.other)
            json.endObject()
        }
        json.endArray()
    }
}
