import Runner

extension Verb {
    static let completions = Verb(
        name: "completions", arguments: "SHELL", offered: Completions.allCases.map(\.rawValue),
        summary: "a script that completes command lines: bash, zsh or fish"
    ) { program in
        let names = Completions.allCases.map(\.rawValue)
        guard let name = program.arguments.paths.first, program.arguments.paths.count == 1 else {
            throw UsageError(
                message: "completions needs one shell", help: "write \(names.joined(separator: ", "))")
        }
        guard let shell = Completions(rawValue: name) else {
            let near = Nearest.to(name, among: names)
            throw UsageError(
                message: "there are no completions for '\(name)'",
                help: near.map { "did you mean '\($0)'?" } ?? "write \(names.joined(separator: ", "))")
        }
        Output.result(shell.script)
        return .passed
    }
}
