import Runner

extension Verb {
    static let keys = Verb(
        name: "keys", arguments: "new ID FILE | show FILE", offered: ["new", "show"],
        summary: "keys that sign releases: make one, or show what an app needs to know of it"
    ) { program in try program.keys() }
}

extension Program {
    func keys() throws -> ExitCode {
        let paths = arguments.paths
        switch (paths.first, paths.count) {
        case ("new", 3):
            let key = try SigningKey.new(id: paths[1])
            try key.write(to: paths[2])
            Output.result(key.shown)
            Output.error(
                "\(paths[2]) holds the private key: keep it where releases are made, and a copy of it.\n")
        case ("show", 2): Output.result(try SigningKey.read(paths[1]).shown)
        default:
            let help = "write otalab keys new ID FILE, or otalab keys show FILE"
            guard let word = paths.first, !["new", "show"].contains(word) else {
                throw UsageError(message: "keys needs a word, and a file", help: help)
            }
            throw UsageError(message: "there is no 'otalab keys \(word)'", help: help)
        }
        return .passed
    }
}
