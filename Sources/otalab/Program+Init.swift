import Foundation
import Reporting
import Runner

extension Verb {
    static let initialise = Verb(
        name: "init", arguments: "[DIR]",
        summary:
            "set up a project: a first scenario, device profiles, settings for VS Code, a CI file",
        options: [
            Option(
                "--ci", value: "NAME", offer: .choices(CISample.all.map(\.name)),
                "also write a CI file: github, gitlab or jenkins")
        ]
    ) { program in try program.initialise() }
}

extension Program {
    /// Never changes an existing file; prints what to add to it.
    func initialise() throws -> ExitCode {
        let folder = arguments.paths.first ?? "."
        guard arguments.paths.count <= 1 else {
            throw UsageError(message: "more than one folder", help: "write otalab init DIR")
        }
        let ci = try arguments.text("--ci").map { name in
            guard let sample = CISample.all.first(where: { $0.name == name }) else {
                let names = CISample.all.map(\.name).joined(separator: ", ")
                throw UsageError(message: "there is no CI file for '\(name)'", help: "write \(names)")
            }
            return sample
        }
        var isWritten = true
        for file in ProjectFiles.all(ci: ci) {
            let path = folder == "." ? file.path : folder + "/" + file.path
            if FileManager.default.fileExists(atPath: path) {
                Output.result("kept     \(path)\n" + missing(path, file.text))
                continue
            }
            do throws(ReportError) {
                try ReportFolder.write(Array(file.text.utf8), to: path)
                Output.result("written  \(path)\n")
            } catch {
                isWritten = false
                Output.error("error: \(path) could not be written: \(error.why)\n")
            }
        }
        if !isWritten {
            Output.error("  = help: name a writable folder: otalab init DIR\n")
            return .reportNotWritten
        }
        Output.result("\nNext: otalab run\(folder == "." ? "" : " -C " + ShellWord.quoted(folder))\n")
        return .passed
    }

    /// What to add by hand to a file that often exists already.
    private func missing(_ path: String, _ text: String) -> String {
        let old = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if path.hasSuffix(".gitignore"), !old.contains("Reports/") {
            return "         add the line /Reports/\n"
        }
        if path.hasSuffix("settings.json"), !old.contains("otalab-scenario.schema.json") {
            return "         add:\n" + text.split(separator: "\n").map { "         \($0)\n" }.joined()
        }
        return ""
    }
}
