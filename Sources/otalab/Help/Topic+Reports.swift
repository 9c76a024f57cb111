import Reporting

extension Topic {
    static let reports = Topic(
        name: "reports", page: "Reports", summary: "report folders, formats, shards and how to merge them",
        text: """
            # Reports

            One results model, many formats; shards that merge into what one run would have told.

            `otalab run` writes `Reports/<run>/` and lets `Reports/latest` name the newest. A folder is there whole or
            not at all, and is never added to; every run has a separate one, also where several write at once.
            `--report-dir DIR` takes another place, `--no-report` none.

            | format | in the folder | what it is |
            |---|---|---|
            \(ReportFormat.all.map { "| `\($0.name)` | \($0.file.map { "`\($0)`" } ?? "") | \($0.summary) |" }
                .joined(separator: "\n"))

            `-o FORMAT=PATH` writes a single one, more than once if you like; `-o tap=-` goes to standard output and the
            text for people to standard error. `otalab report DIR --to FORMAT=PATH` derives any of them later, from
            `results.json` alone; its members are in `otalab schema results`.

            Equal results give equal bytes but for wall-clock figures. `--no-timings` or `SOURCE_DATE_EPOCH` leaves
            those out too.

            ## Runs that are not whole

            A run that was interrupted, or that `--fail-fast` ended, names in every format what it did not run:
            `notRun` in `results.json`, skipped test cases in JUnit and TAP, `pending` ones in CTRF, a list in the
            page and the summary. An interrupted one is good in none: JUnit has a test case `the run is whole` with
            an error, TAP bails out, the closing line begins with `INTERRUPTED`.

            A scenario whose process died, or that `--wall-limit` ended, has a result like the others. Its verdict is
            `inconclusive`, since nothing is known of the app; its failure is of kind `workerDied` or `wallLimit`
            (JUnit: an error of type `worker-died` or `wall-limit`); the exit code is 70.

            ## Shards

            ```sh
            otalab run --shard 1/3 --report-dir shards/1     # on three machines
            otalab run --shard 2/3 --report-dir shards/2
            otalab run --shard 3/3 --report-dir shards/3
            otalab merge shards -o Reports/merged
            ```

            Which part a scenario belongs to depends on its id alone, so new scenarios never move old ones. `merge`
            takes folders of reports, or folders with such folders below. Its result is that of the run without
            shards, byte for byte but for wall times, and so is its exit code. A shard that is missing or there
            twice, or that ran another version, seed, selection or other files, is an error, and nothing is written.
            One that is not whole is named in a warning; what it did not run is named in the merged report too.

            `--shard auto` reads the variables of the job:

            | where | variables |
            |---|---|
            | GitLab `parallel:` | `CI_NODE_INDEX` (from 1), `CI_NODE_TOTAL` |
            | Kubernetes indexed jobs | `JOB_COMPLETION_INDEX` (from 0), `OTALAB_SHARD_TOTAL` |
            | GitHub matrix, and others | `OTALAB_SHARD_INDEX` (from 0), `OTALAB_SHARD_TOTAL` |

            """)
}
