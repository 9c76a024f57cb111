import Laboratory
import ScenarioLanguage

extension Verb {
    static let show = Verb(
        name: "show", arguments: "PATH[:LINE]…",
        summary: "a scenario as aligned lines, one for each step; cases and fixtures written out",
        options: [
            Option("--source", "as scenario files again, one for each case"), .color,
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
        var shown = 0
        let (files, profiles) = try found()
        for file in files {
            let reading = read(file, profiles)
            if reading.hasErrors {
                Output.error(DiagnosticRenderer.render(reading.diagnostics) + "\n")
                codes.append(.invalid)
            }
            for scenario in chosen(reading.scenarios, file.line) {
                if shown > 0 { Output.result("\n") }
                shown += 1
                Output.result(
                    arguments.has("--source")
                        ? ScenarioPrinter.text(of: scenario) : AlignedForm.text(of: scenario))
            }
        }
        if shown == 0, codes.isEmpty { codes.append(.nothingSelected) }
        return ExitCode.first(of: codes)
    }

    /// The line of a case chooses that case; any other line, the whole file.
    private func chosen(_ scenarios: [Scenario], _ line: Int?) -> [Scenario] {
        let meant = scenarios.filter { scenario in
            scenario.caseName.map { scenario.source.position(of: $0.span.start).line } == line
        }
        return line == nil || meant.isEmpty ? scenarios : meant
    }
}
