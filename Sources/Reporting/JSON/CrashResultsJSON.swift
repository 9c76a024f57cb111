import Authoring
import Core
import Oracle
import Runner
import Search

/// Content of `crashpoints/results.json`: the result of a search over crash points, for programs. It has no
/// wall times, so that equal searches give equal bytes.
package struct CrashResults: Hashable, Sendable {
    package var toolVersion = ""
    package var commandLine: [String] = []
    package var seed: UInt64 = 0
    package var isPartial = false
    package var scenarios: [SearchedScenario] = []
    package var skipped: [SkippedScenario] = []
    package var all = CrashTally()

    /// Result of one scenario, cut off on one of its devices.
    package struct SearchedScenario: Hashable, Sendable {
        package var name = ""
        package var file = ""
        package var device: String?
        package var problem: String?
        package var counts = CrashTally()
        package var findings: [Finding] = []

        /// - Parameter commands: command that reproduces each finding; empty when none could be written.
        package init(_ report: CrashReport, commands: [String]) {
            name = report.plan.name
            file = report.plan.scenario.source.path
            device = report.device
            problem = report.problem
            counts = report.tally
            findings = zip(report.findings, commands).map { Finding($0, command: $1) }
        }

        init() {}
    }

    /// A crash after which the device did not recover.
    package struct Finding: Hashable, Sendable {
        package var rule = ""
        package var headline = ""
        package var expected = ""
        package var actual = ""
        package var crashes: [String] = []
        package var command: String?

        init(_ finding: CrashFinding, command: String) {
            rule = finding.rule
            headline = finding.headline
            expected = finding.expected
            actual = finding.actual
            crashes = finding.crashes.map { "\($0)" }
            self.command = command.isEmpty ? nil : command
        }

        init() {}
    }

    /// A scenario that was selected and not searched.
    package struct SkippedScenario: Hashable, Sendable {
        package var name: String
        package var reason: String

        package init(_ name: String, _ reason: String) {
            self.name = name
            self.reason = reason
        }
    }

    package init() {}
}

/// Writer, reader and schema of ``CrashResults``, from one table (``CrashShapes``).
package enum CrashResultsJSON {
    package static let schema = "otalab-crashpoints-1"

    package static func bytes(_ results: CrashResults) -> [UInt8] {
        CrashShapes.search.document(results, schema: schema, wall: false)
    }

    /// The JSON Schema of ``bytes(_:)``, draft 2020-12.
    package static var schemaBytes: [UInt8] {
        CrashShapes.search.schemaDocument("crashpoints/results.json of otalab", schema: schema)
    }
}
