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
    /// Digest of the bytes of all selected files, those of other shards too.
    package var scenarioSetDigest: UInt64 = 0
    /// Shard of the selection that was searched; nil: all of it.
    package var shard: Shard?
    package var isPartial = false
    /// Whether a file that was selected can't be read.
    package var hasInvalidFiles = false
    package var scenarios: [SearchedScenario] = []
    package var skipped: [SkippedScenario] = []
    package var all = CrashTally()

    /// Result of one scenario, cut off on one of its devices.
    package struct SearchedScenario: Hashable, Sendable {
        /// Ordinal among the selected scenarios of all shards, from 1.
        package var ordinal = 1
        package var name = ""
        package var file = ""
        package var device: String?
        package var problem: String?
        package var counts = CrashTally()
        package var findings: [Finding] = []

        /// The name, followed by the device if the scenario has several.
        package var shownName: String { name + (device.map { " on \($0)" } ?? "") }

        /// - Parameter files: scenario that reproduces each finding; nil when it could not be written.
        package init(_ report: CrashReport, ordinal: Int, files: [CrashFile?]) {
            self.ordinal = ordinal
            name = report.plan.name
            file = report.plan.scenario.source.path
            device = report.device
            problem = report.problem
            counts = report.tally
            findings = zip(report.findings, files).map { Finding($0, $1) }
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
        /// Name of the scenario that reproduces it, in the folder of the results.
        package var file: String?
        package var command: String?

        init(_ finding: CrashFinding, _ written: CrashFile?) {
            rule = finding.rule
            headline = finding.headline
            expected = finding.expected
            actual = finding.actual
            crashes = finding.crashes.map { "\($0)" }
            file = written?.name
            command = written?.command
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

/// The scenario of a crash, as it was written.
package struct CrashFile: Hashable, Sendable {
    package var name: String
    package var command: String

    /// - Parameter folder: of the results.
    package init(_ name: String, in folder: String, seed: UInt64) {
        self.name = name
        command = "otalab run \(ShellWord.quoted("\(folder)/\(name)")) --seed \(seed)"
    }
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
