import Core
import Runner

/// JUnit XML in the flavour that GitLab, Jenkins and GitHub's report actions read: suite = first folder,
/// class = path with dots, `file` and `line` on the case, the one-line message in the attribute and as first
/// line of the body.
package struct JUnitReport {
    package enum Flavour: Sendable {
        case common
        /// Within the schema `junit-10.xsd` of Jenkins' xUnit plugin: no file, line or properties of a case,
        /// no `skipped` at the root.
        case strict
    }

    private let results: RunResults
    private let flavour: Flavour

    package static func text(_ results: RunResults, flavour: Flavour = .common) -> String {
        JUnitReport(results: results, flavour: flavour).text
    }

    private var text: String {
        var suites: [(name: String, scenarios: [ScenarioResult])] = []
        for scenario in results.scenarios {
            let name = JUnitReport.suite(of: scenario)
            if suites.last?.name == name {
                suites[suites.count - 1].scenarios.append(scenario)
            } else {
                suites.append((name, [scenario]))
            }
        }
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        xml += "<testsuites name=\"otalab\"\(counts(results.scenarios, isRoot: true))"
        xml += " time=\"\(WallTime.seconds(results.wall.microseconds))\">\n"
        for suite in suites { xml += self.suite(suite.name, suite.scenarios) }
        return xml + "</testsuites>\n"
    }

    static func suite(of scenario: ScenarioResult) -> String {
        scenario.id.split(separator: "/").first.map(String.init) ?? scenario.id
    }

    private func counts(_ scenarios: [ScenarioResult], isRoot: Bool = false) -> String {
        let failures = scenarios.count { $0.verdict == .failed || $0.verdict == .unexpectedPass }
        let errors = scenarios.count {
            $0.verdict == .invalid || $0.verdict == .inconclusive || $0.verdict == .nonDeterministic
        }
        let skipped = scenarios.count { $0.verdict == .skipped || $0.verdict == .expectedFailure }
        var xml = " tests=\"\(scenarios.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
        if !isRoot || flavour == .common { xml += " skipped=\"\(skipped)\"" }
        return xml
    }

    private func suite(_ name: String, _ scenarios: [ScenarioResult]) -> String {
        let time = scenarios.reduce(0) { $0 + $1.wall.microseconds }
        var xml = "  <testsuite name=\"\(XML.attribute(name))\"\(counts(scenarios))"
        xml +=
            " time=\"\(WallTime.seconds(time))\" timestamp=\"\(UTC.text(results.startedAt).dropLast())\">\n"
        xml += "    <properties><property name=\"seed\" value=\"\(results.seedText)\"/>"
        xml += "<property name=\"otalab\" value=\"\(XML.attribute(results.toolVersion))\"/></properties>\n"
        for scenario in scenarios { xml += self.scenario(scenario) }
        return xml + "  </testsuite>\n"
    }

    private func scenario(_ scenario: ScenarioResult) -> String {
        let name =
            scenario.verdict == .invalid && scenario.title == "(file)"
            ? "(file)" : scenario.title + scenario.name.dropFirst(scenario.id.count)
        let group = scenario.id.split(separator: "/").joined(separator: ".")
        var xml = "    <testcase classname=\"\(XML.attribute(group))\" name=\"\(XML.attribute(name))\""
        xml += " time=\"\(WallTime.seconds(scenario.wall.microseconds))\""
        var body = JUnitReport.content(scenario)
        if flavour == .common {
            xml += " file=\"\(XML.attribute(scenario.file))\" line=\"\(scenario.line)\""
            body = properties(scenario) + body
        }
        return xml + (body.isEmpty ? "/>\n" : ">\n" + body + "    </testcase>\n")
    }

    /// For those who trace test cases to requirements.
    private func properties(_ scenario: ScenarioResult) -> String {
        var rows: [(String, String)] = scenario.covers.map { ("covers", $0) }
        if let issue = scenario.issue { rows.append(("issue", issue)) }
        guard !rows.isEmpty else { return "" }
        let xml = rows.map { "<property name=\"\($0.0)\" value=\"\(XML.attribute($0.1))\"/>" }.joined()
        return "      <properties>\(xml)</properties>\n"
    }

    private static func content(_ scenario: ScenarioResult) -> String {
        switch scenario.verdict {
        case .passed: ""
        case .failed: element("failure", scenario.failures.first?.kind.rawValue ?? "failed", scenario)
        case .unexpectedPass: element("failure", "unexpected-pass", scenario)
        case .inconclusive: element("error", "inconclusive", scenario)
        case .invalid: element("error", "invalid-scenario", scenario)
        case .nonDeterministic: element("error", "non-deterministic", scenario)
        case .expectedFailure: skipped("expected-failure", scenario.reason)
        case .skipped: skipped("skipped", scenario.reason)
        }
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
        guard !scenario.timeline.isEmpty else { return xml }
        let timeline = scenario.timeline.suffix(200).map(FailureText.event).joined(separator: "\n")
        return xml + "      <system-out>" + XML.text(timeline) + "</system-out>\n"
    }
}
