import Reporting

extension Topic {
    static let reports = Topic(
        name: "reports", page: "Reports", summary: "report folders, formats, shards and how to merge them",
        text: """
            # Reports

            One results model, many formats; shards that merge into the report of one run.

            `otalab run` writes `Reports/<run>/`, and `Reports/latest` points to the newest. A folder appears complete
            or not at all, and nothing is added to it later; every run has a separate one, even if several write at
            once. `--report-dir DIR` chooses another folder, `--no-report` writes none.

            | format | in the folder | what it is |
            |---|---|---|
            \(ReportFormat.all.map { "| `\($0.name)` | \($0.file.map { "`\($0)`" } ?? "") | \($0.summary) |" }
                .joined(separator: "\n"))

            `-o FORMAT=PATH` writes one format and may be repeated; `-o tap=-` goes to standard output, and then the
            text for people goes to standard error. `otalab report DIR --to FORMAT=PATH` derives any of them later
            from `results.json` alone; `otalab schema results` describes its members.

            Equal results give equal bytes, except for wall-clock figures. `--no-timings` or `SOURCE_DATE_EPOCH`
            leaves those out too.

            ## Incomplete runs

            A run that was interrupted, or that `--fail-fast` ended, names in every format what it did not run:
            `notRun` in `results.json`, skipped test cases in JUnit and TAP, `pending` ones in CTRF, a list in the
            page and the summary. No format shows an interrupted run as passed: JUnit has a test case `the run is
            whole` with an error, TAP bails out, the closing line begins with `INTERRUPTED`.

            A scenario whose process died, or that `--wall-limit` ended, has a result like the others. Its verdict is
            `inconclusive`, because the run says nothing about the app; its failure has the kind `workerDied` or
            `wallLimit` (JUnit: an error of type `worker-died` or `wall-limit`); the exit code is 70.

            ## Shards

            ```sh
            otalab run --shard 1/3 --report-dir shards/1     # on three machines
            otalab run --shard 2/3 --report-dir shards/2
            otalab run --shard 3/3 --report-dir shards/3
            otalab merge shards -o Reports/merged
            ```

            A scenario's shard depends on its id alone, so new scenarios never move old ones. `merge` takes report
            folders, or folders that contain them. Its report equals that of the unsharded run, byte for byte except
            for wall times, and so does its exit code. A shard that is missing or present twice, or that ran another
            version, seed, selection or other files, is an error, and nothing is written. A warning names each
            incomplete shard; the merged report names what it did not run.

            Shards by a hash take unequal times. `--shard-costs FILE` balances them by what an earlier call took, so that they
            finish together: a `results.json` of `run`, for `sweep` and `crashpoints` one of theirs or of `run`, whole or merged.
            All shards need the same file; `merge` refuses others. What the file does not have counts as an average scenario.

            ## Parts of a search

            ```sh
            otalab sweep --shard 1/2 --report-dir part/1     # on two machines; explore and crashpoints likewise
            otalab sweep --shard 2/2 --report-dir part/2
            otalab merge part -o Reports/sweep

            otalab explore --seed 1 --runs 50000 --report-dir part/3          # or by ranges of seeds, on any days
            otalab explore --seed 50001 --runs 50000 --report-dir part/4
            otalab merge part/3 part/4 -o Reports/explore
            ```

            Equal findings of several parts are one, with the sum of how often they were found, and with the files from the part
            that found them first; worlds, cells, points, seconds and coverage are summed. Shards of `sweep` and `crashpoints` give
            what the whole search gives. A shard of `explore` builds on its own worlds only, so that from the second round on (64
            worlds) it draws others than the whole exploration; its worlds are numbered as if all shards had run in step. Parts
            of an exploration need not have equal numbers of worlds, but each its own seeds; a warning names seeds between them
            that no part has. The merged folder has the files of the findings, and its commands name them. `--coverage` and
            `--require-coverage` work on the sum of all parts.

            ## Shards of a CI job

            `--shard auto` reads the variables of the job:

            | where | variables |
            |---|---|
            | GitLab `parallel:` | `CI_NODE_INDEX` (from 1), `CI_NODE_TOTAL` |
            | Kubernetes indexed jobs | `JOB_COMPLETION_INDEX` (from 0), `OTALAB_SHARD_TOTAL` |
            | Slurm array jobs | `SLURM_ARRAY_TASK_ID`, `_MIN`, `_MAX`, `_COUNT`, `_STEP` |
            | GitHub matrix, and others | `OTALAB_SHARD_INDEX` (from 0), `OTALAB_SHARD_TOTAL` |

            """)
}
