extension Topic {
    static let ci = Topic(
        name: "ci", page: "ContinuousIntegration",
        summary: "GitHub, GitLab and Jenkins, with files to begin from",
        text: """
            # Use it in your CI

            Scenarios in every push: lint, run in parts, one report at the end.

            The program is one file. `swift build -c release --static-swift-stdlib --product otalab` makes one that
            needs no Swift toolchain on the machine that runs it. Put it into the image of the job, or fetch it there.
            `otalab init --ci github`, `gitlab` or `jenkins` writes the file below.

            Two exit codes ask for different people: 1 means that the app or its update failed a scenario, 3 that
            a scenario file has a mistake. All are in `otalab help select`.

            ## GitHub

            Failures appear as annotations beside the lines of the scenario files (ten, as many as GitHub shows), and
            in the job summary; `--no-ci` turns both off. While scenarios are told, commands are off, so that
            a title can't issue one.

            `\(CISample.github.path)`:

            ```yaml
            \(CISample.github.text)```

            ## GitLab

            Every test stands in the merge request with its file, the failure's text and one command that shows it
            again.

            `\(CISample.gitlab.path)`:

            ```yaml
            \(CISample.gitlab.text)```

            ## Jenkins

            The `junit` step takes the common form. The xUnit plugin validates against its schema and refuses that
            form's `file` and `line`: give it `-o junit-strict=junit.xml`. `report.html` can be read with scripts and
            styles off, which is how Jenkins shows it.

            `\(CISample.jenkins.path)`:

            ```groovy
            \(CISample.jenkins.text)```

            ## Others

            `-o tap=-` for what reads TAP 13, `-o ctrf=FILE` for CTRF, `-o md=FILE` for a text that goes into a pull
            request. The last line of every run is a plain count: `214 passed, 0 failed, 0 skipped`.

            """)
}
