import Runner
import Updater

extension Verb {
    static let keys = Verb(
        name: "keys", arguments: "new ID FILE | show FILE | public FILE", offered: ["new", "show", "public"],
        summary:
            "keys that sign releases: make one, show what an app needs to know of it, print the public key",
        options: [
            Option(
                "--algorithm", value: "NAME", offer: .choices(SignatureAlgorithm.allCases.map(\.rawValue)),
                "with new: ed25519 (default), or p256, for those whose other tools know no other")
        ]
    ) { program in try program.keys() }
}

extension Program {
    private func algorithm() throws(UsageError) -> SignatureAlgorithm {
        guard let text = arguments.text("--algorithm") else { return .ed25519 }
        guard let algorithm = SignatureAlgorithm(rawValue: text) else {
            throw UsageError(message: "--algorithm can't be '\(text)'", help: "write ed25519 or p256")
        }
        return algorithm
    }

    func keys() throws -> ExitCode {
        let paths = arguments.paths
        switch (paths.first, paths.count) {
        case ("new", 3):
            let key = try SigningKey.new(id: paths[1], try algorithm())
            try key.write(to: paths[2])
            Output.result(key.shown)
            Output.error(
                "\(paths[2]) holds the private key: keep it where releases are made, and a copy of it.\n")
        case ("show", 2): Output.result(try SigningKey.read(paths[1]).shown)
        case ("public", 2): Output.result(PublicKeyFile.text(try PublicKeyFile.read(paths[1])))
        default:
            let help = "write otalab keys new ID FILE, otalab keys show FILE, or otalab keys public FILE"
            guard let word = paths.first, !["new", "show", "public"].contains(word) else {
                throw UsageError(message: "keys needs a word, and a file", help: help)
            }
            throw UsageError(message: "there is no 'otalab keys \(word)'", help: help)
        }
        return .passed
    }
}
