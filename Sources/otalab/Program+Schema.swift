import Laboratory
import Reporting
import ScenarioLanguage

extension Verb {
    static let schema = Verb(
        name: "schema", arguments: "[scenario|profile|results]", offered: ["scenario", "profile", "results"],
        summary: "the language, or results.json, as JSON Schema, for editors and programs; or as a reference",
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
            throw UsageError(message: "one schema at a time", help: "write scenario, profile or results")
        }
        let word = arguments.paths.first ?? LanguageSchema.Root.scenario.rawValue
        if word == "results" { return try resultsSchema() }
        guard let root = LanguageSchema.Root(rawValue: word) else {
            throw UsageError(
                message: "there is no schema of '\(word)'", help: "write scenario, profile or results")
        }
        switch arguments.text("--format") ?? "json" {
        case "json": Output.result(LanguageSchema.text(of: root))
        case "markdown": Output.result(LanguageReference.markdown(of: root))
        case let other:
            throw UsageError(message: "--format can't be '\(other)'", help: "write json or markdown")
        }
        return .passed
    }

    private func resultsSchema() throws -> ExitCode {
        switch arguments.text("--format") ?? "json" {
        case "json": Output.result(String(decoding: ResultsJSON.schemaBytes, as: UTF8.self))
        case "markdown": Output.result(ResultsJSON.reference)
        case let other:
            throw UsageError(message: "--format can't be '\(other)'", help: "write json or markdown")
        }
        return .passed
    }
}
