import Runner

extension Verb {
    static let config = Verb(
        name: "config", arguments: "[VERB]", offered: ["run", "crashpoints", "lint", "fmt", "list"],
        summary: "the settings of a verb (default: run) in this folder, and where each comes from"
    ) { program in try program.config() }
}

extension Program {
    func config() throws -> ExitCode {
        guard arguments.paths.count <= 1 else {
            throw UsageError(message: "config takes one verb", help: "write otalab config run")
        }
        let verbName = arguments.paths.first ?? Verb.run.name
        guard let verb = Verb.named(verbName) else { throw Arguments.unknownVerb(verbName) }
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
