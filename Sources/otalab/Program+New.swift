import Authoring
import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage

extension Verb {
    static let new = Verb(
        name: "new", arguments: "[NAME|-]",
        summary: "write a new scenario, from a template or from an error report",
        options: [
            Option(
                "--template", value: "WHAT", offer: .choices(ScenarioTemplate.all.map(\.name)),
                "plain, rollback, blacklist, power-loss or bug (default plain)"),
            Option("--title", value: "TEXT", "the scenario's title"),
            Option(
                "--from-log", value: "FILE", offer: .files,
                "an error report, - for standard input; writes a scenario that reproduces it"),
        ]
    ) { program in try program.new() }
}

extension Program {
    /// Writes `Scenarios/NAME.json5`, or with `-` to standard output. Never overwrites a file.
    func new() throws -> ExitCode {
        guard arguments.paths.count <= 1 else {
            throw UsageError(
                message: "'otalab new' writes one scenario",
                help: "write otalab new \(ShellWord.quoted(arguments.paths[0]))")
        }
        if let log = arguments.text("--from-log") {
            for flag in ["--template", "--title"] where arguments.has(flag) {
                throw UsageError(
                    message: "\(flag) and --from-log exclude each other", help: "leave one of the two out")
            }
            return try fromLog(log)
        }
        guard let name = arguments.paths.first else {
            throw UsageError(
                message: "a new scenario needs a name",
                help: "write otalab new recovery/my-bug --template bug")
        }
        let templateName = arguments.text("--template") ?? ScenarioTemplate.all[0].name
        guard let template = ScenarioTemplate.named(templateName) else {
            let near = Nearest.to(templateName, among: ScenarioTemplate.all.map(\.name))
            throw UsageError(
                message: "there is no template '\(templateName)'",
                help: near.map { "did you mean '\($0)'?" }
                    ?? "write " + ScenarioTemplate.all.map(\.name).joined(separator: ", "))
        }
        let target = try target(of: name)
        return write(template.text(title: arguments.text("--title")), to: target)
    }

    private func fromLog(_ log: String) throws -> ExitCode {
        let target = try target(of: arguments.paths.first ?? "-")
        let bytes: [UInt8]
        if log == "-" {
            bytes = Array(FileHandle.standardInput.readDataToEndOfFile())
        } else {
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: log, isDirectory: &isFolder)
            guard exists, !isFolder.boolValue, let data = FileManager.default.contents(atPath: log) else {
                throw UsageError(
                    message: exists ? "'\(log)' can't be read" : "there is no file '\(log)'",
                    help: "name the error report that a user sent, or - for standard input")
            }
            bytes = Array(data)
        }
        let profiles = ProfileSet(folders: ProfileFolder.find([target.path ?? "Scenarios"], [])).profiles
        do throws(ReportReading.Refusal) {
            let made = try LogScenario.make(bytes, id: target.id, profiles: profiles)
            let code = write(made.text, to: target)
            if code == .passed { printSummary(of: made) }
            return code
        } catch {
            Output.error("error: \(error.message)\n  --> \(log):\(error.line)\n  = help: \(error.help)\n")
            return .invalid
        }
    }

    private func printSummary(of made: LogScenario) {
        var text = "\(made.reproduced) of \(made.entryCount) log entries are reproduced in order\n"
        if made.foldedCount > 0 {
            text += "  \(made.foldedCount) more repeat earlier rounds: left out, with a comment\n"
        }
        for line in made.missing { text += "  missing: \(line)\n" }
        let guesses = made.guesses.count
        text += "  \(guesses) \(guesses == 1 ? "guess" : "guesses"), marked in the file\n"
        Output.error(text)
    }

    // MARK: - The target

    private struct Target {
        /// The file's path; nil for standard output.
        var path: String?
        var id: String
    }

    private func target(of name: String) throws -> Target {
        if name == "-" { return Target(path: nil, id: "from-report") }
        var bare = name.hasSuffix(".json5") ? String(name.dropLast(6)) : name
        if bare.hasSuffix("/") || bare.isEmpty || bare.split(separator: "/").contains("..") {
            throw UsageError(
                message: "'\(name)' can't be a scenario's name",
                help: "write a topic and a name: recovery/my-bug")
        }
        let isBelow = bare.hasPrefix("Scenarios/") || bare.hasPrefix("/") || bare.hasPrefix("./")
        if !isBelow { bare = "Scenarios/" + bare }
        let path = bare + ".json5"
        if FileManager.default.fileExists(atPath: path) {
            throw UsageError(
                message: "\(path) exists already", help: "choose another name, or remove it first")
        }
        let parts = bare.split(separator: "/").map(String.init)
        let root = parts.lastIndex(of: "Scenarios").map { $0 + 1 } ?? parts.count - 1
        return Target(path: path, id: parts[root...].joined(separator: "/"))
    }

    /// The text with keys written as in the project's scenarios. A new project has quoted keys, which the
    /// editor needs that `otalab init` sets up; without any scenario they are bare.
    private func inProjectStyle(_ text: String) -> String {
        let files = (try? ScenarioFile.find([ProfileFolder.root])) ?? []
        guard let first = files.first(where: { $0.error == nil && !$0.bytes.isEmpty }),
            SourceFormatter.hasQuotedKeys(first.bytes)
        else { return text }
        do throws(JSONFault) {
            return String(
                decoding: try SourceFormatter.format(Array(text.utf8), keys: .quoted), as: UTF8.self)
        } catch {
            return text
        }
    }

    private func write(_ text: String, to target: Target) -> ExitCode {
        let text = inProjectStyle(text)
        guard let path = target.path else {
            Output.result(text)
            return .passed
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let why = cause.map { String(cString: strerror(Int32($0.code))) } ?? error.localizedDescription
            Output.error(
                "error: \(path) could not be written: \(why)\n"
                    + "  = help: \(ShellWord.look(at: folder.relativePath))\n"
            )
            return .reportNotWritten
        }
        Output.result("\(path)\nrun it: otalab run \(ShellWord.quoted(path))\n")
        return .passed
    }
}
