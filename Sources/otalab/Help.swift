import Laboratory

extension Verb {
    static let help = Verb(
        name: "help", arguments: "[VERB]", summary: "this text, or that of one verb"
    ) { program in
        guard let word = program.arguments.paths.first else {
            Output.result(Help.text(nil))
            return .passed
        }
        guard let verb = Verb.named(word) else { throw Arguments.noVerb(word) }
        Output.result(Help.text(verb))
        return .passed
    }

    static let version = Verb(name: "version", summary: "the program's version") { _ in
        Output.result("otalab \(Laboratory.version)\n")
        return .passed
    }
}

/// The help texts, made from the option table.
enum Help {
    static func text(_ verb: Verb?) -> String {
        guard let verb else { return overview }
        var lines = ["otalab \(verb.name) \(verb.arguments): \(verb.summary)", ""]
        for option in verb.flags {
            let names = [option.short, option.name].compactMap { $0 }.joined(separator: ", ")
            let left = "  " + names + (option.value.map { " \($0)" } ?? "")
            lines.append(left + String(repeating: " ", count: max(2, 28 - left.count)) + option.help)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var overview: String {
        var text = "otalab: a laboratory for over-the-air updates of web bundles\n\n"
        for verb in Verb.all {
            let name = verb.name + String(repeating: " ", count: max(1, 12 - verb.name.count))
            text += "  otalab \(name) \(verb.summary)\n"
        }
        return text + """

            Exit codes: 0 passed, 1 failed, 2 usage, 3 invalid file, 4 nothing selected, 5 not deterministic,
            6 inconclusive, 70 internal error, 74 report not written, 130 interrupted. If several apply the first
            of 70, 130, 5, 1, 3, 6, 74, 4 wins.

            """
    }
}
