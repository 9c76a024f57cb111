import Runner

/// A command of the program. Each one is a `static let` in a separate file with its code
/// (`Program+Lint.swift`) and one line in ``all``, from which the parser, dispatch, help, completions and
/// suggestions are made.
struct Verb: Sendable {
    let name: String
    /// The usage text after the name and flags: `[PATH[:LINE]…]`.
    var arguments = ""
    /// Arguments that shells complete; paths if empty.
    var offered: [String] = []
    let summary: String
    var options: [Option] = []
    /// Runs the verb on the main thread without starting any task, because on Linux a thread pool that was
    /// once in use wakes up every second, and an idle service should sleep. Nil: ``run`` is used.
    var runsOnMainThread: (@Sendable (Program) throws -> ExitCode)?
    /// Runs the verb.
    let run: @Sendable (Program) async throws -> ExitCode

    /// All verbs, in the order of the help.
    static let all: [Verb] = [
        run,
        crashpoints,
        explore,
        sweep,
        shrink,
        lint,
        fmt,
        list,
        report,
        merge,
        diff,
        initialise,
        config,
        show,
        new,
        publish,
        keys,
        serve,
        subject,
        schema,
        completions,
        bench,
        help,
        version,
    ]

    static func named(_ name: String) -> Verb? { all.first { $0.name == name } }

    /// Whether settings apply; texts about the program itself are printed even if the settings file is
    /// invalid.
    var takesSettings: Bool { !["help", "version", "completions", "schema"].contains(name) }

    /// The verb's flags and the common ones.
    var flags: [Option] { options + Option.common }
}
