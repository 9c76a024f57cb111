import Runner

/// Something that `otalab serve` can serve. Each one is a `static let` in a separate file
/// (`Program+ServeApp.swift`) and one line in ``all``, from which the verb's flags, help and completions are
/// made.
struct Service: Sendable {
    /// `app`.
    let name: String
    /// The usage text after the name and flags.
    var arguments = ""
    /// Flags of the service; a flag of the same name in another service must be the same value.
    let options: [Option]
    /// Serves on the main thread until it is stopped. The paths are those after the service's name.
    let run: @Sendable (Program, _ paths: [String]) throws -> ExitCode

    /// In the order of the help.
    static let all: [Service] = [app, origin]

    static let port = Option(
        "--port", value: "N",
        "the port (default for an app: its previous one, else one made from its id; for an origin: a free one)"
    )

    static func named(_ name: String) -> Service? { all.first { $0.name == name } }

    /// The options of all services, each once.
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
        summary: "serve the real app host, or a scenario's origin, on a real port until it is stopped",
        options: Service.options, runsOnMainThread: { try $0.serve() }
    ) { program in try program.serve() }
}

extension Program {
    func serve() throws -> ExitCode {
        let names = Service.all.map(\.name)
        guard let name = arguments.paths.first else {
            throw UsageError(
                message: "serve needs the name of a service",
                help: "write " + names.map { "otalab serve \($0)" }.joined(separator: " or "))
        }
        guard let service = Service.named(name) else {
            let near = Nearest.to(name, among: names)
            throw UsageError(
                message: "there is no service '\(name)'",
                help: near.map { "did you mean 'otalab serve \($0)'?" }
                    ?? "write " + names.joined(separator: " or "))
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
