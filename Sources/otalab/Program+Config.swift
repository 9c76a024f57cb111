import Runner

extension Verb {
    static let config = Verb(
        name: "config", arguments: "[VERB]", offered: ["run", "crashpoints", "lint", "fmt", "list"],
        summary: "the settings that a verb (default run) would have here, and where each comes from"
    ) { program in try program.config() }
}

extension Program {
    func config() throws -> ExitCode {
        guard arguments.paths.count <= 1 else {
            throw UsageError(message: "one verb at a time", help: "write otalab config run")
        }
        let word = arguments.paths.first ?? Verb.run.name
        guard let verb = Verb.named(word) else { throw Arguments.noVerb(word) }
        var call = try Arguments([verb.name], environment: Output.variable)
        if let settings { call.take(settings) }
        var lines: [String] = []
        if let settings {
            lines.append("settings \(settings.path), profile \(settings.profile)")
        } else {
            lines.append("no file \(Settings.name) here or above")
        }
        for option in verb.options {
            let value = call.shown(option.name)
            let name = option.name + String(repeating: " ", count: max(1, 20 - option.name.count))
            lines.append("  \(name)\(value.text)" + (value.origin.isEmpty ? "" : "   \(value.origin)"))
        }
        Output.result(lines.joined(separator: "\n") + "\n")
        return .passed
    }
}
