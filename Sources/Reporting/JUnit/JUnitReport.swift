import Core
import Laboratory

/// JUnit XML in the flavour that GitLab, Jenkins and GitHub's report actions read: suite = first folder,
/// class = path with dots, `file` and `line` on the case, the one-line message in the attribute and as first
/// line of the body.
public enum JUnitReport {
    public static func text(_ results: RunResults, wall: Bool = true) -> String {
        var suites: [(name: String, scenarios: [ScenarioResult])] = []
        for scenario in results.scenarios {
            let name = suite(of: scenario)
            if suites.last?.name == name {
                suites[suites.count - 1].scenarios.append(scenario)
            } else {
                suites.append((name, [scenario]))
            }
        }
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let total = wall ? results.wall.microseconds : 0
        xml +=
            "<testsuites name=\"otalab\"\(counts(results.scenarios)) time=\"\(WallTime.seconds(total))\">\n"
        for suite in suites { xml += self.suite(suite.name, suite.scenarios, results, wall) }
        return xml + "</testsuites>\n"
    }

    private static func suite(of scenario: ScenarioResult) -> String {
        scenario.id.split(separator: "/").first.map(String.init) ?? scenario.id
    }

    private static func counts(_ scenarios: [ScenarioResult]) -> String {
        let failures = scenarios.count { $0.verdict == .failed || $0.verdict == .unexpectedPass }
        let errors = scenarios.count {
            $0.verdict == .invalid || $0.verdict == .inconclusive || $0.verdict == .nonDeterministic
        }
        let skipped = scenarios.count { $0.verdict == .skipped || $0.verdict == .expectedFailure }
        return
            " tests=\"\(scenarios.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    }

    private static func suite(
        _ name: String, _ scenarios: [ScenarioResult], _ results: RunResults, _ wall: Bool
    ) -> String {
        let time = wall ? scenarios.reduce(0) { $0 + $1.wall.microseconds } : 0
        var xml = "  <testsuite name=\"\(XML.attribute(name))\"\(counts(scenarios))"
        xml += " time=\"\(WallTime.seconds(time))\">\n    <properties>"
        xml += "<property name=\"seed\" value=\"\(results.seed)\"/>"
        xml += "<property name=\"otalab\" value=\"\(XML.attribute(results.toolVersion))\"/></properties>\n"
        for scenario in scenarios { xml += self.scenario(scenario, wall) }
        return xml + "  </testsuite>\n"
    }

    private static func scenario(_ scenario: ScenarioResult, _ wall: Bool) -> String {
        let time = WallTime.seconds(wall ? scenario.wall.microseconds : 0)
        let suffix = String(scenario.name.dropFirst(scenario.id.count))
        let name = scenario.verdict == .invalid ? "(file)" : scenario.title + suffix
        var xml =
            "    <testcase classname=\"\(XML.attribute(scenario.id.split(separator: "/").joined(separator: ".")))\""
        xml += " name=\"\(XML.attribute(name))\" time=\"\(time)\""
        xml += " file=\"\(XML.attribute(scenario.file))\" line=\"\(scenario.line)\""
        let body = content(scenario)
        return xml + (body.isEmpty ? "/>\n" : ">\n" + body + "    </testcase>\n")
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
        let message =
            scenario.failures.first?.headline ?? scenario.diagnostics.first { $0.isError }?.message
            ?? scenario.verdict.rawValue
        var lines = [message]
        for failure in scenario.failures { lines += FailureText(failure, in: scenario).lines() }
        for diagnostic in scenario.diagnostics where diagnostic.isError {
            lines += FailureText.lines(diagnostic)
        }
        var xml = "      <\(name) type=\"\(type)\" message=\"\(XML.attribute(message))\">"
        xml += XML.text(lines.joined(separator: "\n")) + "</\(name)>\n"
        guard !scenario.timeline.isEmpty else { return xml }
        let timeline = scenario.timeline.suffix(200).map(FailureText.event).joined(separator: "\n")
        return xml + "      <system-out>" + XML.text(timeline) + "</system-out>\n"
    }
}

/// Escaping for XML 1.0; characters that it forbids become U+FFFD.
enum XML {
    static func text(_ text: String) -> String { escape(text, attribute: false) }
    static func attribute(_ text: String) -> String { escape(text, attribute: true) }

    private static func escape(_ text: String, attribute: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where attribute: result += "&quot;"
            case "\n" where attribute: result += "&#10;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            default:
                let isAllowed = scalar.value >= 0x20 && scalar.value != 0xfffe && scalar.value != 0xffff
                result.unicodeScalars.append(isAllowed ? scalar : "\u{fffd}")
            }
        }
        return result
    }
}
