/// One flag of the command line: the parser, the help, the completions, the environment variable and the
/// suggestions are made from these rows.
struct Option: Sendable {
    /// What a shell offers as the flag's value.
    enum Offer: Sendable {
        case nothing
        case files
        case folders
        case words([String])
    }

    /// `--jobs`.
    let name: String
    /// `-j`.
    let short: String?
    /// What its value is called; nil for a flag without one.
    let value: String?
    let offer: Offer
    let help: String

    init(
        _ name: String, short: String? = nil, value: String? = nil, offer: Offer = .nothing, _ help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.offer = offer
        self.help = help
    }

    /// `OTALAB_JOBS`: stands in where the flag is not given.
    var variable: String {
        "OTALAB_"
            + name.dropFirst(2).map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }
}

extension Option {
    /// Of every verb.
    static let everywhere = [
        Option("--directory", short: "-C", value: "DIR", offer: .folders, "be in this folder first"),
        Option("--help", short: "-h", "this verb's help"),
    ]

    static let selection = [
        Option("--match", short: "-k", value: "TEXT", "only scenarios whose name or title contains TEXT"),
        Option("--rule", value: "ID", "only scenarios that cover the rule"),
        Option("--tag", short: "-t", value: "TAG", "only scenarios with the tag"),
    ]

    static let seed = Option("--seed", value: "N", "what the keyed choices start from (default 1)")

    static let jobs = Option(
        "--jobs", short: "-j", value: "N", "worlds at once (default: all cores); never changes a result")

    static let color = Option(
        "--color", value: "WHEN", offer: .words(["auto", "always", "never"]),
        "auto, always or never (default auto)")

    static let noTimings = Option(
        "--no-timings", "no wall-clock figures, so that equal runs print equal text")
}
