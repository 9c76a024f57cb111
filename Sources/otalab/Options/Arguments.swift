/// An error in the command line, with a fix. Exit code 2; thrown before anything runs.
struct UsageError: Error {
    var message: String
    var help: String
}

/// The command line, parsed with the option table. A flag that the command line does not give may come from
/// the environment (``Option/variable``) or the settings file.
struct Arguments: Sendable {
    private(set) var verb: Verb
    var paths: [String] = []
    private var flags: [Flag] = []
    /// Flags without a value that are directly before a path, by the path: `--report DIR`, where the path was
    /// perhaps meant as a value.
    private var switchBefore: [String: String] = [:]

    private struct Flag {
        var name: String
        var value: String?
        var origin = Origin.call
        /// Whether the flag is turned off, so that a later source can't turn it on.
        var isOff = false
    }

    /// Where a flag comes from.
    private enum Origin: Equatable {
        case call
        case variable(String)
        case settings(String)

        var shown: String {
            switch self {
            case .call: ""
            case .variable(let name): "from \(name)"
            case .settings(let position): "from \(position)"
            }
        }
    }

    init(_ arguments: [String], environment: (String) -> String?) throws(UsageError) {
        var rest = arguments[...]
        // Common flags may come before the verb, as in `git -C DIR status`.
        var before: [String] = []
        while let first = rest.first, let option = Arguments.commonOption(first) {
            before.append(rest.removeFirst())
            if !first.contains("="), option.value != nil, let value = rest.popFirst() { before.append(value) }
        }
        switch rest.first {
        case nil, "-h", "--help": verb = .help
        case "--version": verb = .version
        case .some(let name):
            guard let known = Verb.named(name) else { throw Arguments.unknownVerb(name) }
            verb = known
        }
        rest = before[...] + rest.dropFirst()
        var isLiteral = false
        var previous = ""
        while let argument = rest.popFirst() {
            defer { previous = argument }
            if isLiteral || !argument.hasPrefix("-") || argument == "-" {
                if flagWithoutValue(previous) { switchBefore[argument] = previous }
                paths.append(argument)
            } else if argument == "--" {
                isLiteral = true
            } else if argument == "--help" || argument == "-h" {
                paths = [verb.name]
                verb = .help
                return
            } else {
                try option(argument, &rest)
            }
        }
        try take(environment)
    }

    private static func commonOption(_ argument: String) -> Option? {
        let name = argument.prefix { $0 != "=" }
        return Option.common.first { $0.value != nil && ($0.name == name || $0.short == argument) }
    }

    private func flagWithoutValue(_ argument: String) -> Bool {
        verb.flags.contains { option in
            (option.isSwitch && (option.name == argument || option.short == argument))
                || option.opposite == argument
        }
    }

    /// Help for a path that does not exist and follows a flag that takes no value; nil for other paths.
    func helpForMissing(_ path: String) -> String? {
        guard let flag = switchBefore[path],
            let meant = verb.flags.first(where: { $0.value != nil && $0.name.hasPrefix(flag + "-") })
        else { return nil }
        return "\(flag) takes no value; did you mean \(meant.name)\(meant.shownValue)?"
    }

    /// Changes the values that flags of the call have.
    mutating func changeValues(_ changed: (Option, String) -> String) {
        for index in flags.indices where flags[index].origin == .call {
            guard let value = flags[index].value,
                let option = verb.flags.first(where: { $0.name == flags[index].name })
            else { continue }
            flags[index].value = changed(option, value)
        }
    }

    static func unknownVerb(_ name: String) -> UsageError {
        if name.hasPrefix("-") {
            let help = ["-v", "-V", "-version"].contains(name) ? "--version" : "'otalab help'"
            return UsageError(
                message: "there is no flag '\(name)' before a verb",
                help: help == "--version"
                    ? "did you mean '--version'?" : "a verb comes first: \(help) lists them")
        }
        let near = Nearest.to(name, among: Verb.all.map(\.name))
        return UsageError(
            message: "there is no verb '\(name)'",
            help: near.map { "did you mean 'otalab \($0)'?" } ?? "'otalab help' lists the verbs")
    }

    /// Parses one flag, `--name`, `--name=value` or `-n`, and its value from the rest of the command line.
    private mutating func option(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        let sides = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let option = verb.flags.first(where: { $0.name == sides[0] || $0.short == sides[0] }) else {
            if let undone = verb.options.first(where: { $0.opposite == sides[0] }) {
                if sides.count == 2 {
                    throw UsageError(
                        message: "\(undone.opposite) takes no value", help: "write \(undone.opposite)")
                }
                undo(undone)
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
        if let name = option.value, value == nil, !option.valueIsOptional {
            guard let next = rest.popFirst() else {
                throw UsageError(
                    message: "\(option.name) needs a value", help: "write \(option.name) \(name)")
            }
            value = next
        } else if option.value == nil, value != nil {
            throw UsageError(message: "\(option.name) takes no value", help: "write \(option.name)")
        }
        flags.removeAll { $0.name == option.name && $0.isOff }
        flags.append(Flag(name: option.name, value: value))
    }

    /// Turns the flag off; the environment and the settings can't turn it on again.
    private mutating func undo(_ option: Option) {
        flags.removeAll { $0.name == option.name }
        flags.append(Flag(name: option.name, value: nil, isOff: true))
    }

    private func isFlag(_ name: String) -> Bool { flags.contains { $0.name == name } }

    /// Adds flags from the environment that the call does not give. A flag without a value is on for `1` and
    /// off for `0`.
    private mutating func take(_ environment: (String) -> String?) throws(UsageError) {
        if verb.options.contains(where: { $0.ownsEnvironment && isFlag($0.name) }) { return }
        for option in verb.options where !isFlag(option.name) {
            guard let text = environment(option.variable), !text.isEmpty else { continue }
            let origin = Origin.variable(option.variable)
            if text == "0", option.value == nil || option.valueIsOptional {
                flags.append(Flag(name: option.name, value: nil, origin: origin, isOff: true))
            } else if option.value != nil {
                flags.append(Flag(name: option.name, value: text, origin: origin))
            } else if text == "1" {
                flags.append(Flag(name: option.name, value: nil, origin: origin))
            } else {
                throw UsageError(
                    message: "the variable \(option.variable) can't be '\(text)'",
                    help: "write 1 for \(option.name), 0 to leave it out")
            }
        }
    }

    /// Warnings about variables whose name is almost that of a known one, because a misspelt variable would
    /// silently change nothing.
    static func warnings(aboutVariables names: [String]) -> [String] {
        let known =
            Verb.all.flatMap { $0.options.map(\.variable) } + Option.common.map(\.variable)
            + ["OTALAB_SHARD_INDEX", "OTALAB_SHARD_TOTAL"]
        return names.filter { $0.hasPrefix("OTALAB_") && !known.contains($0) }.compactMap { name in
            let near = known.min { Nearest.distance(name, $0) < Nearest.distance(name, $1) }
            guard let near, Nearest.distance(name, near) <= 2 else { return nil }
            return "warning: the variable \(name) is not used\n  = help: did you mean \(near)?\n"
        }
    }

    /// Adds flags from the settings that neither the call nor the environment gives.
    mutating func take(_ settings: Settings) {
        for option in verb.options where !isFlag(option.name) {
            guard let value = settings.value(option.name, for: verb.name) else { continue }
            let origin = Origin.settings(value.position)
            for text in value.texts ?? [] {
                flags.append(Flag(name: option.name, value: text, origin: origin))
            }
            if value.texts == nil {
                flags.append(Flag(name: option.name, value: nil, origin: origin, isOff: value.isOff))
            }
        }
    }

    /// The origin of the value that an error message such as "--jobs can't be …" is about; nil for a value
    /// from the call.
    func origin(of error: UsageError) -> String? {
        let name = error.message.prefix { $0 != " " }
        guard let flag = flags.first(where: { $0.name == name }), flag.origin != .call else { return nil }
        return flag.origin.shown
    }

    /// A flag's value as `otalab config` prints it, and where it comes from.
    func shown(_ name: String) -> (text: String, origin: String) {
        let all = flags.filter { $0.name == name }
        guard let first = all.first else { return ("-", "") }
        let text = first.isOff ? "off" : all.map { $0.value ?? "on" }.joined(separator: ", ")
        return (text, first.origin.shown)
    }

    /// The call that gives the same result, without flags that never change one.
    var canonical: [String] {
        var call = ["otalab", verb.name] + paths
        for flag in flags where !flag.isOff {
            guard let option = verb.options.first(where: { $0.name == flag.name }), option.changesResult
            else { continue }
            call += [flag.name] + (flag.value.map { [$0] } ?? [])
        }
        return call
    }

    /// Whether the call itself gives the flag, not the environment or the settings.
    func isFromCall(_ name: String) -> Bool {
        flags.contains { $0.name == name && $0.origin == .call && !$0.isOff }
    }

    func has(_ name: String) -> Bool { flags.contains { $0.name == name && !$0.isOff } }

    func text(_ name: String) -> String? { flags.last { $0.name == name }?.value }

    /// All values of a flag that may be repeated, in order.
    func texts(_ name: String) -> [String] { flags.filter { $0.name == name }.compactMap(\.value) }

    /// A number, or nil for `all`.
    func limit(_ name: String, _ defaultValue: Int?, in range: ClosedRange<UInt64>) throws(UsageError) -> Int?
    {
        if text(name) == "all" { return nil }
        do throws(UsageError) {
            return try number(name, in: range).map { Int($0) } ?? defaultValue
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
