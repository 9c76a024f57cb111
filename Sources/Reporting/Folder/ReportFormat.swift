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

    package static let all = [
        ReportFormat(
            name: "json", file: "results.json", summary: "everything, what the others are derived from",
            bytes: { ResultsJSON.bytes($0) }),
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
