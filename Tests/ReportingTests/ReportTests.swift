import Core
import Foundation
import Runner
import ScenarioLanguage
import Testing

@testable import Reporting

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// One run with a scenario of each kind, and titles that try to break out.
func sample() -> RunResults {
    var good = ScenarioResult(
        id: "updating/plain", name: "updating/plain", file: "Scenarios/updating/plain.json5", title: "Plain")
    good.steps = [StepResult(index: 0, line: 9, text: "launch")]
    good.virtualDuration = .seconds(303)
    good.covers = ["U1"]
    good.timeline = [
        TimelineEntry(ordinal: 1, at: .zero, lane: .lab, text: "launch", step: 0),
        TimelineEntry(
            ordinal: 2, at: Instant(microseconds: 5_000_000), lane: .network, text: "reset", step: 0,
            fault: "reset after 40 KB", cause: 1),
    ]
    var bad = ScenarioResult(
        id: "recovery/bad", name: "recovery/bad [</script>]", file: "Scenarios/recovery/bad.json5",
        title: "A title with </script><b> & \"quotes\" ]]> \u{1}")
    bad.verdict = .failed
    bad.line = 11
    bad.covers = ["R5"]
    bad.steps = [StepResult(index: 0, line: 11, text: "expect blacklist")]
    var failure = Failure(
        kind: .expectation, headline: "blacklist: expected v2, found nothing",
        at: Instant(microseconds: 431_000_000))
    failure.step = 0
    failure.location = FileLocation(
        file: "Scenarios/recovery/bad.json5", line: 11, column: 15, length: 17,
        text: "\t{ expect: { blacklist: [\"v2\"] }, within: \"5m\" },")
    failure.differences = [Difference(expected: "blacklist [v2]", actual: "blacklist []")]
    failure.because = "the clock ran out"
    failure.lastEvents = good.timeline
    failure.reproduction = "otalab run Scenarios/recovery/bad.json5 --seed 1"
    bad.failures = [failure]
    bad.timeline = good.timeline
    var results = RunResults(toolVersion: "0.1", commandLine: ["otalab", "run"], seed: 1)
    results.scenarios = [good, bad]
    results.coverage = RuleCoverage.table(of: results.scenarios)
    return results
}

@Suite("Reports")
struct ReportTests {
    @Test("the terminal names step, caret, expected, actual, cause and command, and a plain count last")
    func terminal() {
        let text = TerminalReport(paint: Paint(isOn: false), showsWall: false).text(sample(), report: nil)
        #expect(text.contains("step 1 of 1: blacklist: expected v2, found nothing"))
        #expect(text.contains("  --> Scenarios/recovery/bad.json5:11:15"))
        #expect(text.contains("   | \t             ^^^^^^^^^^^^^^^^^ blacklist"))
        #expect(text.contains("   = step      1 of 1"))
        #expect(text.contains("= expected  blacklist [v2]"))
        #expect(text.contains("= because   the clock ran out"))
        #expect(text.contains("#2  0:00:05.000  network  reset   ← fault: reset after 40 KB   after #1"))
        #expect(text.contains("   = again     otalab run Scenarios/recovery/bad.json5 --seed 1"))
        #expect(text.hasSuffix("1 passed, 1 failed, 0 skipped\n"))
        #expect(!text.contains("\u{1b}"))
    }

    @Test(
        "in a terminal of 80 or 100 columns no line is longer; what is cut of a name is its middle",
        arguments: [80, 100])
    func narrow(width: Int) throws {
        var results = sample()
        results.scenarios[0].name = "recovery/rescue-with-full-disk [the disk is read-only, 日本語 and all]"
        results.scenarios[0].verdict = .passed
        results.scenarios[1].failures[0].headline =
            "running: expected v2, found v1; log: expected to have parked, found became-pending, launched"
        let report = TerminalReport(paint: Paint(isOn: false), showsWall: true, width: width)
        let text = report.text(results, report: "Reports/latest/report.html")
        for line in text.split(separator: "\n") where !line.contains("Scenarios/recovery/bad.json5:11:15") {
            #expect(TerminalText.cells(line.unicodeScalars) <= width, "\(line)")
        }
        let passed = try #require(text.split(separator: "\n").first { $0.hasPrefix("  ok ") })
        #expect(passed.contains("recovery/rescue-") && passed.contains("and all] ") && passed.contains("…"))
        #expect(text.contains("  FAIL  recovery/bad [</script>]\n        step 1 of 1: running: expected v2"))
        // Without a terminal nothing is cut, because logs are searched.
        let plain = TerminalReport(paint: Paint(isOn: false)).text(results, report: nil)
        #expect(
            plain.contains("  ok    recovery/rescue-with-full-disk [the disk is read-only, 日本語 and all] "))
    }

    @Test("colour obeys the flag, then NO_COLOR, then FORCE_COLOR, then the terminal")
    func colour() {
        func isOn(_ wish: Paint.Mode, _ terminal: Bool, _ variables: [String: String]) -> Bool {
            Paint(wish, isTerminal: terminal) { variables[$0] }.isOn
        }
        #expect(isOn(.always, false, ["NO_COLOR": "1"]))
        #expect(!isOn(.auto, true, ["NO_COLOR": "1", "FORCE_COLOR": "1"]))
        #expect(isOn(.auto, true, ["NO_COLOR": ""]))
        #expect(isOn(.auto, false, ["FORCE_COLOR": "1"]))
        #expect(!isOn(.auto, true, ["TERM": "dumb"]))
        #expect(!isOn(.auto, false, [:]))
    }

    @Test("results.json is what two readers read, and equal for equal results but for wall-clock figures")
    func json() throws {
        var slow = sample()
        slow.startedAt = 1
        slow.scenarios[0].wall = WallTimes(microseconds: 7)
        #expect(ResultsJSON.bytes(sample(), wall: false) == ResultsJSON.bytes(slow, wall: false))
        let bytes = ResultsJSON.bytes(slow)
        let own = try JSONReader.read(bytes, dialect: .strict)
        #expect(own["scenarios"]?.array?.count == 2)
        let other = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        #expect(other?["schema"] as? String == "otalab-results-1")
    }

    @Test("the XML is well formed whatever a title contains, names every case and has the right counts")
    func junit() throws {
        let text = JUnitReport.text(sample())
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
        #expect(
            text.contains("<testsuites name=\"otalab\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"")
        )
        #expect(text.contains("classname=\"recovery.bad\""))
        #expect(text.contains("file=\"Scenarios/recovery/bad.json5\" line=\"11\""))
    }
}
