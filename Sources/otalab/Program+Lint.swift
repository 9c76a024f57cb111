import Laboratory
import ScenarioLanguage

extension Verb {
    static let lint = Verb(
        name: "lint", arguments: "[PATH[:LINE]…]",
        summary: "read scenario files and say what is wrong with them, without running",
        options: [.color]
    ) { program in try program.lint() }
}

extension Program {
    func lint() throws -> ExitCode {
        _ = try paint()
        let (files, profiles) = try found()
        var told = profiles.diagnostics.map(\.told)
        for file in files {
            told.append(
                file.read(devices: profiles.names).diagnostics)
        }
        for diagnostics in told where !diagnostics.isEmpty {
            Output.result(DiagnosticRenderer.render(diagnostics) + "\n")
        }
        let errors = told.joined().count { $0.severity == .error }
        let warnings = told.joined().count { $0.severity != .error }
        let count = files.count + profiles.files.count
        Output.result("\(count) files, \(errors) errors, \(warnings) warnings\n")
        return errors > 0 ? .failed : .passed
    }
}
