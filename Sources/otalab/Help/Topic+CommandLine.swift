extension Topic {
    static let commandLine = Topic(
        name: "select", page: "CommandLine",
        summary: "what runs, for which seeds, within which limits; exit codes",
        text: """
            # Select and run

            What runs, for which seeds, within which limits, and what the exit code means.

            ## What runs

            `otalab run` runs all scenarios in `Scenarios/`. Paths and flags narrow the selection; a scenario runs
            if it matches all of them. `otalab list` takes the same paths and flags and shows what would run.

            | write | to run |
            |---|---|
            | `Scenarios/recovery` | a folder |
            | `Scenarios/recovery/hangs.json5` | a file |
            | `Scenarios/recovery/hangs.json5:12` | the case in line 12 |
            | `recovery/hangs`, `"recovery/hangs [twice]"` | an id, or a case by its name |
            | `-t "rollback and not slow"` | scenarios by tags, with `and`, `or`, `not` and parentheses |
            | `-k TEXT` | scenarios whose name or title contains the text |
            | `--rule R3`, `--rule R3,R5` | scenarios that name one of these rules in `covers` |
            | `--exclude PATH` | all but a file, folder or id; may be repeated |
            | `--failed` | scenarios that did not pass when they were last run (`Reports/.last-run.json`) |
            | `--shard 2/3` | the second of three parts, by a hash of the id |
            | `--shard-costs FILE` | parts that finish together, by what took how long in the `results.json` of an earlier call |

            Files and folders that can't be read are always part of a run, so that they are never silently missing.
            If nothing is selected, the exit code is 4, and the message suggests what was perhaps meant.

            A call in a folder of the project below its root, the folder with `Scenarios/`, works in the whole project:
            paths of the call are relative to where it is made, and printed paths to the root.

            ## What is printed

            A line for each scenario, then all that went wrong. `-q` leaves out the lines, `-v` adds digest and number of
            events, and `-vv` the timeline of each scenario, of those that passed too: what happened in each step, and
            what led to it. The HTML page shows these timelines for runs of up to 20 scenarios.

            ## Seeds and limits

            `--seed N` seeds the choices of a run. `--seeds A..B` runs each scenario for each seed and prints one
            line for all of them, with the seeds that fail and the command for the first one.
            `--check-determinism` runs everything twice and reports the first event that differs.

            `--max-events` and `--max-virtual-time` make a scenario inconclusive, never failed. `--wall-limit 60s` ends
            a scenario that takes longer by the wall clock: an error of the run, never a verdict on the app; the
            others still run. `--fail-fast` ends a run after the first scenario that does not pass, `--fail-fast=3`
            after three, and the report names what was not run.

            ## Changes that must not matter

            `otalab run --metamorphic` performs each scenario that passes again, up to some fifteen times, each time with one change
            that means nothing: syncs that take ten times as long or no time, answers in small pieces, events of one instant in
            another order, the files of manifests in the opposite order or under other names, a moment without the user's input, a
            check that offers what the device knows already, a relaunch while nothing is under way. The device must end in the same
            state: what runs, what is pending, last known good, parked, blacklisted and kept, and the files of each kept version.
            Expectations only wait in these runs, because times and counts may be others. A run whose moments decide what happens
            (a kill 20 ms after a launch) is left alone; the scenario's note says which changes were not made, and why. A difference
            is a failure with the change's name, and `Reports/metamorphic/` has the changed scenario. No model of an updater is
            needed for it.

            `otalab explore` does it with one world in twenty, and `otalab sweep --metamorphic` with disturbed worlds: one with each
            disturbance, at a moment between two steps when nothing is under way, with one of the changes; which moment and which
            change is a hash of both names. `otalab crashpoints` has no such flag, because a crash point is the n-th operation on the
            disk, and in a changed run that is another operation at another moment, so that the ends differ rightly.

            ## Worlds that nobody wrote

            `otalab explore` draws a world from a seed as a scenario: versions, builds, the device, and steps. Three of four worlds
            are short: an ordinary situation (a version is being fetched, is pending, has just been started), one to three
            disturbances from all words of the language that act, and what often follows them. The others are long, and each
            has a random part of the language's words. A disturbance in three, and a step of a long world in eight, is an *episode*
            instead, a few steps that belong together: a release that is taken, an offer that comes back, starts that end early, a
            version that is blamed and offered again days later, a file that breaks off and is continued in another way, damage
            between two processes, settings that change during a check, days without the app, an outage, the next build.
            It runs the world with all rules and liveness, and continues with other worlds until Ctrl-C,
            `--runs N` or `--for 10m`. Half of the worlds are drawn anew. The others begin like a world that was the first to reach
            something (`otalab help coverage`), up to the step at which it did, and continue in another way, three of four with a
            disturbance and what often follows it, four at a time from one copy of the run; a beginning that leads to more new
            things is used more often. A step whose trigger never comes is no failure of such a world.

            Each kind of failure is one finding: its first world and the smallest scenario with that failure are in
            `Reports/explore/SEED/N/`, and what was found is there as soon as its line is printed. `--seed N` is the seed of the
            first world, so that `--seed 47119 --runs 1` is that one alone. What is found does not depend on `--jobs`. A world
            that kills its process or takes longer than `--wall-limit` is a finding too; one that reaches 20,000 events is
            counted and left. With `--shard` each shard has its own worlds and knows nothing of the others; `otalab merge` joins
            them, and ranges of seeds that were searched one after the other (`otalab help reports`).

            ## Properties with a gap

            A *property* is a scenario with a gap: `{ gap: { without: ["store update", "order"], atMost: "6d" } }` says that anything
            may happen there except what the expectations after it are about. `otalab run` leaves the gap empty. `otalab explore`
            puts random steps there that the gap allows, and judges the property's expectations: one in eight of the worlds that it
            draws anew is a property of `Scenarios/properties`. `otalab explore PATH --runs 500` runs the properties of a path alone.
            A finding is a scenario without a gap, and the smallest one keeps all steps of the property. What `without` can name is
            in the language's reference, under `gap`.

            ## Every scenario disturbed

            `otalab sweep` runs each scenario again with one thing happening to it that its author did not write: a request
            fails or is answered oddly, the disk has an error or is full, the process is killed, the app goes to the background
            for half an hour, the user taps a link, a version is deployed or recalled. The scenario's other actions follow at
            their times and its expectations are off; all rules are on, and at the end everything heals and the device must come
            to the version that it should run. By default it tries the first, the middle and the last moment of each *cell*: a
            disturbance, what was under way (idle, manifest requested, downloading, starting, …) and the kind of request. Of a file
            with cases each cell is tried in the first case that has it. `--every N` tries every N-th moment, `--all` every one.
            Findings of the same kind are one: `Reports/sweep/N/` has the first scenario that shows it, with the disturbance as its
            first steps, and the smallest one. `--shard I/N` sweeps every N-th file, with `--shard-costs` files that take about as long.

            Of a library with hundreds of files `--files-per-cell N` tries each cell in N of the files that have it: the length of
            the sweep follows from the number of different cells, not from the number of files. `--seed` chooses the files, so
            that each night can have others.

            `--pairs N` adds runs with two disturbances, N for each scenario: the first is one of those that were tried alone, the
            second is drawn, at a moment after the first. The same pairs are tried on every machine.

            Each file is swept by a worker process. A world that kills its worker, or that takes longer than `--wall-limit` (60s),
            is a finding like any other, and the rest of the file is swept without it.

            ## A smaller scenario

            `otalab shrink FILE` writes the smallest scenario that it finds with the same failure: the same clause broken in
            the same way, the same expectation after the same events, or the same crash of otalab. It removes and joins
            steps, removes keys, files and versions, and makes values plain, times round and sizes small, until no single
            change helps or `--runs` (500) are used up. The result, `FILE-shrunk.json5`, is formatted, says what fails, and
            can go into `Scenarios/`. With `--metamorphic` the failure may be one that only `otalab run --metamorphic` shows.

            ## Two runs compared

            `otalab diff A B` compares two runs of the same scenarios, from reports that `otalab run` wrote (folders, or files of
            `-o json=FILE`). It prints for each scenario that differs the first event at which its timelines part, the events
            before with their causes, the state of the device before and right after it on each side, and what differs in the end:
            verdict, failures, state, times. `otalab diff FILE --seed 1 --seed 2` runs a scenario for two seeds, without regard to
            what each seed draws for itself (session keys, tokens of page loads), and `otalab diff FILE --program OTHER` runs it in
            this program and in another build of otalab. Those two also compare the content of every event, input and effect, and
            show of the first that differs the parts that differ. A report keeps 400 events of a timeline and the states of runs
            that did not pass; `otalab diff FILE --record A.json` keeps everything, for a comparison on another day.

            ## Processes

            Scenarios run in `--jobs` worker processes. If a worker dies (a defect of otalab, not enough memory),
            only the scenario that it was running is lost: its result has the signal and the command that
            reproduces it. Results never depend on the number of workers. `--in-process` runs everything in the
            process that was started, for a debugger or a backtrace.

            ## Exit codes

            | code | meaning |
            |---|---|
            | 0 | everything that was selected passed, strict expected failures included |
            | 1 | a scenario failed: expectation, invariant, liveness, unexpected pass; `lint` found errors; `diff` found differences |
            | 2 | the call is wrong: unknown flag, bad value, missing path; nothing was run |
            | 3 | a scenario file is invalid, or a search had to leave a scenario out; the others were run. `lint`: the only errors are unreadable files |
            | 4 | nothing selected; 0 with `--allow-empty`, after `--failed`, and for a shard without scenarios |
            | 5 | not deterministic: the same seed, a different trace |
            | 6 | inconclusive: no failure, but a limit was reached |
            | 70 | an error of otalab itself: a worker died; or `--wall-limit` |
            | 74 | a report could not be written; the verdict was printed |
            | 130 | interrupted; the results so far are reported and marked partial; what was not run is named |

            If several apply, the first of 70, 130, 5, 1, 3, 6, 74, 4 wins.

            ## Environment

            Every flag can be set by a variable: `OTALAB_` and its name in capitals, `OTALAB_JOBS=2` for `--jobs 2`,
            `OTALAB_NO_REPORT=1` for a flag without a value. The command line wins. Settings of a project go into a
            file: `otalab help settings`. `-C DIR` changes to a folder first, and may stand before the verb.

            Colour: `--color`, then `NO_COLOR` off, then `FORCE_COLOR` or `CLICOLOR_FORCE` on, then `TERM=dumb` off,
            then whether the stream is a terminal. The progress line is drawn on standard error, and only on a
            terminal. `--ascii` prints only ASCII, `--no-timings` prints no wall-clock figures.

            """)
}
