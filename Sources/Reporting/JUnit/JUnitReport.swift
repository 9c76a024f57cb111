import Core
import Runner

/// JUnit XML in the flavour that GitLab, Jenkins and GitHub's report actions read: the suite is the first
/// folder, the class is the path with dots, `file` and `line` are attributes of the case, and the one-line
/// message is an attribute and the first line of the body. A scenario that was not run is skipped, with the
/// reason. An interrupted run has an additional case with an error, because its counts alone would look like
/// those of a good run.
package struct JUnitReport {
    package enum Flavour: Sendable {
        case common
        /// Valid by the schema `junit-10.xsd` of Jenkins' xUnit plugin: cases without file, line and
        /// properties, no `skipped` at the root.
        case strict
    }

    private let results: RunResults
    private let flavour: Flavour

    private let listed: ListedScenarios

    private init(_ results: RunResults, _ flavour: Flavour) {
        self.results = results
        self.flavour = flavour
        listed = results.listed
    }

    package static func text(_ results: RunResults, flavour: Flavour = .common) -> String {
        ReportFormat.text { (sink) throws(ReportError) in try write(results, flavour: flavour, to: sink) }
    }

    /// Writes the same in parts.
    static func write(
        _ results: RunResults, flavour: Flavour = .common, to sink: ReportFormat.TextSink
    ) throws(ReportError) {
        try JUnitReport(results, flavour).write(to: sink)
    }

    private func write(to sink: ReportFormat.TextSink) throws(ReportError) {
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let more = results.isPartial ? 1 : 0
        xml += "<testsuites name=\"otalab\"\(counts(0..<listed.count, more, isRoot: true))"
        try sink(xml + " time=\"\(WallTime.seconds(results.wall.microseconds))\">\n")
        for suite in suites {
            try sink(head(of: suite.name, suite.scenarios))
            for index in suite.scenarios { try sink(scenario(listed[index])) }
            try sink("  </testsuite>\n")
        }
        try sink((results.isPartial ? interruption : "") + "</testsuites>\n")
    }

    /// Scenarios of one suite that follow each other, as a range of ``listed``.
    private var suites: [(name: String, scenarios: Range<Int>)] {
        var suites: [(name: String, scenarios: Range<Int>)] = []
        for index in listed.indices {
            let name = JUnitReport.suite(of: listed[index].scenario)
            if let last = suites.last, last.name == name {
                suites[suites.count - 1].scenarios = last.scenarios.lowerBound..<index + 1
            } else {
                suites.append((name, index..<index + 1))
            }
        }
        return suites
    }

    /// A separate suite with one error.
    private var interruption: String {
        let text = NotRunText.line(results) ?? ""
        return "  <testsuite name=\"otalab\"\(counts(0..<0, 1)) time=\"0.000\" timestamp=\"\(timestamp)\">\n"
            + "    <testcase classname=\"otalab\" name=\"the run is whole\" time=\"0.000\">\n"
            + "      <error type=\"interrupted\" message=\"\(XML.attribute(text))\">\(XML.text(text))</error>\n"
            + "    </testcase>\n  </testsuite>\n"
    }

    private var timestamp: Substring { ISODate.text(OriginTime(seconds: results.startedAt)).dropLast() }

    static func suite(of scenario: ScenarioResult) -> String {
        scenario.id.split(separator: "/").first.map(String.init) ?? scenario.id
    }

    /// - Parameter more: number of errors in addition to those of scenarios.
    private func counts(_ scenarios: Range<Int>, _ more: Int = 0, isRoot: Bool = false) -> String {
        func count(_ verdicts: Verdict...) -> Int {
            scenarios.count { verdicts.contains(listed[$0].scenario.verdict) }
        }
        let failures = count(.failed, .unexpectedPass)
        let errors = more + count(.invalid, .inconclusive, .nonDeterministic)
        let skipped = count(.skipped, .expectedFailure)
        var xml = " tests=\"\(scenarios.count + more)\" failures=\"\(failures)\" errors=\"\(errors)\""
        if !isRoot || flavour == .common { xml += " skipped=\"\(skipped)\"" }
        return xml
    }

    private func head(of name: String, _ scenarios: Range<Int>) -> String {
        let time = scenarios.reduce(0) { $0 + listed[$1].scenario.wall.microseconds }
        var xml = "  <testsuite name=\"\(XML.attribute(name))\"\(counts(scenarios))"
        xml += " time=\"\(WallTime.seconds(time))\" timestamp=\"\(timestamp)\">\n"
        xml += "    <properties><property name=\"seed\" value=\"\(results.seedText)\"/>"
        xml += "<property name=\"otalab\" value=\"\(XML.attribute(results.toolVersion))\"/>"
        if let subject = results.subject {
            xml += "<property name=\"subject\" value=\"\(XML.attribute(subject))\"/>"
        }
        return xml + "</properties>\n"
    }

    private func scenario(_ listed: ListedScenario) -> String {
        let scenario = listed.scenario
        let name =
            scenario.verdict == .invalid && scenario.title == "(file)"
            ? "(file)" : scenario.title + scenario.caseAndOrder
        let group = scenario.id.split(separator: "/").joined(separator: ".")
        var xml = "    <testcase classname=\"\(XML.attribute(group))\" name=\"\(XML.attribute(name))\""
        xml += " time=\"\(WallTime.seconds(scenario.wall.microseconds))\""
        var body =
            listed.isRun
            ? JUnitReport.content(scenario) : JUnitReport.skipped("not-run", scenario.reason)
        if flavour == .common {
            xml += " file=\"\(XML.attribute(scenario.file))\" line=\"\(scenario.line)\""
            body = properties(scenario) + body
        }
        return xml + (body.isEmpty ? "/>\n" : ">\n" + body + "    </testcase>\n")
    }

    /// Properties that trace a test case to requirements and issues.
    private func properties(_ scenario: ScenarioResult) -> String {
        var properties: [(String, String)] = scenario.covers.map { ("covers", $0) }
        if let issue = scenario.issue { properties.append(("issue", issue)) }
        guard !properties.isEmpty else { return "" }
        let xml = properties.map { "<property name=\"\($0.0)\" value=\"\(XML.attribute($0.1))\"/>" }.joined()
        return "      <properties>\(xml)</properties>\n"
    }

    private static func content(_ scenario: ScenarioResult) -> String {
        switch scenario.verdict {
        case .passed: ""
        case .failed: element("failure", scenario.failures.first?.kind.rawValue ?? "failed", scenario)
        case .unexpectedPass: element("failure", "unexpected-pass", scenario)
        case .inconclusive: element("error", ended(scenario) ?? "inconclusive", scenario)
        case .invalid: element("error", "invalid-scenario", scenario)
        case .nonDeterministic: element("error", "non-deterministic", scenario)
        case .expectedFailure: skipped("expected-failure", scenario.reason)
        case .skipped: skipped("skipped", scenario.reason)
        }
    }

    /// What ended a run from outside; nil when nothing did.
    private static func ended(_ scenario: ScenarioResult) -> String? {
        guard scenario.endedFromOutside else { return nil }
        return scenario.failures.first?.kind == .wallLimit ? "wall-limit" : "worker-died"
    }

    private static func skipped(_ type: String, _ reason: String?) -> String {
        let text = reason ?? ""
        return
            "      <skipped type=\"\(type)\" message=\"\(XML.attribute(text))\">\(XML.text(text))</skipped>\n"
    }

    private static func element(_ name: String, _ type: String, _ scenario: ScenarioResult) -> String {
        let message = scenario.headline
        let lines = [message] + scenario.explanation
        var xml = "      <\(name) type=\"\(type)\" message=\"\(XML.attribute(message))\">"
        xml += XML.text(lines.joined(separator: "\n")) + "</\(name)>\n"
        let events = scenario.timeline.suffix(200).map(FailureText.event)
        let dialogue = scenario.dialogue.isEmpty ? [] : ["", "the dialogue:"] + scenario.dialogue.suffix(200)
        let output = events + dialogue
        guard !output.isEmpty else { return xml }
        return xml + "      <system-out>" + XML.text(output.joined(separator: "\n")) + "</system-out>\n"
    }
}
