import Core
import Foundation
import Runner
import ScenarioLanguage
import Subject

extension Verb {
    static let subject = Verb(
        name: "subject", arguments: "check ADAPTER | new DIR", offered: ["check", "new"],
        summary: "somebody else's updater: check an adapter, or write one to begin with",
        options: [
            Option(
                "--language", value: "NAME", offer: .choices(AdapterTemplate.all.map(\.name)),
                "of 'subject new': python, node or swift (default python)"),
            SubjectCall.patience,
        ]
    ) { program in try await program.subject() }
}

extension Program {
    func subject() async throws -> ExitCode {
        let words = ["check", "new"]
        guard let word = arguments.paths.first, arguments.paths.count == 2 else {
            throw UsageError(
                message: "subject needs a word and a path",
                help: "write otalab subject check ADAPTER, or otalab subject new DIR")
        }
        switch word {
        case "check": return try await check(arguments.paths[1])
        case "new": return try newAdapter(in: arguments.paths[1])
        default:
            throw UsageError(
                message: "there is no 'otalab subject \(word)'",
                help: Nearest.to(word, among: words).map { "did you mean '\($0)'?" } ?? "write check or new")
        }
    }

    /// Speaks with an adapter: what it says, what can be judged, and a first scenario with it.
    private func check(_ adapter: String) async throws -> ExitCode {
        let call = try SubjectCall(adapter: adapter, arguments)
        let description = try call.description()
        Output.result(SubjectReport.text(description))
        let result = try SubjectCheck.run(call.options, description)
        Output.result(result.lines.joined(separator: "\n") + "\n")
        return result.exitCode
    }

    private func newAdapter(in folder: String) throws -> ExitCode {
        let name = arguments.text("--language") ?? AdapterTemplate.all[0].name
        guard let template = AdapterTemplate.all.first(where: { $0.name == name }) else {
            throw UsageError(
                message: "there is no adapter in '\(name)'",
                help: "write --language " + AdapterTemplate.all.map(\.name).joined(separator: " or "))
        }
        let path = URL(fileURLWithPath: folder).appendingPathComponent(template.file).path
        guard !FileManager.default.fileExists(atPath: path) else {
            throw UsageError(
                message: "\(folder)/\(template.file) is there already", help: "name another folder")
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(template.text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        } catch {
            Output.error(
                "error: \(folder)/\(template.file) could not be written: \(error.localizedDescription)\n")
            return .reportNotWritten
        }
        Output.result(
            "\(folder)/\(template.file)\nNext: otalab subject check \(ShellWord.quoted(folder + "/" + template.file))\n"
        )
        return .passed
    }
}
