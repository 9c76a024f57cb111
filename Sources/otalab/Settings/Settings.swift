import Foundation
import Runner
import ScenarioLanguage

/// What a project says once instead of in every call: values for flags, in a file `.otalab.json5`.
///
///     {
///       schema: 1,
///       profiles: {
///         default: { jobs: 2, fmt: { keys: "quoted" } },
///         ci: { inherits: "default", failFast: 3, exclude: ["Scenarios/slow"], noProgress: true },
///       },
///     }
///
/// A key is a flag's name without dashes; it holds for every verb that has the flag, inside a verb's name for
/// that verb alone. Flags win over the environment, that over the file, a profile over what it inherits, a
/// verb's own values over those of all verbs.
///
/// VerificationSummary: the file is read whole before anything runs, and all its mistakes are told at once
/// with their places (exit code 2); an unknown key is a mistake, since what it meant to change would not
/// change. What can go wrong: ``SettingsError``. Deliberately not here: paths to run, which stand in the
/// call, and values that depend on the machine, which stand in the environment.
struct Settings: Sendable {
    /// One value, and where it stands.
    struct Value: Sendable {
        var option: String
        /// Nil: for every verb.
        var verb: String?
        /// Nil for a flag without a value.
        var texts: [String]?
        /// `false`: the flag is off, whatever the profile inherits.
        var isOff = false
        /// `.otalab.json5:4:12`.
        var place: String
    }

    static let name = ".otalab.json5"
    static let usualProfile = "default"

    /// As a person would write it from here.
    var path: String
    var profile: String
    /// The nearest first: of two values for a flag the first counts.
    var values: [Value]

    func value(_ option: String, for verb: String) -> Value? {
        values.first { $0.option == option && ($0.verb == nil || $0.verb == verb) }
    }

    /// The file that `--config` names, else the next one from this folder upward; nil: there is none.
    static func find(_ arguments: Arguments, _ environment: (String) -> String?) throws -> Settings? {
        let named = arguments.text("--config") ?? present(environment("OTALAB_CONFIG"))
        let profile = arguments.text("--profile") ?? present(environment("OTALAB_PROFILE"))
        guard let path = named ?? above() else {
            guard let profile else { return nil }
            throw UsageError(
                message: "--profile \(profile) needs a file \(name)",
                help: "write one, or leave --profile out: 'otalab help settings'")
        }
        switch FileReading.bytes(at: path) {
        case .failure(let fault):
            throw UsageError(message: "\(path): \(fault.why)", help: fault.help ?? "name a settings file")
        case .success(let bytes):
            return try SettingsReader.read(path: path, bytes: bytes, profile: profile)
        }
    }

    private static func present(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    /// From the working folder upward, to the folder that holds `.git` and not beyond it.
    private static func above() -> String? {
        let files = FileManager.default
        let depth = files.currentDirectoryPath.split(separator: "/").count
        var prefix = ""
        for _ in 0...depth {
            if isThere(prefix + name) { return prefix + name }
            if files.fileExists(atPath: prefix + ".git") { return nil }
            prefix += "../"
        }
        return nil
    }

    /// Also where it can't be read: a file that is there and is passed over would be a riddle.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

/// A settings file that can't be taken: all that is wrong with it, shown in its text. Exit code 2.
struct SettingsError: Error {
    var diagnostics: [Diagnostic]
    var text: String { DiagnosticRenderer.render(diagnostics) }
}
