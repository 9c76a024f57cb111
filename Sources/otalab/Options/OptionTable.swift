/// One flag of the command line: the parser, the help and the suggestions are made from these rows.
struct Option: Sendable {
    /// `--jobs`.
    let name: String
    /// `-j`.
    let short: String?
    /// What its value is called; nil for a flag without one.
    let value: String?
    let help: String

    init(_ name: String, short: String? = nil, value: String? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }
}

/// What the program can be told to do.
enum Verb: String, CaseIterable, Sendable {
    case run, crashpoints, lint, list, bench, help, version

    var summary: String {
        switch self {
        case .run: "run scenarios and report (default: all in Scenarios/)"
        case .crashpoints: "every scenario again with a kill and a power cut at each disk operation"
        case .lint: "read scenario files and say what is wrong with them, without running"
        case .list: "what would run: name, title, rules"
        case .bench: "measure the laboratory: events, stories, forks, memory"
        case .help: "this text, or that of one verb"
        case .version: "the program's version"
        }
    }

    var arguments: String {
        switch self {
        case .run, .crashpoints, .lint, .list: "[PATH[:LINE]…]"
        case .help: "[VERB]"
        case .bench, .version: ""
        }
    }

    var options: [Option] {
        let select = [
            Option("--match", short: "-k", value: "TEXT", "only scenarios whose name or title contains TEXT"),
            Option("--rule", value: "ID", "only scenarios that cover the rule"),
            Option("--tag", short: "-t", value: "TAG", "only scenarios with the tag"),
        ]
        switch self {
        case .run:
            return select + [
                Option(
                    "--jobs", short: "-j", value: "N",
                    "worlds at once (default: all cores); never changes a result"),
                Option("--seed", value: "N", "what the keyed choices start from (default 1)"),
                Option("--fail-fast", "stop after the first scenario that does not pass"),
                Option("--check-determinism", "run each scenario twice and compare the digests"),
                Option("--report-dir", value: "DIR", "where reports go (default Reports)"),
                Option("--no-report", "write no reports"),
                Option("--digests", "print name and digest of each scenario, nothing else"),
                Option("--allow-empty", "exit 0 when nothing was selected"),
                Option("--quiet", short: "-q", "only what went wrong, and the verdict"),
                Option("--verbose", short: "-v", "digest and events of each scenario too"),
                Option("--color", value: "WHEN", "auto, always or never (default auto)"),
                Option("--no-timings", "no wall-clock figures, so that equal runs print equal text"),
            ]
        case .crashpoints:
            return select + [
                Option(
                    "--jobs", short: "-j", value: "N",
                    "searches at once (default: all cores); never changes a result"),
                Option("--seed", value: "N", "what the keyed choices start from (default 1)"),
                Option("--depth", value: "N", "1: single crashes; 2: a second one in the recovery (default)"),
                Option(
                    "--second", value: "N",
                    "first crashes of a group that second ones follow, then ever fewer (default 4; 0: all)"),
                Option(
                    "--outcomes", value: "N",
                    "outcomes at one operation: kill, nothing, everything, then others (default: all)"),
                Option(
                    "--every", value: "N",
                    "only each N-th operation of a story and of a recovery; the others are counted"),
                Option("--report-dir", value: "DIR", "where scenarios of failures go (default Reports)"),
                Option("--no-report", "write no scenarios of failures"),
                Option("--no-timings", "no wall-clock figures, so that equal runs print equal text"),
            ]
        case .lint: return [Option("--color", value: "WHEN", "auto, always or never (default auto)")]
        case .list: return select
        case .bench:
            return [
                Option("--json", "the figures as JSON"),
                Option("--seconds", value: "N", "time for each measurement (default 2)"),
                Option("--only", value: "FIGURE", "one of kernel, stories, idle, fork, hashes"),
            ]
        case .help, .version: return []
        }
    }
}

/// A mistake on the command line, with a way out. Exit code 2, raised before anything runs.
struct UsageError: Error {
    var message: String
    var help: String
}

/// The command line, read by the table.
struct Arguments: Sendable {
    var verb: Verb
    var paths: [String] = []
    private var given: [(name: String, value: String?)] = []

    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        switch words.first {
        case nil, "-h", "--help": verb = .help
        case "--version": verb = .version
        case .some(let word):
            guard let known = Verb(rawValue: word) else {
                let near = Nearest.to(word, among: Verb.allCases.map(\.rawValue))
                throw UsageError(
                    message: "there is no verb '\(word)'",
                    help: near.map { "did you mean 'otalab \($0)'?" } ?? "'otalab help' lists the verbs")
            }
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
                paths = [verb.rawValue]
                verb = .help
                return
            } else {
                try option(word, &words)
            }
        }
    }

    private mutating func option(_ word: String, _ words: inout ArraySlice<String>) throws(UsageError) {
        let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let option = verb.options.first(where: { $0.name == sides[0] || $0.short == sides[0] }) else {
            let near = Nearest.to(sides[0], among: verb.options.map(\.name))
            throw UsageError(
                message: "'otalab \(verb.rawValue)' has no flag '\(sides[0])'",
                help: near.map { "did you mean '\($0)'?" } ?? "'otalab help \(verb.rawValue)' lists the flags"
            )
        }
        var value = sides.count == 2 ? sides[1] : nil
        if let name = option.value, value == nil {
            guard let next = words.popFirst() else {
                throw UsageError(
                    message: "\(option.name) needs a value", help: "write \(option.name) \(name)")
            }
            value = next
        } else if option.value == nil, value != nil {
            throw UsageError(message: "\(option.name) takes no value", help: "write \(option.name)")
        }
        given.append((option.name, value))
    }

    func has(_ name: String) -> Bool { given.contains { $0.name == name } }

    func text(_ name: String) -> String? { given.last { $0.name == name }?.value }

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

/// Did you mean …? By edit distance, when it is near enough.
enum Nearest {
    static func to(_ word: String, among words: [String]) -> String? {
        let scored = words.map { (word: $0, distance: distance(word, $0)) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, word.count / 3) ? best.word : nil
    }

    static func distance(_ left: String, _ right: String) -> Int {
        let one = Array(left.unicodeScalars)
        let other = Array(right.unicodeScalars)
        var row = Array(0...other.count)
        for (i, a) in one.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in other.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[other.count]
    }
}
