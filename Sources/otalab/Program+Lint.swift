import Authoring
import Oracle
import Reporting
import Runner
import ScenarioLanguage

extension Verb {
    static let lint = Verb(
        name: "lint", arguments: "[PATH[:LINE]…]",
        summary: "check scenario files without running them; or check a release",
        options: [
            Option("--strict", "warnings count as errors"),
            Option(
                "--release", value: "DIR", offer: .folders,
                "check a web build instead: would updaters accept it, and what changed"),
            Option(
                "--previous", value: "DIR", offer: .folders, "the previous release, to compare --release with"
            ),
            Option(
                "--format", value: "FORMAT", offer: .choices(["human", "github", "sarif"]),
                "human (default), github (annotations) or sarif (SARIF 2.1.0, nothing else on standard output)"
            ),
            .color,
        ]
    ) { program in try program.lint() }
}

extension Program {
    /// 0: no error; 1: errors, or warnings with --strict; 3: the only errors are unreadable files.
    func lint() throws -> ExitCode {
        _ = try paint()
        let format = arguments.text("--format") ?? "human"
        guard ["human", "github", "sarif"].contains(format) else {
            throw UsageError(message: "--format can't be '\(format)'", help: "write human, github or sarif")
        }
        let (findings, subject) = try linted()
        if subject == Quoting.count(0, "file") {
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
            "\(subject), \(Quoting.count(errors, "error")), \(Quoting.count(warnings, "warning"))\n"
        if format == "sarif" { Output.error(sum) } else { Output.result(sum) }
        if errors == 0 { return arguments.has("--strict") && warnings > 0 ? .failed : .passed }
        let isUnreadable = findings.allSatisfy { $0.severity != .error || $0.isUnreadableFile }
        return isUnreadable ? .invalid : .failed
    }

    /// All findings, and what was checked: "12 files".
    func linted() throws -> (findings: [Finding], subject: String) {
        guard let release = arguments.text("--release") else {
            if arguments.has("--previous") {
                throw UsageError(message: "--previous needs --release", help: "write --release DIR too")
            }
            let (files, profiles) = try found()
            // Profiles count only if the paths name them, or if there are scenarios that may use them.
            let namesProfiles =
                arguments.paths.isEmpty
                || profiles.files.contains { file in
                    arguments.paths.contains { file.path == $0 || file.path.hasPrefix($0 + "/") }
                }
            let count = files.isEmpty && !namesProfiles ? 0 : files.count + profiles.files.count
            return (LibraryLint.findings(files, profiles), Quoting.count(count, "file"))
        }
        if let path = arguments.paths.first {
            throw UsageError(
                message: "'\(path)' and --release exclude each other",
                help: "check scenarios and releases separately")
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
