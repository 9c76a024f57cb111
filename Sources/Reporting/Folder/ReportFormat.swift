import Core
import Runner

/// A format in which results can be written. ``all`` lists them once; report folders, `-o FORMAT=PATH` and
/// `otalab report --to` are derived from it.
package struct ReportFormat: Sendable {
    /// Name on the command line, for example `junit-strict`.
    package let name: String
    /// File name in a report folder; nil for formats that are written only on request.
    package let file: String?
    package let summary: String
    package let bytes: @Sendable (RunResults) -> [UInt8]
    /// Writes the same in parts; nil for a format that is made as a whole.
    private var parts: (@Sendable (RunResults, ResultSpool?, Sink) throws(ReportError) -> Void)?

    /// Takes the parts of a report in order.
    package typealias Sink = ([UInt8]) throws(ReportError) -> Void

    /// Writes the results in this format.
    /// - Parameter passed: results of scenarios that passed, of which `results` has only a summary.
    package func write(_ results: RunResults, passed: ResultSpool? = nil, to sink: Sink) throws(ReportError) {
        guard let parts else { return try sink(bytes(results)) }
        try parts(results, passed, sink)
    }

    package static let all = [
        ReportFormat(
            name: "json", file: "results.json", summary: "everything, what the others are derived from",
            bytes: { ResultsJSON.bytes($0) },
            parts: { (results, passed, sink: Sink) throws(ReportError) in
                try ResultsJSON.write(results, passed: passed, to: sink)
            }),
        ReportFormat(
            name: "html", file: "report.html", summary: "one page that needs nothing but itself",
            bytes: { Array(HTMLReport.text($0, traces: HTMLReport.traces(of: $0)).utf8) }),
        ReportFormat(
            name: "junit", file: "junit.xml",
            summary: "JUnit XML as GitLab, Jenkins and GitHub's actions read it",
            bytes: { Array(JUnitReport.text($0).utf8) }),
        ReportFormat(
            name: "junit-strict", file: nil, summary: "JUnit XML within Jenkins' junit-10.xsd",
            bytes: { Array(JUnitReport.text($0, flavour: .strict).utf8) }),
        ReportFormat(
            name: "md", file: "summary.md", summary: "Markdown: GitHub's job summary",
            bytes: { Array(MarkdownSummary.text($0).utf8) }),
        ReportFormat(
            name: "tap", file: "results.tap", summary: "Test Anything Protocol, version 13",
            bytes: { Array(TAPReport.text($0).utf8) }),
        ReportFormat(
            name: "ctrf", file: "ctrf.json", summary: "Common Test Report Format",
            bytes: { CTRFReport.bytes($0) }),
        ReportFormat(
            name: "github", file: nil, summary: "annotations as GitHub's workflow commands",
            bytes: { Array(GitHubAnnotations.text($0).utf8) }),
    ]

    package static func named(_ name: String) -> ReportFormat? { all.first { $0.name == name } }
}
