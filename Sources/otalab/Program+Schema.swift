import Reporting
import Runner
import ScenarioLanguage

extension Verb {
    static let schema = Verb(
        name: "schema", arguments: "[WHAT]", offered: SchemaWord.all,
        summary:
            "of scenario (default), use, profile, results, crashpoints, settings: JSON Schema, or a reference",
        options: [
            Option(
                "--format", value: "FORMAT", offer: .words(["json", "markdown"]),
                "json (JSON Schema, draft-07; default) or markdown (the reference)")
        ]
    ) { program in try program.schema() }
}

extension Program {
    func schema() throws -> ExitCode {
        if arguments.paths.count > 1 {
            throw UsageError(message: "one schema at a time", help: SchemaWord.help)
        }
        let word = arguments.paths.first ?? LanguageSchema.Root.scenario.rawValue
        switch word {
        case SchemaWord.results:
            return try tell(
                String(decoding: ResultsJSON.schemaBytes, as: UTF8.self), markdown: ResultsJSON.reference)
        case SchemaWord.crashPoints:
            return try tell(
                String(decoding: CrashResultsJSON.schemaBytes, as: UTF8.self),
                markdown: CrashResultsJSON.reference)
        case SchemaWord.settings:
            return try tell(SettingsKeys.schema, markdown: Topic.settings.text)
        default: break
        }
        guard let root = LanguageSchema.Root(rawValue: word) else {
            let near = Nearest.to(word, among: SchemaWord.all)
            throw UsageError(
                message: "there is no schema of '\(word)'",
                help: near.map { "did you mean '\($0)'?" } ?? SchemaWord.help)
        }
        return try tell(LanguageSchema.text(of: root), markdown: LanguageReference.markdown(of: root))
    }

    /// In the format that the call asks for.
    private func tell(
        _ schema: @autoclosure () -> String, markdown: @autoclosure () -> String
    ) throws(UsageError) -> ExitCode {
        switch arguments.text("--format") ?? "json" {
        case "json": Output.result(schema())
        case "markdown": Output.result(markdown())
        case let other:
            throw UsageError(message: "--format can't be '\(other)'", help: "write json or markdown")
        }
        return .passed
    }
}

/// What has a schema.
private enum SchemaWord {
    static let results = "results"
    static let crashPoints = "crashpoints"
    static let settings = "settings"
    static let all = LanguageSchema.Root.allCases.map(\.rawValue) + [results, crashPoints, settings]
    static let help = "write " + all.joined(separator: ", ")
}
