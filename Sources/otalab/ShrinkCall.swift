import Foundation
import Runner
import ScenarioLanguage
import Search

/// The arguments of `otalab shrink`, checked before anything runs.
struct ShrinkCall {
    let file: ScenarioFile
    var options = ScenarioSuite.Options()
    let runs: Int
    /// Path of the file to write; nil for standard output.
    let path: String?
    private let caseName: String?

    /// The limit for one run: a scenario that takes longer never ends, and that is a failure, too.
    static let wallLimit: (seconds: TimeInterval, text: String) = (20, "20s")

    init(_ arguments: Arguments) throws {
        let selection = try Selection(arguments)
        guard arguments.paths.count == 1, selection.files.count == 1 else {
            throw UsageError(
                message: "'otalab shrink' takes one scenario file",
                help: "write otalab shrink Scenarios/FILE.json5")
        }
        file = selection.files[0]
        caseName = arguments.text("--case")
        runs = Int(try arguments.number("--runs", in: 1...1_000_000) ?? UInt64(Shrinker.standardRuns))
        options.seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        if let jobs = try arguments.number("--jobs", in: 1...256) { options.jobs = Int(jobs) }
        options.profiles = selection.profiles
        options.checksTransformations = arguments.has("--metamorphic")
        options.explains = false
        options.moments = .none
        let out = arguments.text("--out") ?? ShrinkCall.standardPath(for: file.path)
        path = out == "-" ? nil : out
        if let path, FileManager.default.fileExists(atPath: path) {
            throw UsageError(
                message: "\(path) exists already", help: "name another file with --out, or remove it first")
        }
    }

    /// Path beside the file.
    var standardPath: String { ShrinkCall.standardPath(for: file.path) }

    private static func standardPath(for path: String) -> String {
        (path.hasSuffix(".json5") ? String(path.dropLast(6)) : path) + "-shrunk.json5"
    }

    /// The scenarios of which the first that fails is shrunk.
    func chosen(from reading: ScenarioReading) throws(UsageError) -> [Scenario] {
        let all = reading.scenarios(atLine: file.line)
        guard let caseName else { return all }
        let chosen = all.filter { $0.caseName?.value == caseName || $0.name == caseName }
        if chosen.isEmpty {
            let near = Nearest.to(caseName, among: all.compactMap(\.caseName?.value))
            throw UsageError(
                message: "\(file.path) has no case '\(caseName)'",
                help: near.map { "did you mean '\($0)'?" } ?? "otalab list \(file.path) lists its cases")
        }
        return chosen
    }

    /// Writes the file and prints how it was found.
    func write(_ shrunk: ShrunkScenario, showsWall: Bool) -> ExitCode {
        let rule = shrunk.signature.clause ?? shrunk.signature.rule
        var summary =
            "\(rule.map { "\($0): " } ?? "")\(shrunk.signature.headline)\n"
            + "  \(shrunk.summary(showsWall: showsWall))\n"
        if !shrunk.isComplete {
            summary += "  the runs were used up before nothing more could be removed: --runs N allows more\n"
        }
        guard let path else {
            Output.error(summary)
            Output.result(shrunk.text)
            return .passed
        }
        do {
            try Data(shrunk.text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let why = cause.map { String(cString: strerror(Int32($0.code))) } ?? error.localizedDescription
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().relativePath
            Output.error(
                "error: \(path) could not be written: \(why)\n  = help: \(ShellWord.look(at: folder))\n")
            return .reportNotWritten
        }
        let flags =
            (options.checksTransformations ? " --metamorphic" : "")
            + (options.seed == 1 ? "" : " --seed \(options.seed)")
        Output.result(summary + "\(path)\nrun it: otalab run \(ShellWord.quoted(path))\(flags)\n")
        return .passed
    }
}
