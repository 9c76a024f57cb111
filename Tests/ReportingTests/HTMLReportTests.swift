import Core
import Foundation
import Runner
import Search
import Testing

@testable import Reporting

/// A scenario as a usual run leaves it: forty steps' worth of events, a disk that changes with each.
func traced(_ number: Int, _ verdict: Verdict, events: Int = 180) -> ScenarioResult {
    let name = "recovery/story-number-\(number)"
    var result = ScenarioResult(
        id: name, name: name, file: "Scenarios/\(name).json5",
        title: "A version that never finishes starting is left at once, tried once more, then not taken")
    result.verdict = verdict
    result.covers = ["R3", "R5"]
    result.tags = ["rollback", "night"]
    result.issue = "meteor/meteor#6847"
    result.device = "plain"
    result.virtualDuration = .seconds(303)
    result.steps = (0..<14).map { index in
        var step = StepResult(
            index: index, line: index + 12,
            text: "{ expect: { running: \"v1\", page: \"ready\", blacklist: [\"v2\"] }, within: \"65s\" }")
        step.startedAt = Instant(microseconds: Int64(index) * 9_000_000)
        step.outcome = index == 13 && verdict != .passed ? .failed : .done
        return step
    }
    result.timeline = (1...events).map { number in
        TimelineEntry(
            ordinal: number * 2, at: Instant(microseconds: Int64(number) * 700_000),
            lane: TimelineLane.allCases[number % TimelineLane.allCases.count],
            text: "log: became-pending v2 (verified=every-byte unchanged=by-hash order=serial)",
            step: number * 14 / (events + 1), fault: number % 40 == 0 ? "{ reset: \"after 60%\" }" : nil,
            cause: number > 1 ? number * 2 - 2 : nil)
    }
    guard verdict != .passed else { return result }
    result.source = String(repeating: "    { expect: { running: \"v1\" }, within: \"65s\" },\n", count: 30)
    result.moments = (1...events).map { number in
        DeviceMoment(
            lastEvent: number * 2, at: Instant(microseconds: Int64(number) * 700_000),
            changes: [
                DeviceMoment.Change(.screen, "page", "v\(number % 3), ready"),
                DeviceMoment.Change(.record, "generation", "\(number), synced"),
                DeviceMoment.Change(.disk, "blobs/05ca33e\(number % 10)", "\(number) B, /app.js of v2"),
            ])
    }
    var failure = Failure(
        kind: .expectation, headline: "blacklist: expected exactly v2, found empty",
        at: Instant(microseconds: Int64(events) * 700_000))
    failure.step = 13
    failure.differences = [Difference(part: "blacklist", expected: "exactly v2", actual: "empty")]
    failure.location = FileLocation(
        file: result.file, line: 25, column: 58, length: 6,
        text: "    { expect: { running: \"v1\", page: \"ready\", blacklist: [\"v2\"] }, within: \"65s\" },")
    failure.context = [SourceLine(line: 24, text: "    { relaunch: true },")]
    failure.lastEvents = Array(result.timeline.suffix(12))
    failure.eventsSoFar = events
    failure.wrongSince = .zero
    failure.reproduction = "otalab run \(result.file) --seed 42"
    result.failures = [failure]
    return result
}

private func run(_ scenarios: [ScenarioResult]) -> RunResults {
    var results = RunResults(toolVersion: "1.0", commandLine: ["otalab", "run"], seed: 42)
    results.scenarios = scenarios
    results.coverage = RuleCoverage.table(of: scenarios)
    return results
}

@Suite("The HTML report")
struct HTMLReportTests {
    @Test("500 scenarios with traces stay under 2 MB, whatever became of them; what is left out is counted")
    func size() {
        let passed = HTMLReport.text(run((0..<500).map { traced($0, .passed) }))
        #expect(passed.utf8.count < HTMLReport.maxBytes, "\(passed.utf8.count)")
        let mixed = HTMLReport.text(run((0..<500).map { traced($0, $0 % 20 == 0 ? .failed : .passed) }))
        #expect(mixed.utf8.count < HTMLReport.maxBytes, "\(mixed.utf8.count)")
        #expect(mixed.contains("events left out"))
        #expect(mixed.contains("recovery/story-number-20/e360"))
        let failed = HTMLReport.text(run((0..<500).map { traced($0, .failed) }))
        #expect(failed.utf8.count < HTMLReport.maxBytes, "\(failed.utf8.count)")
        #expect(failed.components(separatedBy: "180 events left out").count == 501)
    }

    @Test("one failure's trace is whole: every event, every moment, the scenario file")
    func whole() {
        let page = HTMLReport.text(run([traced(1, .failed), traced(2, .passed)]))
        for number in 1...180 { #expect(page.contains("id=\"recovery/story-number-1/e\(number * 2)\"")) }
        #expect(!page.contains("left out") && !page.contains("recovery/story-number-2/e"))
        #expect(page.components(separatedBy: "type=\"range\"").count == 2)
        #expect(page.contains("Copy the scenario") && page.contains("Copy as Markdown"))
        let all = HTMLReport.text(run([traced(1, .failed), traced(2, .passed)]), traces: .all)
        #expect(all.contains("recovery/story-number-2/e360"))
        let none = HTMLReport.text(run([traced(1, .failed)]), traces: .none)
        #expect(!none.contains("recovery/story-number-1/e360") && none.contains("180 events left out"))
    }

    @Test("F16: it shows what runs at the end, and how old that is where the device knows it")
    func running() {
        var scenario = traced(1, .passed)
        #expect(!HTMLReport.text(run([scenario])).contains("runs at the end"))
        scenario.running = [
            RunningVersion(device: "anna", version: "v2", age: .minutes(3)),
            RunningVersion(device: "ben", version: "<v1>"),
        ]
        let page = HTMLReport.text(run([scenario]))
        #expect(page.contains("<dt>runs at the end</dt><dd>anna: v2, 3m 00s old; ben: &lt;v1&gt;</dd>"))
    }

    @Test("no link is dead, and no id appears twice, also where a trace was cut")
    func links() {
        for count in [3, 120] {
            let page = HTMLReport.text(run((0..<count).map { traced($0, .failed) }))
            var ids: [Substring: Int] = [:]
            for part in page.components(separatedBy: " id=\"").dropFirst() {
                ids[part.prefix { $0 != "\"" }, default: 0] += 1
            }
            #expect(ids.values.allSatisfy { $0 == 1 })
            var dead: [Substring] = []
            for part in page.components(separatedBy: "href=\"#").dropFirst() {
                let name = part.prefix { $0 != "\"" }
                if ids[name] == nil { dead.append(name) }
            }
            #expect(dead.isEmpty, "\(dead.prefix(3))")
        }
    }

    @Test("no text breaks out: of elements, attributes, the script's data, the policy")
    func hostile() {
        let text =
            "</script></details><!-- <script>x()</script> ]]> \"' onload=x() &lt; \u{0}\u{1b}\u{202e}\u{ffff}"
        var scenario = traced(1, .failed, events: 3)
        (scenario.id, scenario.name, scenario.title, scenario.file) = (text, text, text, text)
        (scenario.device, scenario.issue, scenario.reason, scenario.source) = (text, text, text, text)
        (scenario.tags, scenario.covers, scenario.faultsNeverApplied) = ([text], [text, "R5"], [text])
        scenario.steps[0].text = text
        scenario.timeline[0].text = text
        scenario.timeline[0].fault = text
        scenario.moments[0].changes = [DeviceMoment.Change(.disk, text, text)]
        scenario.failures[0].headline = text
        scenario.failures[0].because = text
        scenario.failures[0].differences = [Difference(expected: text, actual: text + "2")]
        scenario.failures[0].reproduction = text
        scenario.failures[0].location?.text = text
        scenario.failures[0].context = [SourceLine(line: 1, text: text)]
        var results = run([scenario])
        results.commandLine = [text]
        results.coverage[0].title = text
        let page = HTMLReport.text(results)
        let calm = HTMLReport.text(run([traced(1, .failed, events: 3)]))
        // Two of data and of the page's own, as without any of it.
        for tag in ["</script>", "<script", "</details>", "<!--", "]]>"] where !tag.contains("]") {
            let count = page.components(separatedBy: tag).count
            let usual = calm.components(separatedBy: tag).count
            // One note and its link more or less is no element; these have to be equal.
            #expect(count == usual, "\(tag): \(count) instead of \(usual)")
        }
        #expect(
            !page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" || $0 == "\u{202e}" })
        // Only the data of the script may contain unescaped quotes.
        let elements = page.components(separatedBy: "<script type=\"application/json\"")
            .map { part in part.components(separatedBy: "</script>").suffix(1).joined() }.joined()
        #expect(!elements.contains("\" onload") && !elements.contains("' onload"))
        #expect(page.contains("onload"))
    }

    @Test("it needs nothing but itself, and only its own style and script may run")
    func alone() throws {
        let page = HTMLReport.text(run([traced(1, .failed)]))
        #expect(page.contains("default-src 'none'") && !page.contains("unsafe"))
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains(" src="))
        #expect(!page.contains(" style=\"") && !page.contains(" onclick"))
        func digest(_ text: String) -> String {
            Data(SHA256.hash(of: Array(text.utf8)).bytes).base64EncodedString()
        }
        let style = try #require(
            page.components(separatedBy: "<style>").last?.components(separatedBy: "</style>").first)
        let script = try #require(
            page.components(separatedBy: "<script>").last?.components(separatedBy: "</script>").first)
        #expect(page.contains("style-src 'sha256-\(digest(style))'"))
        #expect(page.contains("script-src 'sha256-\(digest(script))'"))
    }

    @Test("equal results give equal bytes; only the element of the wall clock differs")
    func equalBytes() {
        var slow = run([traced(1, .failed)])
        slow.startedAt = 1_795_270_000
        slow.wall = WallTimes(microseconds: 7_000_000)
        slow.scenarios[0].wall = WallTimes(microseconds: 9)
        let quick = run([traced(1, .failed)])
        #expect(HTMLReport.text(slow, wall: false) == HTMLReport.text(quick, wall: false))
        let parts = HTMLReport.text(slow).components(separatedBy: "<div class=\"wall\">")
        let rest = parts[0] + (parts[1].range(of: "</div>").map { String(parts[1][$0.upperBound...]) } ?? "")
        #expect(parts.count == 2 && rest == HTMLReport.text(slow, wall: false))
    }

    @Test("rules and clauses that no oracle had to decide are named, and come first in their table")
    func decisions() throws {
        var results = run([traced(1, .passed)])
        var table = CoverageTable()
        for cell in CoverageCell.all where !["U16", "R13.two-ends"].contains(cell.name) { table.add(cell, 7) }
        results.cells = table.entries
        let page = HTMLReport.text(results)
        #expect(
            page.contains(
                "no oracle had anything to decide: <code>U16</code>, <code>R13.two-ends</code>.</p>"))
        let rows = page.components(separatedBy: "<tr><th scope=\"row\">").filter { $0.contains("<small>") }
        #expect(rows.first { $0.hasPrefix("U16 ") }?.contains("<td class=\"hole\">0") == true)
        let order = ["U16 ", "R13 ", "S1 "].compactMap { rule in rows.firstIndex { $0.hasPrefix(rule) } }
        #expect(order.count == 3 && order == order.sorted())
        let ends = try #require(rows.first { $0.hasPrefix("R13 ") })
        #expect(
            ends.contains("<span class=\"hole\"><code>R13.two-ends</code> 0</span>, <code>R13.other-ends"))
    }

    @Test("an exploration says which rules and clauses no oracle had to decide; nothing if there is none")
    func undecided() {
        var table = CoverageTable()
        for cell in CoverageCell.all where cell.name != "U16" { table.add(cell) }
        func text(_ kind: SearchSummary.Kind) -> String {
            SearchText(SearchSummary(kind), cells: table, seconds: nil).coverage()
        }
        #expect(text(.explore).hasSuffix("never decided: U16\n"))
        #expect(!text(.sweep).contains("never decided"))
        table.add(CoverageCell(.decision, "U16"))
        #expect(!text(.explore).contains("never decided"))
    }

    @Test("nothing run, and nothing but invalid files, are pages too")
    func empty() {
        let nothing = HTMLReport.text(run([]))
        #expect(nothing.contains("NOTHING RUN") && nothing.contains("otalab list"))
        var file = ScenarioResult(id: "a", name: "a", file: "a.json5", title: "(file)")
        file.verdict = .invalid
        file.diagnostics = [
            DiagnosticResult(
                code: "E0103", isError: true, message: "unknown key 'runing'", label: "not a key",
                location: FileLocation(file: "a.json5", line: 6, column: 3, length: 6, text: "  runing: 1"),
                help: "did you mean 'running'?")
        ]
        let page = HTMLReport.text(run([file]))
        #expect(page.contains("1 invalid file") && page.contains("<mark>runing</mark>"))
        #expect(page.contains("did you mean &#39;running&#39;?"))
    }

    @Test("failures come first and open, expected ones and passes after them and closed")
    func order() throws {
        let page = HTMLReport.text(
            run([traced(1, .passed), traced(2, .expectedFailure), traced(3, .failed), traced(4, .skipped)]))
        let places = try [3, 2, 4, 1].map { number in
            try #require(page.range(of: "id=\"recovery/story-number-\(number)\"")).lowerBound
        }
        #expect(places == places.sorted())
        #expect(page.components(separatedBy: " open><summary>").count == 2)
    }

    @Test("names that come out equal as anchors are kept apart")
    func anchors() {
        let names = ["a [b c]", "a [b-c]", "a/b", "ä 日本"]
        let scenarios = names.map { ScenarioResult(id: $0, name: $0, file: $0, title: $0) }
        #expect(HTMLAnchors(scenarios).anchors == ["a-b-c", "a-b-c~2", "a/b", "ä-日本"])
    }

    @Test("every text colour has a contrast of 4.5 to 1 with every background, light and dark")
    func contrast() throws {
        func light(_ hex: String) -> Double {
            let number = Int(hex.dropFirst(), radix: 16) ?? 0
            let parts = [number >> 16, number >> 8 & 255, number & 255].map { part -> Double in
                let share = Double(part) / 255
                return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        func ratio(_ one: String, _ other: String) -> Double {
            let (a, b) = (light(one) + 0.05, light(other) + 0.05)
            return max(a, b) / min(a, b)
        }
        #expect(ratio("#777777", "#ffffff") < 4.5 && ratio("#767676", "#ffffff") > 4.5)
        func colour(_ name: String) throws -> (light: String, dark: String) {
            let found = try #require(HTMLStyle.colours.first { $0.name == name })
            return (found.light, found.dark)
        }
        let pairs =
            HTMLStyle.letters.flatMap { letters in HTMLStyle.grounds.map { (letters, $0) } } + [
                ("ink", "mark")
            ]
        for (letters, ground) in pairs {
            let (one, other) = (try colour(letters), try colour(ground))
            #expect(ratio(one.light, other.light) >= 4.5, "\(letters) on \(ground) by day")
            #expect(ratio(one.dark, other.dark) >= 4.5, "\(letters) on \(ground) by night")
        }
        // The style has no colours but those of the table.
        for part in HTMLStyle.text.components(separatedBy: " color: ").dropFirst()
        where !part.hasPrefix("inherit") {
            let name = part.dropFirst("var(--".count).prefix { $0 != ")" }
            #expect(
                part.hasPrefix("var(--") && HTMLStyle.letters.contains(String(name)), "\(part.prefix(30))")
        }
        for part in HTMLStyle.text.components(separatedBy: "background: var(--").dropFirst() {
            let name = String(part.prefix { $0 != ")" })
            #expect((HTMLStyle.grounds + ["mark"]).contains(name), "\(name)")
        }
    }

    @Test("values are marked only where they differ")
    func differences() {
        let (expected, actual) = HTMLDifference.marked("exactly v1, v2, <v3>", "exactly v1, v4, <v3>")
        #expect(expected == "exactly v1, <mark>v2</mark>, &lt;v3&gt;")
        #expect(actual == "exactly v1, <mark>v4</mark>, &lt;v3&gt;")
        #expect(HTMLDifference.marked("true", "false") == ("true", "false"))
    }
}
