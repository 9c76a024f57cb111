import Core
import Laboratory

/// What a search over crash points leaves for programs: `crashpoints/results.json`.
///
/// An object with `schema` (1), `otalab` (the version), `commandLine`, `seed`; `all` with the sums of
/// ``CrashTally``; `stories`, each with `name`, `file`, `device` (where it has several), the same numbers,
/// `problem` (why it could not be searched) and `findings` (rule, headline, expected, actual, crashes,
/// command); `leftOut`, each with `name` and `reason`. No wall times: equal searches give equal bytes.
enum CrashResults {
    static func text(
        _ reports: [CrashReport], _ commands: [String], _ leftOut: [CrashSelection.LeftOut],
        commandLine: [String], seed: UInt64
    ) -> String {
        var json = JSONWriter(indent: 1)
        var commands = commands[...]
        json.beginObject()
        json.member("schema", 1)
        json.member("otalab", Laboratory.version)
        json.member("commandLine", commandLine)
        json.member("seed", seed)
        json.key("all")
        json.beginObject()
        numbers(reports.reduce(CrashTally()) { $0 + $1.tally }, &json)
        json.endObject()
        json.key("stories")
        json.beginArray()
        for report in reports { story(report, &commands, &json) }
        json.endArray()
        json.key("leftOut")
        json.beginArray()
        for story in leftOut {
            json.beginObject()
            json.member("name", story.name)
            json.member("reason", story.reason)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private static func story(
        _ report: CrashReport, _ commands: inout ArraySlice<String>, _ json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", report.plan.name)
        json.member("file", report.plan.scenario.source.path)
        if let device = report.device { json.member("device", device) }
        if let problem = report.problem { json.member("problem", problem) }
        numbers(report.tally, &json)
        json.key("findings")
        json.beginArray()
        for finding in report.findings {
            json.beginObject()
            json.member("rule", finding.rule)
            json.member("headline", finding.headline)
            json.member("expected", finding.expected)
            json.member("actual", finding.actual)
            json.member("crashes", finding.places.map { "\($0)" })
            let command = commands.popFirst() ?? ""
            if !command.isEmpty { json.member("command", command) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private static func numbers(_ tally: CrashTally, _ json: inout JSONWriter) {
        json.member("firstPoints", tally.firstPoints)
        json.member("secondPoints", tally.secondPoints)
        json.member("pointsLeftOut", tally.pointsLeftOut)
        json.member("exactPoints", tally.exactPoints)
        json.member("sampledPoints", tally.sampledPoints)
        json.member("states", tally.states)
        json.member("merged", tally.merged)
        json.member("secondTried", tally.secondTried)
        json.member("secondLeftOut", tally.secondLeftOut)
        json.member("rested", tally.rested)
        json.member("failures", tally.failures)
    }
}
