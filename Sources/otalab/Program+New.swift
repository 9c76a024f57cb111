import Authoring
import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage

extension Verb {
    static let new = Verb(
        name: "new", arguments: "[NAME|-]",
        summary: "a scenario to begin with, from a template or from an error report",
        options: [
            Option(
                "--template", value: "WHAT", offer: .words(ScenarioTemplate.all.map(\.name)),
                "plain, rollback, blacklist, power-loss or bug (default plain)"),
            Option("--title", value: "TEXT", "the scenario's title"),
            Option(
                "--from-log", value: "FILE", offer: .files,
                "an error report, - for standard input; makes the scenario that it tells"),
        ]
    ) { program in try program.new() }
}

extension Program {
    /// Writes `Scenarios/NAME.json5`, or with `-` to standard output. A file that is there is never written
    /// over.
    func new() throws -> ExitCode {
        guard arguments.paths.count <= 1 else {
            throw UsageError(
                message: "'otalab new' makes one scenario", help: "write otalab new \(arguments.paths[0])")
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
        let word = arguments.text("--template") ?? ScenarioTemplate.all[0].name
        guard let template = ScenarioTemplate.named(word) else {
            let near = Nearest.to(word, among: ScenarioTemplate.all.map(\.name))
            throw UsageError(
                message: "there is no template '\(word)'",
                help: near.map { "did you mean '\($0)'?" }
                    ?? "write " + ScenarioTemplate.all.map(\.name).joined(separator: ", "))
        }
        let place = try place(of: name)
        return write(template.text(title: arguments.text("--title")), to: place)
    }

    private func fromLog(_ log: String) throws -> ExitCode {
        let place = try place(of: arguments.paths.first ?? "-")
        let bytes: [UInt8]
        if log == "-" {
            bytes = Array(FileHandle.standardInput.readDataToEndOfFile())
        } else {
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: log, isDirectory: &isFolder)
            guard isThere, !isFolder.boolValue, let data = FileManager.default.contents(atPath: log) else {
                throw UsageError(
                    message: isThere ? "'\(log)' can't be read" : "there is no file '\(log)'",
                    help: "name the error report that a user sent, or - for standard input")
            }
            bytes = Array(data)
        }
        let profiles = ProfileSet(folders: ProfileFolder.find([place.path ?? "Scenarios"], [])).profiles
        do throws(ReportReading.Refusal) {
            let made = try LogScenario.make(bytes, id: place.id, profiles: profiles)
            let code = write(made.text, to: place)
            if code == .passed { tell(made) }
            return code
        } catch {
            Output.error("error: \(error.message)\n  --> \(log):\(error.line)\n  = help: \(error.help)\n")
            return .invalid
        }
    }

    private func tell(_ made: LogScenario) {
        var text = "\(made.told) of \(made.entries) log entries come about in their order\n"
        if made.saidAgain > 0 {
            text += "  \(made.saidAgain) more are rounds like others: left out, with a comment\n"
        }
        for line in made.missing { text += "  missing: \(line)\n" }
        let guesses = made.guesses.count
        text += "  \(guesses) \(guesses == 1 ? "guess" : "guesses"), marked in the file\n"
        Output.error(text)
    }

    // MARK: - Where it goes

    private struct Place {
        /// Nil: standard output.
        var path: String?
        var id: String
    }

    private func place(of name: String) throws -> Place {
        if name == "-" { return Place(path: nil, id: "from-report") }
        var bare = name.hasSuffix(".json5") ? String(name.dropLast(6)) : name
        if bare.hasSuffix("/") || bare.isEmpty || bare.split(separator: "/").contains("..") {
            throw UsageError(
                message: "'\(name)' is no name for a scenario",
                help: "write a subject and a name: recovery/my-bug")
        }
        let isBelow = bare.hasPrefix("Scenarios/") || bare.hasPrefix("/") || bare.hasPrefix("./")
        if !isBelow { bare = "Scenarios/" + bare }
        let path = bare + ".json5"
        if FileManager.default.fileExists(atPath: path) {
            throw UsageError(
                message: "\(path) is there already", help: "choose another name, or remove it first")
        }
        let parts = bare.split(separator: "/").map(String.init)
        let root = parts.lastIndex(of: "Scenarios").map { $0 + 1 } ?? parts.count - 1
        return Place(path: path, id: parts[root...].joined(separator: "/"))
    }

    private func write(_ text: String, to place: Place) -> ExitCode {
        guard let path = place.path else {
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
