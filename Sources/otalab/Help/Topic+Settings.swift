extension Topic {
    static let settings = Topic(
        name: "settings", page: "Settings",
        summary: "values for flags in the project's file .otalab.json5, in profiles",
        text: """
            # Settings of a project

            Flags that every call would repeat can be set once in a file: `.otalab.json5`, JSON5 like the scenarios.

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

            ## Location

            The file is in the working folder (after `-C`) or in the nearest folder above it, up to the one that
            contains `.git`. `--config FILE` names another file. The profile is `default`, or the one that `-P NAME`
            selects; the variables are `OTALAB_CONFIG` and `OTALAB_PROFILE`.

            ## Keys

            Every flag of `otalab help VERB` is a key, without its dashes: `--report-dir` is `reportDir`. A flag
            without a value takes `true` or `false`; one that may be repeated takes a list. A value applies to every
            verb that has the flag; inside a verb's name (`fmt: { keys: "quoted" }`) to that verb alone. Folders and
            files are relative to the folder of the settings file. `inherits` names a profile whose values apply
            unless this one sets them; `false` turns off a flag that it turns on.

            ## Precedence

            A flag of the call wins, then the environment, then the profile, then the profile that it inherits from.
            A call undoes a flag from the others with `--no-` and the flag's name: `--no-fail-fast`, `--no-exclude`,
            and `--timings` for `--no-timings`; of two that contradict each other in one call, the last one wins.
            `otalab config` prints the values that apply here and where each comes from:

            ```text
            $ otalab config run -P ci
            settings .otalab.json5, profile ci
              …
              --jobs              2   from .otalab.json5:4:22
              --fail-fast         3   from .otalab.json5:5:41
            ```

            Unknown keys, values of another type, missing profiles and cycles of `inherits` are errors, all reported
            at once with their positions; nothing runs then (exit code 2). The error for a value that a verb does not
            accept names where the value comes from. `otalab schema settings` prints the JSON Schema; `otalab init`
            sets up VS Code with it.

            """)
}
