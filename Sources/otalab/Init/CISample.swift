/// CI files that run scenarios; `otalab init --ci` writes them and the guide shows them.
struct CISample: Sendable {
    /// `github`.
    let name: String
    let path: String
    let text: String

    static let all = [github, gitlab, jenkins]

    static let github = CISample(
        name: "github", path: ".github/workflows/otalab.yml",
        text: """
            name: otalab
            on: [push, pull_request]
            permissions:
              contents: read
            jobs:
              scenarios:
                runs-on: ubuntu-24.04
                strategy:
                  fail-fast: false
                  matrix:
                    part: [1, 2, 3]
                steps:
                  - uses: actions/checkout@v5
                  # Here, and in the job below, put otalab on the PATH: from a release, from an artifact, or by running
                  # in an image that has it.
                  - name: Scenarios
                    run: |
                      otalab lint --format github
                      otalab run --shard auto
                    env:
                      OTALAB_SHARD_INDEX: ${{ strategy.job-index }}
                      OTALAB_SHARD_TOTAL: ${{ strategy.job-total }}
                  - uses: actions/upload-artifact@v7
                    if: always()
                    with:
                      name: shard-${{ matrix.part }}
                      path: Reports/2*/
              report:
                needs: scenarios
                if: always()
                runs-on: ubuntu-24.04
                steps:
                  - uses: actions/download-artifact@v7
                    with:
                      path: shards
                      pattern: shard-*
                  - name: One report
                    run: otalab merge shards -o Reports/merged
                  - uses: actions/upload-artifact@v7
                    if: always()
                    with:
                      name: report
                      path: Reports/merged/
                  # The page once more, as a single file that a browser shows without unpacking.
                  - uses: actions/upload-artifact@v7
                    if: always()
                    with:
                      path: Reports/merged/report.html
                      archive: false

            """)

    static let gitlab = CISample(
        name: "gitlab", path: ".gitlab-ci.yml",
        text: """
            # The image must have otalab on its PATH.
            stages: [test, report]

            scenarios:
              stage: test
              parallel: 3
              script:
                - otalab lint
                - otalab run --shard auto
              artifacts:
                when: always
                paths: [Reports/]
                reports:
                  junit: Reports/2*/junit.xml

            report:
              stage: report
              when: always
              script:
                # The artifacts of all shards are in one folder, each run in a separate folder below it.
                - otalab merge Reports -o merged
              artifacts:
                when: always
                expose_as: report
                paths: [merged/report.html]

            """)

    static let jenkins = CISample(
        name: "jenkins", path: "Jenkinsfile",
        text: """
            // The agent must have otalab on its PATH.
            pipeline {
                agent any
                stages {
                    stage('Scenarios') {
                        steps {
                            // The workspace is that of the previous build.
                            sh 'rm -rf Reports junit.xml'
                            sh 'otalab lint'
                            sh 'otalab run -o junit=junit.xml'
                        }
                    }
                }
                post {
                    always {
                        // Empty if lint has stopped the build.
                        junit testResults: 'junit.xml', allowEmptyResults: true
                        archiveArtifacts artifacts: 'Reports/**', allowEmptyArchive: true
                    }
                }
            }

            """)
}
