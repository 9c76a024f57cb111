import Authoring
import Core
import Runner

/// Workflow commands that annotate lines of the scenario files with failures.
///
/// GitHub shows ten errors for each step, so the tenth gives the number of the others. Titles and messages
/// are escaped, so that they can't issue a command.
package enum GitHubAnnotations {
    /// Most annotations that GitHub shows for one step.
    static let limit = 10

    package static func text(_ results: RunResults) -> String {
        let bad = results.scenarios.filter { !$0.verdict.isGood }.sorted {
            ($0.faultLocation.file, $0.faultLocation.line, $0.selectionIndex) < (
                $1.faultLocation.file, $1.faultLocation.line, $1.selectionIndex
            )
        }
        var lines: [String] = []
        for (index, scenario) in bad.enumerated() {
            var message = scenario.headline
            if let command = scenario.reproduction { message += "\n\(command)" }
            if index == limit - 1, bad.count > limit {
                message += "\n… and \(bad.count - limit) more, see the job summary"
            }
            lines.append(command(at: scenario.faultLocation, title: scenario.name, message))
            if index == limit - 1 { break }
        }
        if results.isPartial, let line = NotRunText.line(results) {
            lines.append("::error title=otalab::\(data(line))")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Lines around each failure, so that GitHub's log can fold it. Commands are disabled in between
    /// (`::stop-commands::`); the token enables them again for the two commands.
    package static func group(token: String) -> TerminalReport.Fold {
        TerminalReport.Fold(
            begin: { ["::\(token)::", "::group::\(data($0))", "::stop-commands::\(token)"] },
            end: ["::\(token)::", "::endgroup::", "::stop-commands::\(token)"])
    }

    /// - Parameter severity: `error` or `warning`.
    package static func command(
        _ severity: String = "error", at location: FileLocation, title: String, _ message: String
    ) -> String {
        let end = location.column + max(1, location.length)
        return "::\(severity) file=\(property(location.file)),line=\(location.line),endLine=\(location.line),"
            + "col=\(location.column),endColumn=\(end),title=\(property(title))::\(data(message))"
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r\n", with: "%0D%0A").replacing("\r", with: "%0D")
            .replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
