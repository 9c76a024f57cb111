import Core
import Foundation
import Runner
import Search
import Testing

@testable import Reporting

/// A run with every verdict and texts that try to break out.
func everyVerdict() -> RunResults {
    var results = sample()
    let evil = "a | b # \\ `x` ]]> </script><b>\n::error::no"
    for (number, verdict) in Verdict.allCases.enumerated() {
        var one = results.scenarios[number == 0 ? 0 : 1]
        one.selectionIndex = number
        one.id = "every/\(verdict.rawValue)"
        one.name = one.id
        one.verdict = verdict
        one.title = evil
        one.reason = verdict == .skipped || verdict == .expectedFailure ? evil : nil
        if verdict == .passed || verdict == .skipped { one.failures = [] }
        for index in one.failures.indices { one.failures[index].headline = evil }
        results.scenarios.append(one)
    }
    results.scenarios.removeFirst(2)
    results.coverage = RuleCoverage.table(of: results.scenarios)
    results.startedAt = 1_000_000_000
    return results
}

/// A run that was interrupted after what it had found: one in the middle, one at the end were not run.
func incomplete() -> RunResults {
    var results = sample()
    results.isPartial = true
    results.startedAt = 1_000_000_000
    results.lastSeed = 3
    results.seedsNotRun = SeedRange(first: 3, last: 9)
    for index in results.scenarios.indices { results.scenarios[index].selectionIndex = index * 2 }
    for (index, name) in [(1, "recovery/<b>&b"), (5, "recovery/z")] {
        let missing = ScenarioResult(id: name, name: name, file: "\(name).json5", title: "Not \"run\"")
        results.notRun.append(NotRun(missing, selectionIndex: index))
    }
    return results
}

@Suite("Report formats")
struct FormatTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures/reports").standardized

    private static let runs: [(name: String, results: RunResults)] = [
        ("every", everyVerdict()), ("sample", sample()),
        ("incomplete", incomplete()),
        ("empty", RunResults(toolVersion: "0.1", commandLine: ["otalab", "run"], seed: 1)),
    ]

    /// `OTALAB_WRITE_PAGES=1` writes them anew; then look at what changed.
    @Test(
        "formats are what they were", arguments: ["junit", "junit-strict", "md", "tap", "ctrf", "github"])
    func golden(format: String) throws {
        let form = try #require(ReportFormat.named(format))
        for run in FormatTests.runs {
            let bytes = Data(form.bytes(run.results))
            let file = FormatTests.folder.appendingPathComponent("\(run.name).\(format)")
            if ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1" {
                try FileManager.default.createDirectory(
                    at: FormatTests.folder, withIntermediateDirectories: true)
                try bytes.write(to: file)
            }
            let golden = try Data(contentsOf: file)
            #expect(
                String(decoding: golden, as: UTF8.self) == String(decoding: bytes, as: UTF8.self),
                "\(file.lastPathComponent): OTALAB_WRITE_PAGES=1 swift test --filter FormatTests")
        }
    }

    @Test("at most ten annotations for GitHub; the tenth gives the number of the others")
    func annotations() {
        var results = sample()
        let bad = results.scenarios[1]
        results.scenarios = Array(repeating: bad, count: 25)
        let lines = GitHubAnnotations.text(results).split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines[9].contains("… and 15 more, see the job summary"))
        #expect(lines.allSatisfy { $0.hasPrefix("::error file=Scenarios/recovery/bad.json5,line=11,") })
    }

    @Test("no text of a scenario adds a line or a property to an annotation")
    func escaping() {
        let location = FileLocation(file: "a,b:c%\n.json5", line: 1, column: 2, length: 3, text: "")
        let line = GitHubAnnotations.command(at: location, title: "x,y::z", "one\r\ntwo%")
        #expect(
            line
                == "::error file=a%2Cb%3Ac%25%0A.json5,line=1,endLine=1,col=2,endColumn=5,title=x%2Cy%3A%3Az"
                + "::one%0D%0Atwo%25")
    }

    @Test("a summary of very many failures stays within what GitHub takes, and counts the rest")
    func summaryLimit() {
        var results = sample()
        var bad = results.scenarios[1]
        bad.failures[0].differences[0].actual = String(repeating: "ü", count: 3_000)
        results.scenarios = Array(repeating: bad, count: 3_000)
        let text = MarkdownSummary.text(results)
        #expect(text.utf8.count <= MarkdownSummary.limit)
        #expect(text.utf8.count > MarkdownSummary.limit / 2)
        #expect(text.contains(#/and \d+ more/#))
        #expect(text.contains("| U1 | Verified before offered | 1 | 0 |"))
    }

    @Test("dates by hand are those of the calendar")
    func dates() {
        let format = ISO8601DateFormatter()
        for seconds in stride(from: Int64(-100_000_000_000), to: 300_000_000_000, by: 86_399_999) {
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            let year = Calendar(identifier: .iso8601).component(.year, from: date)
            guard (1..<9_999).contains(year), seconds > -12_000_000_000 else { continue }
            #expect(ISODate.text(OriginTime(seconds: seconds)) == format.string(from: date))
        }
    }
}
