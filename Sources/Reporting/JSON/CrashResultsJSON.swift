import Core
import Laboratory

/// `crashpoints/results.json`: what a search over crash points found, for programs. No wall times: equal
/// searches give equal bytes.
public struct CrashResults: Hashable, Sendable {
    public var toolVersion = ""
    public var commandLine: [String] = []
    public var seed: UInt64 = 0
    public var isPartial = false
    public var stories: [Story] = []
    public var leftOut: [LeftOut] = []
    public var all = CrashTally()

    public struct Story: Hashable, Sendable {
        public var name = ""
        public var file = ""
        public var device: String?
        public var problem: String?
        public var counts = CrashTally()
        public var findings: [Finding] = []

        /// - Parameter commands: of its findings, empty where none could be written.
        public init(_ report: CrashReport, commands: [String]) {
            name = report.plan.name
            file = report.plan.scenario.source.path
            device = report.device
            problem = report.problem
            counts = report.tally
            findings = zip(report.findings, commands).map { Finding($0, command: $1) }
        }

        init() {}
    }

    public struct Finding: Hashable, Sendable {
        public var rule = ""
        public var headline = ""
        public var expected = ""
        public var actual = ""
        public var crashes: [String] = []
        public var command: String?

        init(_ finding: CrashFinding, command: String) {
            rule = finding.rule
            headline = finding.headline
            expected = finding.expected
            actual = finding.actual
            crashes = finding.places.map { "\($0)" }
            self.command = command.isEmpty ? nil : command
        }

        init() {}
    }

    public struct LeftOut: Hashable, Sendable {
        public var name: String
        public var reason: String

        public init(_ name: String, _ reason: String) {
            self.name = name
            self.reason = reason
        }
    }

    public init() {}
}

/// Writer, reader and schema of ``CrashResults``, from one table (``CrashShapes``).
public enum CrashResultsJSON {
    public static let schema = "otalab-crashpoints-1"

    public static func bytes(_ results: CrashResults) -> [UInt8] {
        CrashShapes.search.document(results, schema: schema, wall: false)
    }

    /// The JSON Schema of ``bytes(_:)``, draft 2020-12.
    public static var schemaBytes: [UInt8] {
        CrashShapes.search.schemaDocument("crashpoints/results.json of otalab", schema: schema)
    }
}
