import Core

/// What became of one scenario, or of one file that could not be read.
public struct ScenarioResult: Hashable, Sendable {
    /// In the whole selection, from 0; a shard's results keep it.
    public var place: Int
    /// Stable: the path below the scenario folder without extension, or the file's own `id`.
    public var id: String
    /// `id` and, in brackets, the case and the order tried: unique within a run.
    public var name: String
    public var file: String
    /// The line that a report points at: that of the first failure, else of the case, else 1.
    public var line: Int
    public var title: String
    public var caseName: String?
    /// Rule ids.
    public var covers: [String]
    public var tags: [String]
    public var issue: String?
    /// The sentence of `xfail` or `skip`.
    public var reason: String?
    public var device: String
    /// Worked out from the run's seed and the name.
    public var seed: UInt64
    /// Where it was run for several seeds; the rest tells of the first one that did not pass.
    public var seeds: SeedSummary?

    public var verdict: Verdict
    public var steps: [StepResult]
    public var virtualDuration: TimeSpan
    public var events: Int
    /// Rolling over every event; equal for equal runs.
    public var digest: UInt64
    public var failures: [Failure]
    public var timeline: [TimelineEntry]
    /// Entries that were left out of ``timeline`` because there were too many.
    public var timelineLeftOut: Int
    /// What was on the device, as differences from moment to moment; for runs whose trace is shown.
    public var moments: [DeviceMoment]
    /// The scenario file's text, where the scenario did not pass.
    public var source: String?
    /// Faults of the scenario that met nothing, steps whose trigger never came, steps that met no app: told,
    /// not a failure.
    public var faultsNeverApplied: [String]
    /// Page loads that began a start, switches, rescues.
    public var starts: Int
    public var switches: Int
    public var rescues: Int
    public var times: TimesSummary
    /// What is wrong with the file; warnings for a valid one.
    public var diagnostics: [DiagnosticResult]
    /// Wall-clock figures: the only fields that may differ between equal runs.
    public var wall: WallTimes

    public init(id: String, name: String, file: String, title: String) {
        self.id = id
        self.name = name
        self.file = file
        self.title = title
        place = 0
        line = 1
        covers = []
        tags = []
        device = ""
        seed = 0
        verdict = .passed
        steps = []
        virtualDuration = .zero
        events = 0
        digest = 0
        failures = []
        timeline = []
        timelineLeftOut = 0
        moments = []
        faultsNeverApplied = []
        starts = 0
        switches = 0
        rescues = 0
        times = TimesSummary()
        diagnostics = []
        wall = WallTimes()
    }
}

/// Measured on the machine that ran it; kept apart so that equal results stay equal.
public struct WallTimes: Hashable, Sendable {
    public var microseconds: Int64

    public init(microseconds: Int64 = 0) { self.microseconds = microseconds }
}
