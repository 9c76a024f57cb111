import Core

/// The result of one run of a scenario, or of one file that could not be read.
package struct ScenarioResult: Hashable, Sendable {
    /// Index in the whole selection, from 0; the same in every shard.
    package var selectionIndex: Int
    /// Stable id: the path below the scenario folder without extension, or the file's own `id`.
    package var id: String
    /// `id` and, in brackets, the case and the order tried: unique within a run.
    package var name: String
    package var file: String
    /// Line that a report points at: that of the first failure, else of the case, else 1.
    package var line: Int
    package var title: String
    package var caseName: String?
    /// Ids of the rules that the scenario covers.
    package var covers: [String]
    package var tags: [String]
    package var issue: String?
    /// Text of `xfail` or `skip`.
    package var reason: String?
    package var device: String
    /// Seed of the world, computed from the run's seed and the name (``RunPlan/worldSeed``).
    package var seed: UInt64
    /// Counts over several seeds, if there were several; all other fields are of the first that did not pass.
    package var seeds: SeedSummary?

    package var verdict: Verdict
    package var steps: [StepResult]
    package var virtualDuration: TimeSpan
    package var events: Int
    /// Digest of all events; equal for equal runs.
    package var digest: UInt64
    package var failures: [Failure]
    package var timeline: [TimelineEntry]
    /// Number of entries that were left out of ``timeline`` because there were too many.
    package var timelineLeftOut: Int
    /// States of the device as changes from moment to moment; only for runs whose trace is shown.
    package var moments: [DeviceMoment]
    /// Text of the scenario file if the scenario did not pass.
    package var source: String?
    /// Notes that are no failures: faults that were never applied, steps that changed nothing, and triggers
    /// that had not fired when a run ended early.
    package var notes: [RunNote]
    /// What a subject and the laboratory said to each other, oldest first, a line each; of a scenario that
    /// did not pass.
    package var dialogue: [String] = []
    /// Number of page loads that began a start of a version.
    package var starts: Int
    package var switches: Int
    package var rescues: Int
    package var times: TimesSummary
    /// Versions that the devices were to show at the end, in the order of the devices.
    package var running: [RunningVersion]
    /// Errors of the file, or warnings of a valid one.
    package var diagnostics: [DiagnosticResult]
    /// What the run has reached; empty if that was not recorded. In `results.json` it is summed over all
    /// runs.
    package var cells = CoverageTable()
    /// What it reached, in the order in which it did; empty if that was not recorded. In no report.
    package var discoveries: [CoverageDiscovery] = []
    /// Wall-clock times: the only field that may differ between equal runs.
    package var wall: WallTimes

    package init(id: String, name: String, file: String, title: String) {
        self.id = id
        self.name = name
        self.file = file
        self.title = title
        selectionIndex = 0
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
        running = []
        diagnostics = []
        wall = WallTimes()
    }

    /// The result without its events, states and measured times, and perhaps without its steps: what the
    /// summaries of a run need of a scenario that passed.
    package func condensed(keepsSteps: Bool) -> ScenarioResult {
        var result = self
        result.timeline = []
        result.moments = []
        (result.times.launches, result.times.switches, result.times.rescues) = ([], [], [])
        if !keepsSteps { result.steps = [] }
        return result
    }

    /// Case and order as ``name`` has them after ``id``: ` [two files] {order 2}`.
    package var caseAndOrder: Substring { name.dropFirst(id.count) }

    /// Texts of ``notes``, which older results have without a kind.
    package var faultsNeverApplied: [String] {
        get { notes.map(\.text) }
        set { notes = newValue.map(RunNote.init(older:)) }
    }
}

/// Times measured on the machine, in a type of their own so that all other fields of equal runs are equal.
package struct WallTimes: Hashable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64 = 0) { self.microseconds = microseconds }
}
