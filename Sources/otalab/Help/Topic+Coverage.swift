import Runner

extension Topic {
    static let coverage = Topic(
        name: "coverage", page: "Coverage",
        summary: "what runs and searches have reached, and what nothing reaches",
        text: """
            # Coverage

            What runs and searches have reached, so that a run without failures says how much it has tried.

            `otalab run`, `sweep` and `explore` count *cells*. There are four kinds:

            | kind | example | what it counts |
            |---|---|---|
            | `cause` | `cause: start-ended-in-front` | a cause in the app's log (T1) |
            | `disturbance` | `disturbance: deploy / downloading` | something that happens to the app, and what was under way |
            | `end` | `end: low memory / starting` | a way in which a process ends, and what was under way |
            | `decision` | `decision: R3.clock` | a comparison of what a rule or clause allows with what there was |

            What was under way is one of: \(Circumstance.allCases.map(\.rawValue).joined(separator: ", ")). *loading* is a page
            load before its page is shown, *starting* a page that is shown and has not confirmed its start, *rescuing* the
            same for a version that replaces a failed one, *completing* a download of which everything has arrived and that
            is not pending yet, *screen* a screen of the native side.

            Disturbances are read from what happens, not from the steps of a scenario: a reload by the page counts like one
            that a step asks for. A fault of requests counts when it meets a request, any other fault when it begins.

            A *decision* is counted where a rule could have been broken: a checker, or the model of the rules, compared what
            is allowed with what there was. An event that it only looks at does not count. So a rule that was never broken
            and never decided is distinguished from one that was decided a million times. The id is that of the clause where
            an oracle knows which clause it decides, else that of the rule. Limits of a count are decided each time that
            something counts, and what must follow within some time is decided when it comes or is overdue. Each device
            of a scenario has its own oracles. `decision: ST-I3` counts only in scenarios with a step `crash`: what was
            reported as current or pending was durable before.

            ## Where it is shown

            The HTML report of a run has tables of all cells. What nothing has reached comes first: causes that no run has
            logged, rules and clauses that no oracle had to decide, then the disturbances with the most empty cells.
            `results.json` has the cells with their counts, and `otalab merge` adds those of shards and of parts of a search.
            `otalab explore` prints how many cells it has reached, which causes none of its worlds has logged, and which
            rules and clauses none had to decide. What it tries next does not depend on decisions.

            ## As a gate

            ```sh
            otalab run --coverage coverage.json            # keep what is reached today
            otalab run --require-coverage coverage.json    # exit 1 when a cell of the file is not reached any more
            ```

            The file has one line for each cell, so that a change of it is easy to review. A cell that the program does not
            know is an error: after an update of otalab, remove its line or write the file anew.

            """)
}
