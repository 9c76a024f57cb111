import AppHost
import Publishing
import Reporting
import Runner
import ScenarioLanguage
import Subject

extension Verb {
    static let schema = Verb(
        name: "schema", arguments: "[WHAT]", offered: SchemaName.all,
        summary:
            "print the JSON Schema or the reference of scenario (default), use, profile, results, crashpoints, "
            + "settings, manifest, adapter; the types of otalab.js (page)",
        options: [
            Option(
                "--format", value: "FORMAT", offer: .choices(["json", "markdown", "script"]),
                "json (JSON Schema, draft-07; default) or markdown (the reference); script: otalab.js, with page"
            )
        ]
    ) { program in try program.schema() }
}

extension Program {
    func schema() throws -> ExitCode {
        if arguments.paths.count > 1 {
            throw UsageError(message: "schema takes one name", help: SchemaName.help)
        }
        let name = arguments.paths.first ?? LanguageSchema.Root.scenario.rawValue
        switch name {
        case SchemaName.results:
            return try print(
                String(decoding: ResultsJSON.schemaBytes, as: UTF8.self), markdown: ResultsJSON.reference)
        case SchemaName.crashPoints:
            return try print(
                String(decoding: CrashResultsJSON.schemaBytes, as: UTF8.self),
                markdown: CrashResultsJSON.reference)
        case SchemaName.page: return try printPageSide()
        case SchemaName.manifest: return try print(ManifestSchema.text, markdown: ManifestPage.text)
        case SchemaName.adapter: return try print(ProtocolSchema.text, markdown: Topic.adapters.text)
        case SchemaName.settings:
            return try print(SettingsKeys.schema, markdown: Topic.settings.text)
        default: break
        }
        guard let root = LanguageSchema.Root(rawValue: name) else {
            let near = Nearest.to(name, among: SchemaName.all)
            throw UsageError(
                message: "there is no schema of '\(name)'",
                help: near.map { "did you mean '\($0)'?" } ?? SchemaName.help)
        }
        return try print(LanguageSchema.text(of: root), markdown: LanguageReference.markdown(of: root))
    }

    /// A page is not JSON: its types are TypeScript's.
    private func printPageSide() throws(UsageError) -> ExitCode {
        switch arguments.text("--format") {
        case nil: Output.result(PageSide.types)
        case "script": Output.result(PageSide.userScript)
        case let other?:
            throw UsageError(
                message: "--format can't be '\(other)' for page",
                help: "leave it out for otalab.d.ts, or write script for otalab.js")
        }
        return .passed
    }

    /// Prints the schema or the reference, according to `--format`.
    private func print(
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

/// The names of the schemas.
private enum SchemaName {
    static let results = "results"
    static let crashPoints = "crashpoints"
    static let settings = "settings"
    static let manifest = "manifest"
    static let adapter = "adapter"
    static let page = "page"
    static let all =
        LanguageSchema.Root.allCases.map(\.rawValue) + [
            results, crashPoints, settings, manifest, adapter, page,
        ]
    static let help = "write " + all.joined(separator: ", ")
}
