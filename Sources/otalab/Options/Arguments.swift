/// A mistake on the command line, with a way out. Exit code 2, raised before anything runs.
struct UsageError: Error {
    var message: String
    var help: String
}

/// The command line, read by the table. A flag that is not given may stand in the environment
/// (``Option/variable``), else in the settings file.
struct Arguments: Sendable {
    private(set) var verb: Verb
    var paths: [String] = []
    private var given: [Given] = []

    private struct Given {
        var name: String
        var value: String?
        var origin = Origin.call
        /// Said to be off, where a later source would have it on.
        var isOff = false
    }

    /// Where a flag was given.
    private enum Origin: Equatable {
        case call
        case variable(String)
        case settings(String)

        var shown: String {
            switch self {
            case .call: ""
            case .variable(let name): "from \(name)"
            case .settings(let place): "from \(place)"
            }
        }
    }

    init(_ words: [String], environment: (String) -> String?) throws(UsageError) {
        var words = words[...]
        switch words.first {
        case nil, "-h", "--help": verb = .help
        case "--version": verb = .version
        case .some(let word):
            guard let known = Verb.named(word) else { throw Arguments.noVerb(word) }
            verb = known
        }
        words = words.dropFirst()
        var isLiteral = false
        while let word = words.popFirst() {
            if isLiteral || !word.hasPrefix("-") || word == "-" {
                paths.append(word)
            } else if word == "--" {
                isLiteral = true
            } else if word == "--help" || word == "-h" {
                paths = [verb.name]
                verb = .help
                return
            } else {
                try option(word, &words)
            }
        }
        try take(environment)
    }

    static func noVerb(_ word: String) -> UsageError {
        if word.hasPrefix("-") {
            let help = ["-v", "-V", "-version"].contains(word) ? "--version" : "'otalab help'"
            return UsageError(
                message: "there is no flag '\(word)' before a verb",
                help: help == "--version"
                    ? "did you mean '--version'?" : "a verb comes first: \(help) lists them")
        }
        let near = Nearest.to(word, among: Verb.all.map(\.name))
        return UsageError(
            message: "there is no verb '\(word)'",
            help: near.map { "did you mean 'otalab \($0)'?" } ?? "'otalab help' lists the verbs")
    }

    private mutating func option(_ word: String, _ words: inout ArraySlice<String>) throws(UsageError) {
        let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let option = verb.flags.first(where: { $0.name == sides[0] || $0.short == sides[0] }) else {
            if let taken = verb.options.first(where: { $0.opposite == sides[0] }) {
                if sides.count == 2 {
                    throw UsageError(
                        message: "\(taken.opposite) takes no value", help: "write \(taken.opposite)")
                }
                takeBack(taken)
                return
            }
            let opposites = verb.options.filter(\.isSwitch).map(\.opposite)
            let near = Nearest.to(sides[0], among: verb.flags.map(\.name) + opposites)
            throw UsageError(
                message: "'otalab \(verb.name)' has no flag '\(sides[0])'",
                help: near.map { "did you mean '\($0)'?" } ?? "'otalab help \(verb.name)' lists the flags"
            )
        }
        var value = sides.count == 2 ? sides[1] : nil
        if let name = option.value, value == nil, !option.canStandAlone {
            guard let next = words.popFirst() else {
                throw UsageError(
                    message: "\(option.name) needs a value", help: "write \(option.name) \(name)")
            }
            value = next
        } else if option.value == nil, value != nil {
            throw UsageError(message: "\(option.name) takes no value", help: "write \(option.name)")
        }
        given.removeAll { $0.name == option.name && $0.isOff }
        given.append(Given(name: option.name, value: value))
    }

    /// As if nobody had given the flag: the environment and the settings are not asked for it any more.
    private mutating func takeBack(_ option: Option) {
        given.removeAll { $0.name == option.name }
        given.append(Given(name: option.name, value: nil, isOff: true))
    }

    private func isGiven(_ name: String) -> Bool { given.contains { $0.name == name } }

    /// Flags that are not given, from the environment. A flag without a value is on for `1`, off for `0`.
    private mutating func take(_ environment: (String) -> String?) throws(UsageError) {
        for option in verb.options where !isGiven(option.name) {
            guard let text = environment(option.variable), !text.isEmpty else { continue }
            let origin = Origin.variable(option.variable)
            if text == "0", option.value == nil || option.canStandAlone {
                given.append(Given(name: option.name, value: nil, origin: origin, isOff: true))
            } else if option.value != nil {
                given.append(Given(name: option.name, value: text, origin: origin))
            } else if text == "1" {
                given.append(Given(name: option.name, value: nil, origin: origin))
            } else {
                throw UsageError(
                    message: "the variable \(option.variable) can't be '\(text)'",
                    help: "write 1 for \(option.name), 0 for none")
            }
        }
    }

    /// Variables that are nearly one of ours: a slip would change nothing, and nobody would know.
    static func strangers(_ names: [String]) -> [String] {
        let known =
            Verb.all.flatMap { $0.options.map(\.variable) } + Option.everywhere.map(\.variable)
            + ["OTALAB_SHARD_INDEX", "OTALAB_SHARD_TOTAL"]
        return names.filter { $0.hasPrefix("OTALAB_") && !known.contains($0) }.compactMap { name in
            let near = known.min { Nearest.distance(name, $0) < Nearest.distance(name, $1) }
            guard let near, Nearest.distance(name, near) <= 2 else { return nil }
            return "warning: the variable \(name) is not looked at\n  = help: did you mean \(near)?\n"
        }
    }

    /// What neither the call nor the environment says.
    mutating func take(_ settings: Settings) {
        for option in verb.options where !isGiven(option.name) {
            guard let value = settings.value(option.name, for: verb.name) else { continue }
            let origin = Origin.settings(value.place)
            for text in value.texts ?? [] {
                given.append(Given(name: option.name, value: text, origin: origin))
            }
            if value.texts == nil {
                given.append(Given(name: option.name, value: nil, origin: origin, isOff: value.isOff))
            }
        }
    }

    /// Where the value comes from that a message begins with: "--jobs can't be …"; nil: from the call.
    func origin(of error: UsageError) -> String? {
        let word = error.message.prefix { $0 != " " }
        guard let flag = given.first(where: { $0.name == word }), flag.origin != .call else { return nil }
        return flag.origin.shown
    }

    /// A flag's value as `otalab config` tells it, and where it comes from.
    func shown(_ name: String) -> (text: String, origin: String) {
        let all = given.filter { $0.name == name }
        guard let first = all.first else { return ("-", "") }
        let text = first.isOff ? "off" : all.map { $0.value ?? "on" }.joined(separator: ", ")
        return (text, first.origin.shown)
    }

    /// The call that gives this result, without flags that never change one.
    var canonical: [String] {
        var words = ["otalab", verb.name] + paths
        for flag in given where !flag.isOff {
            guard let option = verb.options.first(where: { $0.name == flag.name }), option.changesResult
            else { continue }
            words += [flag.name] + (flag.value.map { [$0] } ?? [])
        }
        return words
    }

    /// In the call itself, neither in the environment nor in the settings.
    func isOfCall(_ name: String) -> Bool {
        given.contains { $0.name == name && $0.origin == .call && !$0.isOff }
    }

    func has(_ name: String) -> Bool { given.contains { $0.name == name && !$0.isOff } }

    func text(_ name: String) -> String? { given.last { $0.name == name }?.value }

    /// All values of a flag that may stand more than once, in their order.
    func texts(_ name: String) -> [String] { given.filter { $0.name == name }.compactMap(\.value) }

    /// A number, or nil for `all`.
    func limit(_ name: String, _ usual: Int?, in range: ClosedRange<UInt64>) throws(UsageError) -> Int? {
        if text(name) == "all" { return nil }
        do throws(UsageError) {
            return try number(name, in: range).map { Int($0) } ?? usual
        } catch {
            throw UsageError(message: error.message, help: error.help + ", or all")
        }
    }

    func number(_ name: String, in range: ClosedRange<UInt64>) throws(UsageError) -> UInt64? {
        guard let text = text(name) else { return nil }
        guard let number = UInt64(text), range.contains(number) else {
            throw UsageError(
                message: "\(name) can't be '\(text)'",
                help: "write a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
