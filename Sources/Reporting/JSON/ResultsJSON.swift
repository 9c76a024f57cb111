import Core
import Laboratory

/// `results.json`: the results model whole, in a versioned form. Equal results give equal bytes; wall-clock
/// figures stand in `wall` objects and `startedAt` alone and can be left out.
public enum ResultsJSON {
    public static let schema = "otalab-results-1"

    public static func bytes(_ results: RunResults, wall: Bool = true) -> [UInt8] {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("schema", schema)
        json.member("otalab", results.toolVersion)
        json.key("commandLine")
        strings(results.commandLine, &json)
        json.member("seed", results.seed)
        json.member("scenarioSet", Hex.text(results.scenarioSetDigest))
        json.member("partial", results.isPartial)
        if wall {
            json.member("startedAt", results.startedAt)
            json.key("wall")
            wallTimes(results.wall, &json)
        }
        json.key("scenarios")
        json.beginArray()
        for scenario in results.scenarios { self.scenario(scenario, wall, &json) }
        json.endArray()
        json.key("coverage")
        json.beginArray()
        for row in results.coverage { coverage(row, &json) }
        json.endArray()
        json.endObject()
        return json.bytes + [0x0a]
    }

    private static func strings(_ items: [String], _ json: inout JSONWriter) {
        json.beginArray()
        for item in items { json.string(item) }
        json.endArray()
    }

    private static func wallTimes(_ wall: WallTimes, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("microseconds", wall.microseconds)
        json.endObject()
    }

    private static func spans(_ name: String, _ spans: [TimeSpan], _ json: inout JSONWriter) {
        json.key(name)
        json.beginArray()
        for span in spans { json.integer(span.microseconds) }
        json.endArray()
    }

    private static func scenario(_ scenario: ScenarioResult, _ wall: Bool, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", scenario.id)
        json.member("name", scenario.name)
        json.member("file", scenario.file)
        json.member("line", scenario.line)
        json.member("title", scenario.title)
        if let name = scenario.caseName { json.member("case", name) }
        json.key("covers")
        strings(scenario.covers, &json)
        json.key("tags")
        strings(scenario.tags, &json)
        if let issue = scenario.issue { json.member("issue", issue) }
        if let reason = scenario.reason { json.member("reason", reason) }
        json.member("device", scenario.device)
        json.member("seed", Hex.text(scenario.seed))
        json.member("verdict", scenario.verdict.rawValue)
        json.member("virtualMicroseconds", scenario.virtualDuration.microseconds)
        json.member("events", scenario.events)
        json.member("digest", Hex.text(scenario.digest))
        json.member("starts", scenario.starts)
        json.member("switches", scenario.switches)
        json.member("rescues", scenario.rescues)
        json.key("times")
        json.beginObject()
        spans("launches", scenario.times.launches, &json)
        spans("switches", scenario.times.switches, &json)
        spans("rescues", scenario.times.rescues, &json)
        json.member("white", scenario.times.white.microseconds)
        json.endObject()
        json.key("faultsNeverApplied")
        strings(scenario.faultsNeverApplied, &json)
        json.key("steps")
        json.beginArray()
        for step in scenario.steps { self.step(step, &json) }
        json.endArray()
        json.key("failures")
        json.beginArray()
        for failure in scenario.failures { self.failure(failure, &json) }
        json.endArray()
        json.key("diagnostics")
        json.beginArray()
        for diagnostic in scenario.diagnostics { self.diagnostic(diagnostic, &json) }
        json.endArray()
        entries("timeline", scenario.timeline, &json)
        json.member("timelineLeftOut", scenario.timelineLeftOut)
        if !scenario.moments.isEmpty { moments(scenario.moments, &json) }
        if let source = scenario.source { json.member("source", source) }
        if wall {
            json.key("wall")
            wallTimes(scenario.wall, &json)
        }
        json.endObject()
    }

    private static func step(_ step: StepResult, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("index", step.index)
        json.member("line", step.line)
        json.member("text", step.text)
        if let at = step.startedAt { json.member("startedAt", at.microseconds) }
        if let at = step.endedAt { json.member("endedAt", at.microseconds) }
        json.member("outcome", step.outcome.rawValue)
        json.endObject()
    }

    private static func place(_ place: SourcePlace, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("file", place.file)
        json.member("line", place.line)
        json.member("column", place.column)
        json.member("length", place.length)
        json.member("text", place.text)
        json.endObject()
    }

    private static func failure(_ failure: Failure, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", failure.kind.rawValue)
        if let rule = failure.rule { json.member("rule", rule) }
        if let step = failure.step { json.member("step", step) }
        if let place = failure.place {
            json.key("place")
            self.place(place, &json)
        }
        json.member("headline", failure.headline)
        json.key("expected")
        strings(failure.expected, &json)
        json.key("actual")
        strings(failure.actual, &json)
        json.key("parts")
        strings(failure.parts, &json)
        if let because = failure.because { json.member("because", because) }
        if let at = failure.wrongSince { json.member("wrongSince", at.microseconds) }
        if let number = failure.wrongSinceEvent { json.member("wrongSinceEvent", number) }
        if failure.wasNeverRight { json.member("neverRight", true) }
        if let at = failure.waitedFrom { json.member("waitedFrom", at.microseconds) }
        if let at = failure.waitedTo { json.member("waitedTo", at.microseconds) }
        json.member("at", failure.at.microseconds)
        json.key("context")
        json.beginArray()
        for line in failure.context {
            json.beginObject()
            json.member("line", line.line)
            json.member("text", line.text)
            json.endObject()
        }
        json.endArray()
        entries("lastEvents", failure.lastEvents, &json)
        json.member("eventsSoFar", failure.eventsSoFar)
        json.member("reproduction", failure.reproduction)
        json.endObject()
    }

    private static func diagnostic(_ diagnostic: DiagnosticResult, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("code", diagnostic.code)
        json.member("severity", diagnostic.isError ? "error" : "warning")
        json.member("message", diagnostic.message)
        json.member("label", diagnostic.label)
        json.key("place")
        place(diagnostic.place, &json)
        if let help = diagnostic.help { json.member("help", help) }
        json.endObject()
    }

    private static func entries(_ name: String, _ entries: [TimelineEntry], _ json: inout JSONWriter) {
        json.key(name)
        json.beginArray()
        for entry in entries {
            json.beginObject()
            json.member("number", entry.number)
            json.member("at", entry.at.microseconds)
            json.member("lane", entry.lane.rawValue)
            json.member("text", entry.text)
            if let step = entry.step { json.member("step", step) }
            if let fault = entry.fault { json.member("fault", fault) }
            if let cause = entry.cause { json.member("cause", cause) }
            json.endObject()
        }
        json.endArray()
    }

    /// Each change is a row `[part, name, value]`; a thing that is gone has no value.
    private static func moments(_ moments: [DeviceMoment], _ json: inout JSONWriter) {
        json.key("moments")
        json.beginArray()
        for moment in moments {
            json.beginObject()
            json.member("number", moment.number)
            json.member("at", moment.at.microseconds)
            json.key("changes")
            json.beginArray()
            for change in moment.changes {
                strings([change.part.rawValue, change.name] + (change.value.map { [$0] } ?? []), &json)
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
    }

    private static func coverage(_ row: RuleCoverage, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("rule", row.rule)
        json.member("title", row.title)
        json.member("invariant", row.isInvariant)
        json.key("scenarios")
        json.beginArray()
        for entry in row.scenarios {
            json.beginObject()
            json.member("name", entry.name)
            json.member("verdict", entry.verdict.rawValue)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
