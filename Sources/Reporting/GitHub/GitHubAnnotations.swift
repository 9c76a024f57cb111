import Authoring
import Core
import Runner

/// Workflow commands that put failures beside the lines of the scenario files.
///
/// GitHub shows ten errors a step: the tenth says how many more there are. Text of others (titles,
/// messages) is escaped, so that it can't issue a command.
package enum GitHubAnnotations {
    /// As many as GitHub shows of one step.
    static let limit = 10

    package static func text(_ results: RunResults) -> String {
        let bad = results.scenarios.filter { !$0.verdict.isGood }.sorted {
            ($0.faultPlace.file, $0.faultPlace.line, $0.place) < (
                $1.faultPlace.file, $1.faultPlace.line, $1.place
            )
        }
        var lines: [String] = []
        for (number, scenario) in bad.enumerated() {
            var message = scenario.headline
            if let command = scenario.reproduction { message += "\n\(command)" }
            if number == limit - 1, bad.count > limit {
                message += "\n… and \(bad.count - limit) more, see the job summary"
            }
            lines.append(command(at: scenario.faultPlace, title: scenario.name, message))
            if number == limit - 1 { break }
        }
        if results.isPartial, let line = NotRunText.line(results) {
            lines.append("::error title=otalab::\(data(line))")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Around each failure, so that GitHub's log can fold it. In between no line is a command: the token ends
    /// that for as long as the two commands take.
    package static func group(token: String) -> TerminalReport.Fold {
        TerminalReport.Fold(
            begin: { ["::\(token)::", "::group::\(data($0))", "::stop-commands::\(token)"] },
            end: ["::\(token)::", "::endgroup::", "::stop-commands::\(token)"])
    }

    /// - Parameter severity: `error` or `warning`.
    package static func command(
        _ severity: String = "error", at place: SourcePlace, title: String, _ message: String
    ) -> String {
        let end = place.column + max(1, place.length)
        return "::\(severity) file=\(property(place.file)),line=\(place.line),endLine=\(place.line),"
            + "col=\(place.column),endColumn=\(end),title=\(property(title))::\(data(message))"
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r\n", with: "%0D%0A").replacing("\r", with: "%0D")
            .replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
