extension Topic {
    static let settings = Topic(
        name: "settings", page: "Settings",
        summary: "values for flags in the project's file .otalab.json5, by profiles",
        text: """
            # Settings of a project

            What would stand in every call can stand in a file once: `.otalab.json5`, JSON5 like the scenarios.

            ```json5
            {
              schema: 1,
              profiles: {
                default: { jobs: 2, maxVirtualTime: "48h", fmt: { keys: "quoted" } },
                ci: { inherits: "default", failFast: 3, noProgress: true, output: ["ctrf=Reports/ctrf.json"] },
                night: { inherits: "ci", failFast: false, run: { seeds: "1..100" } },
              },
            }
            ```

            ## Where it is

            In the working folder (after `-C`), or in the next one above it, up to the folder that holds `.git`.
            `--config FILE` names another one. The profile is `default`, or the one that `-P NAME` names; in the
            environment that is `OTALAB_CONFIG` and `OTALAB_PROFILE`.

            ## What it can say

            Every flag of `otalab help VERB`, without its dashes: `--report-dir` is `reportDir`. A flag without a
            value takes `true` or `false`; one that may stand more than once takes a list. A value holds for every
            verb that has the flag; inside a verb's name (`fmt: { keys: "quoted" }`) for that verb alone. Folders
            and files are meant from the folder of the settings file. `inherits` names a profile whose values count
            where this one says nothing; `false` turns off what it has on.

            ## What wins

            A flag of the call, then the environment, then the profile, then what it inherits. A call takes back
            what the others say with `--no-` and the flag's name: `--no-fail-fast`, `--no-exclude`, and `--timings`
            for `--no-timings`; of two that contradict each other in one call the last one counts. `otalab config`
            prints what holds here and where each value comes from:

            ```text
            $ otalab config run -P ci
            settings .otalab.json5, profile ci
              …
              --jobs              2   from .otalab.json5:4:22
              --fail-fast         3   from .otalab.json5:5:41
            ```

            Unknown keys, values of another kind, profiles that are not there and circles of `inherits` are
            mistakes, told all at once with their places; nothing runs then (exit code 2). A value that a verb
            can't take is told with the place that it comes from. `otalab schema settings` is its JSON Schema;
            `otalab init` sets up VS Code with it.

            """)
}
