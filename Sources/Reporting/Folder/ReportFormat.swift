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
    /// The same with text.
    typealias TextSink = (String) throws(ReportError) -> Void

    /// A format that is written in parts of text.
    private init(
        name: String, file: String?, summary: String,
        text: @escaping @Sendable (RunResults, TextSink) throws(ReportError) -> Void
    ) {
        self.name = name
        self.file = file
        self.summary = summary
        bytes = { results in
            Array(ReportFormat.text { (sink) throws(ReportError) in try text(results, sink) }.utf8)
        }
        parts = { (results, _, sink) throws(ReportError) in
            try text(results) { (part) throws(ReportError) in try sink(Array(part.utf8)) }
        }
    }

    private init(
        name: String, file: String?, summary: String, bytes: @escaping @Sendable (RunResults) -> [UInt8],
        parts: (@Sendable (RunResults, ResultSpool?, Sink) throws(ReportError) -> Void)? = nil
    ) {
        self.name = name
        self.file = file
        self.summary = summary
        self.bytes = bytes
        self.parts = parts
    }

    /// The parts as one text; a sink that keeps them does not fail.
    static func text(_ write: (TextSink) throws(ReportError) -> Void) -> String {
        var all = ""
        do throws(ReportError) {
            try write { all += $0 }
        } catch {
            assertionFailure("a text in memory can't fail: \(error.why)")
        }
        return all
    }

    /// The parts as one list of bytes.
    static func bytes(_ write: (Sink) throws(ReportError) -> Void) -> [UInt8] {
        var all: [UInt8] = []
        do throws(ReportError) {
            try write { all += $0 }
        } catch {
            assertionFailure("bytes in memory can't fail: \(error.why)")
        }
        return all
    }

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
            text: { (results, sink: TextSink) throws(ReportError) in
                try HTMLReport.write(results, traces: HTMLReport.traces(of: results), to: sink)
            }),
        ReportFormat(
            name: "junit", file: "junit.xml",
            summary: "JUnit XML as GitLab, Jenkins and GitHub's actions read it",
            text: { (results, sink: TextSink) throws(ReportError) in
                try JUnitReport.write(results, to: sink)
            }),
        ReportFormat(
            name: "junit-strict", file: nil, summary: "JUnit XML within Jenkins' junit-10.xsd",
            text: { (results, sink: TextSink) throws(ReportError) in
                try JUnitReport.write(results, flavour: .strict, to: sink)
            }),
        ReportFormat(
            name: "md", file: "summary.md", summary: "Markdown: GitHub's job summary",
            bytes: { Array(MarkdownSummary.text($0).utf8) }),
        ReportFormat(
            name: "tap", file: "results.tap", summary: "Test Anything Protocol, version 13",
            text: { (results, sink: TextSink) throws(ReportError) in
                try TAPReport.write(results, to: sink)
            }),
        ReportFormat(
            name: "ctrf", file: "ctrf.json", summary: "Common Test Report Format",
            bytes: { CTRFReport.bytes($0) },
            parts: { (results, _, sink: Sink) throws(ReportError) in
                try CTRFReport.write(results, to: sink)
            }),
        ReportFormat(
            name: "github", file: nil, summary: "annotations as GitHub's workflow commands",
            bytes: { Array(GitHubAnnotations.text($0).utf8) }),
    ]

    package static func named(_ name: String) -> ReportFormat? { all.first { $0.name == name } }
}
