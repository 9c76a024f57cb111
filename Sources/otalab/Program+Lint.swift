import Authoring
import Oracle
import Reporting
import Runner
import ScenarioLanguage

extension Verb {
    static let lint = Verb(
        name: "lint", arguments: "[PATH[:LINE]…]",
        summary: "read scenario files and say what is wrong with them, without running; or look at a release",
        options: [
            Option("--strict", "warnings count as errors"),
            Option(
                "--release", value: "DIR", offer: .folders,
                "a web build instead: would updaters take it, and what changed"),
            Option(
                "--previous", value: "DIR", offer: .folders, "the release before, to compare --release with"),
            Option(
                "--format", value: "FORMAT", offer: .words(["human", "github", "sarif"]),
                "human (default), github (annotations) or sarif (SARIF 2.1.0, nothing else on standard output)"
            ),
            .color,
        ]
    ) { program in try program.lint() }
}

extension Program {
    /// 0: no error; 1: errors, or warnings with --strict; 3: nothing but files that can't be read at all.
    func lint() throws -> ExitCode {
        _ = try paint()
        let format = arguments.text("--format") ?? "human"
        guard ["human", "github", "sarif"].contains(format) else {
            throw UsageError(message: "--format can't be '\(format)'", help: "write human, github or sarif")
        }
        let (findings, what) = try linted()
        if what == Quoting.count(0, "file") {
            Output.error(
                "error: there is no scenario file\n"
                    + "  = help: name a file, or a folder with .json5 files in it; 'otalab new' writes one\n")
            return .nothingSelected
        }
        switch format {
        case "sarif": Output.result(String(decoding: SARIFReport.bytes(findings), as: UTF8.self))
        case "github": Output.result(GitHubAnnotations.text(findings))
        default: for finding in findings { Output.result(finding.shown + "\n") }
        }
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        let sum =
            "\(what), \(Quoting.count(errors, "error")), \(Quoting.count(warnings, "warning"))\n"
        if format == "sarif" { Output.error(sum) } else { Output.result(sum) }
        if errors == 0 { return arguments.has("--strict") && warnings > 0 ? .failed : .passed }
        let isUnreadable = findings.allSatisfy { $0.severity != .error || $0.isUnreadableFile }
        return isUnreadable ? .invalid : .failed
    }

    /// All findings, and what was looked at: "12 files".
    func linted() throws -> (findings: [Finding], what: String) {
        guard let release = arguments.text("--release") else {
            if arguments.has("--previous") {
                throw UsageError(message: "--previous goes with --release", help: "write --release DIR too")
            }
            let (files, profiles) = try found()
            // Devices that were looked up for scenarios are none of what was asked for when there are none.
            let isAsked =
                arguments.paths.isEmpty
                || profiles.files.contains { file in
                    arguments.paths.contains { file.path == $0 || file.path.hasPrefix($0 + "/") }
                }
            let count = files.isEmpty && !isAsked ? 0 : files.count + profiles.files.count
            return (LibraryLint.findings(files, profiles), Quoting.count(count, "file"))
        }
        if let path = arguments.paths.first {
            throw UsageError(
                message: "'\(path)' beside --release", help: "scenarios and releases are looked at apart")
        }
        do throws(ReleaseLint.MissingFolder) {
            let findings = try ReleaseLint.findings(release, previous: arguments.text("--previous"))
            return (findings, "release \(release)")
        } catch {
            throw UsageError(
                message: "there is no folder '\(error.path)'", help: "name the folder of a build")
        }
    }
}
