import Runner
import Updater

extension Verb {
    static let help = Verb(
        name: "help", arguments: "[VERB | TOPIC | RULE | CAUSE]", offered: Topic.all.map(\.name),
        summary: "print this text, or the help of a verb, a topic, a rule (R3) or a cause (no-space)"
    ) { program in
        guard let name = program.arguments.paths.first else {
            Output.result(Help.overview)
            return .passed
        }
        if let verb = Verb.named(name) {
            Output.result(Help.text(verb))
        } else if let topic = Topic.named(name) {
            Output.result(topic.text)
        } else if let rule = Rule.all.first(where: { $0.id.lowercased() == name.lowercased() }) {
            Output.result(
                Topic.line(rule) + "\n" + rule.clauses.map { Topic.line($0) }.joined()
                    + "\nIn scenarios: otalab list --rule \(rule.id)\n")
        } else if let clause = Clause.all.first(where: { $0.id.lowercased() == name.lowercased() }) {
            Output.result(
                "**\(clause.id)** \(clause.text)\n\nThe rule: otalab help \(clause.rule); in scenarios: otalab list "
                    + "--rule \(clause.id)\n")
        } else if let meaning = LogCause.meanings.first(where: { $0.cause.rawValue == name.lowercased() }) {
            Output.result(
                Topic.line(meaning) + "\nIts rules: "
                    + meaning.rules.split(separator: " ").map { "otalab help \($0)" }.joined(separator: ", ")
                    + "\n")
        } else {
            let names = Verb.all.map(\.name) + Topic.all.map(\.name)
            let near = Nearest.to(name, among: names + LogCause.allCases.map(\.rawValue))
            throw UsageError(
                message: "there is no verb, topic, rule or cause '\(name)'",
                help: near.map { "did you mean 'otalab help \($0)'?" }
                    ?? "'otalab help' lists them, 'otalab help rules' the rules")
        }
        return .passed
    }

    static let version = Verb(name: "version", summary: "print the program's version") { _ in
        Output.result("otalab \(ToolVersion.current)\n")
        return .passed
    }
}

/// The help texts, made from the option table.
enum Help {
    static func text(_ verb: Verb) -> String {
        var lines = ["otalab \(verb.name) \(verb.arguments): \(verb.summary)", ""]
        for option in verb.flags {
            let names = [option.short, option.name].compactMap { $0 }.joined(separator: ", ")
            let left = "  " + names + option.shownValue
            lines.append(left + String(repeating: " ", count: max(2, 28 - left.count)) + option.help)
        }
        lines += opposites(verb)
        return lines.joined(separator: "\n") + "\n"
    }

    /// How to undo a flag, with one example of each kind from the verb's flags.
    private static func opposites(_ verb: Verb) -> [String] {
        let switches = verb.options.filter(\.isSwitch)
        let positive = (switches.first { !$0.name.hasPrefix("--no-") } ?? verb.options.first)?.opposite
        let negative = switches.first { $0.name.hasPrefix("--no-") }
        let examples = [positive, negative.map { "\($0.opposite) for \($0.name)" }].compactMap { $0 }
        if examples.isEmpty { return [] }
        return [
            "",
            "A flag from the environment or the settings is undone by --no- and its name: "
                + examples.joined(separator: ", ") + ".",
        ]
    }

    static var overview: String {
        var text = "otalab: a laboratory for over-the-air updates of web bundles\n\n"
        for verb in Verb.all {
            let name = verb.name + String(repeating: " ", count: max(1, 12 - verb.name.count))
            text += "  otalab \(name) \(verb.summary)\n"
        }
        text += "\nTopics\n"
        for topic in Topic.all {
            let name = topic.name + String(repeating: " ", count: max(1, 12 - topic.name.count))
            text += "  otalab help \(name) \(topic.summary)\n"
        }
        return text + """

            Exit codes: 0 passed, 1 failed, 2 usage, 3 invalid file, 4 nothing selected, 5 not deterministic,
            6 inconclusive, 70 internal error, 74 report not written, 130 interrupted. If several apply, the first
            of 70, 130, 5, 1, 3, 6, 74, 4 wins. 'otalab help VERB' lists flags; each can also be set in the
            environment (--jobs as OTALAB_JOBS) and in .otalab.json5 ('otalab help settings').

            """
    }
}
