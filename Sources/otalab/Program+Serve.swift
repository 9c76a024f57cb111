import Runner

/// What `otalab serve` can serve: `static let` in a file of its own (`Program+ServeApp.swift`), and one line
/// in ``all``; the verb's flags, help and completions follow.
struct Service: Sendable {
    /// `app`.
    let name: String
    /// What stands after the name and flags.
    var arguments = ""
    /// A flag of the same name in another service is the same flag, with the same help.
    let options: [Option]
    /// Does it until it is told to stop, on the main thread. The paths are those after the service's name.
    let run: @Sendable (Program, _ paths: [String]) throws -> ExitCode

    /// In the order of the help.
    static let all: [Service] = [app, origin]

    static let port = Option(
        "--port", value: "N",
        "the port (default for an app: its former one, else by its id; for an origin: one that is free)")

    static func named(_ name: String) -> Service? { all.first { $0.name == name } }

    /// Those of all, each once.
    static var options: [Option] {
        var options: [Option] = []
        for option in all.flatMap(\.options) where !options.contains(where: { $0.name == option.name }) {
            options.append(option)
        }
        return options
    }
}

extension Verb {
    static let serve = Verb(
        name: "serve", arguments: Service.all.map { "\($0.name) \($0.arguments)" }.joined(separator: " | "),
        offered: Service.all.map(\.name),
        summary: "the real app host, or a scenario's origin, on a real port, until it is told to stop",
        options: Service.options, runsAlone: { try $0.serve() }
    ) { program in try program.serve() }
}

extension Program {
    func serve() throws -> ExitCode {
        let words = Service.all.map(\.name)
        guard let word = arguments.paths.first else {
            throw UsageError(
                message: "serve needs to know what",
                help: "write " + words.map { "otalab serve \($0)" }.joined(separator: " or "))
        }
        guard let service = Service.named(word) else {
            let near = Nearest.to(word, among: words)
            throw UsageError(
                message: "there is nothing to serve that is called '\(word)'",
                help: near.map { "did you mean 'otalab serve \($0)'?" }
                    ?? "write " + words.joined(separator: " or "))
        }
        let own = service.options.map(\.name)
        for option in Service.options where arguments.has(option.name) && !own.contains(option.name) {
            let owner = Service.all.first { $0.options.contains { $0.name == option.name } }
            throw UsageError(
                message: "'otalab serve \(service.name)' has no flag '\(option.name)'",
                help: "it belongs to 'otalab serve \(owner?.name ?? "")'")
        }
        return try service.run(self, Array(arguments.paths.dropFirst()))
    }
}
