import Foundation
import Runner
import ScenarioLanguage

/// A project's values for flags, in a file `.otalab.json5`, so that calls need not repeat them.
///
///     {
///       schema: 1,
///       profiles: {
///         default: { jobs: 2, fmt: { keys: "quoted" } },
///         ci: { inherits: "default", failFast: 3, exclude: ["Scenarios/slow"], noProgress: true },
///       },
///     }
///
/// A key is a flag's name without dashes. It applies to every verb that has the flag; inside a verb's name it
/// applies to that verb alone. Flags win over the environment, the environment over the file, a profile over
/// the one it inherits from, and values for one verb over those for all verbs.
///
/// Guarantees: the file is read completely before anything runs, and all its errors are reported at once with
/// their positions (exit code 2). An unknown key is an error, because a misspelt key would silently change
/// nothing. Throws ``SettingsError``. Deliberately not here: paths to run, which are arguments of the call,
/// and values that depend on the machine, which belong in the environment.
struct Settings: Sendable {
    /// One value, and its position in the file.
    struct Value: Sendable {
        var option: String
        /// The verb that the value applies to; nil for every verb.
        var verb: String?
        /// The flag's values; nil for a flag without one.
        var texts: [String]?
        /// Whether the flag is turned off (`false` in the file), also if an inherited profile turns it on.
        var isOff = false
        /// File, line and column: `.otalab.json5:4:12`.
        var position: String
    }

    static let name = ".otalab.json5"
    static let defaultProfile = "default"

    /// The file's path, relative to the working folder.
    var path: String
    var profile: String
    /// The values by precedence: of two values for a flag the first wins.
    var values: [Value]

    func value(_ option: String, for verb: String) -> Value? {
        values.first { $0.option == option && ($0.verb == nil || $0.verb == verb) }
    }

    /// The settings in the file of `--config`, else in the nearest file from this folder upward; nil if there
    /// is none.
    static func find(_ arguments: Arguments, _ environment: (String) -> String?) throws -> Settings? {
        let named = arguments.text("--config") ?? present(environment("OTALAB_CONFIG"))
        let profile = arguments.text("--profile") ?? present(environment("OTALAB_PROFILE"))
        guard let path = named ?? nearestFile() else {
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

    /// Searches from the working folder upward, to the folder that contains `.git` and not beyond it.
    private static func nearestFile() -> String? {
        let files = FileManager.default
        let depth = files.currentDirectoryPath.split(separator: "/").count
        var prefix = ""
        for _ in 0...depth {
            if exists(prefix + name) { return prefix + name }
            if files.fileExists(atPath: prefix + ".git") { return nil }
            prefix += "../"
        }
        return nil
    }

    /// Whether the file exists, readable or not, because ignoring an unreadable file would be hard to
    /// explain.
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

/// All errors of a settings file, each with its source line. Exit code 2.
struct SettingsError: Error {
    var diagnostics: [Diagnostic]
    var text: String { DiagnosticRenderer.render(diagnostics) }
}
