import Core
import Runner
import Search

/// Common Test Report Format: a flat list of tests with times in whole milliseconds. Members that the format
/// does not define are only in `extra`. A scenario that was not run is `pending`.
package enum CTRFReport {
    static let version = "0.0.0"

    package static func bytes(_ results: RunResults) -> [UInt8] {
        ReportFormat.bytes { (sink) throws(ReportError) in try write(results, to: sink) }
    }

    /// Writes the same in parts.
    static func write(_ results: RunResults, to sink: ReportFormat.Sink) throws(ReportError) {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        json.member("reportFormat", "CTRF")
        json.member("specVersion", version)
        json.member("generatedBy", "otalab \(results.toolVersion)")
        json.key("results")
        json.beginObject()
        json.key("tool")
        json.beginObject()
        json.member("name", "otalab")
        json.member("version", results.toolVersion)
        json.endObject()
        summary(results, &json)
        json.key("tests")
        json.beginArray()
        for listed in results.listed {
            test(listed, &json)
            try sink(json.takeBytes())
        }
        json.endArray()
        json.key("extra")
        json.beginObject()
        json.member("otalab.seed", results.seedText)
        json.member("otalab.scenarioSet", Hex.text(results.scenarioSetDigest))
        json.member("otalab.partial", results.isPartial)
        if results.isIncomplete { json.member("otalab.notRun", results.notRun.count) }
        json.endObject()
        json.endObject()
        json.endObject()
        try sink(json.takeBytes() + [0x0a])
    }

    private static func summary(_ results: RunResults, _ json: inout JSONWriter) {
        let listed = results.listed
        func count(_ status: String) -> Int { listed.count { self.status($0) == status } }
        json.key("summary")
        json.beginObject()
        json.member("tests", listed.count)
        for name in ["passed", "failed", "skipped", "pending", "other"] { json.member(name, count(name)) }
        let start = results.startedAt * 1_000
        json.member("start", start)
        json.member("stop", start + milliseconds(results.wall))
        json.endObject()
    }

    private static func test(_ listed: ListedScenario, _ json: inout JSONWriter) {
        let scenario = listed.scenario
        json.beginObject()
        json.member("name", scenario.name)
        json.member("status", status(listed))
        json.member("duration", milliseconds(scenario.wall))
        json.member("rawStatus", listed.isRun ? scenario.verdict.rawValue : "notRun")
        json.key("suite")
        json.beginArray()
        json.string(JUnitReport.suite(of: scenario))
        json.endArray()
        json.member("filePath", scenario.file)
        json.member("line", scenario.line)
        if !scenario.device.isEmpty { json.member("device", scenario.device) }
        if !scenario.tags.isEmpty { json.member("tags", scenario.tags) }
        if !scenario.verdict.isGood || scenario.reason != nil {
            json.member("message", scenario.headline)
        }
        if !scenario.verdict.isGood {
            json.member("trace", scenario.explanation.joined(separator: "\n"))
        }
        json.key("extra")
        json.beginObject()
        json.member("otalab.title", scenario.title)
        json.member("otalab.covers", scenario.covers.joined(separator: " "))
        if let command = scenario.reproduction { json.member("otalab.repro", command) }
        json.endObject()
        json.endObject()
    }

    private static func status(_ listed: ListedScenario) -> String {
        listed.isRun ? status(listed.scenario.verdict) : "pending"
    }

    /// CTRF has no status for inconclusive results; they are `other`, with the verdict as `rawStatus`.
    static func status(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: "passed"
        case .failed, .unexpectedPass: "failed"
        case .skipped, .expectedFailure: "skipped"
        case .invalid, .inconclusive, .nonDeterministic: "other"
        }
    }

    private static func milliseconds(_ wall: WallTimes) -> Int64 { (wall.microseconds + 500) / 1_000 }
}
