import Core
import Runner
import ScenarioLanguage
import Updater

/// `otalab subject check`: one short story with an adapter, step by step.
package enum SubjectCheck {
    package struct Outcome: Sendable {
        package var lines: [String]
        package var exitCode: ExitCode
    }

    /// - Throws: never for what the adapter does; only if the story itself can't be read, which is a defect
    ///   of otalab.
    package static func run(_ options: SubjectBackend.Options, _ subject: SubjectDescription) throws
        -> Outcome
    {
        let dialects: [String] = ManifestDialect.allCases.map(\.rawValue)
        guard let dialect = subject.dialects.first(where: dialects.contains) else {
            return Outcome(
                lines: [
                    "error: none of its dialects is known",
                    "  help: the dialects are " + dialects.joined(separator: ", "),
                ],
                exitCode: .invalid)
        }
        let file = ScenarioFile(path: "subject-check.json5", bytes: Array(story(dialect).utf8))
        let reading = file.read(devices: ["plain"])
        guard let scenario = reading.scenarios.first, !reading.hasErrors,
            let plan = RunPlan.plans(for: scenario, seed: 1).first
        else { throw StoryFault(message: reading.diagnostics.map(\.message).joined(separator: "; ")) }
        var options = options
        options.checksAdapter = true
        let result = SubjectRun(options, subject, profiles: [.plain]).result(of: plan)
        return Outcome(lines: lines(result), exitCode: result.verdict.exitCode)
    }

    private struct StoryFault: Error { var message: String }

    private static func lines(_ result: ScenarioResult) -> [String] {
        var lines = ["", "a first story: install, update, launch again"]
        for step in result.steps {
            let mark =
                switch step.outcome {
                case .done: "ok          "
                case .failed: "FAILED      "
                case .notJudged: "not judged  "
                case .notReached: "not reached "
                }
            lines.append("  \(mark)\(step.text)")
        }
        for failure in result.failures {
            lines += ["", failure.headline]
            lines += failure.differences.map {
                "  \($0.part.map { "\($0): " } ?? "")expected \($0.expected), was \($0.actual)"
            }
            if let help = failure.help { lines.append("  help: \(help)") }
        }
        if !result.verdict.isGood {
            lines.append("")
            lines += result.notes.map(\.text) + result.dialogue.suffix(40)
        }
        let unknown = result.timeline.map(\.text).filter(ProtocolWord.isOfUnknownMessage)
        if !unknown.isEmpty { lines += [""] + Array(Set(unknown)).sorted() }
        lines += [
            "",
            result.verdict.isGood
                ? "The adapter works; what its updater does wrong is for scenarios to find.\n"
                    + "Next: otalab run --subject ADAPTER FILE… with scenarios of any updater, such as those of "
                    + "otalab's own Scenarios/any"
                : "not passed",
        ]
        return lines
    }

    private static func story(_ dialect: String) -> String {
        """
        {
          schema: 1,
          title: "An updater shows what the app ships, fetches a new version and shows it at the next launch",
          app: { id: "com.example.check", embeds: "v1", manifest: "\(dialect)" },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "4 KB", "style.css": "1 KB" } },
            v2: { from: "v1", changes: ["app.js"] },
          },
          steps: [
            { launch: true },
            { expect: { running: "v1", page: "ready" }, within: "10s" },
            { wait: "3s", because: "a check of its own at the launch has ended" },
            { deploy: "v2" },
            { check: true },
            { expect: { requests: { manifest: { atLeast: 1 } } }, within: "10s" },
            { expect: { requests: { "/app.js": { atLeast: 1 } } }, within: "10s" },
            { wait: "3s" },
            { expect: { pending: "v2" } },
            { relaunch: true },
            { expect: { running: "v2", page: "ready" }, within: "10s" },
          ],
        }
        """
    }
}
