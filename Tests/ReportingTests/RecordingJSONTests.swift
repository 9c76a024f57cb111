import Core
import TestSupport
import Testing

@testable import Reporting
@testable import Runner

@Suite("Recordings")
struct RecordingJSONTests {
    @Test("what is read is what was written; a report has no events; a cut recording says what is missing")
    func roundTrip() throws {
        let plan = try SmallScenario.plan(SmallScenario.text(SmallScenario.plain))
        let runs = RecordedRun.all(of: plan.scenario, seed: 1, profiles: [.plain])
        let results = RunResults(toolVersion: "1", commandLine: [], seed: 1)
        let bytes = RecordingJSON.bytes(results, runs)
        let read = try RecordingJSON.read(bytes)
        #expect(read.count == 1 && read[0].events == runs[0].events)
        #expect(read[0].result.timeline == runs[0].result.timeline)
        #expect(read[0].result.moments == runs[0].result.moments)
        #expect(RunComparison(read[0], runs[0], ignoresSecrets: false).isEqual)
        var report = results
        report.scenarios = runs.map(\.result)
        #expect(try RecordingJSON.read(ResultsJSON.bytes(report))[0].events == nil)
        var text = String(decoding: bytes, as: UTF8.self)
        let place = try #require(text.range(of: "\"events\": [\n  ["))
        text.replaceSubrange(place, with: "\"events\": [\n  [[1],")
        #expect(throws: ResultsFault(member: "events[0][0]", why: "is no event")) {
            try RecordingJSON.read(Array(text.utf8))
        }
    }
}
