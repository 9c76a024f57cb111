import Runner

/// What the program can be told to do. A verb is one row, `static let` in a file of its own beside its code
/// (`Program+Lint.swift`), and one line in ``all``; parser, dispatch, help, completions and suggestions
/// follow.
struct Verb: Sendable {
    let name: String
    /// What stands after the name and flags: `[PATH[:LINE]…]`.
    var arguments = ""
    /// Words that can stand there; paths where there are none.
    var offered: [String] = []
    let summary: String
    var options: [Option] = []
    /// Does it on the main thread, and no task is ever begun: a pool of threads that was once in use wakes up
    /// every second on Linux, and a service is to sleep. Nil: ``run`` does it.
    var runsAlone: (@Sendable (Program) throws -> ExitCode)?
    /// Does it.
    let run: @Sendable (Program) async throws -> ExitCode

    /// In the order of the help.
    static let all: [Verb] = [
        run,
        crashpoints,
        lint,
        fmt,
        list,
        report,
        merge,
        initialise,
        config,
        show,
        new,
        serve,
        schema,
        completions,
        bench,
        help,
        version,
    ]

    static func named(_ name: String) -> Verb? { all.first { $0.name == name } }

    /// Texts about the program itself are there whatever a settings file says.
    var takesSettings: Bool { !["help", "version", "completions", "schema"].contains(name) }

    /// Its own flags and those of every verb.
    var flags: [Option] { options + Option.everywhere }
}
