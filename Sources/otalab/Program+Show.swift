import Runner
import ScenarioLanguage

extension Verb {
    static let show = Verb(
        name: "show", arguments: "PATH[:LINE]…",
        summary:
            "print a scenario as aligned lines, one per step, with cases and fixtures written out; or a profile",
        options: [
            Option("--source", "print scenario files, one for each case"), .color,
        ]
    ) { program in try program.show() }
}

extension Program {
    func show() throws -> ExitCode {
        _ = try paint()
        guard !arguments.paths.isEmpty else {
            throw UsageError(message: "show needs a file", help: "write otalab show Scenarios/FILE.json5")
        }
        var codes: [ExitCode] = []
        var texts: [String] = []
        let (files, profiles) = try found()
        for path in arguments.paths where ProfileFolder.holds(path + "/x") || ProfileFolder.holds(path) {
            try show(profile: path, &texts, &codes)
        }
        for file in files {
            if let error = file.error {
                Output.error("error: \(file.path): \(error)\n")
                codes.append(.invalid)
                continue
            }
            if file.isShared {
                let shared = SharedFile(path: file.path, bytes: file.bytes, devices: profiles.names)
                report(shared.diagnostics, &codes)
                texts.append(
                    arguments.has("--source") ? String(decoding: file.bytes, as: UTF8.self) : shared.text)
                continue
            }
            let reading = read(file, profiles)
            if reading.hasErrors { report(reading.diagnostics, &codes) }
            texts += reading.scenarios(atLine: file.line).map {
                arguments.has("--source") ? ScenarioPrinter.text(of: $0) : AlignedForm.text(of: $0)
            }
        }
        Output.result(texts.joined(separator: "\n"))
        if texts.isEmpty, codes.isEmpty { codes.append(.nothingSelected) }
        return ExitCode.first(of: codes)
    }

    private func report(_ diagnostics: [Diagnostic], _ codes: inout [ExitCode]) {
        if diagnostics.isEmpty { return }
        Output.error(DiagnosticRenderer.render(diagnostics) + "\n")
        codes.append(.invalid)
    }

    /// Shows one profile, or all profiles of a folder.
    private func show(profile path: String, _ texts: inout [String], _ codes: inout [ExitCode]) throws {
        let set = ProfileSet(folders: ProfileFolder.find([path], []))
        for file in set.files
        where file.path == path || file.path.hasPrefix(path) || path.hasSuffix(file.path) {
            if let error = file.error {
                Output.error("error: \(file.path): \(error)\n")
                codes.append(.invalid)
                continue
            }
            let reading = ProfileReader.read(path: file.path, bytes: file.bytes)
            report(reading.diagnostics, &codes)
            if reading.profile == nil { continue }
            texts.append(
                arguments.has("--source") ? String(decoding: file.bytes, as: UTF8.self) : reading.text)
        }
    }
}
