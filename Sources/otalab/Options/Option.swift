import Oracle
import Reporting
import Runner

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
    /// Other values can give other results; such flags stand in `results.json`, the others don't.
    let changesResult: Bool
    /// May stand more than once.
    let repeats: Bool
    /// Its value may be left out, and is never the next word: `--fail-fast`, `--fail-fast=3`.
    let canStandAlone: Bool
    let help: String

    init(
        _ name: String, short: String? = nil, value: String? = nil, offer: Offer = .nothing,
        changesResult: Bool = false, repeats: Bool = false, canStandAlone: Bool = false, _ help: String
    ) {
        self.changesResult = changesResult
        self.repeats = repeats
        self.canStandAlone = canStandAlone
        self.name = name
        self.short = short
        self.value = value
        self.offer = offer
        self.help = help
    }

    /// What stands behind the name in the help: ` N`, `[=N]`.
    var shownValue: String { value.map { canStandAlone ? "[=\($0)]" : " \($0)" } ?? "" }

    /// Takes the flag back, whatever the environment and the settings say: `--no-quiet` for `--quiet`,
    /// `--timings` for `--no-timings`.
    var opposite: String {
        name.hasPrefix("--no-") ? "--" + name.dropFirst(5) : "--no-" + name.dropFirst(2)
    }

    /// Says something by being there; shells offer its opposite too.
    var isSwitch: Bool { value == nil || canStandAlone }

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
        Option(
            "--config", value: "FILE", offer: .files,
            "the settings (default: .otalab.json5 here or above; otalab help settings)"),
        Option("--profile", short: "-P", value: "NAME", "which profile of the settings (default: default)"),
        Option("--help", short: "-h", "this verb's help"),
    ]

    static let selection = [
        Option(
            "--match", short: "-k", value: "TEXT", changesResult: true, repeats: true,
            "only scenarios whose name or title contains TEXT"),
        Option(
            "--rule", value: "ID", offer: .words(Rule.all.map(\.id)), changesResult: true, repeats: true,
            "only scenarios that cover the rule"),
        Option(
            "--tag", short: "-t", value: "EXPR", changesResult: true, repeats: true,
            "only scenarios with these tags: \"rollback and not slow\""),
        Option(
            "--exclude", value: "PATH", offer: .files, changesResult: true, repeats: true,
            "not this file, folder or id"),
    ]

    static let failed = Option(
        "--failed", changesResult: true, "only scenarios that were not good when they were last run")

    static let shard = Option(
        "--shard", value: "I/N", offer: .words(["auto"]),
        "only this part, by a hash of the id; auto: as the job's variables say")

    static let seed = Option(
        "--seed", value: "N", changesResult: true, "what the keyed choices start from (default 1)")

    static let output = Option(
        "--output", short: "-o", value: "FORMAT=PATH", offer: .words(ReportFormat.all.map { $0.name + "=" }),
        repeats: true,
        "a report in one format, - for standard output; more than once")

    static let reportDir = Option(
        "--report-dir", value: "DIR", offer: .folders, "where reports go (default Reports)")

    static let ascii = Option("--ascii", "nothing but ASCII in the text for people")

    static let jobs = Option(
        "--jobs", short: "-j", value: "N", "worlds at once (default: all cores); never changes a result")

    static let color = Option(
        "--color", value: "WHEN", offer: .words(["auto", "always", "never"]),
        "auto, always or never (default auto)")

    static let noTimings = Option(
        "--no-timings", "no wall-clock figures, so that equal runs print equal text")
}
