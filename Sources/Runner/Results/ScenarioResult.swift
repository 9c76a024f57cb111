import Core

/// What became of one scenario, or of one file that could not be read.
package struct ScenarioResult: Hashable, Sendable {
    /// In the whole selection, from 0; a shard's results keep it.
    package var place: Int
    /// Stable: the path below the scenario folder without extension, or the file's own `id`.
    package var id: String
    /// `id` and, in brackets, the case and the order tried: unique within a run.
    package var name: String
    package var file: String
    /// The line that a report points at: that of the first failure, else of the case, else 1.
    package var line: Int
    package var title: String
    package var caseName: String?
    /// Rule ids.
    package var covers: [String]
    package var tags: [String]
    package var issue: String?
    /// The sentence of `xfail` or `skip`.
    package var reason: String?
    package var device: String
    /// Worked out from the run's seed and the name.
    package var seed: UInt64
    /// Where it was run for several seeds; the rest tells of the first one that did not pass.
    package var seeds: SeedSummary?

    package var verdict: Verdict
    package var steps: [StepResult]
    package var virtualDuration: TimeSpan
    package var events: Int
    /// Rolling over every event; equal for equal runs.
    package var digest: UInt64
    package var failures: [Failure]
    package var timeline: [TimelineEntry]
    /// Entries that were left out of ``timeline`` because there were too many.
    package var timelineLeftOut: Int
    /// What was on the device, as differences from moment to moment; for runs whose trace is shown.
    package var moments: [DeviceMoment]
    /// The scenario file's text, where the scenario did not pass.
    package var source: String?
    /// Faults of the scenario that met nothing, steps that met no app, and in a story that ended early steps
    /// whose trigger had not come: told, not a failure.
    package var notes: [RunNote]
    /// Page loads that began a start, switches, rescues.
    package var starts: Int
    package var switches: Int
    package var rescues: Int
    package var times: TimesSummary
    /// What is wrong with the file; warnings for a valid one.
    package var diagnostics: [DiagnosticResult]
    /// Wall-clock figures: the only fields that may differ between equal runs.
    package var wall: WallTimes

    package init(id: String, name: String, file: String, title: String) {
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
        notes = []
        starts = 0
        switches = 0
        rescues = 0
        times = TimesSummary()
        diagnostics = []
        wall = WallTimes()
    }

    /// The texts of ``notes``. Results had these alone before.
    package var faultsNeverApplied: [String] {
        get { notes.map(\.text) }
        set { notes = newValue.map(RunNote.init(older:)) }
    }
}

/// Measured on the machine that ran it; kept apart so that equal results stay equal.
package struct WallTimes: Hashable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64 = 0) { self.microseconds = microseconds }
}
