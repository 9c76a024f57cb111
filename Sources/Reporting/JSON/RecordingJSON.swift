import Core
import Runner

/// A recording: the results of runs with their whole timelines, and the content of every event of each.
///
/// Guarantees: reading what was written gives an equal value; equal runs give equal bytes. The events are a
/// list for each scenario of the results, in their order.
package enum RecordingJSON {
    package static let schema = "otalab-recording-1"

    private static let limits = JSONLimits(maxBytes: 1 << 30, maxDepth: 24, maxNodes: .max)

    /// - Parameter results: the run of `runs`, without its scenarios.
    package static func bytes(_ results: RunResults, _ runs: [RecordedRun]) -> [UInt8] {
        var results = results
        results.scenarios = runs.map(\.result)
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("schema", schema)
        json.key("results")
        json.serialized(ResultsJSON.bytes(results, wall: false))
        json.key("events")
        json.beginArray()
        for run in runs {
            json.beginArray()
            for event in run.events ?? [] {
                var line = JSONWriter()
                write(event, &line)
                json.serialized(line.bytes)
            }
            json.endArray()
        }
        json.endArray()
        json.endObject()
        return json.bytes + [0x0a]
    }

    private static func write(_ event: RecordedEvent, _ json: inout JSONWriter) {
        json.beginArray()
        json.integer(event.at.microseconds)
        json.integer(event.device)
        for field in event.fields {
            json.string(field.path)
            json.string(field.value)
        }
        json.endArray()
    }

    /// Runs of a recording, or of a `results.json`, whose runs have no events.
    package static func read(_ bytes: [UInt8]) throws(ResultsFault) -> [RecordedRun] {
        guard isRecording(bytes) else {
            return try ResultsJSON.read(bytes).scenarios.map { RecordedRun(result: $0) }
        }
        let root: JSONNode
        do throws(JSONFault) {
            root = try JSONReader.read(bytes, dialect: .strict, limits: limits)
        } catch {
            let line = bytes.prefix(error.span.start).count { $0 == 0x0a } + 1
            throw ResultsFault(member: "line \(line)", why: error.message)
        }
        guard let results = root["results"], let lists = root["events"]?.array else {
            throw ResultsFault(member: "", why: "is no whole recording: it has no results or no events")
        }
        let scenarios = try ResultsJSON.read(results).scenarios
        guard scenarios.count == lists.count else {
            throw ResultsFault(
                member: "events", why: "has \(lists.count) lists for \(scenarios.count) results")
        }
        var runs: [RecordedRun] = []
        for (index, result) in scenarios.enumerated() {
            var events: [RecordedEvent] = []
            for (place, node) in (lists[index].array ?? []).enumerated() {
                guard let event = event(node) else {
                    throw ResultsFault(member: "events[\(index)][\(place)]", why: "is no event")
                }
                events.append(event)
            }
            runs.append(RecordedRun(result: result, events: events))
        }
        return runs
    }

    /// Whether the text begins as a recording does, of any version.
    private static func isRecording(_ bytes: [UInt8]) -> Bool {
        let head = String(decoding: bytes.prefix(200), as: UTF8.self)
        return head.contains("\"schema\": \"\(schema)\"")
    }

    private static func event(_ node: JSONNode) -> RecordedEvent? {
        guard let parts = node.array, parts.count >= 4, parts.count % 2 == 0, let at = parts[0].integer,
            let device = parts[1].integer
        else { return nil }
        var fields: [RecordedEvent.Field] = []
        for index in stride(from: 2, to: parts.count, by: 2) {
            guard let path = parts[index].string, let value = parts[index + 1].string else { return nil }
            fields.append(RecordedEvent.Field(path: path, value: value))
        }
        return RecordedEvent(
            at: .zero + TimeSpan(microseconds: at), device: Int(clamping: device), fields: fields)
    }
}
