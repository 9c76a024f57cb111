import Core

/// One failure of a scenario, with all that a report needs to explain it.
package struct Failure: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An `expect` step.
        case expectation
        /// A step whose trigger (`when`, `after`, `at`) did not fire before the scenario ended.
        case trigger
        /// A rule that is checked after every event (∎ in <doc:Rules>).
        case invariant
        /// The device did not reach the expected version.
        case liveness
        /// Marked `xfail`, and passed.
        case unexpectedPass
        /// A limit of events or virtual time was reached, or no event was left.
        case bound
        /// One `handle` call exceeded the limits of a bounded step (design §1).
        case boundedStep
        /// The same run gave another digest.
        case determinism
        /// The same run with a change that must not matter ended otherwise (``MetamorphicCheck``).
        case metamorphic
        /// The worker process died: a defect of otalab, or the machine ran out of memory.
        case workerDied
        /// The run took longer than `--wall-limit` and was ended.
        case wallLimit
    }

    package var kind: Kind
    /// Id of the broken rule (`S1`, `R7` …); nil for an expectation.
    package var rule: String?
    /// What identifies it among the failures of other scenarios.
    package var identity = FailureIdentity()
    /// Index of the step in the scenario, from 0; nil if no step is at fault.
    package var step: Int?
    /// Location in the scenario file that the report points at.
    package var location: FileLocation?
    /// Summary as one sentence without a full stop.
    package var headline: String
    /// Expected and actual values that differ.
    package var differences: [Difference]
    /// Other facts that were found.
    package var findings: [String]
    /// Text of the step's `because`.
    package var because: String?
    /// Round of each `repeat`, the outermost first: `3 of 5`.
    package var round: String?
    /// Suggested fix, if there is one.
    package var help: String?
    /// Instant since when the expectation was wrong without interruption (``WrongSinceTracker``).
    package var wrongSince: Instant?
    /// Number of the timeline entry that made it wrong; nil if it is not known.
    package var wrongSinceEvent: Int?
    /// Whether it was wrong from the beginning, so that no event made it wrong.
    package var wasNeverRight: Bool
    /// Begin of the time that `within` or `throughout` gave it.
    package var waitedFrom: Instant?
    /// End of that time, or when the failure was found in it.
    package var waitedTo: Instant?
    /// Instant at which it was found.
    package var at: Instant
    /// Lines of the file above ``location``: the last acting step, and the first line of the failed step.
    package var context: [SourceLine]
    /// The relevant events, oldest first: the chain of causes, events about what the failure names, and
    /// faults (``Relevance``).
    package var lastEvents: [TimelineEntry]
    /// Number of events up to the failure, with those of ``lastEvents``.
    package var eventsSoFar: Int
    /// Command that reproduces it.
    package var reproduction: String

    package init(kind: Kind, headline: String, at: Instant) {
        self.kind = kind
        self.headline = headline
        self.at = at
        differences = []
        findings = []
        wasNeverRight = false
        context = []
        eventsSoFar = 0
        lastEvents = []
        reproduction = ""
    }
}
