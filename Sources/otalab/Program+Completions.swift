import Runner

extension Verb {
    static let completions = Verb(
        name: "completions", arguments: "SHELL", offered: Completions.allCases.map(\.rawValue),
        summary: "a script that completes command lines: bash, zsh or fish"
    ) { program in
        let words = Completions.allCases.map(\.rawValue)
        guard let word = program.arguments.paths.first, program.arguments.paths.count == 1 else {
            throw UsageError(
                message: "completions needs one shell", help: "write \(words.joined(separator: ", "))")
        }
        guard let shell = Completions(rawValue: word) else {
            let near = Nearest.to(word, among: words)
            throw UsageError(
                message: "there are no completions for '\(word)'",
                help: near.map { "did you mean '\($0)'?" } ?? "write \(words.joined(separator: ", "))")
        }
        Output.result(shell.script)
        return .passed
    }
}
