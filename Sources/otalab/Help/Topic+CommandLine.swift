extension Topic {
    static let commandLine = Topic(
        name: "select", page: "CommandLine",
        summary: "what runs, for which seeds, within which limits; exit codes",
        text: """
            # Select and run

            What runs, for which seeds, within which limits, and what the exit code says.

            ## What runs

            `otalab run` runs all that is in `Scenarios/`. Anything else is narrowed by paths and flags; they must
            all hold. `otalab list` takes the same ones and shows what would run.

            | write | to run |
            |---|---|
            | `Scenarios/recovery` | a folder |
            | `Scenarios/recovery/hangs.json5` | a file |
            | `Scenarios/recovery/hangs.json5:12` | the case that stands in line 12 |
            | `recovery/hangs`, `"recovery/hangs [twice]"` | an id, a case by its name |
            | `-t "rollback and not slow"` | by tags, with `and`, `or`, `not` and parentheses |
            | `-k TEXT` | names or titles that contain the text |
            | `--rule R3`, `--rule R3,R5` | what says that it covers one of these rules |
            | `--exclude PATH` | all but a file, folder or id; more than once |
            | `--failed` | what was not good when it was last run (`Reports/.last-run.json`) |
            | `--shard 2/3` | the second of three parts, by a hash of the id |

            Files and folders that can't be read are always part of a run, so that they are never silently missing.
            Where nothing is selected the exit code is 4, with what was perhaps meant.

            ## Seeds and limits

            `--seed N` starts the keyed choices from another number. `--seeds A..B` runs each scenario for each seed
            and tells one line for all, with the seeds that fail and the command for the first of them.
            `--check-determinism` runs everything twice and names the first event that differs.

            `--max-events` and `--max-virtual-time` make a scenario inconclusive, never failed. `--wall-limit 60s` ends
            a scenario that needs longer by the wall clock: an error of the run, never a verdict on the app; the
            others still run. `--fail-fast` ends a run after the first scenario that is not good, `--fail-fast=3`
            after three, and names what was not run.

            ## Processes

            Scenarios run in worker processes, `--jobs` of them. One that dies (a defect of otalab, more memory than
            there is) costs the scenario that it was running: that one has a result with the signal and the command
            that shows it again. Results never depend on the number of workers. `--in-process` runs everything in the
            one process that was started, for a debugger or a backtrace.

            ## Exit codes

            | code | meaning |
            |---|---|
            | 0 | all that was selected passed, strict expected failures included |
            | 1 | a scenario failed: expectation, invariant, liveness, unexpected pass; `lint` found errors |
            | 2 | the call is wrong: unknown flag, bad value, missing path; nothing was run |
            | 3 | a scenario file is invalid; the others were run. `lint`: all errors are files that can't be read |
            | 4 | nothing selected; 0 with `--allow-empty`, after `--failed`, and for a shard without scenarios |
            | 5 | not deterministic: the same seed, another trace |
            | 6 | inconclusive: no failure, but a limit was reached |
            | 70 | an error of otalab itself: a worker died; or `--wall-limit` |
            | 74 | a report could not be written; the verdict was printed |
            | 130 | interrupted; what there was by then is reported, and marked partial; what was not run is named |

            If several apply the first of 70, 130, 5, 1, 3, 6, 74, 4 wins.

            ## Environment

            Every flag can stand in a variable: `OTALAB_` and its name in capitals, `OTALAB_JOBS=2` for `--jobs 2`,
            `OTALAB_NO_REPORT=1` for a flag without a value. The command line wins. What holds for a project can stand
            in a file: `otalab help settings`. `-C DIR` goes to a folder first.

            Colour: `--color`, then `NO_COLOR` off, then `FORCE_COLOR` or `CLICOLOR_FORCE` on, then `TERM=dumb` off,
            then whether the stream is a terminal. A line that shows how far the run is appears on standard error and
            only on a terminal. `--ascii` prints nothing but ASCII, `--no-timings` no wall-clock figures.

            """)
}
