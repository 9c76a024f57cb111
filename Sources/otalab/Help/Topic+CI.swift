extension Topic {
    static let ci = Topic(
        name: "ci", page: "ContinuousIntegration",
        summary: "GitHub, GitLab and Jenkins, with files to start from",
        text: """
            # Use it in your CI

            Run scenarios on every push: lint, run in shards, one report at the end.

            The program is one file. `swift build -c release --static-swift-stdlib --product otalab` builds one that
            needs no Swift toolchain on the machine that runs it. Put it into the job's image, or download it in
            the job. `otalab init --ci github`, `gitlab` or `jenkins` writes the file below.

            Two exit codes concern different people: 1 means that the app or its update failed a scenario, 3 that
            a scenario file has an error. `otalab help select` lists all of them.

            ## GitHub

            Failures appear as annotations beside the lines of the scenario files (ten, as many as GitHub shows), and
            in the job summary; `--no-ci` turns both off. Workflow commands are stopped while scenarios are
            printed, so that a title can't issue one.

            `\(CISample.github.path)`:

            ```yaml
            \(CISample.github.text)```

            ## GitLab

            The merge request shows every test with its file, the failure's text and one command that reproduces
            it.

            `\(CISample.gitlab.path)`:

            ```yaml
            \(CISample.gitlab.text)```

            ## Jenkins

            The `junit` step reads the common format. The xUnit plugin validates against its schema and refuses the
            attributes `file` and `line` of that format: give it `-o junit-strict=junit.xml`. `report.html` can be
            read with scripts and styles off, which is how Jenkins shows it.

            `\(CISample.jenkins.path)`:

            ```groovy
            \(CISample.jenkins.text)```

            ## Others

            `-o tap=-` writes TAP 13, `-o ctrf=FILE` CTRF, and `-o md=FILE` a text for a pull request. The last line
            of every run is a plain count: `214 passed, 0 failed, 0 skipped`.

            """)
}
