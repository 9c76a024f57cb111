import Oracle
import Reporting
import Runner

/// One flag of the command line. The parser, the help, the completions, the environment variables and the
/// suggestions are made from these values.
struct Option: Sendable {
    /// What a shell offers as the flag's value.
    enum Offer: Sendable {
        case nothing
        case files
        case folders
        case choices([String])
    }

    /// `--jobs`.
    let name: String
    /// `-j`.
    let short: String?
    /// The placeholder for its value in the help: `N`; nil for a flag without a value.
    let value: String?
    let offer: Offer
    /// Whether other values can give other results; only such flags are recorded in `results.json`.
    let changesResult: Bool
    /// Whether the flag may be repeated.
    let repeats: Bool
    /// Whether the value may be left out; it is never the next argument: `--fail-fast`, `--fail-fast=3`.
    let valueIsOptional: Bool
    /// Whether the environment means something else with this flag, and gives no flags then.
    let ownsEnvironment: Bool
    let help: String

    init(
        _ name: String, short: String? = nil, value: String? = nil, offer: Offer = .nothing,
        changesResult: Bool = false, repeats: Bool = false, valueIsOptional: Bool = false,
        ownsEnvironment: Bool = false, _ help: String
    ) {
        self.ownsEnvironment = ownsEnvironment
        self.changesResult = changesResult
        self.repeats = repeats
        self.valueIsOptional = valueIsOptional
        self.name = name
        self.short = short
        self.value = value
        self.offer = offer
        self.help = help
    }

    /// The placeholder after the name in the help: ` N`, `[=N]`.
    var shownValue: String { value.map { valueIsOptional ? "[=\($0)]" : " \($0)" } ?? "" }

    /// The flag that undoes this one, also if the environment or the settings turn it on: `--no-quiet` for
    /// `--quiet`, `--timings` for `--no-timings`.
    var opposite: String {
        name.hasPrefix("--no-") ? "--" + name.dropFirst(5) : "--no-" + name.dropFirst(2)
    }

    /// Whether the flag works without a value; shells complete its opposite too.
    var isSwitch: Bool { value == nil || valueIsOptional }

    /// The environment variable that applies if the call does not give the flag: `OTALAB_JOBS`.
    var variable: String {
        "OTALAB_"
            + name.dropFirst(2).map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }
}

extension Option {
    /// The flags that every verb has.
    static let common = [
        Option("--directory", short: "-C", value: "DIR", offer: .folders, "change to this folder first"),
        Option(
            "--config", value: "FILE", offer: .files,
            "the settings file (default: .otalab.json5 here or above; otalab help settings)"),
        Option("--profile", short: "-P", value: "NAME", "the profile of the settings (default: default)"),
        Option("--help", short: "-h", "print this verb's help"),
    ]

    static let selection = [
        Option(
            "--match", short: "-k", value: "TEXT", changesResult: true, repeats: true,
            "only scenarios whose name or title contains TEXT"),
        Option(
            "--rule", value: "ID", offer: .choices(RuleID.all), changesResult: true, repeats: true,
            "only scenarios that cover the rule or the clause (R5, R5.second-30-days)"),
        Option(
            "--tag", short: "-t", value: "EXPR", changesResult: true, repeats: true,
            "only scenarios with these tags: \"rollback and not slow\""),
        Option(
            "--exclude", value: "PATH", offer: .files, changesResult: true, repeats: true,
            "leave out this file, folder or id"),
    ]

    static let failed = Option(
        "--failed", changesResult: true, "only scenarios that did not pass when they were last run")

    static let shard = Option(
        "--shard", value: "I/N", offer: .choices(["auto"]),
        "only this shard, by a hash of the id; auto: from the variables of the CI job")

    static let shardOfSearch = Option(
        "--shard", value: "I/N", offer: .choices(["auto"]),
        "only this share of the files, for otalab merge; auto: from the variables of the CI job")

    static let shardCosts = Option(
        "--shard-costs", value: "FILE", offer: .files,
        "with --shard: shards that finish together, by what took how long in this results.json")

    static let seed = Option(
        "--seed", value: "N", changesResult: true, "the seed of the run's choices (default 1)")

    static let metamorphic = Option(
        "--metamorphic", changesResult: true,
        "perform each run again with changes that must not matter, and compare the ends")

    static let output = Option(
        "--output", short: "-o", value: "FORMAT=PATH",
        offer: .choices(ReportFormat.all.map { $0.name + "=" }),
        repeats: true, "a report in one format, - for standard output; may be repeated")

    static let reportDir = Option(
        "--report-dir", value: "DIR", offer: .folders, "folder for reports (default Reports)")

    static let coverage = Option(
        "--coverage", value: "FILE", offer: .files,
        "write which coverage cells were reached, and how often (otalab help coverage)")

    static let requireCoverage = Option(
        "--require-coverage", value: "FILE", offer: .files,
        "fail when a cell of this file, written by --coverage, is not reached")

    static let ascii = Option("--ascii", "only ASCII in the text for people")

    static let jobs = Option(
        "--jobs", short: "-j", value: "N", "parallel runs (default: number of cores); never changes a result")

    static let color = Option(
        "--color", value: "WHEN", offer: .choices(["auto", "always", "never"]),
        "auto, always or never (default auto)")

    static let noTimings = Option(
        "--no-timings", "no wall-clock figures, so that equal runs print equal text")
}
