import Authoring
import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage

extension Verb {
    static let fmt = Verb(
        name: "fmt", arguments: "[PATH…|-]",
        summary: "format scenario files and profiles; comments are kept",
        options: [
            Option("--check", "write nothing; exit 1 if a file would change"),
            Option("--diff", "write nothing; print what would change"),
            Option(
                "--keys", value: "HOW", offer: .choices(SourceFormatter.Keys.allCases.map(\.rawValue)),
                "keys: bare, quoted (JSON with comments), or as-first: like the file's first key (default)"),
        ]
    ) { program in try program.format() }
}

/// The result of formatting one file.
private enum FormattingOutcome {
    case same
    case changed(old: [UInt8], new: [UInt8])
    case refused(String)
}

extension Program {
    /// Files that can't be read are reported and left unchanged; the others are formatted.
    func format() throws -> ExitCode {
        let style = arguments.text("--keys") ?? SourceFormatter.Keys.asFirst.rawValue
        guard let keys = SourceFormatter.Keys(rawValue: style) else {
            throw UsageError(
                message: "--keys can't be '\(style)'",
                help: "write " + SourceFormatter.Keys.allCases.map(\.rawValue).joined(separator: ", "))
        }
        if arguments.paths.contains("-") {
            if arguments.paths.count > 1 {
                throw UsageError(message: "'-' takes no other paths", help: "write otalab fmt - < FILE")
            }
            return formatInput(keys)
        }
        var codes: [ExitCode] = []
        var changed = 0
        let entries = try formattable()
        let paths = entries.filter { $0.fault == nil }
        for entry in entries {
            let path = entry.path
            if let fault = entry.fault {
                Output.error("error: \(path): \(fault)\n  = help: \(ShellWord.look(at: path))\n")
                codes.append(.invalid)
                continue
            }
            switch formatted(path, keys) {
            case .same: break
            case .refused(let why):
                Output.error(why + "\n")
                codes.append(.invalid)
            case .changed(let old, let new):
                changed += 1
                codes += finish(path, old, new)
            }
        }
        let isDryRun = arguments.has("--check") || arguments.has("--diff")
        let refused = codes.count { $0 == .invalid }
        let unreadable = refused == 0 ? "" : ", \(refused) can't be read"
        Output.error(
            "\(Quoting.count(paths.count, "file")), \(changed) \(isDryRun ? "would change" : "changed")\(unreadable)\n"
        )
        if entries.isEmpty {
            Output.error(
                "error: there is no .json5 file\n  = help: name a scenario file or a folder of them\n")
            return .nothingSelected
        }
        return ExitCode.first(of: codes)
    }

    private func finish(_ path: String, _ old: [UInt8], _ new: [UInt8]) -> [ExitCode] {
        let isCheck = arguments.has("--check")
        if arguments.has("--diff") {
            Output.result(
                TextDifference.unified(
                    String(decoding: old, as: UTF8.self), String(decoding: new, as: UTF8.self), path: path))
        } else {
            Output.result(path + "\n")
            if !isCheck {
                do throws(FileReplacement.Failure) {
                    try FileReplacement.write(new, to: path)
                } catch {
                    Output.error("error: \(path) could not be written: \(error.why)\n")
                    return [.reportNotWritten]
                }
            }
        }
        return isCheck ? [.failed] : []
    }

    private func formatInput(_ keys: SourceFormatter.Keys) -> ExitCode {
        let input = Array(FileHandle.standardInput.readDataToEndOfFile())
        switch formatted(input, path: "standard input", keys) {
        case .same:
            if !arguments.has("--check"), !arguments.has("--diff") {
                Output.result(String(decoding: input, as: UTF8.self))
            }
            return .passed
        case .refused(let why):
            Output.error(why + "\n")
            return .invalid
        case .changed(let old, let new):
            let (old, new) = (String(decoding: old, as: UTF8.self), String(decoding: new, as: UTF8.self))
            if arguments.has("--diff") {
                Output.result(TextDifference.unified(old, new, path: "standard input"))
            } else if !arguments.has("--check") {
                Output.result(new)
            }
            return arguments.has("--check") ? .failed : .passed
        }
    }

    private func formatted(_ path: String, _ keys: SourceFormatter.Keys) -> FormattingOutcome {
        switch FileReading.bytes(at: path) {
        case .success(let bytes): return formatted(bytes, path: path, keys)
        case .failure(let fault):
            let help = fault.help.map { "\n  = help: \($0)" } ?? ""
            return .refused("error: \(path): \(fault.why)\(help)")
        }
    }

    private func formatted(_ bytes: [UInt8], path: String, _ keys: SourceFormatter.Keys) -> FormattingOutcome
    {
        do throws(JSONFault) {
            let new = try SourceFormatter.format(bytes, keys: keys)
            return new == bytes ? .same : .changed(old: bytes, new: new)
        } catch {
            let diagnostic = Diagnostic(syntax: error, in: SourceFile(path: path, bytes: bytes))
            return .refused(DiagnosticRenderer.render(diagnostic))
        }
    }

    /// The scenario files and profiles at the paths of the call, sorted, each once.
    private func formattable() throws -> [FolderWalk.Entry] {
        var found: [FolderWalk.Entry] = []
        for path in arguments.paths.isEmpty ? ["Scenarios"] : arguments.paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw UsageError(
                    message: "there is nothing at '\(path)'",
                    help: "name a scenario file or folder, or run where Scenarios/ is")
            }
            guard isFolder.boolValue else {
                found.append(FolderWalk.Entry(path: path))
                continue
            }
            found += FolderWalk.entries(path, ending: ".json5")
        }
        var unique: [FolderWalk.Entry] = []
        for entry in found.sorted(by: { $0.path < $1.path }) where unique.last?.path != entry.path {
            unique.append(entry)
        }
        return unique
    }
}
